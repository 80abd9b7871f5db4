"""Merges -> the number of chunks in which units lie deepest in their own chunk and farthest from its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from caesura.arithmetic import window_sums
from caesura.cuts.merges import Merges
from caesura.cuts.stops import DIGITS
from caesura.types import Breaks

LEVELS = 64
"""So many numbers of chunks at most are tried where each costs a pass over the text."""


@dataclass(frozen=True, slots=True)
class Silhouette:
    """Where units lie deepest in their own chunk and farthest from the nearer neighbouring one, on average.

    At most 64 numbers of chunks up to half the number of units are tried, close together where they are small. One
    chunk scores 0. Source: Rousseeuw 1987, with a chunk's neighbours as the only other clusters.
    """

    def __call__(self, merged: Merges) -> int:
        most = max(len(merged.weights) // 2, merged.fewest)
        tried: list[int] = np.unique(np.geomspace(merged.fewest, most, LEVELS).round().astype(np.intp)).tolist()
        sums = window_sums(merged.vectors, merged.weights)
        return int(max(tried, key=lambda chunks: (_silhouette(merged, merged.breaks(chunks), sums), -chunks)))


def _silhouette(merged: Merges, breaks: Breaks, sums: NDArray[np.float64]) -> float:
    """The mean silhouette of all units, 0 for one alone in its chunk."""
    if not len(breaks):
        return 0.0
    vectors, weights = merged.vectors, merged.weights
    ends = np.concatenate(([0], breaks, [len(vectors)]))
    group = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    total = np.diff(sums[ends], axis=0)
    weight = np.diff(np.concatenate(([0], np.cumsum(weights)))[ends])
    means = total / weight[:, None]
    shared = np.diff(ends)[group] > 1
    own = np.ones(len(vectors))
    rest = total[group] - vectors * weights[:, None]
    np.divide(np.einsum("ij,ij->i", vectors, rest), weight[group] - weights, out=own, where=shared)
    nearest = np.full(len(vectors), -inf)
    for step, inside in ((-1, group > 0), (1, group < len(ends) - 2)):
        cosine = np.einsum("ij,ij->i", vectors[inside], means[group[inside] + step])
        nearest[inside] = np.maximum(nearest[inside], cosine)
    within, beyond = (1 - own).round(DIGITS), (1 - nearest).round(DIGITS)
    larger = np.maximum(within, beyond)
    scores = np.zeros(len(vectors))
    np.divide(beyond - within, larger, out=scores, where=shared & (larger > 0))
    return float(np.average(scores, weights=weights))
