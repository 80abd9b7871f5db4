"""(Vectors, Sizes, Limits) -> Breaks: cuts where the gap between neighbours is among the largest."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from caesura.cuts.fit import fit
from caesura.cuts.gaps import Adjacent, GapScore
from caesura.cuts.thresholds import Percentile, Threshold
from caesura.errors import functions
from caesura.types import Breaks, Gaps, Limits, Sizes, Vectors


@dataclass(frozen=True, slots=True)
class PercentileCut:
    """Scores every gap, cuts where the scores pass a threshold, then keeps the limits.

    With ``view=joined(1)``, `Neighbours` and no limits or background, the breaks are those of LangChain's
    SemanticChunker and LlamaIndex's SemanticSplitterNodeParser on the same sentences.
    """

    gaps: GapScore = field(default_factory=Adjacent)
    threshold: Threshold = field(default_factory=Percentile)

    def __post_init__(self) -> None:
        functions(self, "gaps", "threshold")

    @property
    def windowed(self) -> bool:
        """Whether the scores are made of a window of vectors at a time."""
        return bool(getattr(self.gaps, "windowed", False))

    def scores(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        """The score of each gap, without a look at the limits."""
        return self.gaps(vectors, sizes)

    def place(self, gaps: Gaps, sizes: Sizes, limits: Limits) -> Breaks:
        """Scores in, breaks out."""
        if not len(gaps):
            return np.zeros(0, np.intp)
        return fit(np.flatnonzero(self.threshold(gaps)) + 1, gaps, sizes, limits)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.place(self.scores(vectors, sizes), sizes, limits)
