"""Passages: the best of a ranking that fit a budget, with neighbours joined and parents in the place of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura_retrieval.parent_merging import enough

SHORTENED = 10
"""How many of the best spans that do not fit are shortened."""


class PassageSpan(NamedTuple):
    """A piece of a document: its characters, and the numbers of the small texts that it holds.

    start and end: offsets, as of a slice. first and last: of the small texts, both included. joins: whether
    neighbours may be joined to it.
    """

    document: str
    start: int
    end: int
    first: int
    last: int
    joins: bool = True


@dataclass(frozen=True, slots=True)
class PackedPassage:
    """A passage that fits the budget: its span, its score, and the names of what was found in it, best first."""

    span: PassageSpan
    score: float
    found: list[str] = field(default_factory=list)


def pack(
    ranking: Iterable[tuple[str, float]],
    spans: Mapping[str, PassageSpan],
    budget: int,
    *,
    size: Callable[[PassageSpan], int] | None = None,
    least: Callable[[PassageSpan], int] | None = None,
    most: int | None = None,
    shorten: Callable[[PassageSpan, int], PassageSpan | None] | None = None,
    parents: Callable[[Sequence[str]], Iterable[PassageSpan]] | None = None,
    merge_ratio: float = 1.0,
    allows: Callable[[PassageSpan], bool] | None = None,
) -> list[PackedPassage]:
    """Names and scores, the best first -> passages, the best first, whose sizes have a sum of at most `budget`.

    Each name is taken if it fits beside the better names that were taken. Neighbours in a document become one passage
    if the text between them fits too; so a name that did not fit by itself may fit once its neighbour is in. Then each
    taken name's parents are tried, smallest first: a parent replaces what was found in it if at least `merge_ratio` of
    its small texts are in, and it fits the budget.

    spans: the span of each name; a name without one is passed over. size: what a span measures; None: its characters.
    least: what a span surely measures at least, where that is known sooner than its size. most: the largest number of
    passages. shorten: a span that does not fit, and the room that is left -> the part of it
    to take, see `caesura_retrieval.shortening.shorten_span`. It is called for the first `SHORTENED` of these spans.
    parents: names -> the spans of the parents of each, smallest first. allows: whether all text of a span may be
    returned, as where a filter leaves out some of the small texts; None: all may. No passage holds text that it
    forbids.
    """
    taken = _Taken(size, least, budget, most, allows)
    names = [(name, score) for name, score in ranking if name in spans]
    rest = taken.fill(names, spans, shorten)
    for parent in parents(list(taken.names)) if parents is not None else ():
        if enough(len(taken.holders(parent)), parent.last + 1 - parent.first, merge_ratio):
            taken.add(parent, None, 0.0)
    rest = taken.fill(rest, spans)
    if taken.parts:
        taken.join_parts(spans)
        taken.fill(rest, spans)  # joining may have made room
    ranks = {name: rank for rank, (name, _) in enumerate(names)}
    for passage in taken.passages.values():
        passage.found.sort(key=ranks.__getitem__)
    return sorted(taken.passages.values(), key=lambda own: (-own.score, [*map(ranks.__getitem__, own.found[:1])]))


@dataclass(slots=True)
class _Taken:
    """Passages that fit a budget together, and which passage holds each of their small texts."""

    size: Callable[[PassageSpan], int] | None
    least: Callable[[PassageSpan], int] | None
    left: int
    most: int | None
    allows: Callable[[PassageSpan], bool] | None
    passages: dict[int, PackedPassage] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)
    """By document: the names of small texts that were shortened."""
    _at: dict[str, dict[int, int]] = field(default_factory=dict)
    _of: dict[str, set[int]] = field(default_factory=dict)
    _sizes: dict[int, int] = field(default_factory=dict)
    _measured: dict[PassageSpan, int] = field(default_factory=dict)
    _puts: int = 0
    """How often something was taken in. Nothing else changes what fits."""
    _refused: dict[str, int] = field(default_factory=dict)
    """What did not fit, and how often something had been taken in then."""

    def holders(self, span: PassageSpan, beside: int = 0) -> list[int]:
        """The numbers of the passages that hold the small texts of a span, and so many beside it: one for each held."""
        at = self._at.get(span.document)
        if at is None:  # as of most documents
            return []
        places = range(span.first - beside, span.last + 1 + beside)
        few, many = (places, at) if len(places) < len(at) else (at, places)
        return [at[place] for place in few if place in many]

    def fill(
        self,
        ranking: Sequence[tuple[str, float]],
        spans: Mapping[str, PassageSpan],
        shorten: Callable[[PassageSpan, int], PassageSpan | None] | None = None,
    ) -> list[tuple[str, float]]:
        """Takes in what fits, whole or shortened, until nothing more does -> what did not fit.

        Joining may free room or lower the number of passages, so what did not fit is tried again.
        """
        tries, before = SHORTENED if shorten else 0, -1
        while len(self.names) > before:
            before, rest = len(self.names), list[tuple[str, float]]()
            for name, score in ranking:
                span = spans[name]
                may_fit = span.document in self._of or self._fits(span, self.left)  # most do not, and are many
                if may_fit and self._refused.get(name) != self._puts:
                    if self.add(span, name, score):
                        continue
                    self._refused[name] = self._puts
                if tries and shorten:
                    tries -= 1
                    part = shorten(span, self.left) if self.left > 0 else None
                    if part is not None and self._add_part(part, name, score):
                        continue
                rest.append((name, score))
            ranking = rest
        return list(ranking)

    def add(self, span: PassageSpan, name: str | None, score: float) -> bool:
        """Takes a span in if it fits, joined with its neighbours if that fits -> whether it is in.

        name: the name that was found there, None for a parent.
        """
        joined = set[int]()
        if span.document in self._of:  # as few documents are
            joined = {*self.holders(span, beside=span.joins)} or self._meeting(span)
        whole = span
        if joined:
            whole = _union([span, *self._spans(joined)])
            joined |= self._meeting(whole)
            whole = _union([whole, *self._spans(joined)])
            room = self.left + sum(self._sizes[number] for number in joined)
            if not (self.allows is None or self.allows(whole)) or not self._fits(whole, room):
                if any(span.start < other.end and other.start < span.end for other in self._spans(joined)):
                    return False
                whole, joined = span, set()  # there is no room for the text between, or it must not be returned
        if not joined and not self._opens(span):
            return False
        size = self._measure(whole)
        self._put(whole, sorted(joined), name, score, size)
        places = range(whole.first, whole.last + 1)
        self._at.setdefault(whole.document, {}).update(dict.fromkeys(places, min(joined, default=len(self.names))))
        return True

    def _opens(self, span: PassageSpan) -> bool:
        """Whether a span may be one more passage, by itself."""
        full = self.most is not None and len(self.passages) >= self.most
        return not full and (self.allows is None or self.allows(span)) and self._fits(span, self.left)

    def _fits(self, span: PassageSpan, room: int) -> bool:
        """Whether a span measures at most `room`. What surely does not is not measured."""
        if self.least is not None and span not in self._measured and self.least(span) > room:
            return False
        return self._measure(span) <= room

    def _measure(self, span: PassageSpan) -> int:
        """The size of a span. Each span is measured once."""
        if self.size is None:
            return span.end - span.start
        if span not in self._measured:
            self._measured[span] = self.size(span)
        return self._measured[span]

    def _meeting(self, span: PassageSpan) -> set[int]:
        """Returns the numbers of the passages that meet a span, see `_meets`."""
        start, end, passages = span.start, span.end, self.passages
        own = self._of.get(span.document, ())
        near = [n for n in own if (other := passages[n].span).start <= end and start <= other.end]  # mostly none
        return {number for number in near if _meets(passages[number].span, span)}

    def _spans(self, numbers: Iterable[int]) -> list[PassageSpan]:
        return [self.passages[number].span for number in numbers]

    def _add_part(self, span: PassageSpan, name: str, score: float) -> bool:
        """Takes in a part of a small text, as a passage by itself, if it fits -> whether it is in."""
        if self._meeting(span) or not self._opens(span):
            return False
        self._put(span, [], name, score, self._measure(span))
        self.parts.setdefault(span.document, []).append(name)
        return True

    def join_parts(self, spans: Mapping[str, PassageSpan]) -> None:
        """Joins parts of small texts with the passages that they touch, where nothing but blanks lies between."""
        for document, names in self.parts.items():
            starts, ends = (
                {getattr(spans[name], at): getattr(spans[name], edge) for name in names}
                for at, edge in (("first", "start"), ("last", "end"))
            )
            before, *others = sorted(self._of[document], key=lambda number: self.passages[number].span.start)
            for number in others:
                (own, after), room = (
                    self._spans((before, number)),
                    self.left + self._sizes[before] + self._sizes[number],
                )
                whole = _union([own, after])
                meets = own.end >= ends.get(own.last, own.end) and after.start <= starts.get(after.first, after.start)
                is_free = self.allows is None or self.allows(whole)
                if own.joins and after.first == own.last + 1 and meets and is_free and self._fits(whole, room):
                    joined = sorted((before, number))
                    self._put(whole, joined, None, 0.0, self._measure(whole))
                    number, at = joined[0], self._at.get(document, {})
                    at.update((place, number) for place in range(whole.first, whole.last + 1) if place in at)
                before = number

    def _put(self, whole: PassageSpan, joined: Sequence[int], name: str | None, score: float, size: int) -> None:
        self._puts += 1
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
        self.passages[number] = PackedPassage(whole, max([score, *(part.score for part in parts)]), found)


def _union(spans: Sequence[PassageSpan]) -> PassageSpan:
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    first, last = min(span.first for span in spans), max(span.last for span in spans)
    return PassageSpan(spans[0].document, start, end, first, last, spans[0].joins)


def _meets(span: PassageSpan, other: PassageSpan) -> bool:
    """Whether two spans of one document overlap, or, if either does not join: whether the second contains the first."""
    if span.joins and other.joins:
        return span.start < other.end and other.start < span.end
    return other.start <= span.start and span.end <= other.end
