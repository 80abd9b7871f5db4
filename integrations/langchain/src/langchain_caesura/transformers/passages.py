"""Documents in, the passages of each that a model is asked about out: it as a whole, or what a splitter cuts of it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.identity import digest
from caesura.sansio import Steps
from caesura.types import Span
from caesura_llm.passages import Passage
from caesura_llm.spans import as_text, hull
from langchain_caesura.fragments import Fragment, split_fragments
from langchain_caesura.identity import own_names, start_of
from langchain_caesura.splitters import DoublePassSemanticSplitter


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document, what it is known by, and its passages. placed: whether it is known where each of them stands."""

    document: Document
    name: str
    passages: list[Passage] = field(default_factory=list)
    placed: list[bool] = field(default_factory=list)

    def add(self, text: str, start: int | None, title_key: str | None) -> None:
        """Adds a passage, which stands at `start` if that is known; its title is in the document's metadata."""
        title = self.document.metadata.get(title_key) if title_key is not None else None
        self.passages.append(Passage(text, self.name, start or 0, title if isinstance(title, str) else ""))
        self.placed.append(start is not None)

    def view(
        self, kind: str, text: str, spans: Sequence[Span], kept: bool, of: str, added: dict[str, Any], without: str = ""
    ) -> Document:
        """A text that leads to the document, with its metadata and where it is from, under an id made of all that.

        spans: none where the place is not known. of: what made the text: the prompt and the model. without: what of the
        document's metadata it does not have.
        """
        metadata = {key: copy.deepcopy(value) for key, value in self.document.metadata.items() if key != without}
        for name in ("start_index", "end_index", "spans"):
            metadata.pop(name, None)
        place: dict[str, Any] = {}
        if spans:
            start, end = hull(spans)
            place = {"start_index": start, "end_index": end, "spans": as_text(spans)}
        metadata |= {"parent_id": self.name, "view": kind, **place, **added, "kept": kept}
        identity = digest(kind, self.name, of, as_text(spans), str(kept), text)
        return Document(id=identity, page_content=text, metadata=metadata)


def sources(documents: Sequence[Document]) -> list[SourceDocument]:
    """Documents -> each as a source without passages yet."""
    return [SourceDocument(document, name) for document, name in zip(documents, own_names(documents), strict=True)]


PASSAGE = 2000
"""Characters of a document that is a passage as it is, where no splitter is given."""


def whole_documents(documents: Sequence[Document], title_key: str | None) -> list[SourceDocument]:
    """Each document as one passage."""
    made = sources(documents)
    for source, document in zip(made, documents, strict=True):
        source.add(document.page_content, start_of(document) or 0, title_key)
    return made


def split_sources(
    documents: Sequence[Document], splitter: TextSplitter | None, title_key: str | None
) -> Steps[list[SourceDocument]]:
    """Returns the documents with their passages, as the splitter cuts them; None: ours, for what is over `PASSAGE`."""
    pieces = [Fragment(document.page_content, start_of(document) or 0, {}) for document in documents]
    found = [[piece] for piece in pieces]
    large = [index for index, piece in enumerate(pieces) if splitter is not None or len(piece.text) > PASSAGE]
    if large:
        splitting = splitter or DoublePassSemanticSplitter(chunk_size=PASSAGE)
        for index, some in zip(
            large, (yield from split_fragments(splitting, [pieces[index] for index in large])), strict=True
        ):
            found[index] = some
    made = sources(documents)
    for source, some in zip(made, found, strict=True):
        for piece in some:
            if piece.text.strip():
                source.add(piece.text, piece.start, title_key)
    return made
