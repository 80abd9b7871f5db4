"""Gap scores: how good a place to cut each gap is, 1 minus a cosine: 0 is no change, 1 unrelated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int
from caesura.types import Gaps, Sizes, Vectors
from caesura.vectors import BLOCK, cosines, cosines_apart, window_sums

GapScore: TypeAlias = Callable[[Vectors, Sizes], Gaps]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The unit before a gap against the unit after it."""

    windowed: ClassVar[bool] = True

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        gaps = np.zeros(max(len(vectors) - 1, 0))
        for low in range(0, len(gaps), BLOCK):
            part = vectors[low : low + BLOCK + 1].astype(np.float64)
            gaps[low : low + BLOCK] = 1 - cosines_apart(part, 1, nothing=0.0)
        return gaps


@dataclass(frozen=True, slots=True)
class Adjacent:
    """The `window` units before a gap against the `window` units after it, fewer at the ends of the text.

    Two windows that share no unit halve the error of windows that overlap, and units that weigh alike do better here
    than units that weigh by their size (`nox -s thresholds`).
    """

    window: int = 3
    windowed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_int("window", self.window, 1)

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        n, weights = len(vectors), np.ones(len(vectors))
        window = min(self.window, n)  # so that no sum is over what an array holds
        gaps = np.zeros(max(n - 1, 0))
        for low, high, part in _parts(vectors, weights, window):
            gap = np.arange(low + 1, min(high + 1, n))  # by the unit after it
            at = gap - part.first
            before = part.sums[at] - part.sums[np.maximum(gap - window, 0) - part.first]
            after = part.sums[np.minimum(gap + window, n) - part.first] - part.sums[at]
            gaps[gap - 1] = 1 - cosines(before, after, nothing=0.0)
        return gaps


@dataclass(frozen=True, slots=True)
class Overlapping:
    """The units within `buffer_size` of the last unit before a gap against those around the first unit after it.

    The published percentile method, on pooled vectors in place of embeddings of joined text.
    """

    buffer_size: int = 1
    windowed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_int("buffer_size", self.buffer_size, 0)

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        n, around = len(vectors), min(self.buffer_size, len(vectors))
        gaps = np.zeros(max(n - 1, 0))
        for low, high, part in _parts(vectors, sizes, around + 1):
            unit = np.arange(low, min(high + 1, n))
            last = np.minimum(unit + around + 1, n) - part.first
            pooled = part.sums[last] - part.sums[np.maximum(unit - around, 0) - part.first]
            gaps[unit[:-1]] = 1 - cosines_apart(pooled, 1, nothing=0.0)
        return gaps


class _Part(NamedTuple):
    """Running sums of the units from `first` on."""

    first: int
    sums: NDArray[np.float64]


def _parts(vectors: Vectors, weights: NDArray[Any], margin: int) -> Iterator[tuple[int, int, _Part]]:
    """Units a block at a time -> the first, the one after the last, and running sums with a margin at both ends."""
    for low in range(0, len(vectors), BLOCK):
        high = min(low + BLOCK, len(vectors))
        first, last = max(low - margin, 0), min(high + margin, len(vectors))
        yield low, high, _Part(first, window_sums(vectors[first:last], weights[first:last]))
