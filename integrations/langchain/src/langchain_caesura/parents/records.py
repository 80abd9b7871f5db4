"""Records of what the stores hold for each document, and the difference between that and what they are to hold."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import dataclass, field, fields
from typing import Any, Self

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.identity import canonical, digest

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the record of each document."""
RETRIES = 5
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
    """What makes of that which is stored for a family that which is to be."""

    pending: Record
    """Of all that is and will be there; what stays of the old children first, then new ones, as they are written."""
    parents: list[tuple[str, Document]]
    children: list[Document]
    old_children: list[str]
    old_parents: list[str]
    final: Record
    """Of what is there at the end."""

    @classmethod
    def of(cls, family: Family, record: Record | None, present: Set[str] | None, force: bool) -> Self:
        """A family without parents is away at the end, with its record.

        record: None where nothing is known of it. present: which children of an incomplete record there are; None where
        that cannot be told. force: whether what is there is written anew.
        """
        record = record or Record(family.name, "", True, [], [])
        surely = set(record.children) if record.complete else present or ()
        perhaps = [key for key in record.children if record.complete or present is None or key in present]
        rows = {key: row for key, row in family.children.items() if force or key not in surely}
        children = [*(key for key in record.children if key not in rows), *rows]
        stored = set(record.parents) if record.complete and not force else ()
        name, fingerprint = family.name, family.fingerprint
        union = list(dict.fromkeys((*record.parents, *family.parents)))
        return cls(
            pending=Record(name, fingerprint, False, union, children),
            parents=[(key, parent) for key, parent in family.parents.items() if key not in stored],
            children=list(rows.values()),
            old_children=[key for key in perhaps if key not in family.children],
            old_parents=[key for key in record.parents if key not in family.parents],
            final=Record(
                name, fingerprint, True, list(family.parents), [key for key in children if key in family.children]
            ),
        )


def settings_fingerprint(*settings: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Splitters are known by what they hold, embedders and other objects by their class alone: what is inside, such as a
    key, is nobody's business.
    """
    return json.dumps(canonical(settings, (TextSplitter,)), sort_keys=True)
