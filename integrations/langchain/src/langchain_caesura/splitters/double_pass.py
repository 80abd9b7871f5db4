"""Settings in, a LangChain text splitter out: sentences grow into chunks, and these merge."""

from __future__ import annotations

from typing import Self, Unpack

from langchain_core.embeddings import Embeddings

from caesura.adapter import EmbedFunction
from caesura.adapter_cuts import double_pass_cut
from langchain_caesura.base import BaseSemanticSplitter, Common


class DoublePassSemanticSplitter(BaseSemanticSplitter):
    """Sentences grow into chunks, then chunks merge, over an interrupting formula, code block or quotation too.

    Thresholds are cosines of centred vectors, so that one setting serves every embedder; None is the default of
    `caesura.DoublePassCut`. look_ahead: how many chunks a merge may reach over. min_units: a chunk of fewer sentences
    and blocks joins the neighbour that it is most similar to, where their similarity is over 0.05 (the cut's
    `leftover_threshold`); 1 lets it stand. The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | EmbedFunction | None = None,
        *,
        initial_threshold: float | None = None,
        appending_threshold: float | None = None,
        merging_threshold: float | None = None,
        look_ahead: int = 1,
        min_units: int = 3,
        **common: Unpack[Common],
    ) -> None:
        thresholds = initial_threshold, appending_threshold, merging_threshold
        cut = double_pass_cut(*thresholds, look_ahead, min_units)
        super().__init__(embeddings, cut, **common)

    @classmethod
    def like_double_merging(
        cls,
        embeddings: Embeddings | EmbedFunction | None = None,
        *,
        initial_threshold: float = 0.6,
        appending_threshold: float = 0.8,
        merging_threshold: float = 0.8,
        max_chunk_size: int = 1000,
        merging_range: int = 1,
        **common: Unpack[Common],
    ) -> Self:
        """The names, defaults and units of LlamaIndex's SemanticDoubleMergingSplitterNodeParser, uncentred."""
        settings: Common = {"chunk_size": max_chunk_size, "calibrated": False, **common}
        return cls(
            embeddings,
            initial_threshold=initial_threshold,
            appending_threshold=appending_threshold,
            merging_threshold=merging_threshold,
            look_ahead=merging_range,
            min_units=1,
            **settings,
        )
