"""Documents in, their parents and the small texts that lead to them out, each under an id made of its content."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.adapter import digest
from caesura.errors import SettingError
from caesura.steps import Step, Steps
from langchain_caesura.base import SemanticSplitter
from langchain_caesura.identity import plain, start_of
from langchain_caesura.records import Given, signature
from langchain_caesura.splitters.hierarchy import SemanticHierarchySplitter

MARK = "caesura_number"  # in the metadata of what a splitter is given: which document a piece is of
PLACE = ("start_index", "end_index")
OURS = {MARK, *PLACE}
SIBLINGS = "sibling_count"
"""In a child's metadata: how many children what it lies in has, itself counted."""
LEVELS = "caesura/levels/"
"""What the keys begin with under which a document store keeps the chunks between parents and children."""
LINE = "caesura_levels"
"""In a child's metadata, where it lies in such chunks: their keys, smallest first, each with how many siblings it has,
itself counted."""


@dataclass(frozen=True, slots=True)
class Family:
    """What is stored for the documents of one name, by id. Every child's parent is here, and every parent has one."""

    name: str
    fingerprint: str
    parents: dict[str, Document] = field(default_factory=dict)
    children: dict[str, Document] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk: its text, its place in its document if that is known, its metadata, and what its splitter added."""

    text: str
    start: int | None
    metadata: dict[Any, Any]
    added: dict[Any, Any] = field(default_factory=dict)
    id: str | None = None
    above: tuple[Piece, ...] = ()
    """The chunks that it lies in, smallest first, between itself and its parent."""

    def place(self) -> dict[str, int]:
        """The metadata that says where it lies."""
        return {} if self.start is None else dict(zip(PLACE, (self.start, self.start + len(self.text)), strict=True))

    def identity(self, *of: str) -> str:
        """An id made of what it belongs to, its place, its text and what was added to it."""
        return digest(*of, str(self.start), self.text, plain(self.added))


@dataclass(frozen=True, slots=True)
class Divider:
    """Cuts documents into parents and children. Settings as `ParentDocumentRetriever`'s."""

    child_splitter: TextSplitter | None
    parent_splitter: TextSplitter | None
    id_key: str
    child_metadata_fields: Sequence[str] | None

    def settings(self) -> str:
        """What tells these settings from others."""
        return signature((self.child_splitter, self.parent_splitter, self.id_key, self.child_metadata_fields))

    def families(self, given: dict[str, Given], fingerprints: dict[str, str]) -> Steps[list[Family]]:
        """Returns one family per name."""
        made = {name: Family(name, fingerprints[name]) for name in given}
        owners: list[Family] = []
        documents: list[Document] = []
        views: list[list[Document]] = []
        for name, one in given.items():
            owners += [made[name]] * len(one.documents)
            documents += one.documents
            views += one.views
        whole = [Piece(one.page_content, start_of(one) or 0, _without_place(one.metadata)) for one in documents]
        if isinstance(self.child_splitter, SemanticHierarchySplitter):
            found = yield from cut(self.child_splitter, whole)
            deepest = len(self.child_splitter.chunk_sizes) - 1
            for family, pieces, own in zip(owners, found, views, strict=True):
                for parent, children in _nested(pieces, deepest):
                    self._join(family, _parent(parent), parent, children, own)
            return list(made.values())
        if self.parent_splitter is None:
            parents = [(family, piece, own) for family, piece, own in zip(owners, whole, views, strict=True)]
            stored = [
                Document(one.page_content, id=one.id or family.name, metadata=copy.deepcopy(one.metadata))
                for one, family in zip(documents, owners, strict=True)
            ]
        else:
            found = yield from cut(self.parent_splitter, whole)
            parents = [(family, piece, []) for family, pieces in zip(owners, found, strict=True) for piece in pieces]
            stored = [_parent(piece) for _, piece, _ in parents]
        every: list[list[Piece]] = [[] for _ in parents]
        if self.child_splitter is not None:
            every = yield from cut(self.child_splitter, [piece for _, piece, _ in parents])
        for (family, piece, own), document, children in zip(parents, stored, every, strict=True):
            self._join(family, document, piece, children, own)
        return list(made.values())

    def _join(
        self, family: Family, stored: Document, piece: Piece, children: list[Piece], views: list[Document]
    ) -> None:
        """Adds a parent and its small texts to the family, if there are any that are not blank."""
        parent = piece.identity("parent", family.name, plain(piece.metadata))
        rules = signature((self.id_key, self.child_metadata_fields))
        rows: dict[str, Document] = {}
        inherited = _not_counted(self._inherited({**piece.metadata, **piece.added}))
        lines: dict[str, tuple[Piece, list[str]]] = {}
        levels: dict[str, Document] = {}
        within: dict[str, set[str]] = {}
        for child in children:
            if child.text.strip():
                line = [
                    child.identity("child", parent),
                    *(LEVELS + one.identity(parent) for one in child.above),
                    parent,
                ]
                lines[line[0]] = child, line
                levels |= {key: _parent(one) for key, one in zip(line[1:-1], child.above, strict=True)}
                for inner, outer in pairwise(line):
                    within.setdefault(outer, set()).add(inner)
        for child, (_, *line) in lines.values():
            counts = [len(within[key]) for key in line]
            between = " ".join(f"{key} {count}" for key, count in zip(line[:-1], counts[1:], strict=True))
            ours: dict[str, Any] = {self.id_key: parent, SIBLINGS: counts[0], **({LINE: between} if between else {})}
            metadata = {**copy.deepcopy(inherited), **child.added, **child.place(), **ours}
            identity = child.identity("child", parent, rules, str(counts[0]), between)
            rows[identity] = Document(child.text, id=identity, metadata=metadata)
        for view in views:
            if view.page_content.strip():
                metadata = {**_not_counted(_flat(view.metadata)), self.id_key: parent}
                identity = digest("view", parent, rules, view.page_content, plain(view.metadata))
                rows[identity] = Document(view.page_content, id=identity, metadata=metadata)
        if rows:
            family.parents[parent] = stored if stored.id is not None else stored.model_copy(update={"id": parent})
            family.parents.update((key, one.model_copy(update={"id": key})) for key, one in levels.items())
            family.children.update(rows)
        elif self.child_splitter is None and piece.text.strip():
            raise SettingError(
                f"the document {family.name!r} has no views and there is no child_splitter: nothing would lead to it"
            )

    def _inherited(self, metadata: dict[Any, Any]) -> dict[Any, Any]:
        """What a child has of its parent's metadata: the fields wanted, or all that any vector store takes."""
        if self.child_metadata_fields is None:
            return _flat(metadata)
        return {key: metadata[key] for key in self.child_metadata_fields if key in metadata}


def cut(splitter: TextSplitter, pieces: Sequence[Piece]) -> Steps[list[list[Piece]]]:
    """Returns the pieces of each piece, with places in the document as far as the splitter's own hold out."""
    inherited = [{**one.metadata, **one.added} for one in pieces]
    known = [{} for _ in pieces] if isinstance(splitter, SemanticSplitter) else inherited  # ours copies all, needs none
    marked = [
        Document(piece.text, id=str(number), metadata={**metadata, MARK: number})
        for number, (piece, metadata) in enumerate(zip(pieces, known, strict=True))
    ]
    placing = copy.copy(splitter)
    placing._add_start_index = True
    made: Sequence[Document] = yield Step.of(placing, "transform_documents", marked)
    found: list[list[Piece]] = [[] for _ in pieces]
    for one in made:
        number = one.metadata.get(MARK)
        if not isinstance(number, int):
            raise SettingError(
                f"{type(splitter).__name__} must keep the metadata of what it splits, got {one.metadata}"
            )
        outer = pieces[number]
        start = one.metadata.get("start_index")
        right = isinstance(start, int) and start >= 0 and outer.text.startswith(one.page_content, start)
        place = outer.start + start if right and outer.start is not None and start is not None else None
        given = known[number].keys()
        added = {key: value for key, value in one.metadata.items() if key not in given and key not in OURS}
        found[number].append(Piece(one.page_content, place, inherited[number], added, one.id))
    return found


def _nested(pieces: list[Piece], deepest: int) -> Iterator[tuple[Piece, list[Piece]]]:
    """The pieces that a hierarchy made of one document -> each of the largest with those of the smallest in it.

    What lies between knows who it is; a chunk that is all of the one that it lies in is passed over.
    """
    by_id = {piece.id: piece for piece in pieces}
    inside: dict[str | None, list[Piece]] = {piece.id: [] for piece in pieces if piece.added["level"] == 0}
    for piece in pieces:
        if piece.added["level"] == deepest:
            line = [piece]
            for _ in range(deepest):
                line.append(by_id[line[-1].added["parent_id"]])
            between = [one for one, outer in pairwise(line[1:]) if one.text not in (piece.text, outer.text)]
            above = tuple(replace(one, added={}) for one in between)
            inside[line[-1].id].append(replace(piece, added={}, above=above))
    return ((replace(piece, added={}), inside[piece.id]) for piece in pieces if piece.id in inside)


def _parent(piece: Piece) -> Document:
    """A piece -> the parent as it is stored; its id is its key."""
    metadata = copy.deepcopy({**piece.metadata, **piece.added})
    return Document(piece.text, metadata={**metadata, **piece.place()})


def _without_place(metadata: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in metadata.items() if key not in PLACE}


def _not_counted(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """Metadata without what says which children are siblings: it may be that of a child that was found."""
    return {key: value for key, value in metadata.items() if key not in (SIBLINGS, LINE)}


def _flat(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """What every vector store takes: text, numbers and truth values under a name."""
    return {
        key: value for key, value in metadata.items() if isinstance(key, str) and isinstance(value, (str, int, float))
    }
