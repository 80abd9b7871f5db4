"""Records of what the stores hold for each name, and where in its texts the rows of small texts lie."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from langchain_core.documents import Document
from numpy.typing import NDArray
from pydantic_core import from_json

from caesura.ids import digest
from langchain_caesura.stores import StoredDocument, StoredSlices

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the records of each name."""
RETRIES = 5
"""Times at most that stores are read again, where what the one leads to is not in the other: it was just changed."""
ID, SIGNATURE = 32, 12
"""Characters of a row's id in a record, and of what tells its surroundings."""
LONG = 1000 * ID
"""Ids so long together are looked through by their numbers."""
_HEX = re.compile("[0-9a-f]{32}")
ROW = "caesura_row"
"""In a row's metadata: its id, which not every vector store returns."""
VIEW = -2
"""What a view that was given leads to: the whole text, of which it need not be a part."""
ABSENT = -1
"""The turn of a row that the vector store may not be given: of zeros, or not finite."""
DOUBTFUL = "?"
"""The surroundings of a row that was being written again when a writer was stopped."""


class StoredSection(NamedTuple):
    """A section of a text, which is cut by itself. Most texts are one."""

    start: int
    """Where it begins."""
    cut: str = ""
    """Tells how it was cut from all else; "" where the text is one section."""
    said: str = ""
    """Tells what its children are and are said to be from all else, but for their ids; "" where the text is one."""
    words: str = ""
    """Under which name its children are in the index of words; "" where they are not."""


class StoredText(NamedTuple):
    """A text of a name, and where in it the small texts and the parents are. Offsets count in the text."""

    identity: str
    """What its document is known by among those of the name."""
    fingerprint: str
    """Tells its document, with metadata, views and settings, from others; then what its model is known by."""
    key: str
    """Of the text in the document store; "" where it is blank, and nothing is kept."""
    sections: list[StoredSection]
    """The first begins at 0."""
    size: int
    """The text's characters."""
    offset: int | None
    """Where the text stands in what it was cut from; None where that is not known."""
    ids: str
    """The rows: of the children in the order of the text, then of the views; each id in 32 characters."""
    signatures: str
    """Of the children: what tells the surroundings that a row's vector leans to, each in 12 characters; "" if none."""
    turns: list[int]
    """Of the rows: the number of the call that wrote each, or `ABSENT`."""
    starts: list[int]
    """Of the children: where each begins, rising."""
    ends: list[int]
    parents: list[list[int]]
    """Where each begins and ends, the one that holds another before it."""
    repeated: list[int]
    """Of the children: the numbers of those that are equal to an earlier one, where there are several sections."""
    views: list[list[int]]
    """Of the views: what each leads to, and where in the document it says that it is from, if it does. `VIEW`, or for a
    child that is no slice the number of the parent that it is a part of, -1: the whole text."""

    @property
    def words(self) -> list[str]:
        """The names under which its children are in the index of words."""
        return [section.words for section in self.sections if section.words]

    def section(self, number: int) -> tuple[range, range]:
        """Returns the numbers of the children and of the parents in a section."""
        start = self.sections[number].start
        end = self.sections[number + 1].start if number + 1 < len(self.sections) else self.size
        children = range(bisect_left(self.starts, start), bisect_left(self.starts, end))
        parents = (bisect_left(self.parents, [at]) for at in (start, end))
        return children, range(*parents)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yields the id of each row, and what tells its surroundings."""
        names = self.names(0, len(self.ids) // ID)
        signatures = self.signatures_of(0, len(self.starts))
        return zip(names, chain(signatures, repeat("")), strict=False)

    def names(self, first: int, end: int) -> list[str]:
        """The ids of the rows of these numbers."""
        return [_long(self.ids[at * ID : (at + 1) * ID]) for at in range(first, min(end, len(self.ids) // ID))]

    def signatures_of(self, first: int, end: int) -> list[str]:
        """What tells the surroundings of the children of these numbers."""
        return [self.signatures[at * SIGNATURE : (at + 1) * SIGNATURE] for at in range(first, end)]

    def numbers(self, names: Collection[str]) -> list[int]:
        """The numbers of the children whose rows are among some, rising."""
        count = len(self.starts)
        if len(self.ids) < LONG:
            return [at for at, name in enumerate(self.names(0, count)) if name in names]
        shorts = {short for name in names if _HEX.fullmatch(short := name.replace("-", ""))}
        return sorted(at for _, at in self.find(shorts) if at < count) if shorts else []

    def find(self, shorts: Collection[str]) -> Iterator[tuple[str, int]]:
        """Yields those of some ids without hyphens that are of rows, and the number of each."""
        if len(self.ids) < LONG or not all(map(_HEX.fullmatch, shorts)):
            for short in shorts:
                at = self.ids.find(short)
                while at > 0 and at % ID:
                    at = self.ids.find(short, at + 1)
                if at >= 0:
                    yield short, at // ID
            return
        beginnings, rows = _sorted_rows(self.ids)
        wanted = np.array([int(short[: ID // 2], 16) for short in shorts], np.uint64)
        starts, ends = (np.searchsorted(beginnings, wanted, side).tolist() for side in ("left", "right"))
        for short, start, end in zip(shorts, starts, ends, strict=True):
            for at in reversed(rows[start:end].tolist()):  # of several, the first is yielded last
                if self.ids.startswith(short, at * ID):
                    yield short, at


@lru_cache(maxsize=16)
def _sorted_rows(ids: str) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The beginnings of rows' ids as numbers, rising, and the number of each row."""
    beginnings = np.frombuffer(bytes.fromhex(ids), ">u8")[:: ID // 16].astype(np.uint64)
    order = np.argsort(beginnings, kind="stable")
    return beginnings[order], order


@dataclass(frozen=True, slots=True)
class ParentRecord:
    """What the stores hold for a name; while it is not `complete`, what they may hold beside."""

    name: str
    complete: bool
    mark: str
    """In its rows, see `Owner.mark`."""
    parts: list[StoredText] = field(default_factory=list)
    """What is found and returned."""
    rows: dict[str, str] = field(default_factory=dict)
    """What else may be in the vector store: ids, and what tells their surroundings."""
    texts: list[str] = field(default_factory=list)
    """What else may be in the document store: keys."""
    words: list[str] = field(default_factory=list)
    """What else may be in the index of words: names."""

    def known(self) -> dict[str, str]:
        """The rows that there are or may be, and what tells their surroundings."""
        return {**dict(chain.from_iterable(part.rows() for part in self.parts)), **self.rows}

    def text_keys(self) -> list[str]:
        """The texts that there are or may be."""
        return list(dict.fromkeys([*(part.key for part in self.parts if part.key), *self.texts]))

    def word_names(self) -> list[str]:
        """The names in the index of words that there are or may be."""
        return list(dict.fromkeys([*chain.from_iterable(part.words for part in self.parts), *self.words]))

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


@lru_cache(maxsize=1024)
def record_key(prefix: str, name: str) -> str:
    """A document's name -> where its record is, in characters that every store takes. prefix: the owner's."""
    return prefix + digest(name)


def read_record(document: StoredDocument | None) -> ParentRecord | None:
    """What a document store has under a record's key -> the record. Raises `ChangedTextError`."""
    if document is None:
        return None
    content = document.page_content
    if isinstance(content, StoredSlices):
        return _read_slices(_Slices(content))
    return _read(content) if len(content) < LONG else _read_long(content)


def _read(content: str) -> ParentRecord:
    try:
        name, complete, mark, parts, *more = from_json(content, cache_strings="none")
    except ValueError:  # a half of a surrogate in a name
        name, complete, mark, parts, *more = json.loads(content)
    texts = [StoredText(*part) for part in parts]
    for text in texts:
        text.sections[:] = [StoredSection(*section) for section in text.sections]
    return ParentRecord(name, complete, mark, texts, *more)


_read_long = lru_cache(maxsize=16)(_read)
"""Questions come back to the records of long documents."""


class _Slices:
    """A record in slices, known by its version: of one that was read before no more than the beginning is read.

    Once it is read it holds no store, which would stay open.
    """

    def __init__(self, text: StoredSlices) -> None:
        self.version: Hashable = text.version
        self.text: StoredSlices | None = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Slices) and self.version == other.version

    def __hash__(self) -> int:
        return hash(self.version)


@lru_cache(maxsize=16)
def _read_slices(slices: _Slices) -> ParentRecord:
    text, slices.text = slices.text, None
    return _read("" if text is None else text[:])


def read_records(names: Sequence[str], entries: Sequence[Document | None]) -> dict[str, ParentRecord]:
    """Names, and what a document store has under the key of each -> the record of each name that has one."""
    return {name: record for name, entry in zip(names, entries, strict=True) if (record := read_record(entry))}


def record_entry(prefix: str, record: ParentRecord) -> tuple[str, Document]:
    """A record -> it as a document store keeps it: the key, and what is under it. prefix: the owner's."""
    said = [getattr(record, name) for name in ParentRecord.__slots__]
    return record_key(prefix, record.name), Document(json.dumps(said, separators=(",", ":")))


def rows_of(parts: Iterable[StoredText]) -> list[dict[str, str]]:
    """The `StoredText.rows` of each text, by id."""
    return [dict(part.rows()) for part in parts]


def last_rows(records: Mapping[str, ParentRecord]) -> dict[str, str]:
    """The row of each complete record that was written last."""
    return {name: row for name, record in records.items() if record.complete and (row := record.last())}


def same_claims(names: Iterable[str], one: Mapping[str, ParentRecord], other: Mapping[str, ParentRecord]) -> bool:
    """Whether two lots of records list the same for these names, whether they are sure of it or not."""

    def claims(record: ParentRecord | None) -> ParentRecord | None:
        return None if record is None else replace(record, complete=True)

    return all(claims(one.get(name)) == claims(other.get(name)) for name in names)


def find_rows(records: Mapping[str, ParentRecord | None], keys: Mapping[str, str]) -> dict[str, tuple[StoredText, int]]:
    """Returns for each row that a record lists its text, and its number among the rows of that.

    records: by their keys. keys: rows, each with the key of its record.
    """
    wanted: dict[str, dict[str, str]] = {}
    for name, key in keys.items():
        if len(short := name.replace("-", "")) == ID:
            wanted.setdefault(key, {})[short] = name
    found: dict[str, tuple[StoredText, int]] = {}
    for key, names in wanted.items():
        record = records.get(key)
        for part in reversed(record.parts if record is not None else []):  # the first counts
            found.update((names[short], (part, at)) for short, at in part.find(names))
    return {name: found[name] for name in keys if name in found}
