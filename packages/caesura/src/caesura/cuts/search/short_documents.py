"""Runs of units of a short document: the squared lengths of all their sums, from one small matrix product.

What is done to ten rows of an array one after another costs ten times what it costs to look at a number.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.scores.noise import ONE_THREAD
from caesura.types import Vectors

Runs: TypeAlias = list[list[float]]
"""The squared length of the sum of units a to before b is at ``[b - 1][a]``; 0 where rounding alone is left."""
ROUNDING = 1e-14
"""Of the units' squared lengths together."""
MOST = 32
"""Units of a short document: with more, numpy is faster."""


def is_short(vectors: Vectors) -> bool:
    """Whether a document has few units, and all their inner products are one that BLAS does in one thread."""
    count, width = vectors.shape
    return bool(count <= MOST and count * count * width <= ONE_THREAD)


def runs_within(vectors: Vectors, weights: NDArray[np.float64], mean: NDArray[np.float32]) -> Runs | None:
    """The runs of a document's weighted rows less their mean; None where it is not short."""
    if not is_short(vectors):
        return None
    rows = (vectors[:] - mean) * weights.astype(np.float32)[:, None]
    return runs_of(rows.astype(np.float64))


def runs_of(rows: NDArray[np.float64]) -> Runs:
    """(n, d) weighted rows -> `Runs`. With each unit, the squared length of a sum grows by the unit's own, and by twice
    its product with every unit before it."""
    products = rows @ rows.T
    least = ROUNDING * products.diagonal().sum()
    products *= _times(len(rows))
    found = products[:, ::-1].cumsum(axis=1)[:, ::-1].cumsum(axis=0)
    found[found <= least] = 0
    lists: Runs = found.tolist()
    return lists


def cosine(runs: Runs, a: int, b: int, c: int, d: int, nothing: float) -> float:
    """The cosine of the sums of units a to before b and of units c to before d, behind them; `nothing` where one is
    zero."""
    left, right = runs[b - 1][a], runs[d - 1][c]
    if not left or not right:
        return nothing
    both = runs[d - 1][a] - left - right
    if b < c:
        both = runs[d - 1][a] - runs[c - 1][a] - runs[d - 1][b] + runs[c - 1][b]
    return min(both / (2 * sqrt(left * right)), 1.0)  # rounding takes some over it


def pass_twice(
    runs: Runs,
    totals: list[int],
    largest: int,
    thresholds: tuple[float, float, float],
    look_ahead: int,
    bonus: list[float],
) -> list[int]:
    """Both passes of `DoublePassCut` over a short document -> the first unit of each chunk.

    runs: those of the units, each by its size. totals: running sums of the sizes. bonus: (n + 1,) what the text takes
    off each similarity.
    """
    initial, appending, merging = thresholds
    starts, n = [0], len(runs)
    for unit in range(1, n):
        before, least = (unit - 1, initial) if unit - starts[-1] == 1 else (unit - 2, appending)
        similar = cosine(runs, before, unit, unit, unit + 1, -inf) - bonus[unit] > least
        if not similar or totals[unit + 1] - totals[starts[-1]] > largest:
            starts.append(unit)
    edges, merged, last = [*starts, n], [0], 1
    while last < len(starts):  # of edges, the one at which the chunk now ends
        for ahead in range(last, min(last + look_ahead + 1, len(starts))):
            start, end = edges[ahead], edges[ahead + 1]
            if totals[end] - totals[merged[-1]] > largest:
                merged.append(edges[last])
                last += 1
                break
            if cosine(runs, merged[-1], edges[last], start, end, -inf) - bonus[start] > merging:
                last = ahead + 1
                break
        else:
            merged.append(edges[last])
            last += 1
    return merged


@lru_cache(maxsize=64)
def _times(count: int) -> NDArray[np.float64]:
    """How often each product counts: that of a unit with an earlier one twice, its own once."""
    return 2 * np.tril(np.ones((count, count))) - np.eye(count)
