"""The splitters that users name: settings in, a LlamaIndex node parser out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from llama_index.core.bridge.pydantic import Field

from caesura.adapter import ThresholdType, Window, double_pass_cut, percentile_cut
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import SemanticSplitter
from llama_index.node_parser.caesura.settings import EmbedModel


class DoublePassSemanticSplitter(SemanticSplitter):
    """Sentences grow into chunks, then chunks merge, over an interrupting formula, code block or quotation too.

    Thresholds are cosines of centred vectors, so that one setting serves every embedder; None is the default of
    `caesura.DoublePassCut`.
    """

    initial_threshold: float | None = Field(
        default=None, description="A chunk starts where the similarity of two sentences is over it."
    )
    appending_threshold: float | None = Field(
        default=None, description="A chunk grows while its last two sentences' similarity to the next is over it."
    )
    merging_threshold: float | None = Field(
        default=None, description="Two chunks merge where their similarity is over it."
    )
    look_ahead: int = Field(default=1, description="How many chunks a merge may reach over.")
    min_units: int = Field(
        default=3, description="A chunk of fewer sentences and blocks joins the neighbour that it is most similar to."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "DoublePassSemanticSplitter"

    @classmethod
    def like_double_merging(
        cls,
        embed_model: EmbedModel = None,
        *,
        initial_threshold: float = 0.6,
        appending_threshold: float = 0.8,
        merging_threshold: float = 0.8,
        max_chunk_size: int = 1000,
        merging_range: int = 1,
        sentence_splitter: Callable[[str], list[str]] | None = None,
        **settings: Any,
    ) -> Self:
        """The names, defaults and units of LlamaIndex's SemanticDoubleMergingSplitterNodeParser, uncentred.

        `max_chunk_size` is in characters, metadata counted. The text is never changed, so there is no
        `merging_separator`; similarity is that of `embed_model`, so there is no `language_config`.
        """
        return cls(
            embed_model=embed_model,
            calibrated=False,
            initial_threshold=initial_threshold,
            appending_threshold=appending_threshold,
            merging_threshold=merging_threshold,
            look_ahead=merging_range,
            min_units=1,
            chunk_size=max_chunk_size,
            sentence_splitter=sentence_splitter,
            **{"tokenizer": list, **settings},
        )

    def _cut(self) -> tuple[Cut, View | None]:
        thresholds = self.initial_threshold, self.appending_threshold, self.merging_threshold
        return double_pass_cut(*thresholds, self.look_ahead, self.min_units), None


class SemanticPercentileSplitter(SemanticSplitter):
    """Cuts where the gap between neighbours is among the largest of the document.

    By default three units before a gap are compared with three after it (`window="adjacent"`, `window_size=3`);
    `"overlapping"` and `"joined"` are the published form over pooled vectors and over joined text (`buffer_size=1`).
    """

    breakpoint_threshold_type: ThresholdType = Field(
        default="percentile", description="What a gap is measured against."
    )
    breakpoint_threshold_amount: float | None = Field(
        default=None, description="How much; None: 85, 3 (standard deviations), 1.5 (interquartile), 95 (gradient)."
    )
    number_of_chunks: int | None = Field(
        default=None, description="Cut into so many instead; chunk_size still holds, None lets go of it."
    )
    window: Window = Field(default="adjacent", description="What is compared: adjacent, overlapping or joined.")
    window_size: int | None = Field(default=None, description="Units on each side of a gap (adjacent); None is 3.")
    buffer_size: int | None = Field(default=None, description="Units around each (overlapping, joined); None is 1.")

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "SemanticPercentileSplitter"

    @classmethod
    def like_semantic_splitter(
        cls,
        embed_model: EmbedModel = None,
        *,
        buffer_size: int = 1,
        breakpoint_percentile_threshold: float = 95,
        sentence_splitter: Callable[[str], list[str]] | None = None,
        **settings: Any,
    ) -> Self:
        """The names, defaults and units of LlamaIndex's SemanticSplitterNodeParser: joined, uncentred, no limit."""
        return cls(
            embed_model=embed_model,
            calibrated=False,
            window="joined",
            buffer_size=buffer_size,
            breakpoint_threshold_amount=breakpoint_percentile_threshold,
            sentence_splitter=sentence_splitter,
            **{"chunk_size": None, **settings},
        )

    def _cut(self) -> tuple[Cut, View | None]:
        return percentile_cut(
            self.breakpoint_threshold_type,
            self.breakpoint_threshold_amount,
            self.number_of_chunks,
            self.window,
            self.window_size,
            self.buffer_size,
        )
