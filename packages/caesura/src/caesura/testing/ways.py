"""A cut and a document in, its breaks out, by each way in which a Splitter may call it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from caesura.testing.laws import answering
from caesura.testing.rows import Document
from caesura.types import Breaks, Cut, ScoredCut, StructuredCut


def every_way(cut: Cut, given: Sequence[Document]) -> Iterator[tuple[Document, str, Breaks]]:
    """Each document, each way to call the cut, and the breaks by it."""
    return ((document, name, found) for document in given for name, found in ways(cut, document))


def ways(cut: Cut, document: Document) -> Iterator[tuple[str, Breaks]]:
    """How a Splitter may call the cut, and the breaks of one document by it."""
    yield "cut(…)", breaks_by(cut, document, "cut")
    if isinstance(cut, ScoredCut):
        yield "place(…)", breaks_by(cut, document, "place")
    if isinstance(cut, StructuredCut):
        yield "within(…)", breaks_by(cut, document, "within")


def breaks_by(cut: Cut, document: Document, way: str) -> Breaks:
    """The breaks by one way: "place" and "within" where the cut has them, else a call; what it raises breaks a law."""
    vectors, sizes, limits = document.vectors, document.sizes, document.limits
    remedy = "there may be no unit or one, rows of zeros or all equal, a unit over max_size: divide by no zero"
    with answering("a cut takes any units", document, remedy):
        if way == "place" and isinstance(cut, ScoredCut):
            return cut.place(cut.scores(vectors, sizes), sizes, limits)
        if way == "within" and isinstance(cut, StructuredCut):
            return cut.within(vectors, sizes, limits, document.structure)
        return cut(vectors, sizes, limits)


def groups(breaks: Breaks, document: Document) -> list[tuple[int, int, int]]:
    """The first unit of each group, the one behind it, and the sum of their sizes."""
    ends = [0, *breaks.tolist(), len(document.sizes)]
    return [(first, end, int(document.sizes[first:end].sum())) for first, end in pairwise(ends)]
