"""Rows of small texts that are about to be written, and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from caesura.sansio import Calls, embed_in_batches
from caesura.sizers import without_surrogates
from caesura_documents.caller_warning import warn_caller
from caesura_retrieval.row_plan import RowEmbedder, RowLine
from caesura_retrieval.upkeep import find_unusable_rows
from langchain_caesura.embeddings import ChunkEmbeddings, covered_model, embed_by
from langchain_caesura.parents.index_diff import Family

PROBE = "The ferry to the island leaves at nine. The price of a jar of honey is 4.50."
"""A text by whose row a model is known again."""
BITS = 64
"""How many numbers of the row are looked at."""
APART = 16
"""Where more of them differ, another model made the row: two models differ in half of them."""
_sketches: WeakKeyDictionary[Embeddings, str] = WeakKeyDictionary()
"""What covers the model of a vector store -> the sketch of the model."""


def is_sketched(embeddings: ChunkEmbeddings) -> bool:
    """Whether the model of a vector store is known, see `sketch_model`."""
    return embeddings.embeddings in _sketches


async def sketch_model(calls: Calls, embeddings: ChunkEmbeddings) -> str:
    """Returns what a model is known by: the width of its rows, and the bits of one of them that say which of its
    numbers are over their median. "" where the model has no row for `PROBE`, or cannot be reached now.

    It embeds one text, once for each vector store.
    """
    cover = embeddings.embeddings
    if not isinstance(cover, ChunkEmbeddings):
        return ""
    if cover not in _sketches:
        try:
            (row,) = await embed_in_batches(calls, embed_by(calls, covered_model(cover)), [PROBE], 1)
        except Exception:  # what is to be embedded says so itself; where nothing is, nobody has to be asked
            return ""
        seen = row[np.linspace(0, len(row) - 1, min(len(row), BITS)).astype(int)]
        bits = np.packbits(seen > np.median(seen)).tobytes().hex()
        _sketches[cover] = f"{len(row)}-{bits}" if row.any() and np.isfinite(row).all() else ""
    return _sketches[cover]


def are_of_one_model(one: str, other: str) -> bool:
    """Whether two sketches are perhaps of one model. "" may be of any."""
    (width, _, bits), (other_width, _, other_bits) = one.partition("-"), other.partition("-")
    if not bits or not other_bits:
        return True
    return width == other_width and (int(bits, 16) ^ int(other_bits, 16)).bit_count() <= APART


@dataclass(frozen=True, slots=True)
class TextEmbedder:
    """Embeds texts in one call. Rows that no vector store may be given are zeros here."""

    calls: Calls
    embed: Callable[[list[str]], Any]
    """See `embed_by`."""
    unusable: set[str] = field(default_factory=set)
    """The texts of such rows."""

    async def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = await embed_in_batches(self.calls, self.embed, list(map(without_surrogates, texts)))
        if unusable := sorted(find_unusable_rows(rows, texts, warn_caller)):
            self.unusable.update(texts[number] for number in unusable)
            rows[unusable] = 0
        return rows


def place_rows(families: Iterable[Family], rows: Iterable[Document]) -> dict[str, tuple[RowLine, int]]:
    """Returns for the id of each child that is among the rows its line, and its number there."""
    written = {row.id for row in rows}
    return {
        row.id: (piece.line, number)
        for family in families
        for piece in family.pieces
        if piece.line is not None
        for number, row in enumerate(piece.rows[: len(piece.line.texts)])
        if row.id in written
    }


async def embed_rows(
    embed: TextEmbedder,
    embedder: RowEmbedder,
    places: Mapping[str, tuple[RowLine, int]],
    share: float,
    batch: Sequence[Document],
) -> tuple[list[Document], dict[str, list[list[float]]]]:
    """Returns those of the rows that can be written, and the vectors of each of their texts, in the order of the rows.

    embed: what `embedder` embeds with. places: see `place_rows`. A view has none, and is a line by itself. share: how
    far its row leans.
    """
    found = [places.get(str(row.id)) or (RowLine("", [row.page_content], [""], share), 0) for row in batch]
    groups = groupby(found, key=lambda place: place[0])
    given = [line.texts[number] for line, number in found]
    made = await embedder.vectors([(line, [number for _, number in group]) for line, group in groups])
    rows = [*chain.from_iterable(made)]
    lost = set[int]() if embedder.model is None else find_unusable_rows(rows, given, warn_caller)
    kept: list[Document] = []
    vectors: dict[str, list[list[float]]] = {}
    for number, (row, text, vector) in enumerate(zip(batch, given, rows, strict=True)):
        if number not in lost and text not in embed.unusable:
            kept.append(row)
            vectors.setdefault(row.page_content, []).append(vector)
    return kept, vectors
