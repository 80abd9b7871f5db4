"""What indexing and edits cost a parent retriever: processor time of all threads, by what it was spent on.

    python benchmarks/indexing_costs.py [--mb 11] [--store memory|faiss] [--rounds 3]

English prose: sentences of papers and essays (../shared/data) in paragraphs, in another order for every copy of the
data, so that few chunks are alike. The embedder is the static one, and what is not named is at its default.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from clock import Clock
from corpora import DATA, asked
from faiss import IndexFlatIP
from langchain_community.docstore import InMemoryDocstore
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from tables import Table

from caesura import Splitter, units
from caesura_retrieval.word_index import WordIndex
from caesura_static import StaticEmbedder
from langchain_caesura import ParentDocumentRetriever, SQLiteDocumentStore, StaticEmbeddings

SENTENCE = "Nobody came to see it that year. "
SMALL = 100_000
EACH = 30_000
STORES: dict[str, type[VectorStore]] = {"memory": InMemoryVectorStore, "faiss": FAISS}


def prose(size: int) -> str:
    """So many characters of sentences in paragraphs of five, none of them twice as another one's neighbour."""
    texts = [*asked("papers").texts.values(), *(path.read_text("utf-8") for path in sorted(DATA.glob("essays/*.txt")))]
    sentences = [" ".join(text[start:end].split()) for text in texts for start, end in pairwise(units(text).tolist())]
    paragraphs, have, copy = list[str](), 0, 0
    while have < size:
        random.Random(copy).shuffle(sentences)
        paragraphs += [" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5)]
        have, copy = sum(len(each) + 2 for each in paragraphs), copy + 1
    return "\n\n".join(paragraphs)[:size]


class Counted(StaticEmbeddings):
    """The static model, and how many texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text."""
        self.texts += len(texts)
        return super().embed_documents(texts)


def retriever(folder: Path, store: str, embeddings: StaticEmbeddings) -> ParentDocumentRetriever:
    """Texts and words on the disk, vectors in memory."""
    vectors: VectorStore = InMemoryVectorStore(embeddings)
    if store == "faiss":
        vectors = FAISS(embeddings, IndexFlatIP(StaticEmbedder().dimension), InMemoryDocstore(), {})
    return ParentDocumentRetriever(vectorstore=vectors, docstore=SQLiteDocumentStore(folder / "texts.db"))


def clock_of(store: type[VectorStore]) -> Clock:
    """Tells apart what writing is made of."""
    clock = Clock(time.process_time)
    clock.around(Splitter, "prepare", "cutting")
    clock.around(Splitter, "finish", "cutting")
    clock.around(StaticEmbedder, "__call__", "embedding")
    clock.around(store, "add_documents", "vector store")
    clock.around(store, "delete", "vector store")
    clock.around(WordIndex, "write", "words")  # a thread gives the engine many, in the time of what goes on beside
    for name in ("mset", "mget", "mdelete"):
        clock.around(SQLiteDocumentStore, name, "texts, records")
    return clock


def spent(clock: Clock, action: Callable[[], object]) -> dict[str, float]:
    """An action -> the seconds that it took, by what they were spent on."""
    clock.seconds = dict.fromkeys(clock.seconds, 0.0)
    clock.since = clock.now()
    action()
    clock.switch()
    return dict(clock.seconds)


def retriever_over(documents: Sequence[Document], store: str) -> None:
    """Indexes documents in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        retriever(Path(folder), store, StaticEmbeddings()).add_documents(documents)


def indexed(clock: Clock, store: str, documents: Sequence[Document], what: str) -> dict[str, Any]:
    """Documents are indexed -> a row of a table: MB/s of processor time and by the clock on the wall, and each part."""
    size, begun = sum(len(each.page_content.encode()) for each in documents) / 1e6, time.perf_counter()
    took = spent(clock, lambda: retriever_over(documents, store))
    wall = f"{size / (time.perf_counter() - begun):.2f}"
    return {"what": what, "MB": size, "MB/s": f"{size / sum(took.values()):.2f}", "wall, MB/s": wall, **parts(took)}


def edited(
    clock: Clock, write: Callable[[str], object], embedded: Callable[[], int], content: str, rounds: int
) -> list[dict[str, Any]]:
    """One sentence more in a document, at its start and in its middle -> rows of a table, indexing it being the first.

    write: puts a version of the document into an empty index, or in the place of the one before. embedded: how many
    texts were embedded so far. rounds: how often each edit is made; the least of the times counts.
    """
    whole = spent(clock, lambda: write(content))
    count, total = embedded(), sum(whole.values())
    rows: list[dict[str, Any]] = [{"what": "index", "rows embedded": count, "s": f"{total:.2f}", **parts(whole)}]
    for name, share in (("start", 0.0), ("middle", 0.5)):
        best: dict[str, float] = {}
        last = 0
        for _ in range(rounds):
            at = content.index(". ", int(share * len(content))) + 2
            content, before = f"{content[:at]}{SENTENCE}{content[at:]}", embedded()
            took = spent(clock, lambda given=content: write(given))  # type: ignore[misc]
            best = min(best or took, took, key=lambda each: sum(each.values()))
            last = embedded() - before
        seconds = sum(best.values())
        of_rows = {"rows embedded": last, "% of the rows": f"{100 * last / count:.2f}"}
        of_time = {"s": f"{seconds:.3f}", "of indexing": f"{seconds / total:.3f}"}
        rows.append({"what": f"edit at the {name}", **of_rows, **of_time, **parts(best)})
    return rows


def edited_by_retriever(clock: Clock, store: str, content: str, rounds: int) -> list[dict[str, Any]]:
    """`edited`, through a retriever in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        own = retriever(Path(folder), store, model := Counted())
        return edited(
            clock,
            lambda text: own.add_documents([Document(text, id="long")]),
            lambda: model.texts,
            content,
            rounds,
        )


def parts(took: dict[str, float]) -> dict[str, str]:
    """The seconds of each part -> cells of a table."""
    return {f"{name}, s": f"{seconds:.3f}" for name, seconds in took.items()}


def main() -> None:
    """Reads the command line, measures and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=11.0, help="the large document of the edits")
    parser.add_argument("--index", type=float, default=3.0, help="MB that are indexed, in documents of 30 kB")
    parser.add_argument("--store", choices=sorted(STORES), default="memory")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    clock = clock_of(STORES[options.store])
    content = prose(int(1e6 * max(options.mb, options.index)))
    some = content[: int(1e6 * options.index)]
    documents = [Document(some[at : at + EACH], id=f"{at}") for at in range(0, len(some), EACH)]
    table = Table(f"Indexing, {options.store}", ["The first row has each word for the first time in the process."])
    spent(clock, lambda: retriever_over(documents[:1], options.store))  # what is loaded once
    for _ in range(options.rounds if documents else 0):
        table.rows.append(indexed(clock, options.store, documents, "documents of 30 kB"))
    print(table.markdown())
    for size in (SMALL, int(1e6 * options.mb)):
        table = Table(f"One sentence more in a document of {size / 1e6:g} MB, {options.store}")
        table.rows += edited_by_retriever(clock, options.store, content[:size], options.rounds)
        print(table.markdown())


if __name__ == "__main__":
    main()
