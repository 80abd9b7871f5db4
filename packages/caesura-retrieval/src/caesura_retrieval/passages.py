"""Passages for a question: one ranking of what is near by vectors and what has the words, and what of it fits a budget.

The retrievers of both plugins rank by `fuse` and return by `pack`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from caesura.text.sentences import sentences
from caesura_retrieval.merging import enough
from caesura_retrieval.word_index import UNSPACED, terms

WORDS = 3.0
"""What the best by words counts, where the best by vectors counts 1."""
FETCHED = 200
"""So many of the nearest small texts are ranked, with the 500 that have most of the question's words."""
SHORTENED, STEM, SAYS = 10, 5, 2
"""So many of the best that do not fit are shortened; so many letters of a word are looked at there; and of what is left
a word of four letters is to be in the question, or several shorter ones, or two pairs of a script without spaces, if
the question has so much."""
_PAIR = re.compile(f"[{UNSPACED}]{{2}}")


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
        scores[name] = scores.get(name, 0.0) + weight * (score / best)
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
    shorten: Callable[[Span, int], Span | None] | None = None,
    parents: Mapping[str, Sequence[Span]] | None = None,
    merge_ratio: float = 1.0,
) -> list[Passage]:
    """Names and scores, the best first -> passages, the best first, whose sizes have a sum of at most `budget`.

    Each name is taken if it fits beside all that are better. Neighbours in a document become one passage, where the
    text between them fits too; so a name that did not fit by itself may fit once its neighbour is in. A span of
    `parents`, of each name the smallest first, takes the place of what was found in it, where that is at least a share
    of `merge_ratio` of its small texts, if it fits beside all names that do. spans: of each name; one that has none is
    passed over. size: what a span measures. most: passages at most. shorten: a span that does not fit, and the room
    there is -> what of it is taken, see `shortened`; it is asked for the first `SHORTENED` of them.
    """
    taken, names = _Taken(size, budget, most), [(name, score) for name, score in ranking if name in spans]
    rest = taken.fill(names, spans, shorten)
    for name in list(taken.names):
        for parent in (parents or {}).get(name, ()):
            inside = sum(taken.holds(parent.document, place) for place in range(parent.first, parent.last + 1))
            if enough(inside, parent.last + 1 - parent.first, merge_ratio):
                taken.add(parent, None, 0.0)
    taken.fill(rest, spans)
    ranks = {name: rank for rank, (name, _) in enumerate(names)}
    for passage in taken.passages.values():
        passage.found.sort(key=ranks.__getitem__)
    return sorted(taken.passages.values(), key=lambda passage: -passage.score)


class _Taken:
    """Passages that fit a budget together, and where each small text of them is."""

    def __init__(self, size: Callable[[Span], int], budget: int, most: int | None) -> None:
        self._size, self._most = size, most
        self.left: int = budget
        self._at: dict[tuple[str, int], int] = {}
        self._of: dict[str, set[int]] = {}
        self._sizes: dict[int, int] = {}
        self.passages: dict[int, Passage] = {}
        self.names: list[str] = []

    def holds(self, document: str, place: int) -> bool:
        """Whether a small text, by its place in its document, is in a passage, and whole."""
        return (document, place) in self._at

    def fill(
        self,
        ranking: Sequence[tuple[str, float]],
        spans: Mapping[str, Span],
        shorten: Callable[[Span, int], Span | None] | None = None,
    ) -> list[tuple[str, float]]:
        """Takes in what fits, whole or shortened, until nothing more does -> what did not. What is in may become
        less, or fewer passages, where it joins.
        """
        tries, before = SHORTENED if shorten else 0, -1
        while len(self.names) > before:
            before, rest = len(self.names), list[tuple[str, float]]()
            for name, score in ranking:
                if self.add(spans[name], name, score):
                    continue
                if tries and shorten:
                    tries -= 1
                    part = shorten(spans[name], self.left)
                    if part is not None and self._add_part(part, name, score):
                        continue
                rest.append((name, score))
            ranking = rest
        return list(ranking)

    def add(self, span: Span, name: str | None, score: float) -> bool:
        """Takes a span in, with its neighbours, if it fits -> whether it is in. name: what was found there."""
        places = range(span.first - span.joins, span.last + 1 + span.joins)
        joined = {self._at[span.document, place] for place in places if self.holds(span.document, place)}
        joined = joined or self._meeting(span)
        full = self._most is not None and len(self.passages) >= self._most
        if not joined and (full or self._size(span) > self.left):
            return False
        whole = _union([span, *self._spans(joined)])
        joined |= self._meeting(whole)
        whole = _union([whole, *self._spans(joined)])
        size = self._size(whole)
        if size > self.left + sum(self._sizes[number] for number in joined):
            apart = all(span.start >= other.end or span.end <= other.start for other in self._spans(joined))
            if not joined or full or not apart or self._size(span) > self.left:
                return False
            whole, joined, size = span, set(), self._size(span)  # where there is no room for the space between
        self._put(whole, sorted(joined), name, score, size)
        for place in range(whole.first, whole.last + 1):
            self._at[whole.document, place] = min(joined, default=len(self.names))
        return True

    def _meeting(self, span: Span) -> set[int]:
        """The passages that have characters of it."""
        own = self._of.get(span.document, ())
        return {number for number in own if _meets(self.passages[number].span, span)}

    def _spans(self, numbers: Iterable[int]) -> list[Span]:
        return [self.passages[number].span for number in numbers]

    def _add_part(self, span: Span, name: str, score: float) -> bool:
        """Takes in a part of a small text, a passage by itself, if it fits -> whether it is in."""
        size = self._size(span)
        if self._meeting(span) or size > self.left or (self._most is not None and len(self.passages) >= self._most):
            return False
        self._put(span, [], name, score, size)
        return True

    def _put(self, whole: Span, joined: Sequence[int], name: str | None, score: float, size: int) -> None:
        parts = [self.passages.pop(number) for number in joined]
        self.left += sum(self._sizes.pop(number) for number in joined) - size
        if name is not None:
            self.names.append(name)
        found = [*(each for part in parts for each in part.found), *([] if name is None else [name])]
        number = joined[0] if joined else len(self.names)
        self._sizes[number] = size
        own = self._of.setdefault(whole.document, set())
        own.difference_update(joined)
        own.add(number)
        self.passages[number] = Passage(whole, max([score, *(part.score for part in parts)]), found)


def _union(spans: Sequence[Span]) -> Span:
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    first, last = min(span.first for span in spans), max(span.last for span in spans)
    return Span(spans[0].document, start, end, first, last, spans[0].joins)


def _meets(span: Span, other: Span) -> bool:
    """Whether two of one document have characters in common, or, where they do not join, all of the first."""
    if span.joins and other.joins:
        return span.start < other.end and other.start < span.end
    return other.start <= span.start and span.end <= other.end


def shortened(text: str, span: Span, room: int, size: Callable[[str], int], query: Sequence[str]) -> Span | None:
    """A span of a document's text -> those of its sentences, one after another, that measure at most `room`.

    Of all that do, those with most of the question's letters, and of these the longest. query: its `terms`; words that
    begin alike are the same, and a long word counts more than a short one. None: no sentence fits, or none has words.
    """
    edges = [span.start + edge for edge in sentences(text[span.start : span.end]).tolist()]
    wanted = {_stem(word): _weight(word) for word in query}
    has = [{_stem(word) for word in terms(text[start:end])} & wanted.keys() for start, end in pairwise(edges)]
    says = min(SAYS, sum(wanted.values())) if max(wanted.values(), default=0) >= 1 else SAYS
    best: tuple[float, int, Span] | None = None
    for first, start in enumerate(edges[:-1]):
        weight, said = 0.0, set[str]()
        for last in range(first, len(has)):
            piece = text[start : edges[last + 1]].rstrip()
            if size(piece) > room:
                break
            weight += sum(map(wanted.__getitem__, has[last] - said))
            said |= has[last]
            if weight >= says and (best is None or (weight, len(piece)) > best[:2]):
                best = weight, len(piece), replace(span, start=start, end=start + len(piece))
    return None if best is None else best[2]


def _weight(word: str) -> float:
    """What a word of a question says: the longer the more, a pair of a script without spaces little, a code much."""
    if _PAIR.match(word):
        return 1
    return max(len(word), 4 if len(word) > 1 and any(map(str.isdigit, word)) else 2.5) - 2


def _stem(word: str) -> str:
    """The first letters of a word, without the s of a plural or a verb."""
    return word[:STEM].removesuffix("s") if len(word) > 3 else word
