"""Settings in, a LangChain text splitter out: cuts at the largest gaps of a document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, Unpack, cast

from langchain_core.embeddings import Embeddings

from caesura.adapter import EmbedFunction
from caesura.adapter_percentile import PEER_AMOUNTS, ThresholdType, Window, percentile_cut
from caesura.adapter_sentences import PEER_SENTENCES, at_pattern
from caesura.splitter import Splitter
from langchain_caesura.base import BaseSemanticSplitter, Common


class SemanticPercentileSplitter(BaseSemanticSplitter):
    """Cuts where the gap between neighbours is among the largest of the document.

    breakpoint_threshold_type: percentile, standard_deviation, interquartile or gradient.
    breakpoint_threshold_amount: how much of it; None is 85, 3, 1.5 or 95.
    number_of_chunks: cut into so many instead; `chunk_size` still holds, None lets go of it.
    window: "adjacent" compares `window_size` (3) units before a gap with as many after it; "overlapping" and "joined"
    are the published form over pooled vectors and over joined text, `buffer_size` (1) units to each side.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | EmbedFunction | None = None,
        *,
        breakpoint_threshold_type: ThresholdType = "percentile",
        breakpoint_threshold_amount: float | None = None,
        number_of_chunks: int | None = None,
        window: Window = "adjacent",
        window_size: int | None = None,
        buffer_size: int | None = None,
        **common: Unpack[Common],
    ) -> None:
        cut, view = percentile_cut(
            breakpoint_threshold_type, breakpoint_threshold_amount, number_of_chunks, window, window_size, buffer_size
        )
        super().__init__(embeddings, cut, **common)
        self._splitter = replace(cast(Splitter, self._splitter), view=view)

    @classmethod
    def like_semantic_chunker(
        cls,
        embeddings: Embeddings | EmbedFunction | None = None,
        buffer_size: int = 1,
        add_start_index: bool = False,
        breakpoint_threshold_type: ThresholdType = "percentile",
        breakpoint_threshold_amount: float | None = None,
        number_of_chunks: int | None = None,
        sentence_split_regex: str = PEER_SENTENCES,
        min_chunk_size: int | None = None,
        **settings: Any,
    ) -> Self:
        """The names, order, defaults and units of LangChain's SemanticChunker: joined, uncentred, no limit.

        It cuts where that one cuts, but returns slices of the text. To that one, whitespace at a text's end (a file's
        last newline) is an empty sentence that counts; here it is nothing, so compare ``text.strip()``.
        `min_chunk_size` differs: a small chunk joins the neighbour it is closer to, the last one of a text too.
        """
        amount = breakpoint_threshold_amount
        if amount is None and number_of_chunks is None:
            amount = PEER_AMOUNTS.get(breakpoint_threshold_type)
        common: dict[str, Any] = {
            "chunk_size": None,
            "calibrated": False,
            "add_start_index": add_start_index,
            "sentence_splitter": at_pattern(sentence_split_regex),
            "min_chunk_size": min_chunk_size or 0,
            **settings,
        }
        return cls(
            embeddings,
            breakpoint_threshold_type=breakpoint_threshold_type,
            breakpoint_threshold_amount=None if number_of_chunks is not None else amount,
            number_of_chunks=number_of_chunks,
            window="joined",
            buffer_size=buffer_size,
            **common,
        )
