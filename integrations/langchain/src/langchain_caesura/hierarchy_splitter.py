"""Splitter into chunks of several sizes, each within a larger one. Every sentence is embedded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Never

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from caesura.background import Background
from caesura.errors import SettingError
from caesura.hierarchy import Hierarchy, Nested, by_sizes
from caesura.host.settings import check_own_cut
from caesura.ids import chunk_ids
from caesura.text.align import SentenceSplitter
from caesura.types import Chunk, Cut, Embed
from caesura_documents.chunk_metadata import ChunkMetadata, MetadataSetting
from caesura_documents.outline import Outliner
from langchain_caesura.base import BaseSemanticSplitter, check_settings
from langchain_caesura.documents import owner_names


class SemanticHierarchySplitter(BaseSemanticSplitter):
    """Cuts texts at several sizes, each chunk within a larger one: search the small, return the large.

    >>> text = "The ferry leaves at nine. It stops at two islands. Bread needs flour and water."
    >>> splitter = SemanticHierarchySplitter(chunk_sizes=(60, 30))
    >>> [(chunk.metadata["level"], chunk.page_content) for chunk in splitter.create_documents([text])][:2]
    [(0, 'The ferry leaves at nine. It stops at two islands.'), (0, 'Bread needs flour and water.')]

    chunk_sizes: the most that chunks of each level may measure, falling. cut: what cuts every level, as that
    of `SemanticSplitter`; None: chunks near two thirds of a level's size, see
    `caesura.hierarchy.by_sizes`.

    What comes out for a document is the chunks of the first level, then those of the next. Each has in its metadata its
    ``level`` from 0, the ``parent_id`` of the chunk that it lies in (not at level 0), and its ``start_index`` and
    ``end_index`` in the document. The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | Embed | None = None,
        *,
        chunk_sizes: Sequence[int] = (2400, 600),
        cut: Cut | None = None,
        length_function: Callable[[str], int] = len,
        strip_whitespace: bool = True,
        calibrated: bool = True,
        background: Background | Sequence[float] | None = None,
        sentence_splitter: SentenceSplitter | None = None,
        batch_size: int | None = None,
        metadata: MetadataSetting = (),
        **unknown: Never,
    ) -> None:
        check_settings(type(self), BaseSemanticSplitter, unknown, ())
        if isinstance(chunk_sizes, (str, int)) or not chunk_sizes:
            raise SettingError(f"chunk_sizes must be sizes, coarse to fine, such as (2048, 512), got {chunk_sizes!r}")
        self._levels = by_sizes(*chunk_sizes, cut=None if cut is None else check_own_cut(cut))
        super().__init__(
            embeddings,
            self._levels[-1][1],
            chunk_size=chunk_sizes[-1],
            length_function=length_function,
            add_start_index=True,
            strip_whitespace=strip_whitespace,
            calibrated=calibrated,
            background=background,
            sentence_splitter=sentence_splitter,
            batch_size=batch_size,
            metadata=metadata,
        )
        self._limits = self._levels[-1][0]
        self._places = ChunkMetadata({"end_index": "end_index", **self._places.keys})
        self.chunk_sizes: tuple[int, ...] = tuple(chunk_sizes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(chunk_sizes={self.chunk_sizes}, cut={self._cut!r})"

    def _make_stages(self) -> Hierarchy:
        return Hierarchy(self._levels, **self._shared())

    def _check(self, documents: list[Document]) -> None:
        super()._check(documents)
        for document in documents:
            own = document.metadata.keys() & {"level", "parent_id"} if "end_index" not in document.metadata else set()
            for key in own:
                raise SettingError(
                    f"the metadata has {key!r} already, {document.metadata[key]!r:.80}, where a chunk of a hierarchy "
                    f"has its own: put it under another key before the document is split"
                )

    def _levels_of(self, result: Nested) -> list[list[Chunk]]:
        return result.chunks()

    def _wrap(self, documents: list[Document], results: list[Nested], find: Outliner) -> Iterator[Document]:
        levelled = [list(zip(nested.chunks(), nested.parents(), strict=True)) for nested in results]
        named = [
            (name, level, chunk.text)
            for name, levels in zip(owner_names(documents), levelled, strict=True)
            for level, (chunks, _) in enumerate(levels)
            for chunk in chunks
        ]
        ids = iter(chunk_ids(named))
        for document, levels in zip(documents, levelled, strict=True):
            above: list[Document] = []
            for level, (chunks, parents) in enumerate(levels):
                own = list(self._documents(document, chunks, [*islice(ids, len(chunks))], find))
                places: Sequence[int | None] = parents or [None] * len(own)
                for row, parent in zip(own, places, strict=True):
                    row.metadata["level"] = level
                    if parent is not None:
                        row.metadata["parent_id"] = above[parent].id
                yield from own
                above = own
