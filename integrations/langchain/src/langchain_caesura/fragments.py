"""Fragments of documents, cut by any splitter, each with its place in its document where that is known."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura.types import Chunk
from caesura_documents.titles import file_of
from langchain_caesura.base import BaseSemanticSplitter
from langchain_caesura.documents import PLACE

MARK = "caesura_number"  # in the metadata of what a splitter is given: which document a fragment is of
OURS = {MARK, *PLACE}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A chunk: its text, its place in its document if that is known, its metadata, and what its splitter added."""

    text: str
    start: int | None
    metadata: dict[Any, Any]
    added: dict[Any, Any] = field(default_factory=dict)

    def parts(self, chunks: Iterable[Chunk]) -> list[Fragment]:
        """Slices of its text -> the fragments of the document, which share their metadata."""
        metadata, none = {**self.metadata, **self.added}, dict[Any, Any]()
        if self.start is None:
            return [Fragment(chunk.text, None, metadata, none) for chunk in chunks]
        return [Fragment(chunk.text, self.start + chunk.start, metadata, none) for chunk in chunks]


async def split_fragments(
    calls: Calls, splitter: TextSplitter, fragments: Sequence[Fragment], rooms: Sequence[int] = ()
) -> list[list[Fragment]]:
    """Returns the fragments of each fragment, with places in the document as far as the splitter's own hold out.

    rooms: what those of each leave of the limit, if the splitter is ours.
    """
    if isinstance(splitter, BaseSemanticSplitter):
        texts = [fragment.text for fragment in fragments]
        files = [file_of({**fragment.metadata, **fragment.added}) for fragment in fragments]
        return await splitter.split_levels(calls, texts, rooms, files, partial(_parts, fragments))
    inherited = [{**fragment.metadata, **fragment.added} for fragment in fragments]
    marked = [
        Document(fragment.text, id=str(number), metadata={**metadata, MARK: number})
        for number, (fragment, metadata) in enumerate(zip(fragments, inherited, strict=True))
    ]
    placing = copy.copy(splitter)
    placing._add_start_index = True
    chunks = await calls.call(placing.transform_documents, placing.atransform_documents, marked)
    return await calls.compute(_place, splitter, fragments, inherited, chunks)


def _parts(fragments: Sequence[Fragment], cut: Sequence[Sequence[Sequence[Chunk]]]) -> list[list[Fragment]]:
    """Returns the fragments of each fragment. cut: the chunks of each, by level."""
    return [fragment.parts(chain.from_iterable(levels)) for fragment, levels in zip(fragments, cut, strict=True)]


def _place(
    splitter: TextSplitter,
    fragments: Sequence[Fragment],
    inherited: Sequence[dict[Any, Any]],
    chunks: Sequence[Document],
) -> list[list[Fragment]]:
    """Returns the fragments of each fragment of what another's splitter made of all. inherited: what each has of the
    metadata."""
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
        given = inherited[number].keys()
        added = {key: value for key, value in chunk.metadata.items() if key not in given and key not in OURS}
        parts[number].append(Fragment(chunk.page_content, place, inherited[number], added))
    return parts
