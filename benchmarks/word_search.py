"""What words cost: the size of an index, the time of a write, and of a search with questions of 25 words.

    python benchmarks/word_search.py [--texts 100000] [--questions 100]

Texts are sentences of the measuring data in any order, to 400 characters each, with names that are rare, so that a
collection of any size has many different words. Questions are those of the data, joined.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median
from uuid import UUID

from corpora import asked
from tables import Table

from caesura.text.sentences import sentences
from caesura_retrieval.ranking import rank
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from caesura_store.sqlite_store import Store

SETS = ("papers", "corpora")
SIZE, OF_DOCUMENT, AT_ONCE, WORDS, NEAR, UPDATES = 400, 12, 200, 25, 200, 50


class Spliced:
    """Texts and questions out of the measuring data, as many as are wanted."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = random.Random(seed)
        sets = [asked(name) for name in SETS]
        pieces = [
            text[start:end].strip()
            for each in sets
            for text in each.texts.values()
            for start, end in pairwise(sentences(text).tolist())
        ]
        self._pieces = [piece for piece in pieces if 20 < len(piece) < SIZE]
        self._questions = [question.question for each in sets for question in each.questions]

    def key(self) -> str:
        """A UUID, as most ids are."""
        return str(UUID(int=self.rng.getrandbits(128)))

    def document(self) -> WordDocument:
        """As many texts as a page or two have."""
        return WordDocument([WordText(self.key(), self._text()) for _ in range(OF_DOCUMENT)])

    def _text(self) -> str:
        text = ""
        while len(text) < SIZE - 60:
            rare = f" {self.rng.choice('ABCDEFGH')}{self.rng.randrange(10**6)}" if self.rng.random() < 0.3 else ""
            text += f"{self.rng.choice(self._pieces)}{rare} "
        return text.strip()

    def question(self) -> str:
        """A question of `WORDS` words."""
        words = list[str]()
        while len(words) < WORDS:
            words += self.rng.choice(self._questions).split()
        return " ".join(words[:WORDS])


def milliseconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """What a clock says of some work, by default the processor's."""
    began = clock()
    work()
    return 1000 * (clock() - began)


def fill(index: WordIndex, spliced: Spliced, count: int) -> tuple[int, float]:
    """Puts so many texts -> their characters, and the processor's milliseconds."""
    characters, spent = 0, 0.0
    for start in range(0, count, AT_ONCE * OF_DOCUMENT):
        some = min(AT_ONCE, (count - start) // OF_DOCUMENT)
        documents = {spliced.key(): spliced.document() for _ in range(some)}
        characters += sum(len(each.text) for own in documents.values() for each in own.texts)
        spent += milliseconds(lambda: index.put(documents))  # noqa: B023 - it is called before the next
    return characters, spent + milliseconds(lambda: index.search("all of it is told to the engine"))


def times_of_searches(index: WordIndex, spliced: Spliced, count: int) -> tuple[list[float], list[float]]:
    """The processor's milliseconds of searches, alone and with what is near by vectors, which are ranked together."""
    asking = [spliced.question() for _ in range(count)]
    pool = [key for question in asking for key in index.search(question).scores]
    near = [[(key, 1 - at / NEAR) for at, key in enumerate(spliced.rng.sample(pool, NEAR))] for _ in asking]

    def search(question: str, own: Sequence[tuple[str, float]]) -> None:
        hits = index.search(question, [key for key, _ in own])
        rank(own, hits.scores, hits.documents)

    alone = [milliseconds(lambda: index.search(question)) for question in asking]  # noqa: B023 - as above
    fused = [milliseconds(lambda: search(*each)) for each in zip(asking, near, strict=True)]  # noqa: B023 - as above
    return alone, fused


def times_of_updates(index: WordIndex, spliced: Spliced) -> list[float]:
    """Milliseconds until a document of which each text has changed is found."""
    spent, name, keys = list[float](), spliced.key(), [text.key for text in spliced.document().texts]
    for _ in range(UPDATES):
        new = WordDocument(
            [WordText(*each) for each in zip(keys, [t.text for t in spliced.document().texts], strict=True)]
        )
        spent.append(milliseconds(lambda: (index.put({name: new}), index.search("it")), time.perf_counter))  # noqa: B023
    return spent


def measured(folder: Path, count: int, questions: int) -> Table:
    """An index of so many texts -> what it costs."""
    spliced = Spliced()
    with closing(Store(folder / "words.db")) as store:
        index = WordIndex(store)
        characters, spent = fill(index, spliced, count)
        store.run(lambda held: held.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        alone, fused = times_of_searches(index, spliced, questions)
        updates = times_of_updates(index, spliced)
    row = {
        "texts": f"{count:,}",
        "MB": characters / 1e6,
        "size, % of the text": 100 * size / characters,
        "put 1,000, CPU ms": 1000 * spent / count,
        "search, CPU ms": median(alone),
        f"search among {NEAR} near and rank, CPU ms": median(fused),
        "update of a document, ms": median(updates),
    }
    notes = [
        f"Medians. Questions of {WORDS} words.",
        f"An update: the {OF_DOCUMENT} texts of a document are other ones, and the next search finds them.",
    ]
    return Table("What words cost", notes, [row])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(measured(Path(folder), given.texts, given.questions).markdown())


if __name__ == "__main__":
    main()
