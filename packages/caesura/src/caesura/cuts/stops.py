"""Merges -> at how many chunks to stop: at a number, at a distance, or where the curve of distances bends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np

from caesura.cuts.merges import Merges
from caesura.errors import number, whole

Stop: TypeAlias = Callable[[Merges], int]
"""Merges -> at how many chunks to stop, from `merges.fewest` to the number of units."""

DIGITS = 6
"""What rows of float32 leave over where they are equal is not in so many: it would bend a curve, or decide a ratio."""


@dataclass(frozen=True, slots=True)
class NClusters:
    """So many chunks, or the nearest number that the limits and the units allow."""

    n_clusters: int

    def __post_init__(self) -> None:
        whole("n_clusters", self.n_clusters, 1)

    def __call__(self, merged: Merges) -> int:
        return min(max(self.n_clusters, merged.fewest), len(merged.weights))


@dataclass(frozen=True, slots=True)
class DistanceThreshold:
    """Neighbours join while they are at most so far apart, in the units of the linkage."""

    distance: float

    def __post_init__(self) -> None:
        number("distance_threshold", self.distance, 0, inf)

    def __call__(self, merged: Merges) -> int:
        return len(merged.weights) - int(np.searchsorted(merged.heights, self.distance, side="right"))


@dataclass(frozen=True, slots=True)
class Elbow:
    """Where the sum of squared distances within chunks bends most: farthest under the line between its ends.

    Numbers of chunks up to half the number of units count: beyond, single units dominate. It finds a bend in any text,
    also in one on a single subject.
    """

    def __call__(self, merged: Merges) -> int:
        spread = merged.spread().round(DIGITS)[: max(len(merged.weights) // 2 - merged.fewest, 0) + 1]
        if len(spread) < 3 or spread[0] <= spread[-1]:
            return merged.fewest
        drop = (spread - spread[-1]) / (spread[0] - spread[-1])
        line = np.linspace(1, 0, len(spread))
        return merged.fewest + int(np.argmax(line - drop))
