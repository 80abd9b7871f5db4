"""Documents in, their parents and the small texts that lead to them out, each under an id made of its content."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.identity import digest
from caesura.sansio import Steps
from langchain_caesura.fragments import PLACE, Piece, cut
from langchain_caesura.hierarchy import SemanticHierarchySplitter
from langchain_caesura.identity import own_names, plain, signature, start_of
from langchain_caesura.parents.children import Rows, level_key
from langchain_caesura.parents.records import Family


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


def nested(pieces: list[Piece], deepest: int) -> Iterator[tuple[Piece, list[Piece]]]:
    """See above. deepest: the level of the smallest.

    A smallest one knows what it lies in; a chunk that is all of the one that it lies in is passed over.
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


@dataclass(frozen=True, slots=True)
class Divider:
    """Cuts documents into parents and children. Settings as `ParentDocumentRetriever`'s."""

    child_splitter: TextSplitter | None
    parent_splitter: TextSplitter | None
    rows: Rows

    def settings(self) -> str:
        """What tells these settings from others."""
        return signature((self.child_splitter, self.parent_splitter, self.rows.id_key, self.rows.fields))

    def families(self, given: dict[str, Given], fingerprints: dict[str, str]) -> Steps[list[Family]]:
        """Returns one family per name."""
        made = {name: Family(name, fingerprints[name]) for name in given}
        sources = [
            (made[name], document, views)
            for name, one in given.items()
            for document, views in zip(one.documents, one.views, strict=True)
        ]
        whole = [Piece(one.page_content, start_of(one) or 0, _without_place(one.metadata)) for _, one, _ in sources]
        if isinstance(self.child_splitter, SemanticHierarchySplitter):
            found = yield from cut(self.child_splitter, whole)
            deepest = len(self.child_splitter.chunk_sizes) - 1
            for (family, _, views), pieces in zip(sources, found, strict=True):
                for parent, children in nested(pieces, deepest):
                    self._join(family, _stored(parent), parent, children, views)
            return list(made.values())
        parents: list[tuple[Family, Document, Piece, list[Document]]]
        if self.parent_splitter is None:
            parents = [
                (family, _copied(one, family.name), piece, views)
                for (family, one, views), piece in zip(sources, whole, strict=True)
            ]
        else:
            found = yield from cut(self.parent_splitter, whole)
            parents = [
                (family, _stored(piece), piece, [])
                for (family, _, _), pieces in zip(sources, found, strict=True)
                for piece in pieces
            ]
        every: list[list[Piece]] = [[] for _ in parents]
        if self.child_splitter is not None:
            every = yield from cut(self.child_splitter, [piece for _, _, piece, _ in parents])
        for (family, stored, piece, views), children in zip(parents, every, strict=True):
            self._join(family, stored, piece, children, views)
        return list(made.values())

    def _join(
        self, family: Family, stored: Document, piece: Piece, children: Sequence[Piece], views: Sequence[Document]
    ) -> None:
        """Adds a parent and its small texts to the family, if there are any that are not blank."""
        key = piece.identity("parent", family.name, plain(piece.metadata))
        if rows := self.rows.of_children(key, piece, children) | self.rows.of_views(key, views):
            levels = {
                level_key(one, key): _stored(one) for child in children if child.text.strip() for one in child.above
            }
            for name, one in {key: stored, **levels}.items():
                family.parents[name] = one if one.id is not None else one.model_copy(update={"id": name})
            family.children.update(rows)
        elif self.child_splitter is None and piece.text.strip():
            raise SettingError(
                f"the document {family.name!r} has no views and there is no child_splitter: nothing would lead to it"
            )


def _copied(document: Document, name: str) -> Document:
    """A document that is its own parent -> it as it is stored."""
    return Document(document.page_content, id=document.id or name, metadata=copy.deepcopy(document.metadata))


def _stored(piece: Piece) -> Document:
    """A piece -> the parent as it is stored; its id is its key."""
    metadata = copy.deepcopy({**piece.metadata, **piece.added})
    return Document(piece.text, metadata={**metadata, **piece.place()})


def _without_place(metadata: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in metadata.items() if key not in PLACE}
