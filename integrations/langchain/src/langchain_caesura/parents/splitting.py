"""Splitting of documents into parents and the small texts that lead to them, each under an id made of its content."""

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
from caesura.sansio import Calls
from langchain_caesura.documents import PLACE, metadata_key, start_of, unique_names
from langchain_caesura.fragments import Fragment, split_fragments
from langchain_caesura.hierarchy import SemanticHierarchySplitter
from langchain_caesura.parents.children import child_documents, level_key, view_documents
from langchain_caesura.parents.records import Family, settings_fingerprint


@dataclass(slots=True)
class DocumentInput:
    """The documents of one name, and for each the small texts that point to it."""

    documents: list[Document] = field(default_factory=list)
    views: list[list[Document]] = field(default_factory=list)

    def fingerprint(self, settings: str) -> str:
        """The same for the same texts, metadata and settings."""
        parts = [settings]
        for document, views in zip(self.documents, self.views, strict=True):
            parts += [str(document.id), str(len(views))]
            for text in (document, *views):
                parts += [text.page_content, metadata_key(text.metadata)]
        return digest(*parts)


def group_inputs(
    documents: Sequence[Document], names: Sequence[str], views: Iterable[Document], *, id_key: str, several: bool
) -> dict[str, DocumentInput]:
    """Documents and their names -> what was given for each name. A document given twice counts once.

    views: each has in its metadata, as ``parent_id`` or under `id_key`, the id of the document that it points to.
    several: whether documents of one name, as the pages of a file, may differ. Raises `SettingError` where not.
    """
    inputs: dict[str, DocumentInput] = {}
    positions: dict[tuple[str, str, str], int] = {}
    owners: dict[str, tuple[DocumentInput, int]] = {}
    for document, name, own_name in zip(documents, names, unique_names(documents), strict=True):
        own = inputs.setdefault(name, DocumentInput())
        content = name, document.page_content, metadata_key(document.metadata)
        if content not in positions:
            if own.documents and not several:
                raise SettingError(f"two documents that differ have the id {name!r}: give each its own")
            positions[content] = len(own.documents)
            own.documents.append(document)
            own.views.append([])
        for pointer in (own_name, name):  # as transformers that use a language model know it, and as it is stored
            owners.setdefault(pointer, (own, positions[content]))
    for view in views:
        parent = view.metadata.get("parent_id", view.metadata.get(id_key))
        if parent not in owners:
            raise SettingError(f"a view must have the id of one of the documents as its parent_id, got {parent!r}")
        owner, position = owners[parent]
        owner.views[position].append(view)
    return inputs


@dataclass(slots=True)
class _Parent:
    """A parent and what leads to it. document: it as it was given, where a whole document is a parent."""

    family: Family
    fragment: Fragment
    children: Sequence[Fragment] = ()
    views: Sequence[Document] = ()
    document: Document | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentSplitter:
    """Cuts documents into parents and children. The settings are those of `ParentDocumentRetriever`."""

    child_splitter: TextSplitter | None
    parent_splitter: TextSplitter | None
    id_key: str
    child_metadata_fields: Sequence[str] | None

    def settings(self) -> str:
        """The fingerprint of these settings."""
        return settings_fingerprint(
            (self.child_splitter, self.parent_splitter, self.id_key, self.child_metadata_fields)
        )

    def fingerprints(self, inputs: dict[str, DocumentInput]) -> dict[str, str]:
        """Inputs -> what tells the texts and metadata of each, and these settings, from others."""
        shared = self.settings()
        return {name: own.fingerprint(shared) for name, own in inputs.items()}

    async def split(self, calls: Calls, inputs: dict[str, DocumentInput], fingerprints: dict[str, str]) -> list[Family]:
        """Returns one family per name."""
        families = {name: Family(name, fingerprints[name]) for name in inputs}
        wholes = [
            _Parent(
                families[name],
                Fragment(document.page_content, start_of(document) or 0, _without_place(document.metadata)),
                views=views,
                document=document,
            )
            for name, own in inputs.items()
            for document, views in zip(own.documents, own.views, strict=True)
        ]
        if isinstance(self.child_splitter, SemanticHierarchySplitter):
            levels = await split_fragments(calls, self.child_splitter, [whole.fragment for whole in wholes])
            parents = await calls.compute(_nested_parents, wholes, levels, len(self.child_splitter.chunk_sizes) - 1)
        else:
            parents = await self._split_parents(calls, wholes)
        await calls.compute(self._fill, parents)
        return list(families.values())

    async def _split_parents(self, calls: Calls, wholes: list[_Parent]) -> list[_Parent]:
        """Returns the documents, or the parents that they are cut into, with their children."""
        parents = wholes
        if self.parent_splitter is not None:
            parts = await split_fragments(calls, self.parent_splitter, [whole.fragment for whole in wholes])
            parents = [_Parent(whole.family, part) for whole, own in zip(wholes, parts, strict=True) for part in own]
        if self.child_splitter is not None:
            parts = await split_fragments(calls, self.child_splitter, [parent.fragment for parent in parents])
            for parent, children in zip(parents, parts, strict=True):
                parent.children = children
        return parents

    def _fill(self, parents: Iterable[_Parent]) -> None:
        """Adds parents and their small texts to their families, where there are any that are not blank."""
        settings: dict[str, Any] = {"id_key": self.id_key, "fields": self.child_metadata_fields}
        for parent in parents:
            family, fragment = parent.family, parent.fragment
            place = metadata_key(fragment.place())  # what says its place is another at another
            key = fragment.identity("parent", family.name, metadata_key(fragment.metadata), place)
            rows = child_documents(key, fragment, parent.children, **settings)
            rows |= view_documents(key, parent.views, **settings)
            if rows:
                whole = parent.document
                family.parents[key] = (
                    _fragment_document(fragment, key) if whole is None else _whole_document(whole, family.name)
                )
                levels = {
                    level_key(above, key): above
                    for child in parent.children
                    if child.text.strip()
                    for above in child.above
                }
                family.parents.update({level: _fragment_document(above, level) for level, above in levels.items()})
                family.children.update(rows)
            elif self.child_splitter is None and fragment.text.strip():
                raise SettingError(
                    f"the document {family.name!r} has no views and there is no child_splitter: nothing would lead "
                    f"to it"
                )


def _nested_parents(wholes: Sequence[_Parent], levels: Sequence[list[Fragment]], deepest: int) -> list[_Parent]:
    """Documents and the chunks of each at all levels -> parents with their children."""
    return [
        _Parent(whole.family, parent, children)
        for whole, fragments in zip(wholes, levels, strict=True)
        for parent, children in nest(fragments, deepest)
    ]


def nest(fragments: list[Fragment], deepest: int) -> Iterator[tuple[Fragment, list[Fragment]]]:
    """The chunks of a document at all levels -> each of the first level, and those of the level `deepest` within it.

    A smallest one knows what it lies in; a chunk that is all of the one that it lies in is passed over.
    """
    by_id = {fragment.id: fragment for fragment in fragments}
    inside: dict[str | None, list[Fragment]] = {
        fragment.id: [] for fragment in fragments if fragment.added["level"] == 0
    }
    for fragment in fragments:
        if fragment.added["level"] == deepest:
            line = [fragment]
            for _ in range(deepest):
                line.append(by_id[line[-1].added["parent_id"]])
            between = [inner for inner, outer in pairwise(line[1:]) if inner.text not in (fragment.text, outer.text)]
            above = tuple(replace(inner, added={}) for inner in between)
            inside[line[-1].id].append(replace(fragment, added={}, above=above))
    return ((replace(fragment, added={}), inside[fragment.id]) for fragment in fragments if fragment.id in inside)


def _whole_document(document: Document, name: str) -> Document:
    """A document that is its own parent -> it as it is stored."""
    return Document(document.page_content, id=document.id or name, metadata=copy.deepcopy(document.metadata))


def _fragment_document(fragment: Fragment, key: str) -> Document:
    """A fragment -> the parent as it is stored; its id is its key."""
    metadata = copy.deepcopy({**fragment.metadata, **fragment.added})
    return Document(fragment.text, id=key, metadata={**metadata, **fragment.place()})


def _without_place(metadata: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in metadata.items() if key not in PLACE}
