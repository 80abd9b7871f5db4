"""Passages of documents that a model is asked about: each document as a whole, or what a splitter cuts of it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura.types import Span
from caesura_documents.layout import LAYOUT
from caesura_llm.passages import Passage
from caesura_llm.spans import as_text, hull
from langchain_caesura.documents import start_of, unique_names
from langchain_caesura.fragments import Fragment, split_fragments
from langchain_caesura.splitters import DoublePassSemanticSplitter

PASSAGE = 2000
"""Without a splitter, a document of at most so many characters is one passage."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document, what it is known by, and its passages. placed: whether it is known where each of them stands."""

    document: Document
    name: str
    passages: list[Passage] = field(default_factory=list)
    placed: list[bool] = field(default_factory=list)

    def add(self, text: str, start: int | None, title_key: str | None) -> None:
        """Adds a passage, which stands at `start` if that is known; its title is in the document's metadata."""
        metadata = self.document.metadata
        title, source = (metadata.get(key) if key is not None else None for key in (title_key, "source"))
        shown = title if isinstance(title, str) else ""
        self.passages.append(Passage(text, self.name, start, shown, source=str(source or "")))
        self.placed.append(start is not None)


@dataclass(frozen=True, slots=True)
class DerivedDocument:
    """A text that leads to a document.

    spans: where it rests in the document; none where that is not known. added: metadata of its own.
    """

    source: SourceDocument
    text: str
    spans: Sequence[Span]
    is_fallback: bool
    added: dict[str, Any] = field(default_factory=dict)


def derive_documents(view: str, derived: Sequence[DerivedDocument], made_by: str, without: str = "") -> list[Document]:
    """Texts -> documents with the metadata of those that they lead to and their places, under ids made of all that.

    made_by: the prompt and the model. without: what of the metadata they do not have.
    """
    places: list[dict[str, Any]] = []
    for one in derived:
        place: dict[str, Any] = {}
        if one.spans:
            place["start_index"], place["end_index"] = hull(one.spans)
            place["spans"] = as_text(one.spans)
        places.append(place)
    ids = []
    for one, place in zip(derived, places, strict=True):
        ids.append(digest(view, one.source.name, made_by, place.get("spans", ""), str(one.is_fallback), one.text))
    left_out = {without, LAYOUT, "start_index", "end_index", "spans"}
    documents = []
    for one, place, identity in zip(derived, places, ids, strict=True):
        inherited = one.source.document.metadata
        metadata = {key: copy.deepcopy(value) for key, value in inherited.items() if key not in left_out}
        metadata |= {"parent_id": one.source.name, "view": view, **place, **one.added, "kept": one.is_fallback}
        documents.append(Document(id=identity, page_content=one.text, metadata=metadata))
    return documents


def check_splitter(splitter: object) -> TextSplitter | None:
    """Returns the splitter. Raises `SettingError` unless it is a `TextSplitter` or None."""
    if splitter is not None and not isinstance(splitter, TextSplitter):
        raise SettingError(f"splitter must be a TextSplitter of LangChain, ours or another, got {splitter!r:.80}")
    return splitter


def whole_documents(documents: Sequence[Document], title_key: str | None) -> list[SourceDocument]:
    """Documents -> the same as sources, each with itself as its one passage."""
    sources = [SourceDocument(*one) for one in zip(documents, unique_names(documents), strict=True)]
    for source in sources:
        source.add(source.document.page_content, start_of(source.document) or 0, title_key)
    return sources


async def split_sources(
    calls: Calls, documents: Sequence[Document], splitter: TextSplitter | None, title_key: str | None
) -> list[SourceDocument]:
    """The documents with their passages, as the splitter cuts them; None: ours, for what is over `PASSAGE`."""
    whole = [Fragment(document.page_content, start_of(document) or 0, {}) for document in documents]
    sources = [SourceDocument(*one) for one in zip(documents, unique_names(documents), strict=True)]
    parts = [[fragment] for fragment in whole]
    large = [index for index, one in enumerate(whole) if splitter is not None or len(one.text) > PASSAGE]
    if large:
        splitting = splitter or DoublePassSemanticSplitter(chunk_size=PASSAGE, target_size=None)
        cut = await split_fragments(calls, splitting, [whole[index] for index in large])
        for index, fragments in zip(large, cut, strict=True):
            parts[index] = fragments
    for source, fragments in zip(sources, parts, strict=True):
        for fragment in fragments:
            if fragment.text.strip():
                source.add(fragment.text, fragment.start, title_key)
    return sources
