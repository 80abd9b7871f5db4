"""Settings in, a LangChain text splitter out: the best segmentation of the whole document."""

from __future__ import annotations

from typing import Unpack

from langchain_core.embeddings import Embeddings

from caesura.adapter import EmbedFunction
from caesura.adapter_cuts import optimal_cut
from langchain_caesura.base import BaseSemanticSplitter, Common


class OptimalSemanticSplitter(BaseSemanticSplitter):
    """The best segmentation of the whole document within `chunk_size`, by dynamic programming: `caesura.OptimalCut`.

    penalty: what a chunk must gain, in sentences; less makes smaller chunks; None is 1.25.
    n_chunks: cut into so many chunks instead, where `chunk_size` allows.
    target_size: cut so that chunks measure so much on average, in `length_function`'s units.
    structure: what a paragraph's end takes off the penalty; a line end half of it, a heading twice.
    half_weight: a sentence of so many times the mean size counts half; 0: all sentences alike.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | EmbedFunction | None = None,
        *,
        penalty: float | None = None,
        n_chunks: int | None = None,
        target_size: int | None = None,
        structure: float = 0.3,
        half_weight: float = 0.25,
        **common: Unpack[Common],
    ) -> None:
        cut = optimal_cut(penalty, n_chunks, target_size, structure, half_weight, common.get("chunk_size", 2000))
        super().__init__(embeddings, cut, **common)
