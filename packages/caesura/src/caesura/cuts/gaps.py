"""(Vectors, Sizes) -> Gaps: how good a place to cut each gap is, 1 minus a cosine: 0 is no change, 1 unrelated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from caesura.errors import whole
from caesura.types import Gaps, Sizes, Vectors
from caesura.vectors import cosines, window_sums

GapScore: TypeAlias = Callable[[Vectors, Sizes], Gaps]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The unit before a gap against the unit after it."""

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        return 1 - cosines(vectors[:-1], vectors[1:], nothing=0.0)


@dataclass(frozen=True, slots=True)
class Adjacent:
    """The `window` units before a gap against the `window` units after it, fewer at the ends of the text.

    Two windows that share no unit halve the error of windows that overlap, and units that weigh alike do better here
    than units that weigh by their size (`nox -s thresholds`).
    """

    window: int = 3

    def __post_init__(self) -> None:
        whole("window", self.window, 1)

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        n, sums = len(vectors), window_sums(vectors, np.ones(len(vectors)))
        gap = np.arange(1, n)
        before = sums[gap] - sums[np.maximum(gap - self.window, 0)]
        after = sums[np.minimum(gap + self.window, n)] - sums[gap]
        return 1 - cosines(before, after, nothing=0.0)


@dataclass(frozen=True, slots=True)
class Overlapping:
    """The units within `buffer_size` of the last unit before a gap against those around the first unit after it.

    The published percentile method, on pooled vectors in place of embeddings of joined text.
    """

    buffer_size: int = 1

    def __post_init__(self) -> None:
        whole("buffer_size", self.buffer_size, 0)

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        n, sums = len(vectors), window_sums(vectors, sizes)
        unit = np.arange(n)
        pooled = sums[np.minimum(unit + self.buffer_size + 1, n)] - sums[np.maximum(unit - self.buffer_size, 0)]
        return 1 - cosines(pooled[:-1], pooled[1:], nothing=0.0)
