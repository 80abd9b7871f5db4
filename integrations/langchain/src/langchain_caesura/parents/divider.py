"""Documents in, their parents and the small texts that lead to them out, each under an id made of its content."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.steps import Steps
from langchain_caesura.identity import plain, start_of
from langchain_caesura.parents.families import Family
from langchain_caesura.parents.given import Given
from langchain_caesura.parents.nesting import nested
from langchain_caesura.parents.rows import Rows, level_key
from langchain_caesura.parents.signature import signature
from langchain_caesura.pieces import PLACE, Piece, cut
from langchain_caesura.splitters.hierarchy import SemanticHierarchySplitter


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
                for parent, children in nested(pieces, deepest):
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
        self, family: Family, stored: Document, piece: Piece, children: Sequence[Piece], views: Sequence[Document]
    ) -> None:
        """Adds a parent and its small texts to the family, if there are any that are not blank."""
        key = piece.identity("parent", family.name, plain(piece.metadata))
        if rows := self.rows.of_children(key, piece, children) | self.rows.of_views(key, views):
            levels = {
                level_key(one, key): _parent(one) for child in children if child.text.strip() for one in child.above
            }
            for name, one in {key: stored, **levels}.items():
                family.parents[name] = one if one.id is not None else one.model_copy(update={"id": name})
            family.children.update(rows)
        elif self.child_splitter is None and piece.text.strip():
            raise SettingError(
                f"the document {family.name!r} has no views and there is no child_splitter: nothing would lead to it"
            )


def _parent(piece: Piece) -> Document:
    """A piece -> the parent as it is stored; its id is its key."""
    metadata = copy.deepcopy({**piece.metadata, **piece.added})
    return Document(piece.text, metadata={**metadata, **piece.place()})


def _without_place(metadata: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in metadata.items() if key not in PLACE}
