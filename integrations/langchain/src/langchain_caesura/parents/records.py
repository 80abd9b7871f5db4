"""What the stores hold for the documents of one name: all of it, and the record of it that the document store keeps."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields

from langchain_core.documents import Document

from caesura.adapter import digest

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
