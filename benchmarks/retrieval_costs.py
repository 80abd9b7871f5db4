"""What context, words and a budget cost a parent retriever on Chroma and SQLite, beside one without them.

    python benchmarks/retrieval_costs.py [--documents 10000] [--queries 200]

Documents of 2 kB whose words are as frequent as in any language (Zipf's law), and our own pages, edited. The
embedder is the static one, the fastest that there is: with any other, these shares are less. 17,000 documents are
100,000 small chunks.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from clock import Clock
from langchain_chroma import Chroma
from langchain_classic.embeddings import CacheBackedEmbeddings
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryByteStore
from tables import Table

from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings

VOCABULARY, LONG = 50_000, 100_000
WITHOUT: dict[str, Any] = {"words": 0.0, "context": 0.0}


def text(size: int, seed: int) -> str:
    """So many characters of sentences and paragraphs."""
    random = np.random.default_rng(seed)
    words = random.zipf(1.2, size // 4) % VOCABULARY
    made = [f"{_word(int(word))}{'. The' if random.random() < 0.1 else ''}" for word in words]
    lines = [" ".join(made[at : at + 80]) for at in range(0, len(made), 80)]
    return "\n\n".join(lines)[:size]


def _word(number: int) -> str:
    letters = ""
    while number or not letters:
        number, rest = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[rest] + "aeiou"[rest % 5]
    return letters


class Counted(Embeddings):
    """The static model, and how many texts it was given."""

    def __init__(self) -> None:
        self.texts = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text."""
        self.texts += len(texts)
        return StaticEmbeddings().embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row."""
        return StaticEmbeddings().embed_query(text)


def retriever(folder: Path, embeddings: Embeddings, **settings: Any) -> ParentDocumentRetriever:
    """On the disk, all else at its default."""
    client = chromadb.PersistentClient(f"{folder}/chroma", settings=chromadb.Settings(anonymized_telemetry=False))
    return ParentDocumentRetriever(
        vectorstore=Chroma("children", embeddings, client=client),
        docstore=SQLiteDocumentStore(folder / "documents.db"),
        **settings,
    )


def seconds(action: Callable[[], object]) -> float:
    """Of this process alone."""
    began = time.process_time()
    action()
    return time.process_time() - began


def main() -> None:
    """Reads the command line, measures and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    given = [Document(text(2000, seed), id=f"document-{seed}") for seed in range(options.documents)]
    table = Table(f"{len(given):,} documents of 2 kB")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        folders = {"without": Path(one), "with context and words": Path(other)}
        makers = {"without": retriever(folders["without"], StaticEmbeddings(), **WITHOUT)}
        makers["with context and words"] = whole = retriever(folders["with context and words"], StaticEmbeddings())
        took = dict.fromkeys(makers, 0.0)
        for at in range(0, len(given), 500):  # in turn, so that what else the machine does falls on both
            for name, own in makers.items():
                took[name] += seconds(lambda own=own, at=at: own.add_documents(given[at : at + 500]))  # type: ignore[misc]
        for folder in folders.values():  # SQLite's log of the last writes, which it empties now and then
            with closing(sqlite3.connect(folder / "documents.db")) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sizes = {
            name: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            for name, folder in folders.items()
        }
        for name in makers:
            table.rows.append(
                {
                    "retriever": name,
                    "index, s": took[name],
                    "ratio": f"{took[name] / took['without']:.2f}",
                    "on disk, MB": sizes[name] / 2**20,
                    "ratio of sizes": f"{sizes[name] / sizes['without']:.3f}",
                }
            )
        print(table.markdown())
        print(_queries(whole, options.queries).markdown())
    with tempfile.TemporaryDirectory() as folder:
        print(_edit(Path(folder)).markdown())


def _queries(own: ParentDocumentRetriever, count: int) -> Table:
    """What a question costs beside the embedder and the vector store."""
    clock = Clock()
    clock.around(StaticEmbeddings, "embed_documents", "embedding")
    clock.around(Chroma, "similarity_search_with_score", "vector store")
    small = own.vectorstore._collection.count()  # type: ignore[attr-defined]
    taken: list[dict[str, float]] = []
    for seed in range(count):
        clock.seconds = dict.fromkeys(clock.seconds, 0.0)
        clock.since = time.perf_counter()
        own.invoke(text(60, 10**6 + seed))
        clock.switch()
        taken.append(dict(clock.seconds))
    table = Table(f"A question over {small:,} small chunks: milliseconds, the median of {count}")
    middle = {name: 1000 * float(np.median([each[name] for each in taken])) for name in taken[0]}
    table.rows.append(
        {"ours": middle["rest"], "vector store": middle["vector store"], "embedding": middle["embedding"]}
    )
    return table


def _edit(folder: Path) -> Table:
    """A sentence more in our own pages, three times: what the model embeds."""
    pages = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))
    begun = "\n\n".join(page.read_text("utf-8") for page in pages)[:LONG]
    table = Table("An edit: 100 kB, and one sentence more at the beginning, in the middle and near the end")
    for cache in (False, True):
        model = Counted()
        kept = CacheBackedEmbeddings.from_bytes_store(model, InMemoryByteStore(), key_encoder="sha256")
        own = retriever(folder / str(cache), kept if cache else model)
        content, indexed = begun, 0
        for share in (None, 0.0, 0.5, 0.9):
            if share is not None:
                at = content.index(". ", int(share * len(content))) + 2
                content = f"{content[:at]}Nobody came to see it that year. {content[at:]}"
            model.texts = 0
            took = seconds(partial(own.add_documents, [Document(content, id="long")]))
            indexed = indexed or model.texts
            what = "index" if share is None else f"edit at {share:.0%}"
            embedded = {"chunks embedded": model.texts, "of the index, %": 100 * model.texts / indexed}
            table.rows.append({"what": f"{what}{', with a cache' * cache}", **embedded, "ms": 1000 * took})
    return table


if __name__ == "__main__":
    main()
