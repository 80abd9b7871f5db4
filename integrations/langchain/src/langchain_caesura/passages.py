"""LangChain documents in, passages to ask about out; and back: texts with the metadata that leads to their document."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.adapter import SentenceSplitter, digest, parts
from caesura.llm.packed import Passage
from caesura.llm.sections import as_text, hull
from caesura.steps import Steps
from caesura.text.sentences import sentences
from caesura.types import Segmenter, Span
from langchain_caesura.families import Piece, cut
from langchain_caesura.identity import own_names, start_of
from langchain_caesura.splitters.double_pass import DoublePassSemanticSplitter

PASSAGE = 2000
"""Characters of a document that is a passage as it is, where no splitter is given."""


@dataclass(frozen=True, slots=True)
class Source:
    """A document, what it is known by, and its passages. placed: whether it is known where each of them stands."""

    document: Document
    name: str
    passages: list[Passage] = field(default_factory=list)
    placed: list[bool] = field(default_factory=list)

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


def whole(documents: Sequence[Document], title_key: str | None) -> list[Source]:
    """Each document as one passage."""
    return [
        Source(
            document,
            name,
            [_passage(document, name, document.page_content, start_of(document) or 0, title_key)],
            [True],
        )
        for document, name in zip(documents, own_names(documents), strict=True)
    ]


def cut_up(documents: Sequence[Document], splitter: TextSplitter | None, title_key: str | None) -> Steps[list[Source]]:
    """Returns the documents with their passages, as the splitter cuts them; None: ours, for what is over `PASSAGE`."""
    sources = [Source(document, name) for document, name in zip(documents, own_names(documents), strict=True)]
    pieces = [Piece(document.page_content, start_of(document) or 0, {}) for document in documents]
    every = range(len(pieces))
    large = [index for index in every if splitter is not None or len(pieces[index].text) > PASSAGE]
    found = [[piece] for piece in pieces]
    if large:
        splitting = splitter or DoublePassSemanticSplitter(chunk_size=PASSAGE)
        for index, some in zip(large, (yield from cut(splitting, [pieces[index] for index in large])), strict=True):
            found[index] = some
    for source, some in zip(sources, found, strict=True):
        for piece in some:
            if piece.text.strip():
                source.passages.append(_passage(source.document, source.name, piece.text, piece.start or 0, title_key))
                source.placed.append(piece.start is not None)
    return sources


def segmenter(sentence_splitter: SentenceSplitter | None) -> Segmenter:
    """What was given as sentence splitter -> what numbers sentences. Raises `SettingError`."""
    return sentences if sentence_splitter is None else parts(sentence_splitter)


def _passage(document: Document, name: str, text: str, start: int, title_key: str | None) -> Passage:
    title = document.metadata.get(title_key) if title_key is not None else None
    return Passage(text, name, start, title if isinstance(title, str) else "")
