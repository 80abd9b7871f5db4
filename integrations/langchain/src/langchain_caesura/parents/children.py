"""A parent, its pieces and its views in, the rows of a vector store that lead to it out, under ids made of content."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from langchain_core.documents import Document

from caesura.identity import digest
from langchain_caesura.fragments import Piece
from langchain_caesura.identity import plain, signature

SIBLINGS = "sibling_count"
"""In a child's metadata: how many children what it lies in has, itself counted."""
LEVELS = "caesura/levels/"
"""What the keys begin with under which a document store keeps the chunks between parents and children."""
LINE = "caesura_levels"
"""In a child's metadata, where it lies in such chunks: their keys, smallest first, each with how many siblings it has,
itself counted."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What small texts have in their metadata: their parent's key under `id_key`, and its `fields`, as
    `ParentDocumentRetriever`'s `child_metadata_fields`."""

    id_key: str
    fields: Sequence[str] | None

    def of_children(self, key: str, parent: Piece, children: Iterable[Piece]) -> dict[str, Document]:
        """The children of the parent under this key -> a row for each that is not blank, by id."""
        lines = {line[0]: (child, line) for child in children if child.text.strip() for line in [_line(child, key)]}
        within: dict[str, set[str]] = {}
        for _, line in lines.values():
            for inner, outer in pairwise(line):
                within.setdefault(outer, set()).add(inner)
        inherited = _not_counted(self._inherited({**parent.metadata, **parent.added}))
        rows: dict[str, Document] = {}
        for child, (_, *above) in lines.values():
            counts = [len(within[outer]) for outer in above]
            between = " ".join(f"{outer} {count}" for outer, count in zip(above[:-1], counts[1:], strict=True))
            ours: dict[str, Any] = {self.id_key: key, SIBLINGS: counts[0], **({LINE: between} if between else {})}
            metadata = {**copy.deepcopy(inherited), **child.added, **child.place(), **ours}
            identity = child.identity("child", key, self._signature(), str(counts[0]), between)
            rows[identity] = Document(child.text, id=identity, metadata=metadata)
        return rows

    def of_views(self, key: str, views: Iterable[Document]) -> dict[str, Document]:
        """Views of the parent under this key -> a row for each that is not blank, by id."""
        rows: dict[str, Document] = {}
        for view in views:
            if view.page_content.strip():
                identity = digest("view", key, self._signature(), view.page_content, plain(view.metadata))
                metadata = {**_not_counted(_flat(view.metadata)), self.id_key: key}
                rows[identity] = Document(view.page_content, id=identity, metadata=metadata)
        return rows

    def _signature(self) -> str:
        return signature((self.id_key, self.fields))

    def _inherited(self, metadata: dict[Any, Any]) -> dict[Any, Any]:
        """What a child has of its parent's metadata: the fields wanted, or all that any vector store takes."""
        if self.fields is None:
            return _flat(metadata)
        return {key: metadata[key] for key in self.fields if key in metadata}


def level_key(piece: Piece, parent: str) -> str:
    """What a chunk between a child and its parent is kept under."""
    return LEVELS + piece.identity(parent)


def _line(child: Piece, parent: str) -> list[str]:
    """A child -> what it is in its parent, and the keys of what it lies in, smallest first."""
    return [child.identity("child", parent), *(level_key(one, parent) for one in child.above), parent]


def _not_counted(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """Metadata without what says which children are siblings: it may be that of a child that was found."""
    return {key: value for key, value in metadata.items() if key not in (SIBLINGS, LINE)}


def _flat(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """What every vector store takes: text, numbers and truth values under a name."""
    return {
        key: value for key, value in metadata.items() if isinstance(key, str) and isinstance(value, (str, int, float))
    }


Line: TypeAlias = list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A small text that was found, its place among those found, and how near it is; None where nothing says so."""

    document: Document
    rank: int
    score: float | None

    def match(self) -> dict[str, Any]:
        """What the metadata of its parent says about it; fit for JSON."""
        place = {key: self.document.metadata.get(key) for key in ("start_index", "end_index")}
        return {"id": self.document.id, **place, "score": self.score, "text": self.document.page_content}

    def line(self, parent: str | None) -> Line:
        """The keys of what it lies in, smallest first, its parent last, each with how many children that has; nothing
        where it is no slice of its parent."""
        siblings = self.document.metadata.get(SIBLINGS)
        if parent is None or not isinstance(siblings, (int, float)) or siblings <= 0:
            return []
        words = str(self.document.metadata.get(LINE, "")).split()
        keys, counts = words[::2], [int(siblings), *map(int, words[1::2])]
        return list(zip([*keys, parent], counts, strict=True))
