"""Rows of small texts that are about to be written, and their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

import numpy as np
from langchain_core.documents import Document
from numpy.typing import NDArray

from caesura.errors import EmbeddingError
from caesura.sansio import Calls
from caesura.vectors import stack_rows
from caesura_retrieval.row_plan import RowEmbedder, RowLine
from caesura_retrieval.upkeep import batches
from langchain_caesura.embeddings import ChunkEmbeddings
from langchain_caesura.parents.index_diff import Family


@dataclass(frozen=True, slots=True)
class TextEmbedder:
    """Embeds texts, `batch_size` in a call. Raises `EmbeddingError` for rows that are not finite."""

    calls: Calls
    embeddings: ChunkEmbeddings
    batch_size: int

    async def __call__(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        rows: list[NDArray[np.float32]] = []
        for some in batches(texts, self.batch_size):
            embedded = await self.calls.call(self.embeddings.embed_documents, self.embeddings.aembed_documents, some)
            found = await self.calls.compute(stack_rows, embedded, len(some))
            finite = np.isfinite(found).all(axis=1)
            if not finite.all():
                raise EmbeddingError(
                    f"embed_documents() must return finite numbers: it does not for {some[int(finite.argmin())]!r:.80}"
                )
            rows += [*found]
        return rows


def place_rows(families: Iterable[Family]) -> dict[str, tuple[RowLine, int]]:
    """Returns for the id of each child its line, and its number there."""
    return {
        str(row.id): (piece.line, number)
        for family in families
        for piece in family.pieces
        if piece.line is not None
        for number, row in enumerate(piece.rows[: len(piece.line.texts)])
    }


async def embed_rows(
    embedder: RowEmbedder, places: Mapping[str, tuple[RowLine, int]], share: float, batch: Sequence[Document]
) -> dict[str, list[list[float]]]:
    """Returns the vectors of each text that is to be written, in the order of the rows that have it.

    places: see `place_rows`. A view has none, and is a line by itself. share: how far its row leans.
    """
    found = [places.get(str(row.id)) or (RowLine("", [row.page_content], [""], share), 0) for row in batch]
    groups = groupby(found, key=lambda place: place[0])
    made = await embedder.vectors([(line, [number for _, number in group]) for line, group in groups])
    vectors: dict[str, list[list[float]]] = {}
    for row, vector in zip(batch, chain.from_iterable(made), strict=True):
        vectors.setdefault(row.page_content, []).append(vector)
    return vectors
