"""Passages for a question: one ranking of what is near by vectors and what has the words, and what of it fits a budget.

Not loaded by `import caesura`. The retrievers of both plugins index by `lean`, rank by `fuse` and return by `pack`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.plugin.merging import enough
from caesura.storage.word_index import AROUND

CONTEXT = 0.4
"""How far a chunk's vector leans toward what stands around it, as a share of its own length."""
WORDS = 3.0
"""What the best by words counts, where the best by vectors counts 1."""
FETCHED = 200
"""So many of the nearest small texts are ranked, with the 500 that have most of the question's words."""
TINY = 1e-12
"""A row that is shorter says nothing."""


def lean(rows: NDArray[np.float32], share: float = CONTEXT) -> NDArray[np.float32]:
    """(n, d) the rows of a document's chunks, in its order -> unit rows that lean toward those around each.

    A row is its own, at length 1, and `share` of the direction of the mean of those within `AROUND` chunks. So a change
    in one chunk changes `2 * AROUND + 1` rows at most. A row of zeros stays one.

    >>> [[round(float(value), 2) for value in row] for row in lean(np.eye(2, dtype=np.float32), share=1)]
    [[0.92, 0.38], [0.38, 0.92]]
    """
    own = _unit(np.asarray(rows, np.float64))
    sums = np.concatenate((np.zeros((1, own.shape[1])), np.cumsum(own, axis=0)))
    at = np.arange(len(own))
    around = _unit(sums[np.minimum(at + AROUND + 1, len(own))] - sums[np.maximum(at - AROUND, 0)])
    said = np.einsum("ij,ij->i", own, own)[:, None] > 0
    return np.asarray(_unit(np.where(said, own + share * around, 0)), np.float32)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.where(lengths > TINY, rows / np.maximum(lengths, TINY), 0)


def fuse(
    near: Sequence[tuple[str, float | None]], words: Mapping[str, float], weight: float = WORDS
) -> dict[str, float]:
    """Names and scores by vectors, the nearest first, and by words -> names and scores from 0 to 1, the best first.

    Values count, not ranks: by vectors the nearest has 1 and the last 0, by words the best has 1, times `weight`. What
    only the words found has 0 by vectors. Scores that are None, or do not fall, count as evenly spaced. Ties stand in
    the order in which they were given.

    >>> fuse([("a", 0.9), ("b", 0.8), ("c", 0.5)], {"b": 7.5, "d": 2.5}, weight=1)
    {'b': 0.875, 'a': 0.5, 'd': 0.1666..., 'c': 0.0}
    """
    known = [score for _, score in near if score is not None]
    falling = len(known) == len(near) and len(near) > 1 and known[0] > known[-1]
    high, low = (known[0], known[-1]) if falling else (float(len(near)), 0.0)
    best = max(words.values(), default=0.0) or 1.0
    scores: dict[str, float] = {}
    for rank, (name, score) in enumerate(near):
        value = score if falling and score is not None else len(near) - rank
        scores.setdefault(name, (value - low) / (high - low))
    for name, score in words.items():
        scores[name] = scores.get(name, 0.0) + weight * score / best
    top = 1 + (weight if words else 0.0)
    return {name: scores[name] / top for name in sorted(scores, key=lambda name: -scores[name])}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a document: its characters, and which of the document's small texts it holds, from `first` to `last`.

    Both ends of the characters are offsets, as of a slice; both of the small texts are in it. joins: whether it becomes
    one passage with its neighbours, as a slice does.
    """

    document: str
    start: int
    end: int
    first: int
    last: int
    joins: bool = True


@dataclass(frozen=True, slots=True)
class Passage:
    """What is returned: a span, its score, and the names of what was found in it, best first."""

    span: Span
    score: float
    found: list[str] = field(default_factory=list)


def pack(
    ranking: Iterable[tuple[str, float]],
    spans: Mapping[str, Span],
    size: Callable[[Span], int],
    budget: int,
    *,
    most: int | None = None,
    parents: Mapping[str, Sequence[Span]] | None = None,
    merge_ratio: float = 1.0,
) -> list[Passage]:
    """Names and scores, the best first -> passages, the best first, whose sizes have a sum of at most `budget`.

    Each name is taken if it fits beside all that are better. Neighbours in a document become one passage, the text
    between them included. What fits beside all of them at last: a span of `parents`, of each name the smallest first,
    takes the place of what was found in it, where that is at least a share of `merge_ratio` of its small texts.
    spans: of each name; one that has none is passed over. size: what a span measures. most: passages at most.
    """
    taken = _Taken(size, budget, most)
    for name, score in ranking:
        if name in spans:
            taken.add(spans[name], name, score)
    for name in list(taken.names):
        for parent in (parents or {}).get(name, ()):
            inside = sum(taken.holds(parent.document, place) for place in range(parent.first, parent.last + 1))
            if enough(inside, parent.last + 1 - parent.first, merge_ratio):
                taken.add(parent, None, 0.0)
    ranks = {name: rank for rank, name in enumerate(taken.names)}
    for passage in taken.passages.values():
        passage.found.sort(key=ranks.__getitem__)
    return sorted(taken.passages.values(), key=lambda passage: -passage.score)


class _Taken:
    """Passages that fit a budget together, and where each small text of them is."""

    def __init__(self, size: Callable[[Span], int], budget: int, most: int | None) -> None:
        self._size, self._left, self._most = size, budget, most
        self._at: dict[tuple[str, int], int] = {}
        self._sizes: dict[int, int] = {}
        self.passages: dict[int, Passage] = {}
        self.names: list[str] = []

    def holds(self, document: str, place: int) -> bool:
        """Whether a small text, by its place in its document, is in a passage."""
        return (document, place) in self._at

    def add(self, span: Span, name: str | None, score: float) -> None:
        """Takes a span in, with its neighbours, if it fits. name: what was found there."""
        places = range(span.first - span.joins, span.last + 1 + span.joins)
        joined = sorted({self._at[span.document, place] for place in places if self.holds(span.document, place)})
        parts = [self.passages[number] for number in joined]
        if self._most is not None and not parts and len(self.passages) >= self._most:
            return
        spans = [span, *(part.span for part in parts)]
        whole = Span(
            span.document,
            min(each.start for each in spans),
            max(each.end for each in spans),
            min(each.first for each in spans),
            max(each.last for each in spans),
            span.joins,
        )
        known = joined and whole == parts[0].span
        size = self._sizes[joined[0]] if known else self._size(whole)
        left = self._left + sum(self._sizes[number] for number in joined) - size
        if left < 0:
            return
        self._left = left
        for number in joined:
            del self.passages[number], self._sizes[number]
        if name is not None:
            self.names.append(name)
        found = [*(each for part in parts for each in part.found), *([] if name is None else [name])]
        number = len(self.names) if not joined else joined[0]
        self._sizes[number] = size
        self.passages[number] = Passage(whole, max(score, *(part.score for part in parts)) if parts else score, found)
        for place in range(whole.first, whole.last + 1):
            self._at[whole.document, place] = number
