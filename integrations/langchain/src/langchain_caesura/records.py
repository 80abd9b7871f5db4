"""Documents in, what each is known by and whether it has changed out; and the record of what is stored for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.adapter import digest
from caesura.errors import SettingError
from langchain_caesura.identity import own_names, plain

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the record of each document."""


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


@dataclass(slots=True)
class Given:
    """The documents of one name, and for each the small texts that point to it."""

    documents: list[Document] = field(default_factory=list)
    views: list[list[Document]] = field(default_factory=list)

    def fingerprint(self, settings: str) -> str:
        """The same for the same texts, metadata and settings."""
        parts = [settings]
        for document, views in zip(self.documents, self.views, strict=True):
            parts += [str(document.id), str(len(views))]
            parts += [part for one in (document, *views) for part in (one.page_content, plain(one.metadata))]
        return digest(*parts)


def gathered(
    documents: Sequence[Document], named: Sequence[str], views: Iterable[Document], id_key: str, several: bool
) -> dict[str, Given]:
    """Documents and their names -> what was given for each name. A document given twice counts once.

    views: each has in its metadata, as ``parent_id`` or under `id_key`, the id of the document that it points to.
    several: whether documents of one name, as the pages of a file, may differ. Raises `SettingError` where not.
    """
    found: dict[str, Given] = {}
    seen: dict[tuple[str, str, str], int] = {}
    places: dict[str, tuple[Given, int]] = {}
    for document, name, own in zip(documents, named, own_names(documents), strict=True):
        given = found.setdefault(name, Given())
        content = name, document.page_content, plain(document.metadata)
        if content not in seen:
            if given.documents and not several:
                raise SettingError(f"two documents that differ have the id {name!r}: give each its own")
            seen[content] = len(given.documents)
            given.documents.append(document)
            given.views.append([])
        for known in (own, name):  # as the transformers that ask a language model know it, and as it is stored
            places.setdefault(known, (given, seen[content]))
    for view in views:
        pointer = view.metadata.get("parent_id", view.metadata.get(id_key))
        if pointer not in places:
            raise SettingError(f"a view must have the id of one of the documents as its parent_id, got {pointer!r}")
        owner, place = places[pointer]
        owner.views[place].append(view)
    return found


def signature(value: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Embedders and other objects are known by their class alone: what is inside, such as a key, is nobody's business.
    """
    if value is None or isinstance(value, (str, int, float, bool, bytes, re.Pattern)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{signature(key)}:{signature(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(signature, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(signature, value)) + "]"
    if isinstance(value, np.ndarray):
        return digest(str(value.dtype), str(value.shape), value.tobytes().hex())
    if isinstance(value, partial):
        return signature(("partial", value.func, value.args, value.keywords))
    kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    called = f"{getattr(kind, '__module__', '')}:{kind.__qualname__}"
    if is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return called + signature({entry.name: getattr(value, entry.name) for entry in fields(value)})
    return called + signature(vars(value)) if isinstance(value, TextSplitter) else called
