"""Fragments of documents, cut by any splitter, each with its place in its document where that is known."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.ids import digest, occurrences
from caesura.sansio import Calls
from caesura_documents.chunk_metadata import ChunkMetadata
from langchain_caesura.base import BaseSemanticSplitter
from langchain_caesura.documents import PLACE, metadata_key

MARK = "caesura_number"  # in the metadata of what a splitter is given: which document a fragment is of
OURS = {MARK, *PLACE}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A chunk: its text, its place in its document if that is known, its metadata, and what its splitter added."""

    text: str
    start: int | None
    metadata: dict[Any, Any]
    added: dict[Any, Any] = field(default_factory=dict)
    id: str | None = None
    above: tuple[Fragment, ...] = ()
    """The chunks that it lies in, smallest first, between itself and its parent."""
    occurrence: int = 0
    """How many fragments of its text come before it, of what was split with it."""

    def place(self) -> dict[str, int]:
        """The metadata that says where it lies."""
        return {} if self.start is None else dict(zip(PLACE, (self.start, self.start + len(self.text)), strict=True))

    def identity(self, *of: str) -> str:
        """An id made of what it belongs to, its text, what was added to it, and which of its equals it is."""
        return digest(*of, self.text, metadata_key(self.added), str(self.occurrence))


async def split_fragments(
    calls: Calls, splitter: TextSplitter, fragments: Sequence[Fragment], rooms: Sequence[int] = ()
) -> list[list[Fragment]]:
    """Returns the fragments of each fragment, with places in the document as far as the splitter's own hold out.

    rooms: what those of each leave of the limit, if the splitter is ours.
    """
    inherited = [{**fragment.metadata, **fragment.added} for fragment in fragments]
    ours = isinstance(splitter, BaseSemanticSplitter)  # which copies all metadata, and needs none to know a place
    known = [{} for _ in fragments] if ours else inherited
    marked = [
        Document(fragment.text, id=str(number), metadata={**metadata, MARK: number})
        for number, (fragment, metadata) in enumerate(zip(fragments, known, strict=True))
    ]
    placing = copy.copy(splitter)
    placing._add_start_index = True
    if isinstance(placing, BaseSemanticSplitter):
        placing._places, placing._rooms = ChunkMetadata({"start_index": "start_index"}), rooms or None
    chunks = await calls.call(placing.transform_documents, placing.atransform_documents, marked)
    parts: list[list[Fragment]] = [[] for _ in fragments]
    for chunk in chunks:
        number = chunk.metadata.get(MARK)
        if not isinstance(number, int):
            raise SettingError(
                f"{type(splitter).__name__} must keep the metadata of what it splits, got {chunk.metadata}"
            )
        outer = fragments[number]
        start = chunk.metadata.get("start_index")
        right = isinstance(start, int) and start >= 0 and outer.text.startswith(chunk.page_content, start)
        place = outer.start + start if right and outer.start is not None and start is not None else None
        given = known[number].keys()
        added = {key: value for key, value in chunk.metadata.items() if key not in given and key not in OURS}
        parts[number].append(Fragment(chunk.page_content, place, inherited[number], added, chunk.id))
    return [_numbered(own) for own in parts]


def _numbered(fragments: list[Fragment]) -> list[Fragment]:
    """The fragments of one text -> the same, each with its occurrence at its level."""
    numbers = occurrences((one.text, metadata_key(one.added.get("level"))) for one in fragments)
    return [replace(one, occurrence=number) for one, number in zip(fragments, numbers, strict=True)]
