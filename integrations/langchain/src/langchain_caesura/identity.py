"""Documents in, what each is known by and where it stands out: ids of content, the same in every process."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from langchain_core.documents import Document

from caesura.adapter import digest
from caesura.errors import SettingError

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""What is another one in every process, in the `repr` of an object that has none of its own."""


def own_names(documents: Sequence[Document]) -> list[str]:
    """Documents -> what each is known by: its own id, or its metadata and text, and which of several alike it is."""
    found: list[str] = []
    seen: Counter[str] = Counter()
    for document in documents:
        name = document.id
        if name is None:
            name = digest(plain(document.metadata), document.page_content)
            seen[name] += 1
            if seen[name] > 1:
                name = digest(name, str(seen[name]))
        found.append(name)
    return found


def names(documents: Sequence[Document], ids: Sequence[str] | None, source_id_key: str | None) -> list[str]:
    """Documents -> what each is stored under: `ids`, else the source in its metadata, else its id, else its content."""
    if ids is not None:
        if isinstance(ids, str) or len(ids) != len(documents) or not all(isinstance(one, str) for one in ids):
            raise SettingError(f"ids must be one str per document: expected {len(documents)}, got {ids!r:.200}")
        return list(ids)
    found: list[str] = []
    for document in documents:
        if source_id_key is None:
            found.append(document.id or digest(plain(document.metadata), document.page_content))
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


def plain(value: Any) -> str:
    """Metadata -> one string for equal metadata, whatever the order of its keys and sets."""
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{plain(key)}:{plain(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(plain, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(plain, value)) + "]"
    return repr(value) if isinstance(value, str) else ADDRESS.sub("", repr(value))
