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
from langchain_caesura.parents.given import Given
from langchain_caesura.parents.nesting import nested
from langchain_caesura.parents.records import Family
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
