"""The best segmentation's settings in, a LlamaIndex node parser out."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import Field

from caesura.adapter_cuts import optimal_cut
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter


class OptimalSemanticSplitter(BaseSemanticSplitter):
    """The best segmentation of the whole document within `chunk_size`, by dynamic programming.

    By a `penalty` for each chunk, by `n_chunks`, or by `target_size`: see `caesura.OptimalCut`.
    """

    penalty: float | None = Field(
        default=None, description="What a chunk must gain, in sentences; less makes smaller chunks. None: 1.25."
    )
    n_chunks: int | None = Field(default=None, description="Cut into so many chunks instead, where chunk_size allows.")
    target_size: int | None = Field(default=None, description="Cut so that chunks have so many tokens on average.")
    structure: float = Field(
        default=0.3,
        description="What a paragraph's end takes off the penalty; a line end half of it, a heading twice.",
    )
    half_weight: float = Field(
        default=0.25, description="A sentence of so many times the mean size counts half; 0: all sentences alike."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "OptimalSemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        by = self.penalty, self.n_chunks, self.target_size
        return optimal_cut(*by, self.structure, self.half_weight, self.chunk_size), None
