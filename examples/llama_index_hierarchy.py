"""How do I get passages within a budget, and keep the index in step with my documents? LlamaIndex, on disk.

python examples/llama_index_hierarchy.py [FOLDER]     a temporary folder, or yours: a second run embeds what changed

Needs llama-index-node-parser-caesura and llama-index-vector-stores-chroma; no key, no network.
"""

import sys
import tempfile
from pathlib import Path

import chromadb
from llama_index.core import Document, Settings
from llama_index.vector_stores.chroma import ChromaVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding

FERRY = "The ferry to the island leaves at nine. It takes forty minutes.\n\nTickets are sold aboard. Dogs travel free."
CLOSED = "The ferry to the island does not sail from November to March. A boat brings the post on Fridays."


def main(folder: Path) -> None:
    """Indexes, indexes again, changes and deletes, and asks in between."""
    Settings.embed_model = StaticEmbedding()  # else LlamaIndex asks for an OpenAI key
    client = chromadb.PersistentClient(str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False))
    rows = client.get_or_create_collection("rows", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None)
    nodes = SQLiteDocumentStore(folder / "nodes.db")  # of all levels, and their words
    index = HierarchyIndex(vector_store=ChromaVectorStore(chroma_collection=rows), docstore=nodes)

    def told(what: object, question: str = "When does the ferry to the island leave?") -> None:
        print(f"\n{what}, {rows.count()} small nodes. {question}")
        for found in index.as_retriever(budget=500).retrieve(question)[:2]:  # tokens, of all passages together
            node = found.node  # neighbours are one node; a parent, where enough of it was found
            place = (
                f"{node.ref_doc_id}, {node.start_char_idx}-{node.end_char_idx}, children: {len(node.child_nodes or [])}"
            )
            print(f"  {found.score:.2f}  {place}: {' '.join(node.get_content().split())[:70]}")

    article = Document(text=(Path(__file__).parent / "article.md").read_text("utf-8"), id_="article.md")
    told(index.upsert([article, Document(text=FERRY, id_="ferry.md")]))  # LlamaIndex's own ids are random
    told(index.upsert([article, Document(text=FERRY, id_="ferry.md")]), "How are the birds counted?")
    told(index.upsert([article, Document(text=CLOSED, id_="ferry.md")]))
    told(index.mirror([article]))  # which forgets what is not among them; or index.delete_ref_doc("ferry.md")
    nodes.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        main(Path(sys.argv[1] if sys.argv[1:] else temporary))
