"""Hits: small texts that a search found, and where they lie in the texts that are stored."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura_retrieval.passages import PassageSpan
from langchain_caesura.parents.record import ParentRecord, StoredText, find_rows, read_record
from langchain_caesura.parents.vector_search import Hit
from langchain_caesura.stores import StoredDocument


class LocatedHit(NamedTuple):
    """A small text that was found, the text that it lies in, and where: the child, or all that a view leads to."""

    part: StoredText
    span: PassageSpan
    view: Sequence[int] | None
    """Of a view, which is no slice: where in the document it says that it is from, if it does."""
    text: str
    """Of a view: its own."""

    @classmethod
    def of(cls, part: StoredText, row: int, hit: Hit | None) -> LocatedHit:
        """row: its number among the rows of the text. hit: None where only its words led to it."""
        if row < len(part.starts):
            return cls(part, PassageSpan(part.key, part.starts[row], part.ends[row], row, row), None, "")
        parent, *says = part.views[row - len(part.starts)]
        span = whole_span(part) if parent < 0 else range_span(part, *part.parents[parent])
        return cls(part, span, says, "" if hit is None else hit.document.page_content)

    def spans_above(self) -> list[PassageSpan]:
        """The parents of a child, the smallest first, or the whole text; for a view what it leads to."""
        return [self.span] if self.view is not None else parent_spans(self.part, self.span) or [whole_span(self.part)]


def range_span(part: StoredText, start: int, end: int) -> PassageSpan:
    """A range of characters, with the children that lie in it."""
    last = bisect_right(part.starts, end) - 1
    while last >= 0 and part.ends[last] > end:
        last -= 1
    return PassageSpan(part.key, start, end, bisect_left(part.starts, start), last)


def whole_span(part: StoredText) -> PassageSpan:
    """All of a text."""
    return PassageSpan(part.key, 0, part.size, 0, max(len(part.starts) - 1, 0))


def parent_spans(part: StoredText, span: PassageSpan) -> list[PassageSpan]:
    """The parents that hold a span, the smallest first."""
    found = [at for at, (low, high) in enumerate(part.parents) if low <= span.start and span.end <= high]
    found.sort(key=lambda at: (part.parents[at][1] - part.parents[at][0], -at))
    return [range_span(part, *part.parents[at]) for at in found]


def outermost_spans(part: StoredText) -> Iterator[PassageSpan]:
    """Yields the parents that lie in no other; without parents, all of the text."""
    reach = -1
    for start, end in part.parents:
        if end > reach:
            yield range_span(part, start, end)
            reach = end
    if not part.parents:
        yield whole_span(part)


def parent_tree(part: StoredText) -> tuple[list[int], list[int]]:
    """Returns the number of the smallest parent around each child and around each parent, -1: the whole text."""
    spans = [(start, -end, 0) for start, end in part.parents]
    spans += [(start, -end, 1) for start, end in zip(part.starts, part.ends, strict=True)]
    around: tuple[list[int], list[int]] = [], []
    line: list[int] = []
    for _, end, is_child in sorted(spans):
        while line and part.parents[line[-1]][1] < -end:
            line.pop()
        around[1 - is_child].append(line[-1] if line else -1)
        if not is_child:
            line.append(len(around[1]) - 1)
    return around


@dataclass(slots=True)
class LocatedHits:
    """Where hits lie. A row that no record lists is stale, or too new."""

    found: dict[str, LocatedHit] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    """Of unlisted rows, and of texts by their keys: the names of their documents."""
    lost: set[str] = field(default_factory=set)
    """Keys of records or parents that are not there."""
    elsewhere: set[str] = field(default_factory=set)
    """Keys of records that were written into other document stores, and are not in this one."""

    def add(self, others: LocatedHits) -> None:
        """Takes in further hits."""
        self.found |= others.found
        self.unlisted |= others.unlisted
        self.names |= others.names
        self.lost |= others.lost
        self.elsewhere |= others.elsewhere


def locate_hits(
    entries: Mapping[str, StoredDocument | None],
    records: dict[str, ParentRecord | None],
    mark: str,
    hits: Sequence[Hit],
    others: Mapping[str, str],
) -> LocatedHits:
    """Looks up where hits lie. Rows that were written beside another document store are passed over.

    entries: records by their keys, as the document store has them. records: those that were read before; takes in those
    of the entries. mark: the document store's. others: rows that only
    their words led to, each with the key of its record. Raises `ChangedTextError`.
    """
    near = {hit.name: hit for hit in reversed(hits) if hit.key is not None}
    keys = {name: hit.key for name, hit in near.items() if hit.key is not None}
    records.update(zip(entries, map(read_record, entries.values()), strict=True))
    rows = find_rows(records, {**keys, **others})
    located = LocatedHits({name: LocatedHit.of(part, row, near.get(name)) for name, (part, row) in rows.items()})
    for name, key in {**keys, **others}.items():
        record = records[key]
        if name in rows and record is not None:
            located.names[rows[name][0].key] = record.name
        elif record is not None and name in near and near[name].mark == record.mark:
            located.unlisted.add(name)
            located.names[name] = record.name
        elif record is None and name in near:
            (located.lost if near[name].mark == mark else located.elsewhere).add(key)
    return located
