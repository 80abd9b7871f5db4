"""How do I put Caesura into a LlamaIndex pipeline, so that what has not changed is neither cut nor embedded again?

Needs llama-index-node-parser-caesura; no key, no network.
"""

from pathlib import Path

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import OptimalSemanticSplitter, StaticEmbedding

embed = StaticEmbedding()  # or any embedding of LlamaIndex's; the splitter itself needs none of yours
store = SimpleVectorStore()
pipeline = IngestionPipeline(
    transformations=[OptimalSemanticSplitter(), embed],
    docstore=SimpleDocumentStore(),
    docstore_strategy=DocstoreStrategy.UPSERTS,
    vector_store=store,
)
article = (Path(__file__).parent / "article.md").read_text("utf-8")
ferry = "The ferry to the island leaves at nine. It takes forty minutes."
closed = "The ferry to the island does not sail from November to March."


def run(what: str, *texts: str) -> list[BaseNode]:
    """Documents have ids of their own, so that they are known again; LlamaIndex's default is random."""
    documents = [Document(text=text, id_=name) for name, text in zip(("article.md", "ferry.md"), texts, strict=True)]
    nodes = list(pipeline.run(documents=documents))
    print(f"{what}: {len(nodes)} nodes made, {len(store.data.embedding_dict)} in the vector store")
    return nodes


nodes = run("first", article, ferry)
run("again", article, ferry)
run("ferry.md changed", article, closed)

index = VectorStoreIndex(nodes, embed_model=embed)  # they carry their vectors, and are not embedded again
(found,) = index.as_retriever(similarity_top_k=1).retrieve("How are puffins counted?")
start, end = found.node.start_char_idx, found.node.end_char_idx
assert article[start:end] == found.node.get_content()
print(f"{found.score:.2f} at {start}-{end}: {' '.join(found.node.get_content().split())[:80]}")
