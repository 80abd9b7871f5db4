"""A family of documents and the record of what is stored for it in, all that is to be written and deleted out."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, fields
from typing import Self

from langchain_core.documents import Document

from caesura.identity import digest

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the record of each document."""
AGAIN = 5
"""Times at most that stores are read again, where what the one leads to is not in the other: it was just changed."""


@dataclass(frozen=True, slots=True)
class Family:
    """What is stored for the documents of one name, by id. Every child's parent is here, and every parent has one."""

    name: str
    fingerprint: str
    parents: dict[str, Document] = field(default_factory=dict)
    children: dict[str, Document] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """What the stores hold for the documents of one name; while it is not `complete`, what they may hold."""

    name: str
    fingerprint: str
    complete: bool
    parents: list[str]
    children: list[str]
    """In the order in which they were written."""

    def entry(self) -> tuple[str, Document]:
        """As a document store keeps it: the key, and what is under it."""
        return record_key(self.name), Document(json.dumps([getattr(self, entry.name) for entry in fields(self)]))

    @classmethod
    def read(cls, document: Document) -> Record:
        """What is under the key -> the record."""
        return cls(*json.loads(document.page_content))


def record_key(name: str) -> str:
    """A document's name -> where its record is, in characters that every store takes."""
    return RECORDS + digest(name)


@dataclass(frozen=True, slots=True)
class IndexDiff:
    """What makes of that which was stored for a family that which is to be."""

    begun: Record
    """Of all that is and will be there; what is kept of the old children first, then new ones, as they are written."""
    parents: list[tuple[str, Document]]
    children: list[Document]
    old_children: list[str]
    old_parents: list[str]
    done: Record
    """Of what is there at the end."""

    @classmethod
    def of(cls, family: Family, was: Record | None, found: Set[str] | None, force: bool) -> Self:
        """A family without parents is away at the end, with its record.

        was: None where nothing is known of it. found: which children of an incomplete record there are; None where that
        cannot be told. force: whether what is there is written anew.
        """
        was = was or Record(family.name, "", True, [], [])
        surely = set(was.children) if was.complete else found or ()
        perhaps = was.children if was.complete or found is None else [key for key in was.children if key in found]
        rows = {key: row for key, row in family.children.items() if force or key not in surely}
        children = [*(key for key in was.children if key not in rows), *rows]
        stored = set(was.parents) if was.complete and not force else ()
        there = [key for key in children if key in family.children]
        return cls(
            Record(family.name, family.fingerprint, False, _union(was.parents, family.parents), children),
            [(key, one) for key, one in family.parents.items() if key not in stored],
            list(rows.values()),
            [key for key in perhaps if key not in family.children],
            [key for key in was.parents if key not in family.parents],
            Record(family.name, family.fingerprint, True, [*family.parents], there),
        )


def _union(first: Sequence[str], second: dict[str, Document]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))
