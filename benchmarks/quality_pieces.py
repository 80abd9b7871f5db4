"""The publisher's own benchmark of contextual retrieval: its pieces of code, found by whole retrievers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from corpora import Asked, asked, pieces
from embedders import Memo
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter
from numpy.typing import NDArray
from retrievers import OURS, flat_langchain, make_ours
from tables import Row, Table, scaled

from caesura_lab import paired_interval

PIECES = "pieces"
RANKS = (5, 10, 20)
LONGEST, MEAN = 4_000, 1_000
"""No piece is longer, and so many characters of a budget for each piece that is wanted."""
PUBLISHED = {
    "published: Voyage-2": (80.9, 87.2, 90.1),
    "published: the same, with a context by Claude": (86.4, 92.8, 93.8),
    "published: the same, reranked by Cohere": (91.2, 94.8, 96.3),
}
NOTES = """\
{} questions, every second of the publisher's 248; its {} pieces of {} files. Pass@k: the share of a question's golden \
pieces among the first k, as the publisher counts.
Published: Anthropic's cookbook for contextual retrieval, over all 248 questions; measured by its authors, not here.
Ours: each piece is a document of its file, child_splitter=RecursiveCharacterTextSplitter(chunk_size=4,000) keeps it \
whole, k pieces within 1,000 characters each; or each file is a document, and a child_splitter gives its pieces: a \
passage that joins some counts as all of them, in the file's order.
Δ: the first row less it, paired bootstrap interval of 95 %, bold where 0 is outside."""

Ranked = Callable[[str, int], "list[tuple[str, int]]"]
"""(question, how many) -> files and the numbers of their pieces, best first."""


class GivenPieces(TextSplitter):
    """Cuts the files of the set into the publisher's pieces."""

    def __init__(self, texts: dict[str, str], ranges: dict[str, list[tuple[int, int]]], **settings: Any) -> None:
        super().__init__(**settings)
        self._pieces = {text: [text[start:end] for start, end in ranges[name]] for name, text in texts.items()}

    def split_text(self, text: str) -> list[str]:
        return self._pieces[text]


def pieces_table(shown: str, memo: Memo, say: Callable[[str], None]) -> Table:
    """Pass@5, 10 and 20 of each retriever, beside what was published."""
    data, ranges = asked("code"), pieces()
    made = Table(f"Whole retrievers, {shown}, the publisher's pieces of code: Pass@k, percent")
    made.notes = NOTES.format(len(data.questions), sum(map(len, ranges.values())), len(ranges)).split("\n")
    with tempfile.TemporaryDirectory() as folder:
        found = {name: _passed(data, ranges, find) for name, find in _retrievers(data, ranges, memo, Path(folder))}
    for name, own in found.items():
        row: Row = {"retriever": name}
        for place, rank in enumerate(RANKS):
            row[f"Pass@{rank}"] = 100 * float(own[place].mean())
            row[f"Δ at {rank}"] = None if name == OURS else scaled(paired_interval(found[OURS][place], own[place]))
        made.rows.append(row)
        say(f"{shown}, pieces, {name}: " + " / ".join(f"{100 * each.mean():.1f}" for each in own))
    for name, figures in PUBLISHED.items():
        made.rows.append({"retriever": name} | {f"Pass@{k}": each for k, each in zip(RANKS, figures, strict=True)})
    return made


def _passed(data: Asked, ranges: dict[str, list[tuple[int, int]]], find: Ranked) -> NDArray[np.float64]:
    """(ranks, questions) the share of the golden pieces among so many."""
    shares = np.zeros((len(RANKS), len(data.questions)))
    for number, question in enumerate(data.questions):
        golden = {(name, ranges[name].index((start, end))) for name, start, end in question.places}
        for place, rank in enumerate(RANKS):
            shares[place, number] = len(golden.intersection(find(question.question, rank)[:rank])) / len(golden)
    return shares


def _retrievers(
    data: Asked, ranges: dict[str, list[tuple[int, int]]], memo: Memo, folder: Path
) -> Iterable[tuple[str, Ranked]]:
    documents = [
        Document(data.texts[name][start:end], id=f"{name} {number}", metadata={"source": name, "piece": number})
        for name, own in ranges.items()
        for number, (start, end) in enumerate(own)
    ]
    whole = RecursiveCharacterTextSplitter(chunk_size=LONGEST, chunk_overlap=0)
    for name, folded, words in ((OURS, "pieces", {}), (f"{OURS}, words=0", "without", {"words": 0.0})):
        (folder / folded).mkdir()
        ours = make_ours(memo, folder / folded, child_splitter=whole, **words)
        ours.add_documents(documents)
        yield name, _numbered(ours, budgeted=True)
    (folder / "files").mkdir()
    given = GivenPieces(data.texts, ranges, add_start_index=True)
    ours = make_ours(memo, folder / "files", child_splitter=given)
    ours.add_documents([Document(text, metadata={"source": name}) for name, text in data.texts.items()])
    yield f"{OURS}, whole files and a splitter of its own", _expanded(ours, ranges)
    vectors, words, both = flat_langchain(documents, memo, "en", 2 * RANKS[-1])
    yield "the pieces, vectors", _numbered(vectors)
    yield "the pieces, BM25", _numbered(words)
    yield "the pieces, both by equal ranks", _numbered(both)


def _numbered(retriever: Any, budgeted: bool = False) -> Ranked:
    def find(question: str, most: int) -> list[tuple[str, int]]:
        options = {"k": most, "budget": MEAN * most} if budgeted else {}
        found: Sequence[Document] = retriever.invoke(question, **options)
        return list(dict.fromkeys((each.metadata["source"], each.metadata["piece"]) for each in found))

    return find


def _expanded(retriever: Any, ranges: dict[str, list[tuple[int, int]]]) -> Ranked:
    def find(question: str, most: int) -> list[tuple[str, int]]:
        found = []
        for each in retriever.invoke(question, budget=MEAN * most):
            name, start = each.metadata["source"], each.metadata["start_index"]
            end = start + len(each.page_content)
            found += [(name, at) for at, (first, last) in enumerate(ranges[name]) if first < end and start < last]
        return list(dict.fromkeys(found))

    return find
