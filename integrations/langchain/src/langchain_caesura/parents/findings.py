"""What was found: rows of a vector store, and where the records say that they lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from langchain_core.documents import Document
from langchain_core.stores import BaseStore

from caesura.sansio import Calls
from langchain_caesura.documents import start_of
from langchain_caesura.parents.records import RECORDS, Owner, Part, Place, read_records
from langchain_caesura.parents.search import Hit


class Found(NamedTuple):
    """A small text that was found: the text that it lies in, and its number among the rows of that."""

    part: Part
    row: int

    @property
    def place(self) -> Place:
        """The child, or all that a view leads to."""
        return self.part.target(self.row)

    @property
    def is_view(self) -> bool:
        """Whether it is no slice of the text."""
        return self.row >= len(self.part.starts)


@dataclass(slots=True)
class Findings:
    """What the records say of rows that were found. A row that none of them lists is stale, or too new."""

    found: dict[str, Found] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    """Keys of records or parents that are not there."""

    @property
    def missing(self) -> set[str]:
        """What cannot be returned."""
        return self.unlisted | self.lost

    def add(self, others: Findings) -> None:
        """Takes in what the records say of further rows."""
        self.found |= others.found
        self.unlisted |= others.unlisted
        self.lost |= others.lost

    def without(self, keys: Set[str]) -> dict[str, Found]:
        """What was found, but for that which lies in these texts."""
        return {name: found for name, found in self.found.items() if found.part.key not in keys}


async def read_findings(
    calls: Calls,
    docstore: BaseStore[str, Document],
    owner: Owner,
    hits: Sequence[Hit],
    id_key: str,
    others: Mapping[str, str],
) -> Findings:
    """Looks up where rows are. others: what only its words led to, each with the key of its record."""
    keys = {hit.name: str(hit.document.metadata[id_key]) for hit in hits}
    names = list(dict.fromkeys([*keys.values(), *others.values()]))
    entries = await calls.call(docstore.mget, docstore.amget, names) if names else []
    return await calls.compute(_findings, dict(zip(names, entries, strict=True)), owner, hits, keys, others)


def _findings(
    entries: Mapping[str, Document | None],
    owner: Owner,
    hits: Sequence[Hit],
    keys: Mapping[str, str],
    others: Mapping[str, str],
) -> Findings:
    records = {
        key: sorted(read_records(entry), key=lambda record: record.owner != owner)
        for key, entry in entries.items()
        if key.startswith(RECORDS)
    }
    findings, owners = Findings(), {owner}
    foreign: dict[str, list[Hit]] = {}
    for hit in hits:
        name = hit.name
        key = keys[name]
        if entries[key] is None:
            findings.lost.add(key)
        elif key not in records:
            foreign.setdefault(key, []).append(hit)
        else:
            located = ((record.owner, record.find(name)) for record in records[key])
            whose, place = next(((each, place) for each, place in located if place), (owner, None))
            owners.add(whose)
            if place is None:
                findings.unlisted.add(name)
            else:
                findings.found[name] = Found(*place)
    for name, key in others.items():
        places = (record.find(name) for record in records[key] if record.owner in owners)
        if (place := next(filter(None, places), None)) is not None:
            findings.found[name] = Found(*place)
    for key, several in foreign.items():
        parent = entries[key]
        if parent is not None:
            findings.found.update(_foreign_rows(key, parent, several))
    return findings


def _foreign_rows(key: str, parent: Document, hits: Sequence[Hit]) -> dict[str, Found]:
    """Rows that another retriever wrote, without a record -> where each first stands in its parent; else it is a view.

    Between two of them stands an empty one, so that none is taken for the neighbour of another.
    """
    text = parent.page_content
    places = sorted((text.find(hit.document.page_content), hit.rank, hit) for hit in hits)
    slices = [(start, hit) for start, _, hit in places if start >= 0]
    views = [hit for start, _, hit in places if start < 0]
    starts = [start for start, _ in slices for _ in range(2)]
    ends = [end for start, hit in slices for end in (start + len(hit.document.page_content), start)]
    part = Part(
        identity="",
        fingerprint="",
        key=key,
        words="",
        size=len(text),
        offset=start_of(parent) or 0,
        ids="",
        signatures="",
        turns=[],
        starts=starts,
        ends=ends,
        parents=[],
        views=[[-1]] * len(views),
    )
    rows = [*((2 * at, hit) for at, (_, hit) in enumerate(slices)), *enumerate(views, len(starts))]
    return {hit.name: Found(part, row) for row, hit in rows}
