"""Chunks, as their first units -> fewer: neighbours that are alike join, the short ones with less ado."""

from __future__ import annotations

import heapq
from itertools import pairwise
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray


def join_leftovers(
    starts: list[int],
    rows: NDArray[np.float64],
    totals: list[int],
    largest: int,
    min_units: int,
    leftover_threshold: float,
    merging_threshold: float,
) -> list[int]:
    """First units of chunks -> first units such that no two neighbours that fit together are more similar than
    `merging_threshold`, or, where one of them has fewer than `min_units` units, than `leftover_threshold`.

    rows: (k, d) the chunks' summed rows; totals: running sums of the units' sizes. The most similar join first, of
    equals the earlier.
    """
    following = dict(pairwise([*starts, len(totals) - 1]))
    before = {later: first for first, later in following.items()}
    waiting: list[tuple[float, int, int, int, float]] = []
    sums = dict(zip(starts, rows, strict=True))
    held = dict(zip(starts, np.einsum("ij,ij->i", rows, rows).tolist(), strict=True))  # squared lengths of chunks' sums

    def propose(start: int, middle: int) -> None:
        end = following[middle]
        if totals[end] - totals[start] > largest:
            return
        product, norm = float(sums[start] @ sums[middle]), sqrt(held[start] * held[middle])
        similarity = product / norm if norm > 0 else -inf
        short = min(middle - start, end - middle) < min_units
        if similarity > (leftover_threshold if short else merging_threshold):
            heapq.heappush(waiting, (-similarity, start, middle, end, product))

    for start, middle in pairwise(starts):
        propose(start, middle)
    while waiting:
        _, start, middle, end, product = heapq.heappop(waiting)
        if following.get(start) != middle or following.get(middle) != end:
            continue
        del following[middle]
        sums[start] = sums[start] + sums.pop(middle)
        following[start], before[end] = end, start
        held[start] = max(held[start] + held[middle] + 2 * product, 0.0)  # opposites leave rounding
        if start:
            propose(before[start], start)
        if end in following:
            propose(start, end)
    return list(following)
