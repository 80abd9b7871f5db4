"""The double pass's settings in, a LlamaIndex node parser out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from llama_index.core.bridge.pydantic import Field

from caesura.adapter_cuts import double_pass_cut
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.embed_models import EmbedModel


class DoublePassSemanticSplitter(BaseSemanticSplitter):
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
        default=3,
        description="A chunk of fewer sentences and blocks joins the neighbour that it is most similar to, where their "
        "similarity is over 0.05, the cut's `leftover_threshold`; 1 lets it stand.",
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
