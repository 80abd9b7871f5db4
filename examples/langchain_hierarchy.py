"""How do I find what answers a question, within a budget, and keep the index in step? LangChain, on disk.

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

from langchain_caesura import ParentDocumentRetriever, ScoredDocument, SQLiteDocumentStore, StaticEmbeddings

ARTICLE = (Path(__file__).parent / "article.md").read_text("utf-8")
FERRY = "The ferry to the island leaves at nine. It takes forty minutes.\n\nTickets are sold aboard. Dogs travel free."
CLOSED = "The ferry to the island does not sail from November to March. A boat brings the post on Fridays."


def main(folder: Path, texts: SQLiteDocumentStore) -> None:
    """Indexes, indexes again, changes and deletes, and asks in between."""
    client = chromadb.PersistentClient(str(folder / "chroma"), chromadb.Settings(anonymized_telemetry=False))
    small = Chroma("small", StaticEmbeddings(), client=client, collection_configuration={"hnsw": {"space": "cosine"}})
    retriever = ParentDocumentRetriever(
        vectorstore=small,
        docstore=texts,  # the documents, and the words of their chunks
        source_id_key="source",  # a document is known by its source
        budget=700,  # characters of all passages together
    )

    def told(what: str) -> None:
        print(f"\n{what}: {len(small.get(include=[])['ids'])} small chunks")
        for passage in retriever.invoke("When does the ferry to the island leave?"):
            assert isinstance(passage, ScoredDocument)
            place = "{source}, {start_index}-{end_index}".format(**passage.metadata)
            text = " ".join(passage.page_content.split())[:70]
            print(f"  {passage.score:.2f}  {len(passage.page_content)} characters of {place}: {text}")

    documents = [Document(ARTICLE, metadata={"source": "article.md"}), Document(FERRY, metadata={"source": "ferry.md"})]
    retriever.add_documents(documents)
    told("indexed")
    retriever.add_documents(documents)
    told("indexed again")
    retriever.add_documents([Document(CLOSED, metadata={"source": "ferry.md"})])
    told("ferry.md changed")
    retriever.mirror(documents[:1])  # or delete(["ferry.md"])
    told("ferry.md gone")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        own = Path(sys.argv[1] if sys.argv[1:] else temporary)
        with SQLiteDocumentStore(own / "texts.db") as store:
            main(own, store)
