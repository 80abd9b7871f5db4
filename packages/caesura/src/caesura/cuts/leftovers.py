"""Chunks, as their first units -> fewer: neighbours that are alike join, the short ones with less ado."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def join_leftovers(
    starts: list[int],
    sums: NDArray[np.float64],
    totals: list[int],
    largest: int,
    min_units: int,
    leftover_threshold: float,
    merging_threshold: float,
) -> list[int]:
    """First units of chunks -> first units such that no two neighbours that fit together are more similar than
    `merging_threshold`, or, where one of them has fewer than `min_units` units, than `leftover_threshold`.

    sums: (n + 1, d) running sums of the units' rows; totals: running sums of their sizes. The most similar join first,
    of equals the earlier.
    """
    following = dict(pairwise([*starts, len(totals) - 1]))
    before = {later: first for first, later in following.items()}
    waiting: list[tuple[float, int, int, int]] = []

    def propose(start: int, middle: int) -> None:
        end = following[middle]
        left, right = sums[middle] - sums[start], sums[end] - sums[middle]
        norm = float(np.sqrt((left @ left) * (right @ right)))
        similarity = float(left @ right) / norm if norm > 0 else -np.inf
        short = min(middle - start, end - middle) < min_units
        if totals[end] - totals[start] <= largest and similarity > (leftover_threshold if short else merging_threshold):
            heapq.heappush(waiting, (-similarity, start, middle, end))

    for start, middle in pairwise(starts):
        propose(start, middle)
    while waiting:
        _, start, middle, end = heapq.heappop(waiting)
        if following.get(start) != middle or following.get(middle) != end:
            continue
        del following[middle]
        following[start], before[end] = end, start
        if start:
            propose(before[start], start)
        if end in following:
            propose(start, end)
    return list(following)
