"""Documents, their names and the small texts that point to them in, what was given for each name out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from langchain_core.documents import Document

from caesura.adapter import digest
from caesura.errors import SettingError
from langchain_caesura.identity import own_names, plain


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
