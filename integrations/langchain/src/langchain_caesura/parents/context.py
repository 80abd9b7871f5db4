"""Vectors of rows that are about to be written: each is embedded after its headings, and leans toward its context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from langchain_core.documents import Document
from numpy.typing import NDArray

from caesura.plugin.passages import lean
from caesura.sansio import Calls
from caesura.storage.word_index import AROUND
from caesura.vectors import stack_rows
from langchain_caesura.embeddings import ChunkEmbeddings
from langchain_caesura.parents.batches import batches
from langchain_caesura.parents.records import SIGNATURE, Piece


def signatures(rows: Sequence[str], context: float) -> Iterator[str]:
    """The ids and headings of a document's children, in order -> of each, what tells those that its vector leans to."""
    reach = AROUND if context else 0
    for at in range(len(rows)):
        around = "".join(rows[max(at - reach, 0) : at + reach + 1])
        yield sha256(f"{context} {around}".encode()).hexdigest()[:SIGNATURE]


@dataclass(slots=True)
class RowEmbedder:
    """Embeds the rows that are about to be written, after their headings, and of their neighbours those that it needs.

    share: how far a row leans, see `caesura.plugin.passages.lean`. batch_size: texts in one call of the embeddings.
    """

    calls: Calls
    embeddings: ChunkEmbeddings
    share: float
    batch_size: int
    _lines: dict[str, tuple[list[str], int]] = field(default_factory=dict)
    """The id of each child -> what is embedded of the children of its text, in order, and its number."""
    _own: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    """Texts -> rows as they were embedded, of the last batch: the next one begins beside it."""

    def learn(self, pieces: Sequence[Piece]) -> None:
        """Takes in what stands around the children of some texts."""
        for piece in pieces:
            rows = piece.rows[: len(piece.part.starts)]
            above = piece.above or [""] * len(rows)
            line = [headings + row.page_content for headings, row in zip(above, rows, strict=True)]
            self._lines.update((str(row.id), (line, number)) for number, row in enumerate(rows))

    async def rows(self, batch: Sequence[Document]) -> dict[str, list[list[float]]]:
        """Rows to be written -> the vectors of each text, in the order of those that have it."""
        spans = [self._span(row) for row in batch]
        texts = dict.fromkeys(one for line, low, high, _ in spans for one in line[low:high])
        missing = [text for text in texts if text not in self._own]
        known = {text: self._own[text] for text in texts if text in self._own}
        for some in batches(missing, self.batch_size):
            embedded = await self.calls.call(self.embeddings.embed_documents, self.embeddings.aembed_documents, some)
            known.update(zip(some, await self.calls.compute(stack_rows, embedded, len(some)), strict=True))
        self._own = known
        return await self.calls.compute(self._leaned, batch, spans)

    def _span(self, row: Document) -> tuple[list[str], int, int, int]:
        """A row -> the line that it stands in, from where to where it leans, and its number; a view stands alone."""
        line, at = self._lines.get(str(row.id), ([row.page_content], 0))
        around = AROUND if self.share else 0
        return line, max(at - around, 0), min(at + around + 1, len(line)), at

    def _leaned(
        self, batch: Sequence[Document], spans: Sequence[tuple[list[str], int, int, int]]
    ) -> dict[str, list[list[float]]]:
        prepared: dict[str, list[list[float]]] = {}
        begun = 0
        while begun < len(batch):  # neighbours that are written together are leaned together
            line, low, high, _ = spans[begun]
            end = begun + 1
            while (
                end < len(batch)
                and spans[end][0] is line
                and spans[end][1] <= high
                and spans[end][3] >= spans[end - 1][3]
            ):
                high = max(high, spans[end][2])
                end += 1
            rows = np.stack([self._own[one] for one in line[low:high]])
            rows = lean(rows, self.share) if self.share else rows
            for row, (_, _, _, at) in zip(batch[begun:end], spans[begun:end], strict=True):
                prepared.setdefault(row.page_content, []).append(rows[at - low].tolist())
            begun = end
        return prepared
