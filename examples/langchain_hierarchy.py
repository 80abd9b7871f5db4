"""How do I search small texts, return large ones, and keep the index in step with my documents? LangChain, on disk.

python examples/langchain_hierarchy.py            Chroma and SQLite in a temporary folder
python examples/langchain_hierarchy.py FOLDER     in a folder of yours, where a second run embeds what is new alone

Needs langchain-caesura and langchain-chroma; no key, no network.
"""

import sys
import tempfile
from pathlib import Path

import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document

from langchain_caesura import ParentDocumentRetriever, SemanticHierarchySplitter, SQLiteDocumentStore, StaticEmbeddings

ARTICLE = (Path(__file__).parent / "article.md").read_text("utf-8")
FERRY = "The ferry to the island leaves at nine. It takes forty minutes.\n\nTickets are sold aboard. Dogs travel free."
CLOSED = "The ferry to the island does not sail from November to March. A boat brings the post on Fridays."


def main(folder: Path, large: SQLiteDocumentStore) -> None:
    """Indexes, indexes again, changes and deletes, and asks in between."""
    client = chromadb.PersistentClient(str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False))
    small = Chroma("small", StaticEmbeddings(), client=client, collection_configuration={"hnsw": {"space": "cosine"}})
    retriever = ParentDocumentRetriever(
        vectorstore=small,
        docstore=large,
        child_splitter=SemanticHierarchySplitter(chunk_sizes=(1500, 300)),  # large and small in one pass
        source_id_key="source",  # a document is known by its source
        k=2,
    )

    def told(what: str) -> None:
        print(f"\n{what}: {len(small.get(include=[])['ids'])} small chunks")
        for parent in retriever.invoke("When does the ferry to the island leave?"):
            best = parent.metadata["matches"][0]
            place = f"{parent.metadata['source']}, {best['start_index']}-{best['end_index']}"
            text = " ".join(best["text"].split())[:70]
            print(f"  {best['score']:.2f}  {len(parent.page_content)} characters, found at {place}: {text}")

    documents = [Document(ARTICLE, metadata={"source": "article.md"}), Document(FERRY, metadata={"source": "ferry.md"})]
    retriever.add_documents(documents)
    told("indexed")
    retriever.add_documents(documents)
    told("indexed again")
    retriever.add_documents([Document(CLOSED, metadata={"source": "ferry.md"})])
    told("ferry.md changed")
    retriever.delete(["ferry.md"])
    told("ferry.md deleted")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        own = Path(sys.argv[1] if sys.argv[1:] else temporary)
        with SQLiteDocumentStore(own / "large.db") as store:
            main(own, store)
