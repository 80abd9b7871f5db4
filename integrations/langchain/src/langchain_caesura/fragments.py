"""Pieces of documents in, what any splitter cuts of them out, each with its place in its document where it is known."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.identity import digest
from caesura.sansio import Step, Steps
from langchain_caesura.base import BaseSemanticSplitter
from langchain_caesura.identity import plain

MARK = "caesura_number"  # in the metadata of what a splitter is given: which document a piece is of
PLACE = ("start_index", "end_index")
OURS = {MARK, *PLACE}


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


def cut(splitter: TextSplitter, pieces: Sequence[Piece]) -> Steps[list[list[Piece]]]:
    """Returns the pieces of each piece, with places in the document as far as the splitter's own hold out."""
    inherited = [{**one.metadata, **one.added} for one in pieces]
    ours = isinstance(splitter, BaseSemanticSplitter)  # which copies all metadata, and needs none to know a place
    known = [{} for _ in pieces] if ours else inherited
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
