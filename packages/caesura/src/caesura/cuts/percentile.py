"""Percentile cut: the gaps that stand out among those of their text, by a threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_callable, check_int, check_number
from caesura.cuts import MOST, STRUCTURE
from caesura.cuts.limits.fit import fit
from caesura.cuts.scores.gaps import Adjacent, GapScore
from caesura.types import Breaks, Gaps, Limits, Sizes, Vectors, Windowed

Threshold: TypeAlias = Callable[[Gaps], NDArray[np.bool_]]
"""Gaps -> (n - 1,) True where to cut."""


@dataclass(frozen=True, slots=True)
class Percentile:
    """Gaps above the `amount`-th percentile of the text's gaps, 0 to 100. The peers take 95; 85 measures better."""

    amount: float = 85.0

    def __post_init__(self) -> None:
        check_number("percentile", self.amount, 0, 100)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        return np.asarray(gaps > np.percentile(gaps, self.amount))


@dataclass(frozen=True, slots=True)
class StandardDeviation:
    """Gaps above the mean plus `amount` standard deviations."""

    amount: float = 3.0

    def __post_init__(self) -> None:
        check_number("standard deviation amount", self.amount, -inf, inf)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        return np.asarray(gaps > gaps.mean() + self.amount * gaps.std())


@dataclass(frozen=True, slots=True)
class Interquartile:
    """Gaps above the mean plus `amount` times the distance from the first to the third quartile."""

    amount: float = 1.5

    def __post_init__(self) -> None:
        check_number("interquartile amount", self.amount, -inf, inf)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        first, third = np.percentile(gaps, [25, 75])
        return np.asarray(gaps > gaps.mean() + self.amount * (third - first))


@dataclass(frozen=True, slots=True)
class Gradient:
    """Gaps where the curve of gaps rises faster than at `amount` percent of its places; one gap alone is never cut."""

    amount: float = 95.0

    def __post_init__(self) -> None:
        check_number("gradient percentile", self.amount, 0, 100)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        if len(gaps) < 2:
            return np.zeros(len(gaps), np.bool_)
        slopes = np.gradient(gaps)
        return np.asarray(slopes > np.percentile(slopes, self.amount))


@dataclass(frozen=True, slots=True)
class Count:
    """The strongest ``chunks - 1`` gaps, the earlier of equals first; all gaps where there are fewer."""

    chunks: int

    def __post_init__(self) -> None:
        check_int("the number of chunks", self.chunks, 1)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        chosen = np.zeros(len(gaps), np.bool_)
        chosen[np.argsort(-gaps, kind="stable")[: self.chunks - 1]] = True
        return chosen


@dataclass(frozen=True, slots=True)
class PercentileCut:
    """Scores every gap, cuts where the scores pass a threshold, then keeps the limits.

    gaps: how different both sides of a gap are, as `Adjacent`. threshold: which scores are cut, as `Percentile`.
    structure: what the end of a paragraph adds to a score, in standard deviations of the scores; the end of a line half
    of it, a heading twice. Only a Splitter knows where those are.

    With ``view=joined(1)``, `Neighbours`, ``structure=0`` and no limits or background, the breaks are those of
    LangChain's SemanticChunker and LlamaIndex's SemanticSplitterNodeParser on the same sentences.
    """

    gaps: GapScore = field(default_factory=Adjacent)
    threshold: Threshold = field(default_factory=Percentile)
    structure: float = STRUCTURE

    def __post_init__(self) -> None:
        check_callable(self, "gaps", "threshold")
        check_number("structure", self.structure, 0, MOST)

    @property
    def chunk_count(self) -> int | None:
        """The number of chunks that it was given."""
        return self.threshold.chunks if isinstance(self.threshold, Count) else None

    @property
    def windowed(self) -> bool:
        """Whether the scores are made of a window of vectors at a time."""
        return isinstance(self.gaps, Windowed) and self.gaps.windowed

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
