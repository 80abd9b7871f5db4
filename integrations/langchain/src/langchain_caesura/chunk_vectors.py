"""Vectors of the chunks that a splitter made: pooled from its sentences, or made for a document's chunks together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.sansio import Calls, embed_in_batches
from caesura.types import Chunk, Sizer
from caesura_documents.chunk_metadata import ROOM, ChunkMetadata, context_of
from caesura_documents.outline import Outliner
from caesura_retrieval.document_embedders import embed_together, embeds_documents
from caesura_retrieval.leaning import lean, share_contexts
from langchain_caesura.embeddings import ChunkEmbeddings

HEADINGS = ("headings", "heading_levels", "table_header", "table_title")


def headings_metadata(metadata: ChunkMetadata) -> ChunkMetadata:
    """What chunks say of their place -> the headings, and the header and title of a table, under the same keys."""
    return ChunkMetadata({name: metadata.keys.get(name, name) for name in HEADINGS}, metadata.name)


@dataclass(frozen=True, slots=True)
class EmbeddedHeadings:
    """The headings, and the title and header of a table, that are embedded before a chunk.

    metadata: the keys under which a document that is itself a chunk has them. size: what measures them. most: what
    those of one chunk may measure; None is any.
    """

    metadata: ChunkMetadata
    size: Sizer
    most: int | None

    @classmethod
    def of(cls, metadata: ChunkMetadata, size: Sizer, limit: int | None) -> EmbeddedHeadings:
        """metadata: what chunks say of their place; of it the keys of headings count. limit: what a chunk may measure;
        None is any."""
        return cls(headings_metadata(metadata), size, None if limit is None else limit // ROOM)

    def texts(self, said: Iterable[Mapping[str, Any]]) -> list[str]:
        """What chunks' metadata say -> the lines that are embedded before each, see `ChunkMetadata.headings_text`."""
        lines = list[str]()
        for own, group in groupby(said):
            lines += repeat(self.metadata.headings_text(own, self.size, self.most), len(list(group)))
        return lines


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """What makes the vectors of chunks, and keeps them in `kept`.

    embeddings: the splitter's. size: what measures a text. share: how far a vector leans toward those around it, see
    `caesura_retrieval.leaning.lean`. headings: None: none are embedded. batch_size: the most texts in one call.
    """

    embeddings: Any
    kept: ChunkEmbeddings
    size: Sizer
    share: float
    headings: EmbeddedHeadings | None
    batch_size: int | None

    async def keep(
        self,
        calls: Calls,
        embed: Callable[..., Any],
        texts: Sequence[str],
        metadatas: Sequence[Mapping[Any, Any]],
        results: Sequence[Any],
        cut: Sequence[Sequence[Chunk]],
        find: Outliner,
    ) -> None:
        """Makes and keeps the vectors of the chunks of each text. results: what the core's stages made of each."""
        above = await calls.compute(self._above, texts, metadatas, cut, find)
        vectors = await self._embed(calls, embed, metadatas, results, cut, above)
        await calls.compute(self._keep, cut, vectors)

    def _above(
        self,
        texts: Sequence[str],
        metadatas: Sequence[Mapping[Any, Any]],
        cut: Sequence[Sequence[Chunk]],
        find: Outliner,
    ) -> list[list[str]]:
        if (own := self.headings) is None:
            return [[] for _ in texts]
        given = zip(texts, metadatas, cut, strict=True)
        return [own.metadata.headings_above(*each, own.size, own.most, find) for each in given]

    async def _embed(
        self,
        calls: Calls,
        embed: Callable[..., Any],
        metadatas: Sequence[Mapping[Any, Any]],
        results: Sequence[Any],
        cut: Sequence[Sequence[Chunk]],
        above: Sequence[Sequence[str]],
    ) -> list[NDArray[np.float32]]:
        """The vectors of the chunks of each text, with a share of those of contexts. above: their headings."""
        model = self.embeddings if embeds_documents(self.embeddings) else None
        contexts = [context_of(metadata) for metadata in metadatas]
        heads = [] if model is not None else [*dict.fromkeys(filter(None, chain(*above)))]
        shared = [*dict.fromkeys(filter(None, contexts))]
        rows = await embed_in_batches(calls, embed, [*heads, *shared], self.batch_size)
        if model is not None:
            names = [metadata.get("source", number) for number, metadata in enumerate(metadatas)]
            documents = await calls.compute(_with_headings, cut, above)
            vectors = await embed_together(calls, model, documents, names)
        else:
            vectors = await calls.compute(self._pool, results, cut, above, dict(zip(heads, rows, strict=False)))
        known = dict(zip(shared, rows[len(heads) :], strict=True))
        return [
            share_contexts(own, known[context]) if context and len(own) else own
            for own, context in zip(vectors, contexts, strict=True)
        ]

    def _pool(
        self,
        results: Sequence[Any],
        cut: Sequence[Sequence[Chunk]],
        above: Sequence[Sequence[str]],
        rows: Mapping[str, Any],
    ) -> list[NDArray[np.float32]]:
        """The mean vectors of all chunks. above: the headings of each chunk, whose rows these are."""
        vectors: list[NDArray[np.float32]] = []
        for result, chunks, headings in zip(results, cut, above, strict=True):
            beside = None
            if rows and headings:
                none = np.zeros_like(next(iter(rows.values())))
                beside = np.stack([rows.get(each, none) for each in headings]), [*map(self.size, headings)]
            vectors.append(result.vectors(chunks, beside))
        return vectors

    def _keep(self, cut: Sequence[Sequence[Chunk]], vectors: Sequence[NDArray[np.float32]]) -> None:
        if self.share:
            vectors = [lean(rows, self.share) for rows in vectors]
        texts = [chunk.text for chunks in cut for chunk in chunks]
        self.kept.keep(texts, [row for rows in vectors for row in rows])


def _with_headings(cut: Sequence[Sequence[Chunk]], above: Sequence[Sequence[str]]) -> list[list[str]]:
    """The chunks of each text, and what is embedded before each of them, -> what is embedded."""
    return [
        [heading + chunk.text for heading, chunk in zip(headings or [""] * len(chunks), chunks, strict=True)]
        for chunks, headings in zip(cut, above, strict=True)
    ]
