"""How do I search small texts, return large ones, and keep the index in step with my documents? LangChain, on disk.

python examples/langchain_parents.py            Chroma and SQLite in a temporary folder
python examples/langchain_parents.py FOLDER     in a folder of yours, where a second run embeds what is new alone

Needs langchain-caesura and langchain-chroma; no key, no network.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document

from langchain_caesura import (
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

HERE = Path(__file__).parent
FERRY = (
    "The ferry to the island leaves at nine. It takes forty minutes, or an hour against the tide.\n\n"
    "Tickets are sold on board. Dogs travel free of charge."
)
CLOSED = "The ferry to the island does not sail from November to March. A boat brings the post on Fridays."


def opened(folder: Path, parents: SQLiteDocumentStore) -> tuple[ParentDocumentRetriever, Chroma]:
    """The retriever over its two stores: vectors of small chunks, and the large chunks that they lie in."""
    settings = chromadb.Settings(anonymized_telemetry=False)
    vectors = Chroma(
        "small",
        StaticEmbeddings(),
        client=chromadb.PersistentClient(str(folder / "chroma"), settings=settings),
        collection_configuration={"hnsw": {"space": "cosine"}},
    )
    retriever = ParentDocumentRetriever(
        vectorstore=vectors,
        docstore=parents,
        child_splitter=SemanticHierarchySplitter(chunk_sizes=(1500, 300)),  # large and small in one pass
        source_id_key="source",  # a document is known by its source
        k=2,
    )
    return retriever, vectors


def ask(retriever: ParentDocumentRetriever, question: str) -> None:
    """Prints the large chunks that come back, and the best small text in each."""
    print(f"\n  {question}")
    for parent in retriever.invoke(question):
        found, best = parent.metadata, parent.metadata["matches"][0]
        start, end = best["start_index"], best["end_index"]
        text = " ".join(best["text"].split())
        print(f"    {found['relevance_score']:.2f}  {found['source']}, {len(parent.page_content)} characters")
        print(f"          found at {start}-{end}: {text[:80]}")


def main(folder: Path, parents: SQLiteDocumentStore) -> None:
    """Indexes, indexes again, changes and deletes, and asks in between."""
    retriever, vectors = opened(folder, parents)
    rows = vectors._collection.count
    article = Document((HERE / "article.md").read_text("utf-8"), metadata={"source": "article.md"})
    ferry = Document(FERRY, metadata={"source": "ferry.md"})

    retriever.add_documents([article, ferry])
    print(f"indexed: {rows()} small chunks")
    ask(retriever, "When does the ferry to the island leave?")

    before = rows()
    retriever.add_documents([article, ferry])
    print(f"\nindexed again: {rows()} small chunks, {rows() - before} more; nothing was embedded")

    retriever.add_documents([Document(CLOSED, metadata={"source": "ferry.md"})])
    print(f"\nferry.md changed: {rows()} small chunks")
    ask(retriever, "When does the ferry to the island leave?")

    retriever.delete(["ferry.md"])
    left = {row["source"] for row in vectors.get()["metadatas"]}
    print(f"\nferry.md deleted: {rows()} small chunks, all of {', '.join(sorted(left))}")
    ask(retriever, "When does the ferry to the island leave?")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        own = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        with SQLiteDocumentStore(own / "large.db") as store:
            main(own, store)
