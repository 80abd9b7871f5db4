"""A percentile's or another threshold's settings in, a LlamaIndex node parser out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from llama_index.core.bridge.pydantic import Field

from caesura.adapter_percentile import ThresholdType, Window, percentile_cut
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.embed_models import EmbedModel


class SemanticPercentileSplitter(BaseSemanticSplitter):
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
