"""Settings in, a str out that tells them from others: the same in every process, and without secrets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.identity import digest, import_path, package_path

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""What is another one in every process, in the `repr` of an object that has none of its own."""


def unique_names(documents: Sequence[Document]) -> list[str]:
    """Documents -> what each is known by: its own id, or its metadata and text, and which of several alike it is."""
    found: list[str] = []
    seen: Counter[str] = Counter()
    for document in documents:
        name = document.id
        if name is None:
            name = digest(metadata_key(document.metadata), document.page_content)
            seen[name] += 1
            if seen[name] > 1:
                name = digest(name, str(seen[name]))
        found.append(name)
    return found


def storage_names(documents: Sequence[Document], ids: Sequence[str] | None, source_id_key: str | None) -> list[str]:
    """Documents -> what each is stored under: `ids`, else the source in its metadata, else its id, else its content."""
    if ids is not None:
        if isinstance(ids, str) or len(ids) != len(documents) or not all(isinstance(one, str) for one in ids):
            raise SettingError(f"ids must be one str per document: expected {len(documents)}, got {ids!r:.200}")
        return list(ids)
    found: list[str] = []
    for document in documents:
        if source_id_key is None:
            found.append(document.id or digest(metadata_key(document.metadata), document.page_content))
        elif document.metadata.get(source_id_key) is None:
            keys = sorted(map(str, document.metadata))
            raise SettingError(f"every document must have {source_id_key!r} in its metadata, one has {keys} only")
        else:
            found.append(str(document.metadata[source_id_key]))
    return found


def start_of(document: Document) -> int | None:
    """Where a document stands in the one that it is a chunk of, if it is the chunk of a splitter that says so."""
    start = document.metadata.get("start_index")
    return start if isinstance(start, int) and not isinstance(start, bool) and start >= 0 else None


def metadata_key(value: Any) -> str:
    """Metadata -> one string for equal metadata, whatever the order of its keys and sets."""
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{metadata_key(key)}:{metadata_key(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(metadata_key, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(metadata_key, value)) + "]"
    return repr(value) if isinstance(value, str) else ADDRESS.sub("", repr(value))


OURS = ("caesura", "caesura_static", "langchain_caesura")
"""Packages that may move a function to another of their files, and have no two of one name to set."""


def settings_fingerprint(value: Any) -> str:
    """Settings -> a str that is the same in every process, and another for other settings.

    Embedders and other objects are known by their class alone: what is inside, such as a key, is nobody's business.
    In which of its files a package has a class is no setting; a function of one's own is another in another file.
    """
    if value is None or isinstance(value, (str, int, float, bool, bytes, re.Pattern)):
        return repr(value)
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(
                sorted(f"{settings_fingerprint(key)}:{settings_fingerprint(item)}" for key, item in value.items())
            )
            + "}"
        )
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(settings_fingerprint, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(settings_fingerprint, value)) + "]"
    if isinstance(value, np.ndarray):
        return digest(str(value.dtype), str(value.shape), value.tobytes().hex())
    if isinstance(value, partial):
        return settings_fingerprint(("partial", value.func, value.args, value.keywords))
    named = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    apart = not isinstance(named, type) and import_path(named).partition(".")[0] not in OURS
    called = import_path(named) if apart else package_path(named)
    if is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return called + settings_fingerprint({entry.name: getattr(value, entry.name) for entry in fields(value)})
    return called + settings_fingerprint(vars(value)) if isinstance(value, TextSplitter) else called
