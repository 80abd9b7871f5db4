"""How do I search small nodes, return large ones, and keep the index in step with my documents? LlamaIndex, on disk.

python examples/llama_index_hierarchy.py            Chroma and SQLite in a temporary folder
python examples/llama_index_hierarchy.py FOLDER     in a folder of yours, where a second run embeds what changed alone

Needs llama-index-node-parser-caesura and llama-index-vector-stores-chroma; no key, no network.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import chromadb
from llama_index.core import Document, Settings
from llama_index.vector_stores.chroma import ChromaVectorStore

from llama_index.node_parser.caesura import (
    HierarchyIndex,
    SemanticHierarchyParser,
    SQLiteDocumentStore,
    StaticEmbedding,
)

HERE = Path(__file__).parent
FERRY = (
    "The ferry to the island leaves at nine. It takes forty minutes, or an hour against the tide.\n\n"
    "Tickets are sold on board. Dogs travel free of charge."
)
CLOSED = "The ferry to the island does not sail from November to March. A boat brings the post on Fridays."


def opened(folder: Path, nodes: SQLiteDocumentStore) -> tuple[HierarchyIndex, chromadb.Collection]:
    """The index over its two stores: vectors of the smallest nodes, and the nodes of all levels."""
    client = chromadb.PersistentClient(str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False))
    vectors = client.get_or_create_collection(
        "small", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    index = HierarchyIndex(
        vector_store=ChromaVectorStore(chroma_collection=vectors),
        docstore=nodes,
        transformations=[SemanticHierarchyParser(chunk_sizes=[1024, 256, 64])],
    )
    return index, vectors


def ask(index: HierarchyIndex, question: str) -> None:
    """Prints the nodes that come back: parents of which at least half the children were found, and small ones."""
    print(f"\n  {question}")
    for found in index.as_retriever(similarity_top_k=8).retrieve(question)[:2]:
        node = found.node
        kind = f"a parent of {len(node.child_nodes)}" if node.child_nodes else "a leaf"
        place = f"{node.ref_doc_id}, {node.start_char_idx}-{node.end_char_idx}, {kind}"
        print(f"    {found.score:.2f}  {place}: {' '.join(node.get_content().split())[:70]}")


def main(folder: Path, nodes: SQLiteDocumentStore) -> None:
    """Indexes, indexes again, changes and deletes, and asks in between."""
    Settings.embed_model = StaticEmbedding()  # else LlamaIndex asks for an OpenAI key
    index, vectors = opened(folder, nodes)
    article = Document(text=(HERE / "article.md").read_text("utf-8"), id_="article.md")
    ferry = Document(text=FERRY, id_="ferry.md")  # an id of one's own: LlamaIndex's default is random

    print(f"indexed: {index.upsert([article, ferry])}, {vectors.count()} small nodes")
    ask(index, "How are the birds counted?")
    ask(index, "When does the ferry to the island leave?")

    print(f"\nindexed again: {index.upsert([article, ferry])}, {vectors.count()} small nodes")

    closed = Document(text=CLOSED, id_="ferry.md")
    print(f"\nferry.md changed: {index.upsert([article, closed])}, {vectors.count()} small nodes")
    ask(index, "When does the ferry to the island leave?")

    index.delete("ferry.md")
    left = {str(row["document_id"]) for row in vectors.get(include=["metadatas"])["metadatas"] or []}
    print(f"\nferry.md deleted: {vectors.count()} small nodes, all of {', '.join(sorted(left))}")
    ask(index, "When does the ferry to the island leave?")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        own = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        store = SQLiteDocumentStore(own / "nodes.db")
        main(own, store)
        store.close()
