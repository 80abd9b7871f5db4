"""Child documents: the rows of a vector store that lead to a parent, under ids made of content."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document

from caesura.identity import digest
from langchain_caesura.documents import metadata_key
from langchain_caesura.fragments import Fragment

SIBLINGS = "sibling_count"
"""In a child's metadata: how many children what it lies in has, itself counted."""
LEVELS = "caesura/levels/"
"""What the keys begin with under which a document store keeps the chunks between parents and children."""
ANCESTORS = "caesura_levels"
"""In a child's metadata, where it lies in such chunks: their keys, smallest first, each with how many siblings it has,
itself counted."""


def child_documents(
    parent_key: str, parent: Fragment, children: Iterable[Fragment], *, id_key: str, fields: Sequence[str] | None
) -> dict[str, Document]:
    """The children of a parent -> a row for each that is not blank, by id.

    id_key: where in a row's metadata the parent's key is. fields: what rows have of the parent's metadata; None: all
    text, numbers and truth values.
    """
    lines = {
        child.identity("child", parent_key): (child, ancestor_keys(child, parent_key))
        for child in children
        if child.text.strip()
    }
    members: dict[str, set[str]] = {}
    for name, (_, ancestors) in lines.items():
        for inner, outer in pairwise([name, *ancestors]):
            members.setdefault(outer, set()).add(inner)
    inherited = _without_counts(_inherited_metadata({**parent.metadata, **parent.added}, fields))
    settings = metadata_key((id_key, fields))
    rows: dict[str, Document] = {}
    for child, ancestors in lines.values():
        siblings, *counts = [len(members[key]) for key in ancestors]
        levels = " ".join(f"{key} {count}" for key, count in zip(ancestors[:-1], counts, strict=True))
        ours: dict[str, Any] = {id_key: parent_key, SIBLINGS: siblings, **({ANCESTORS: levels} if levels else {})}
        metadata = {**copy.deepcopy(inherited), **child.added, **child.place(), **ours}
        place = metadata_key(child.place())  # a row that says a place is another at another
        identity = child.identity("child", parent_key, settings, str(siblings), levels, place)
        rows[identity] = Document(child.text, id=identity, metadata=metadata)
    return rows


def view_documents(
    parent_key: str, views: Iterable[Document], *, id_key: str, fields: Sequence[str] | None
) -> dict[str, Document]:
    """The views of a parent -> a row for each that is not blank, by id. The settings are those of `child_documents`."""
    settings = metadata_key((id_key, fields))
    rows: dict[str, Document] = {}
    for view in views:
        if view.page_content.strip():
            identity = digest("view", parent_key, settings, view.page_content, metadata_key(view.metadata))
            metadata = {**_without_counts(_scalars(view.metadata)), id_key: parent_key}
            rows[identity] = Document(view.page_content, id=identity, metadata=metadata)
    return rows


def ancestor_keys(child: Fragment, parent_key: str) -> list[str]:
    """A child -> the keys of what it lies in, smallest first, its parent's last."""
    return [*(level_key(fragment, parent_key) for fragment in child.above), parent_key]


def level_key(fragment: Fragment, parent_key: str) -> str:
    """What a chunk between a child and its parent is kept under."""
    return LEVELS + fragment.identity(parent_key, metadata_key(fragment.place()))


def ancestor_counts(row: Document, parent_key: str) -> dict[str, int]:
    """A row -> the keys of what it lies in, smallest first, its parent's last, each with how many children that has;
    nothing where it is no slice of its parent."""
    siblings = row.metadata.get(SIBLINGS)
    if not isinstance(siblings, (int, float)) or siblings <= 0:
        return {}
    words = str(row.metadata.get(ANCESTORS, "")).split()
    return dict(zip([*words[::2], parent_key], [int(siblings), *map(int, words[1::2])], strict=True))


def _inherited_metadata(metadata: dict[Any, Any], fields: Sequence[str] | None) -> dict[Any, Any]:
    """What a child has of its parent's metadata: the fields wanted, or all that any vector store takes."""
    if fields is None:
        return _scalars(metadata)
    return {key: metadata[key] for key in fields if key in metadata}


def _scalars(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """What every vector store takes: text, numbers and truth values under a name."""
    return {
        key: value for key, value in metadata.items() if isinstance(key, str) and isinstance(value, (str, int, float))
    }


def _without_counts(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """Metadata without what says which children are siblings: it may be that of a child that was found."""
    return {key: value for key, value in metadata.items() if key not in (SIBLINGS, ANCESTORS)}
