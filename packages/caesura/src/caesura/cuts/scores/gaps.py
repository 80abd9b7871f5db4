"""Gap scores say how good a place to cut each gap is. A score is 1 minus a cosine: 0 is no change, 1 is unrelated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int
from caesura.types import Gaps, Sizes, Vectors
from caesura.vectors import PIECE, cosines_apart

GapScore: TypeAlias = Callable[[Vectors, Sizes], Gaps]
"""Unit rows and what each unit measures -> how good a place to cut each gap is."""


@dataclass(frozen=True, slots=True)
class Adjacent:
    """The `window` units before a gap against the `window` units after it, fewer at the ends of the text.

    Two windows that share no unit halve the error of windows that overlap, and units that weigh alike do better here
    than units that weigh by their size (`nox -s thresholds`).
    """

    window: int = 3

    def __post_init__(self) -> None:
        check_int("window", self.window, 1)

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        window = min(self.window, len(vectors))  # so that no sum is over what an array holds
        return _score(vectors, None, window - 1, window, window)


ADJACENT = Adjacent()


@dataclass(frozen=True, slots=True)
class Overlapping:
    """The units within `buffer_size` of the last unit before a gap against those around the first unit after it.

    The published percentile method, on pooled vectors in place of embeddings of joined text.
    """

    buffer_size: int = 1

    def __post_init__(self) -> None:
        check_int("buffer_size", self.buffer_size, 0)

    def __call__(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        around = min(self.buffer_size, len(vectors))
        return _score(vectors, sizes, around, 2 * around + 1, 1)


def _score(vectors: Vectors, weights: Any, before: int, width: int, step: int) -> Gaps:
    """A window of `width` units, `before` of them before a gap's last unit, against the window `step` units later."""
    gaps, most = np.zeros(max(len(vectors) - 1, 0)), max(PIECE, step, before)
    for low in range(0, len(gaps), most):
        high = min(low + most, len(gaps))
        sums = _window_sums(vectors, weights, low - before, high + step - before, width)
        gaps[low:high] = 1 - cosines_apart(sums, step, nothing=0.0)
    return gaps


def _window_sums(vectors: Vectors, weights: Any, low: int, high: int, width: int) -> NDArray[np.float64]:
    """(high - low, d) the sum of the `width` units from each place on. Places without a unit add nothing.

    Sums of 1, 2, 4, … units add up to those of any width.
    """
    first, last = max(low, 0), min(high + width - 1, len(vectors))
    some = np.zeros((high + width - 1 - low, vectors.shape[1]))
    some[first - low : last - low] = vectors[first:last]
    if weights is not None:
        some[first - low : last - low] *= weights[first:last, None]
    sums, summed = np.zeros((high - low, vectors.shape[1])), 0
    for bit in range(width.bit_length()):
        if bit:
            some = some[: -1 << bit - 1] + some[1 << bit - 1 :]
        if width >> bit & 1:
            sums += some[summed : summed + len(sums)]
            summed += 1 << bit
    return sums
