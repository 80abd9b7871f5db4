"""Rows of small texts that are about to be written, and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from caesura.sansio import Calls, embed_in_batches
from caesura.sizers import without_surrogates
from caesura_documents.caller_warning import warn_caller
from caesura_retrieval.row_plan import RowEmbedder
from caesura_retrieval.upkeep import find_unusable_rows
from langchain_caesura.embeddings import ChunkEmbeddings, covered_model, embed_by
from langchain_caesura.parents.index_diff import PlacedRow
from langchain_caesura.parents.record import ROW

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


def documents_of(rows: Iterable[PlacedRow]) -> list[Document]:
    """Returns what the vector store is given of rows."""
    documents: list[Document] = []
    for row, *_ in rows:
        metadata = row.metadata if row.is_plain else deepcopy(row.metadata)
        text = without_surrogates(row.text)
        documents.append(Document(text, id=row.id, metadata={**metadata, ROW: row.id}))
    return documents


async def embed_rows(
    embed: TextEmbedder, embedder: RowEmbedder, rows: Sequence[PlacedRow]
) -> tuple[list[Document], dict[str, list[list[float]]]]:
    """Returns the documents of those rows that can be written, and the vectors of each of their texts, in the order of
    the rows. embed: what `embedder` embeds with."""
    given = [row.line.texts[row.number] for row in rows]
    groups = [(line, [row.number for row in own]) for line, own in groupby(rows, attrgetter("line"))]
    documents = documents_of(rows)
    made = [*chain.from_iterable(await embedder.vectors(groups))]
    lost = set[int]() if embedder.model is None else find_unusable_rows(made, given, warn_caller)
    kept: list[Document] = []
    vectors: dict[str, list[list[float]]] = {}
    for number, (document, text, vector) in enumerate(zip(documents, given, made, strict=True)):
        if number not in lost and text not in embed.unusable:
            kept.append(document)
            vectors.setdefault(document.page_content, []).append(vector)
    return kept, vectors
