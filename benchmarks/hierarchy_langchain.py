"""10,000 documents of 2 kB into Chroma and SQLite by the parent retriever: what it costs beyond embedder and stores.

    python benchmarks/hierarchy_langchain.py [--documents 10000] [--splitters recursive,hierarchy]

A clock stands around every call of the embeddings, of the splitters and of both stores; where one calls another, the
time is the inner one's. The embedder is the static one, the fastest that there is: with any other, our share is less.
Beside it langchain-classic's retriever, with the same splitters and stores, where it is installed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from random import Random
from typing import Any

import chromadb
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter
from tables import Row, Table

from caesura_static import StaticEmbedder
from langchain_caesura import (
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)
from langchain_caesura.base import SemanticSplitter

SUBJECTS = (
    "tide harbour mast anchor sail rope deck hull storm compass captain ferry island pilot buoy",
    "dough oven yeast crust loaf rye crumb flour baker salt butter honey kitchen tray batch",
    "levy treasury audit clerk form refund bracket duty income ledger budget office stamp rate return",
    "lamp wick oil glass flame shadow candle match mirror lens beam night tower keeper signal",
)
CHILD, PARENT = 400, 2000


class Clock:
    """Adds up seconds by what they were spent on; time inside an inner call is the inner one's."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.open: list[str] = ["rest"]
        self.since = time.perf_counter()

    def switch(self) -> None:
        """Gives the time since the last switch to what is going on."""
        now = time.perf_counter()
        self.seconds[self.open[-1]] += now - self.since
        self.since = now

    def around(self, owner: type, name: str, what: str) -> None:
        """Puts the clock around a method of a class."""
        method: Callable[..., Any] = getattr(owner, name)

        @wraps(method)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.switch()
            self.open.append(what)
            try:
                return method(*args, **kwargs)
            finally:
                self.switch()
                self.open.pop()

        setattr(owner, name, timed)


def documents(number: int) -> list[Document]:
    """Texts of 2 kB in paragraphs, each on a subject; the same on every run."""
    random = Random(5)
    made: list[Document] = []
    for at in range(number):
        text = ""
        while len(text) < 2000:
            words = random.choice(SUBJECTS).split()
            sentences = [" ".join(["The", *random.choices(words, k=random.randint(5, 14))]) + "." for _ in range(5)]
            text += " ".join(sentences) + "\n\n"
        made.append(Document(text[:2000], id=f"document-{at}", metadata={"source": f"{at}.md", "part": at % 7}))
    return made


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


def measured(clock: Clock, what: str, action: Callable[[], object], rows: Callable[[], int]) -> Row:
    """Does it -> a row of the seconds that it took, by what they were spent on."""
    clock.seconds.clear()
    clock.since = time.perf_counter()
    action()
    clock.switch()
    spent = clock.seconds
    total = sum(spent.values())
    beyond = spent["cutting"] + spent["rest"]
    row: Row = {"what": what, "children": rows(), "seconds": total}
    row |= {name: spent[name] for name in ("embedding", "stores", "cutting", "rest")}
    return row | {"beyond embedder and stores, %": 100 * beyond / total}


def main() -> None:
    """Reads the command line, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--splitters", default="recursive,hierarchy")
    options = parser.parse_args()
    clock = Clock()
    for owner, name in ((StaticEmbeddings, "embed_documents"), (StaticEmbedder, "__call__")):
        clock.around(owner, name, "embedding")
    for owner in (TextSplitter, SemanticSplitter):
        clock.around(owner, "split_documents", "cutting")
    for name in ("mget", "mset", "mdelete"):
        clock.around(SQLiteDocumentStore, name, "stores")
    for name in ("add_documents", "delete", "get_by_ids"):
        clock.around(Chroma, name, "stores")
    given = documents(options.documents)
    changed = [Document(f"{one.page_content} More.", id=one.id, metadata=one.metadata) for one in given[:100]]
    table = Table(f"{len(given):,} documents of 2 kB: seconds")
    for name in options.splitters.split(","):
        with tempfile.TemporaryDirectory() as folder:
            made = ParentDocumentRetriever(**stores(folder), **splitters(name))

            count = made.vectorstore._collection.count
            table.rows += [
                measured(clock, f"{name}: index", lambda to=made: to.add_documents(given), count),
                measured(clock, f"{name}: index again", lambda to=made: to.add_documents(given), count),
                measured(clock, f"{name}: change 100", lambda to=made: to.add_documents(changed), count),
                measured(clock, f"{name}: delete 100", lambda to=made: to.delete([one.id for one in changed]), count),
            ]
        if find_spec("langchain_classic") is not None and name != "hierarchy":
            from langchain_classic.retrievers import ParentDocumentRetriever as Classic

            with tempfile.TemporaryDirectory() as folder:
                peer = Classic(**stores(folder), **splitters(name))

                def batches(to: Any = peer) -> None:
                    for at in range(0, len(given), 200):  # Chroma takes no more than so many rows at once
                        to.add_documents(given[at : at + 200])

                row = measured(clock, f"{name}: langchain-classic", batches, peer.vectorstore._collection.count)
                table.rows.append(row)
    print(table.markdown())


if __name__ == "__main__":
    main()
