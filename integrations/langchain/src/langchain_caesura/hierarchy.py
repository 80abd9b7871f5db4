"""Documents in, documents of several sizes out, each within a larger one. Every sentence is embedded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Never, cast

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from caesura.background import Background
from caesura.errors import SettingError
from caesura.hierarchy import Hierarchy, Nested, by_sizes
from caesura.plugin.sentences import SentenceSplitter
from caesura.plugin.settings import EmbedFunction, check_cut
from caesura.splitter import Splitter
from caesura.types import Chunk, Cut
from langchain_caesura.base import BaseSemanticSplitter, check_settings
from langchain_caesura.identity import unique_names


class SemanticHierarchySplitter(BaseSemanticSplitter):
    """Chunks of every size in `chunk_sizes`, coarse to fine, each chunk within one of the size before.

    chunk_sizes: the most that chunks of each level may measure, falling. cut: what cuts every level, as that
    of `SemanticSplitter`; None is the best segmentation whose chunks fill two thirds of the level's size on average.

    What comes out for a document is the chunks of the first level, then those of the next. Each has in its metadata its
    ``level`` from 0, the ``parent_id`` of the chunk that it lies in (not at level 0), and its ``start_index`` and
    ``end_index`` in the document. The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | EmbedFunction | None = None,
        *,
        chunk_sizes: Sequence[int] = (2048, 512, 128),
        cut: Cut | None = None,
        length_function: Callable[[str], int] = len,
        strip_whitespace: bool = True,
        calibrated: bool = True,
        background: Background | Sequence[float] | None = None,
        sentence_splitter: SentenceSplitter | None = None,
        batch_size: int | None = None,
        **unknown: Never,
    ) -> None:
        check_settings(type(self), BaseSemanticSplitter, unknown, ())
        if isinstance(chunk_sizes, (str, int)) or not chunk_sizes:
            raise SettingError(f"chunk_sizes must be sizes, coarse to fine, such as (2048, 512), got {chunk_sizes!r}")
        levels = by_sizes(*chunk_sizes, cut=None if cut is None else check_cut(cut))
        super().__init__(
            embeddings,
            levels[-1][1],
            chunk_size=chunk_sizes[-1],
            length_function=length_function,
            add_start_index=True,
            strip_whitespace=strip_whitespace,
            calibrated=calibrated,
            background=background,
            sentence_splitter=sentence_splitter,
            batch_size=batch_size,
        )
        made = cast(Splitter, self._splitter)
        self._splitter = Hierarchy(levels, made.size, made.segment, made.view, made.background, made.trim)
        self.chunk_sizes: tuple[int, ...] = tuple(chunk_sizes)

    def _chunks(self, made: list[Nested]) -> list[list[Chunk]]:
        return [[chunk for level in nested.chunks() for chunk in level] for nested in made]

    def _wrapped(self, documents: list[Document], made: list[Nested]) -> list[Document]:
        wrapped: list[Document] = []
        for document, name, nested in zip(documents, unique_names(documents), made, strict=True):
            above: list[Document] = []
            for level, (chunks, parents) in enumerate(zip(nested.chunks(), nested.parents(), strict=True)):
                ours = [self._document(document, name, chunk, level) for chunk in chunks]
                for place, one in enumerate(ours):
                    start = one.metadata["start_index"]
                    one.metadata |= {"level": level, "end_index": start + len(one.page_content)}
                    if level:
                        one.metadata["parent_id"] = above[parents[place]].id
                wrapped += ours
                above = ours
        return wrapped
