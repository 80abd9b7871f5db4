"""10,000 documents of 2 kB into Chroma and SQLite by the parent retriever: what it costs beyond embedder and stores.

    python benchmarks/hierarchy_langchain.py [--documents 10000] [--splitters recursive,hierarchy]

A clock stands around every call of the embeddings, of the splitters and of both stores; where one calls another, the
time is the inner one's. The embedder is the static one, the fastest that there is: with any other, our share is less.
Beside it langchain-classic's retriever, with the same splitters and stores, where it is installed.
"""

from __future__ import annotations

import argparse
import tempfile
from importlib.util import find_spec
from typing import Any

import chromadb
from clock import Clock
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter
from subjects import texts
from tables import Table

from caesura_static import StaticEmbedder
from langchain_caesura import (
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)
from langchain_caesura.base import BaseSemanticSplitter

CHILD, PARENT = 400, 2000


def splitters(name: str) -> dict[str, Any]:
    """The splitters of a row."""
    if name == "hierarchy":
        return {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(PARENT, CHILD))}
    return {"child_splitter": RecursiveCharacterTextSplitter(chunk_size=CHILD, chunk_overlap=0)}


def stores(folder: str) -> dict[str, Any]:
    """Chroma and SQLite, on disk."""
    client = chromadb.PersistentClient(f"{folder}/chroma", settings=chromadb.Settings(anonymized_telemetry=False))
    return {
        "vectorstore": Chroma("children", StaticEmbeddings(), client=client),
        "docstore": SQLiteDocumentStore(f"{folder}/parents.db"),
    }


def main() -> None:
    """Reads the command line, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--splitters", default="recursive,hierarchy")
    options = parser.parse_args()
    clock = Clock()
    for owner, name in ((StaticEmbeddings, "embed_documents"), (StaticEmbedder, "__call__")):
        clock.around(owner, name, "embedding")
    for owner in (TextSplitter, BaseSemanticSplitter):
        clock.around(owner, "split_documents", "cutting")
    for name in ("mget", "mset", "mdelete"):
        clock.around(SQLiteDocumentStore, name, "stores")
    for name in ("add_documents", "delete", "get_by_ids"):
        clock.around(Chroma, name, "stores")
    given = [Document(one.text, id=one.id, metadata=one.metadata) for one in texts(options.documents)]
    changed = [Document(f"{one.page_content} More.", id=one.id, metadata=one.metadata) for one in given[:100]]
    table = Table(f"{len(given):,} documents of 2 kB: seconds")
    for name in options.splitters.split(","):
        with tempfile.TemporaryDirectory() as folder:
            parents = ParentDocumentRetriever(**stores(folder), **splitters(name))
            count = parents.vectorstore._collection.count
            table.rows += [
                clock.measured(f"{name}: index", lambda to=parents: to.add_documents(given), count),
                clock.measured(f"{name}: index again", lambda to=parents: to.add_documents(given), count),
                clock.measured(f"{name}: change 100", lambda to=parents: to.add_documents(changed), count),
                clock.measured(f"{name}: delete 100", lambda to=parents: to.delete([one.id for one in changed]), count),
            ]
        if find_spec("langchain_classic") is not None and name != "hierarchy":
            from langchain_classic.retrievers import ParentDocumentRetriever as Classic

            with tempfile.TemporaryDirectory() as folder:
                peer = Classic(**stores(folder), **splitters(name))

                def batches(to: Any = peer) -> None:
                    for at in range(0, len(given), 200):  # Chroma takes no more than so many rows at once
                        to.add_documents(given[at : at + 200])

                row = clock.measured(f"{name}: langchain-classic", batches, peer.vectorstore._collection.count)
                table.rows.append(row)
    print(table.markdown())


if __name__ == "__main__":
    main()
