"""Documents in, the passages of each that a model is asked about out: it as a whole, or what a splitter cuts of it."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.steps import Steps
from langchain_caesura.identity import start_of
from langchain_caesura.llm.source import Source, sources
from langchain_caesura.pieces import Piece, cut
from langchain_caesura.splitters.double_pass import DoublePassSemanticSplitter

PASSAGE = 2000
"""Characters of a document that is a passage as it is, where no splitter is given."""


def uncut(documents: Sequence[Document], title_key: str | None) -> list[Source]:
    """Each document as one passage."""
    made = sources(documents)
    for source, document in zip(made, documents, strict=True):
        source.add(document.page_content, start_of(document) or 0, title_key)
    return made


def cut_up(documents: Sequence[Document], splitter: TextSplitter | None, title_key: str | None) -> Steps[list[Source]]:
    """Returns the documents with their passages, as the splitter cuts them; None: ours, for what is over `PASSAGE`."""
    pieces = [Piece(document.page_content, start_of(document) or 0, {}) for document in documents]
    found = [[piece] for piece in pieces]
    large = [index for index, piece in enumerate(pieces) if splitter is not None or len(piece.text) > PASSAGE]
    if large:
        splitting = splitter or DoublePassSemanticSplitter(chunk_size=PASSAGE)
        for index, some in zip(large, (yield from cut(splitting, [pieces[index] for index in large])), strict=True):
            found[index] = some
    made = sources(documents)
    for source, some in zip(made, found, strict=True):
        for piece in some:
            if piece.text.strip():
                source.add(piece.text, piece.start, title_key)
    return made
