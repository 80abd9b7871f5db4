"""Records of what the stores hold for each document, and the difference between that and what they are to hold."""

from __future__ import annotations

import json
import re
from collections.abc import Set
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.identity import digest, import_path, package_path

RECORDS = "caesura/documents/"
"""What the keys begin with under which a document store keeps the record of each document."""
RETRIES = 5
"""Times at most that stores are read again, where what the one leads to is not in the other: it was just changed."""
OURS = ("caesura", "caesura_llm", "caesura_static", "langchain_caesura")
"""Packages that may move a function to another of their files, and have no two of one name to set."""


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


def settings_fingerprint(value: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Embedders and other objects are known by their class alone: what is inside, such as a key, is nobody's business.
    In which of its files a package has a class is no setting; a function of one's own is another in another file.
    """
    if value is None or isinstance(value, (str, int, float, bool, bytes, re.Pattern)):
        return repr(value)
    if isinstance(value, dict):
        items = (f"{settings_fingerprint(key)}:{settings_fingerprint(item)}" for key, item in value.items())
        return "{" + ",".join(sorted(items)) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(settings_fingerprint, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(settings_fingerprint, value)) + "]"
    if isinstance(value, np.ndarray):
        return digest(str(value.dtype), str(value.shape), value.tobytes().hex())
    if isinstance(value, partial):
        return settings_fingerprint(("partial", value.func, value.args, value.keywords))
    return _definition_path(value) + _object_settings(value)


def _definition_path(value: Any) -> str:
    """A class, a function or an object's class -> its package, or a user's function -> its file."""
    definition = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    if isinstance(definition, type) or import_path(definition).partition(".")[0] in OURS:
        return package_path(definition)
    return import_path(definition)


def _object_settings(value: Any) -> str:
    """A frozen dataclass's fields, and all that a text splitter has; nothing of other objects."""
    if is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return settings_fingerprint({entry.name: getattr(value, entry.name) for entry in fields(value)})
    return settings_fingerprint(vars(value)) if isinstance(value, TextSplitter) else ""
