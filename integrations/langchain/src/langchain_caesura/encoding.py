"""A document in, bytes of JSON out, and back, with metadata that JSON has no word for."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path, PurePath
from typing import Any
from uuid import UUID

from langchain_core.documents import Document

from caesura.errors import SettingError

TAG = "__caesura__"
"""The key of a JSON object that stands for a value which JSON has not."""

KINDS: dict[type, tuple[str, Any, Any]] = {
    tuple: ("tuple", list, tuple),
    set: ("set", lambda value: sorted(value, key=repr), set),
    frozenset: ("frozenset", lambda value: sorted(value, key=repr), frozenset),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    datetime: ("datetime", datetime.isoformat, datetime.fromisoformat),
    date: ("date", date.isoformat, date.fromisoformat),
    Decimal: ("decimal", str, Decimal),
    UUID: ("uuid", str, UUID),
    PurePath: ("path", str, Path),
}
READ = {name: read for name, _, read in KINDS.values()} | {"dict": dict}


def encoded(document: Document) -> bytes:
    """A document -> JSON in UTF-8. Raises `SettingError` for metadata that would not come back as it is."""
    if not isinstance(document, Document):
        raise SettingError(f"the store keeps Documents, got {type(document).__name__}")
    metadata = {key: _written(value, key) for key, value in document.metadata.items()}
    if not all(type(key) is str for key in metadata) or TAG in metadata:
        metadata = _written(document.metadata, "metadata")
    row = {"id": document.id, "metadata": metadata, "page_content": document.page_content}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decoded(value: bytes) -> Document:
    """What `encoded` made -> the document."""
    return Document(**json.loads(value.decode("utf-8", "surrogatepass"), object_hook=_read))


def _written(value: Any, place: object) -> Any:
    """A value -> what JSON has, or a tagged object for what it has not."""
    kind = type(value)
    if value is None or kind in (str, int, float, bool):
        return value
    if kind is list:
        return [_written(item, place) for item in value]
    if kind is dict:
        if all(type(key) is str for key in value) and TAG not in value:
            return {key: _written(item, key) for key, item in value.items()}
        pairs = [[_written(key, place), _written(item, place)] for key, item in value.items()]
        return {TAG: "dict", "value": pairs}
    known = KINDS.get(PurePath if isinstance(value, PurePath) else kind)
    if known is not None:
        return {TAG: known[0], "value": _written(known[1](value), place)}
    for plain in (str, int, float):  # a subclass, as an enumeration's or NumPy's: equal, and hashed alike
        if isinstance(value, plain):
            return plain(value)
    raise SettingError(
        f"metadata {place!r:.80} must be plain values, got {kind.__name__} {value!r:.80}: convert it first"
    )


def _read(found: dict[str, Any]) -> Any:
    return READ[found[TAG]](found["value"]) if TAG in found else found
