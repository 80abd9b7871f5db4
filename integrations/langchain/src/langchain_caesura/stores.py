"""Document store in a SQLite file, and documents as JSON with metadata that JSON has no word for."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Self, TypeAlias
from uuid import UUID

from langchain_core.documents import Document
from langchain_core.stores import BaseStore

from caesura.errors import SettingError
from caesura_documents.layout import LAYOUT, SharedLayout
from caesura_store.key_locks import KeyLock
from caesura_store.sqlite_store import Pieces, Store
from langchain_caesura.documents import document_of

PIECE = 16_384
"""How many characters of a text are read together, where not all are."""
NOTHING = "[null,{}]"
"""The JSON of a document without id and metadata, as records are."""
TAG = "__caesura__"
"""The key of a JSON object that stands for a value which JSON has not."""

PLAIN: dict[type, Callable[[Any], Any]] = {str: str.__str__, int: int.__int__, float: float.__float__}
"""Types of JSON, and what makes one of a subclass, whatever that says in its own `__str__`."""


def _encode_path(value: PurePath) -> str:
    if Path(str(value)) != value:
        raise SettingError("it is no path of this system: store its str()")
    return str(value)


KINDS: dict[type, tuple[str, Any, Any]] = {  # type -> tag, what encodes, what decodes
    tuple: ("tuple", list, tuple),
    set: ("set", lambda value: sorted(value, key=repr), set),
    frozenset: ("frozenset", lambda value: sorted(value, key=repr), frozenset),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    Decimal: ("decimal", str, Decimal),
    UUID: ("uuid", str, UUID),
    PurePath: ("path", _encode_path, Path),
}
DECODERS = {name: read for name, _, read in KINDS.values()} | {"dict": dict}


class ChangedTextError(Exception):
    """A text was replaced or deleted while it was read in parts."""


class StoredSlices:
    """A text in a store: ``text[start:end]`` reads the pieces that the range lies in, each once."""

    def __init__(self, store: Store, key: str, pieces: Pieces, first: str) -> None:
        """pieces: those that are read already. first: the text in the first of them."""
        self.key: str = key
        self.version: tuple[str, int, bytes, str] = key, pieces.total, pieces.stamp, first
        """Tells the text from any other, whatever the store: by its beginning, its length and a checksum."""
        self._store, self._pieces = store, pieces
        self._read = {number: _decode(piece) for number, piece in pieces.found.items() if number} | {0: first}

    def __getitem__(self, part: slice) -> str:
        """Raises `ChangedTextError`."""
        last = self._pieces.total * PIECE
        start, end = part.start or 0, last if part.stop is None else min(part.stop, last)
        if start >= end:
            return ""
        numbers = _numbers(start, end)
        if missing := [number for number in numbers if number not in self._read]:
            found = self._store.get_pieces({self.key: missing}).get(self.key)
            if found is None or found.stamp != self._pieces.stamp:
                raise ChangedTextError(self.key)
            self._read.update((number, _decode(found.found[number])) for number in missing)
        shift = numbers[0] * PIECE
        return "".join([self._read[number] for number in numbers])[start - shift : end - shift]


def _numbers(start: int, end: int) -> range:
    """A range of characters that is not empty -> the numbers of the pieces that it lies in."""
    return range(start // PIECE, (end - 1) // PIECE + 1)


class SlicedDocument(NamedTuple):
    """A stored document. Of a long text, only the parts that are asked for are read."""

    id: str | None
    metadata: dict[str, Any]
    page_content: str | StoredSlices

    def until(self, end: int | None) -> Document:
        """The document with its text so far, None: with all of it. Raises `ChangedTextError`."""
        return document_of(self.page_content[:end], self.id, self.metadata)


StoredDocument: TypeAlias = Document | SlicedDocument
"""A document that was read, or is as far as it has to be."""


class SQLiteDocumentStore(BaseStore[str, Document]):
    """Documents by key in one SQLite file: what was set is there after a kill, for many threads and processes.

    path: the file, made with its folders if it is not there; not on a network drive. table: several stores may live in
    one file. timeout: seconds to wait while another process writes.

    Text and id come back as they were, lone surrogates too, and so does metadata of str, numbers, bool, None, dict,
    list, tuple, set, bytes, datetime, date, Decimal, UUID and paths, however nested. A time zone comes back as its
    offset. A subclass of str, int or float, such as a `StrEnum` or a number of NumPy, comes back as the plain value
    that equals it. Each call to `mset` or `mdelete` is done whole or not at all. Raises
    `SettingError` (a ValueError) for any other value, before anything is written, and for a file that is none of ours.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, SQLiteDocumentStore(f"{folder}/parents.db") as store:
    ...     store.mset([("a", Document("The tide turns.", metadata={"page": 3}))])
    ...     store.mget(["a", "none"]), list(store.yield_keys())
    ([Document(metadata={'page': 3}, page_content='The tide turns.'), None], ['a'])
    """

    def __init__(self, path: str | os.PathLike[str], table: str = "documents", timeout: float = 60.0) -> None:
        self._store = Store(path, table, timeout)

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    def mget(self, keys: Sequence[str]) -> list[Document | None]:
        """Returns one document per key, each a new one; None where there is none. Raises `SettingError` for damage."""
        return [None if value is None else decode_document(value) for value in self._store.get(keys)]

    def mget_sliced(
        self, keys: Sequence[str], ranges: Iterable[tuple[str, int, int]] = ()
    ) -> dict[str, SlicedDocument]:
        """Returns the documents of those keys that are stored. Of a long text it reads only the beginning.

        ranges: keys, and where in their texts a part begins and ends that is read at once. Their metadata is shared
        with later calls: do not change what it holds.
        """
        numbers: dict[str, set[int]] = {key: set() for key in keys}
        for key, start, end in ranges:
            numbers[key].update(_numbers(start, end))
        found: dict[str, SlicedDocument] = {}
        for key, pieces in self._store.get_pieces(numbers).items():
            id, metadata, text = _read_entry(pieces.found[0], share=True)
            whole = text if pieces.total == 1 else StoredSlices(self._store, key, pieces, text)
            found[key] = SlicedDocument(id, metadata, whole)
        return found

    def mset(self, key_value_pairs: Sequence[tuple[str, Document]]) -> None:
        """Writes all documents, over old ones, or none. Raises `SettingError` for what is no document, and for metadata
        that would not come back as it is."""
        self._store.put([(key, encode_document(document)) for key, document in key_value_pairs])

    def mdelete(self, keys: Sequence[str]) -> None:
        """Deletes what is there of these keys."""
        self._store.delete(keys)

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """Yields the keys that begin with `prefix`, in order; the store may be written to meanwhile."""
        yield from self._store.keys(prefix or "")

    def close(self) -> None:
        """Lets go of the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"SQLiteDocumentStore({str(self.path)!r})"


def document_lock(docstore: BaseStore[str, Document], names: Iterable[str]) -> KeyLock:
    """No other writer of these documents meanwhile. Released without a coroutine, which a signal may leave."""
    return KeyLock(docstore, names, docstore.path if isinstance(docstore, SQLiteDocumentStore) else None)


def encode_document(document: Document) -> list[bytes]:
    """A document -> JSON of its id and metadata, a line end, and its text in UTF-8, in pieces of `PIECE` characters.

    Raises `SettingError` for metadata that would not come back as it is.
    """
    if not isinstance(document, Document):
        raise SettingError(f"the store keeps Documents, got {type(document).__name__}")
    metadata = {key: _to_json(value, key) for key, value in document.metadata.items()}
    if not all(type(key) is str for key in metadata) or TAG in metadata:
        metadata = _to_json({**document.metadata}, "metadata")
    said = json.dumps([document.id, metadata], ensure_ascii=False, separators=(",", ":"))
    text = document.page_content
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)] or [""]
    return [part.encode("utf-8", "surrogatepass") for part in (f"{said}\n{pieces[0]}", *pieces[1:])]


def decode_document(value: bytes) -> Document:
    """What `encode_document` made -> the document."""
    id, metadata, text = _read_entry(value)
    return document_of(text, id, metadata)


def _read_entry(value: bytes, share: bool = False) -> tuple[str | None, dict[str, Any], str]:
    """What `encode_document` made, or its first piece, -> the document's id, metadata and text. share: whether long
    metadata, as that of a file with a layout, may hold the same values as that of a call before."""
    said, end, text = _decode(value).partition("\n")
    if not end:
        raise SettingError("a document was stored by an older version: index the documents into another file")
    if said == NOTHING:
        return None, {}, text
    id, metadata = (_read_shared if share and len(said) > PIECE else _read_said)(said)
    return id, dict(metadata), text


def _read_said(said: str) -> Any:
    """The JSON of a document's id and metadata -> both."""
    return _JSON.decode(said)


@lru_cache(maxsize=16)
def _read_shared(said: str) -> Any:
    """`_read_said`. Questions come back to the layouts of long documents."""
    id, metadata = _read_said(said)
    if type(layout := metadata.get(LAYOUT)) is list:
        metadata[LAYOUT] = SharedLayout(layout)
    return id, metadata


def _decode(value: bytes) -> str:
    return value.decode("utf-8", "surrogatepass")


def _to_json(value: Any, place: object) -> Any:
    """A value -> what JSON has, or a tagged object for what it has not."""
    kind = type(value)
    if value is None or kind in (str, int, float, bool):
        return value
    if kind is list:
        return [_to_json(item, place) for item in value]
    if kind is dict:
        if all(type(key) is str for key in value) and TAG not in value:
            return {key: _to_json(item, key) for key, item in value.items()}
        pairs = [[_to_json(key, place), _to_json(item, place)] for key, item in value.items()]
        return {TAG: "dict", "value": pairs}
    entry = KINDS.get(PurePath if isinstance(value, PurePath) else kind)
    if entry is not None:
        tag, encode, _ = entry
        try:
            encoded = encode(value)
        except SettingError as error:
            raise SettingError(f"metadata {place!r:.80} would not come back as {value!r:.120}: {error}") from None
        return {TAG: tag, "value": _to_json(encoded, place)}
    for base, convert in PLAIN.items():  # a subclass, as an enumeration's or NumPy's
        if isinstance(value, base):
            plain = convert(value)
            if plain == value or plain != plain:  # or not a number
                return plain
    remedy = "store its .value" if isinstance(value, Enum) else "convert it first"
    raise SettingError(f"metadata {place!r:.80} must be plain values, got {kind.__name__} {value!r:.80}: {remedy}")


def _from_json(value: dict[str, Any]) -> Any:
    """An object of JSON -> the value that it stands for, if it is a tagged one."""
    return DECODERS[value[TAG]](value["value"]) if TAG in value else value


_JSON = json.JSONDecoder(object_hook=_from_json)
