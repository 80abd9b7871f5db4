"""Records of what the stores hold for each document, and the difference between that and what they are to hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import astuple, dataclass, field, replace
from typing import Any, Self

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import TextSplitter

from caesura.identity import canonical, digest

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the records of each document, one per owner."""
STORE_NAMES = (
    "collection_name",
    "_collection_name",
    "index_name",
    "_index_name",
    "table_name",
    "_table_name",
    "namespace",
    "_namespace",
)
"""Under which attributes vector stores have the name of what they write to."""
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
class Owner:
    """What tells a retriever from others that write to its document store, the same in every process."""

    id_key: str
    vectorstore: str
    """The name of the vector store's collection, index or table, where it has one; its class may change."""
    settings: str

    @classmethod
    def of(cls, id_key: str, vectorstore: VectorStore, settings: str) -> Self:
        """settings: their fingerprint."""
        names = [getattr(vectorstore, attribute, None) for attribute in STORE_NAMES]
        return cls(id_key, " ".join(dict.fromkeys(name for name in names if isinstance(name, str))), digest(settings))

    def may_be(self, other: Owner) -> bool:
        """Whether `other` is this one, or may be it with other settings: the rows in the vector store tell."""
        return not self.id_key or (self.id_key, self.vectorstore) == (other.id_key, other.vectorstore)


@dataclass(frozen=True, slots=True)
class Record:
    """What the stores hold of one owner for the documents of one name; while it is not `complete`, what they may."""

    name: str
    fingerprint: str
    complete: bool
    parents: list[str]
    children: list[str]
    """In the order in which they were written."""
    owner: Owner

    @classmethod
    def merge(cls, records: Sequence[Record], owner: Owner) -> Record | None:
        """Records of one name that are all the owner's -> the one; of several, what there may be."""
        if len(records) < 2:
            return replace(records[0], owner=owner) if records else None
        parents = dict.fromkeys(key for record in records for key in record.parents)
        children = dict.fromkeys(key for record in records for key in record.children)
        return cls(records[0].name, "", False, list(parents), list(children), owner)


def read_records(document: Document | None) -> list[Record]:
    """What a document store has under a record's key -> the record of each owner."""
    rows = [] if document is None else json.loads(document.page_content)
    if rows and isinstance(rows[0], str):  # as it was before there were owners
        rows = [[*rows, ["", "", ""]]]
    return [Record(*[*row, Owner(*owner)]) for *row, owner in rows]


def record_entry(name: str, records: Iterable[Record]) -> tuple[str, Document]:
    """The records of one name -> them as a document store keeps them: the key, and what is under it."""
    return record_key(name), Document(json.dumps([list(astuple(record)) for record in records]))


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
    others: list[Record]
    """Of other owners, as they are: what they know stays."""

    @classmethod
    def of(
        cls,
        family: Family,
        owner: Owner,
        record: Record | None,
        others: list[Record],
        present: Set[str] | None,
        force: bool,
    ) -> Self:
        """A family without parents is away at the end, with its record.

        record: the owner's, None where nothing is known of it. others: of other owners. present: which children of an
        incomplete record there are; None where that cannot be told. force: whether what is there is written anew.
        """
        record = record or Record(family.name, "", True, [], [], owner)
        surely = set(record.children) if record.complete else present or ()
        perhaps = [key for key in record.children if record.complete or present is None or key in present]
        rows = {key: row for key, row in family.children.items() if force or key not in surely}
        children = [*(key for key in record.children if key not in rows), *rows]
        stored = set(record.parents) if record.complete and not force else ()
        name, fingerprint = family.name, family.fingerprint
        union = list(dict.fromkeys((*record.parents, *family.parents)))
        wanted = {*family.parents, *(key for other in others for key in other.parents)}
        return cls(
            pending=Record(name, fingerprint, False, union, children, owner),
            parents=[(key, parent) for key, parent in family.parents.items() if key not in stored],
            children=list(rows.values()),
            old_children=[key for key in perhaps if key not in family.children],
            old_parents=[key for key in record.parents if key not in wanted],
            final=Record(
                name,
                fingerprint,
                True,
                list(family.parents),
                [key for key in children if key in family.children],
                owner,
            ),
            others=others,
        )


def settings_fingerprint(*settings: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Splitters are known by what they hold, embedders and other objects by their class alone: what is inside, such as a
    key, is nobody's business.
    """
    return json.dumps(canonical(settings, (TextSplitter,)), sort_keys=True)
