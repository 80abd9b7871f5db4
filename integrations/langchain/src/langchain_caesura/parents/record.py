"""Records of what the stores hold for each name, and where in its texts the rows of small texts lie."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Self

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from caesura.ids import digest
from langchain_caesura.vector_store_quirks import store_name

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the records of each name, one per owner."""
RETRIES = 5
"""Times at most that stores are read again, where what the one leads to is not in the other: it was just changed."""
ID, SIGNATURE = 32, 12
"""Characters of a row's id in a record, and of what tells its surroundings."""
ROW = "caesura_row"
"""In a row's metadata: its id, which not every vector store returns."""
DOUBTFUL = "?"
"""The surroundings of a row that was being written again when a writer was stopped."""


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
        return cls(id_key, store_name(vectorstore), digest(settings))

    def may_be(self, other: Owner) -> bool:
        """Whether `other` is this one, or may be it with other settings: the rows in the vector store tell."""
        return (self.id_key, self.vectorstore) == (other.id_key, other.vectorstore)


@dataclass(frozen=True, slots=True)
class StoredText:
    """A text of a name, and where in it the small texts and the parents are. Offsets count in the text."""

    identity: str
    """What its document is known by among those of the name."""
    fingerprint: str
    """Tells its document, with metadata, views and settings, from others."""
    key: str
    """Of the text in the document store; "" where it is blank, and nothing is kept."""
    words: str
    """Under which name its children are in the index of words; "" where they are not."""
    size: int
    """The text's characters."""
    offset: int | None
    """Where the text stands in what it was cut from; None where that is not known."""
    ids: str
    """The rows: of the children in the order of the text, then of the views; each id in 32 characters."""
    signatures: str
    """Of the children: what tells the surroundings that a row's vector leans to, each in 12 characters; "" if none."""
    turns: list[int]
    """Of the rows: the number of the call that wrote each."""
    starts: list[int]
    """Of the children: where each begins, rising."""
    ends: list[int]
    parents: list[list[int]]
    """Where each begins and ends, the one that holds another before it."""
    views: list[list[int]]
    """Of the views: the number of the parent that each leads to, -1: the whole text; and where in the document it says
    that it is from, if it does."""

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yields the id of each row, and what tells its surroundings."""
        for at in range(len(self.ids) // ID):
            signature = self.signatures[at * SIGNATURE : (at + 1) * SIGNATURE]
            yield _long(self.ids[at * ID : (at + 1) * ID]), signature if at < len(self.starts) else ""

    def find(self, short: str) -> int | None:
        """A row's id without hyphens -> its number."""
        at = self.ids.find(short)
        while at > 0 and at % ID:
            at = self.ids.find(short, at + 1)
        return None if at < 0 else at // ID


@dataclass(frozen=True, slots=True)
class ParentRecord:
    """What the stores hold of one owner for a name; while it is not `complete`, what they may hold beside."""

    name: str
    complete: bool
    owner: Owner
    parts: list[StoredText]
    """What is found and returned."""
    rows: dict[str, str] = field(default_factory=dict)
    """What else may be in the vector store: ids, and what tells their surroundings."""
    texts: list[str] = field(default_factory=list)
    """What else may be in the document store: keys."""
    words: list[str] = field(default_factory=list)
    """What else may be in the index of words: names."""

    @classmethod
    def merge(cls, records: Sequence[ParentRecord], owner: Owner) -> ParentRecord | None:
        """Records of one name that are all the owner's -> the one; of several, what there may be."""
        if len(records) < 2:
            return replace(records[0], owner=owner) if records else None
        parts = {part.identity: record for record in records for part in record.parts}
        return cls(
            records[0].name,
            False,
            owner,
            [part for record in records for part in record.parts if parts[part.identity] is record],
            {key: DOUBTFUL for record in records for key in record.known()},
            list(dict.fromkeys(key for record in records for key in record.text_keys())),
            list(dict.fromkeys(name for record in records for name in record.word_names())),
        )

    def known(self) -> dict[str, str]:
        """The rows that there are or may be, and what tells their surroundings."""
        return {**dict(chain.from_iterable(part.rows() for part in self.parts)), **self.rows}

    def text_keys(self) -> list[str]:
        """The texts that there are or may be."""
        return list(dict.fromkeys([*(part.key for part in self.parts if part.key), *self.texts]))

    def word_names(self) -> list[str]:
        """The names in the index of words that there are or may be."""
        return list(dict.fromkeys([*(part.words for part in self.parts if part.words), *self.words]))

    def turn(self) -> int:
        """The number of the last call that wrote rows."""
        return max((turn for part in self.parts for turn in part.turns), default=0)

    def last(self) -> str | None:
        """The row that was written last."""
        turn, found = 0, None
        for part in self.parts:
            for at, number in enumerate(part.turns):
                if number >= turn:
                    turn, found = number, part.ids[at * ID : (at + 1) * ID]
        return None if found is None else _long(found)


def _long(short: str) -> str:
    return f"{short[:8]}-{short[8:12]}-{short[12:16]}-{short[16:20]}-{short[20:]}"


def read_records(document: Document | None) -> list[ParentRecord]:
    """What a document store has under a record's key -> the record of each owner."""
    rows = [] if document is None else json.loads(document.page_content)
    return [
        ParentRecord(name, complete, Owner(*owner), [StoredText(*part) for part in parts], *more)
        for name, complete, owner, parts, *more in rows
    ]


def rows_of(parts: Iterable[StoredText]) -> list[list[tuple[str, str]]]:
    """The `StoredText.rows` of each text."""
    return [list(part.rows()) for part in parts]


def last_rows(records: Mapping[str, ParentRecord]) -> dict[str, str]:
    """The row of each complete record that was written last."""
    return {name: row for name, record in records.items() if record.complete and (row := record.last())}


def read_entries(names: Sequence[str], entries: Iterable[Document | None]) -> dict[str, list[ParentRecord]]:
    """Names, and what a document store has under the key of each, -> the records of each name."""
    return {name: read_records(entry) for name, entry in zip(names, entries, strict=True)}


def rows_in_question(records: Mapping[str, list[ParentRecord]], owner: Owner) -> list[str]:
    """Of records that may be the owner's, with other settings, the rows that tell."""
    several = [record for own in records.values() for record in own]
    others = [record for record in several if record.owner != owner and record.owner.may_be(owner)]
    return [row for record in others for row in _telling(record)]


def part_records(
    records: Mapping[str, list[ParentRecord]], owner: Owner, present: Set[str] | None
) -> tuple[dict[str, ParentRecord], dict[str, list[ParentRecord]]]:
    """Records of names -> the owner's record of each, and those of other owners.

    The owner's under other settings are those whose rows its vector store has. present: which of `rows_in_question`
    there are; None where the vector store cannot say.
    """

    def is_own(record: ParentRecord) -> bool:
        if record.owner == owner or not record.owner.may_be(owner):
            return record.owner == owner
        rows = _telling(record)
        return present is None or not rows or not present.isdisjoint(rows)

    ours: dict[str, ParentRecord] = {}
    others: dict[str, list[ParentRecord]] = {}
    for name, several in records.items():
        own = [record for record in several if is_own(record)]
        if record := ParentRecord.merge(own, owner):
            ours[name] = record
        others[name] = [record for record in several if record not in own]
    return ours, others


def _telling(record: ParentRecord) -> list[str]:
    """A record -> the rows of which a vector store has one, if it is the record's."""
    last = record.last() if record.complete else None
    return list(record.known()) if last is None else [last]


def record_entry(records: Sequence[ParentRecord]) -> tuple[str, Document]:
    """The records of one name -> them as a document store keeps them: the key, and what is under it."""
    rows = [list(astuple(record)) for record in records]
    return record_key(records[0].name), Document(json.dumps(rows, separators=(",", ":")))


@lru_cache(maxsize=64)
def words_of(owner: Owner) -> str:
    """What tells the words of an owner from those of others."""
    return digest(owner.id_key, owner.vectorstore, owner.settings)


def same_claims(names: Iterable[str], one: Mapping[str, ParentRecord], other: Mapping[str, ParentRecord]) -> bool:
    """Whether two lots of records list the same for these names, whether they are sure of it or not."""

    def claims(record: ParentRecord | None) -> ParentRecord | None:
        return None if record is None else replace(record, complete=True)

    return all(claims(one.get(name)) == claims(other.get(name)) for name in names)


@lru_cache(maxsize=1024)
def record_key(name: str) -> str:
    """A document's name -> where its record is, in characters that every store takes."""
    return RECORDS + digest(name)


def find_rows(
    entries: Mapping[str, Document | None], owner: Owner, near: Mapping[str, str], others: Mapping[str, str]
) -> dict[str, tuple[StoredText, int]]:
    """Returns for each row that a record lists its text, and its number among the rows of that.

    entries: what the document store has under the keys of records. near: rows of the vector store, each with the key of
    its record; the owner's record counts before those of others. others: rows that only words led to; they count where
    the record is the owner's, or of one whose rows are near.
    """
    records = {
        key: sorted(read_records(entry), key=lambda record: record.owner != owner)
        for key, entry in entries.items()
        if key.startswith(RECORDS)
    }
    found: dict[str, tuple[StoredText, int]] = {}
    owners = {owner}
    for names, allowed in ((near, None), (others, owners)):
        for name, key in names.items():
            short = name.replace("-", "")
            for record in records.get(key, ()) if len(short) == ID else ():
                if allowed is not None and record.owner not in allowed:
                    continue
                where = next(((part, at) for part in record.parts if (at := part.find(short)) is not None), None)
                if where is not None:
                    found[name] = where
                    owners.add(record.owner)
                    break
    return found
