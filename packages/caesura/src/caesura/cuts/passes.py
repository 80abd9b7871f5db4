"""Rows and thresholds -> the first units of chunks: in a first pass they grow, in a second they merge."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from caesura.arithmetic import cosines, cosines_apart, group_sums
from caesura.types import Sizes, Vectors
from caesura.vectors import BLOCK

NOTHING = -np.inf
"""The similarity of a zero row to anything: over no threshold."""


def grow(
    vectors: Vectors, sizes: Sizes, totals: list[int], largest: int, initial: float, appending: float
) -> list[int]:
    """First pass: units -> the first unit of each chunk. totals: running sums of the sizes; then two thresholds."""
    starting: list[bool] = []
    growing = [False]
    for low in range(0, len(vectors) - 1, BLOCK):
        part = vectors[low : low + BLOCK + 2].astype(np.float64)
        near = cosines_apart(part[: BLOCK + 1], 1, NOTHING)
        starting += (near > initial).tolist()
        weighted = part[:-1] * sizes[low : low + len(part) - 1, None]
        last_two = weighted[:-1] + weighted[1:]
        growing += (cosines(last_two, part[2:], NOTHING) > appending).tolist()
    starts = [0]
    for unit in range(1, len(vectors)):
        alone = unit - starts[-1] == 1
        similar = starting[unit - 1] if alone else growing[unit - 1]
        if not similar or totals[unit + 1] - totals[starts[-1]] > largest:
            starts.append(unit)
    return starts


def merge(
    starts: list[int], vectors: Vectors, sizes: Sizes, totals: list[int], largest: int, merging: float, look_ahead: int
) -> list[int]:
    """Second pass: first units of chunks -> first units of merged chunks. merging: its threshold."""
    ends = [*starts[1:], len(totals) - 1]
    steps = range(1, look_ahead + 2)

    @lru_cache(maxsize=2)
    def summed(window: int) -> NDArray[np.float64]:
        """The summed rows of `BLOCK` chunks, and of those that are looked ahead to."""
        chunks = slice(window * BLOCK, min((window + 1) * BLOCK + steps[-1], len(starts)))
        first, end = starts[chunks.start], ends[chunks.stop - 1]
        return group_sums(vectors[first:end], sizes[first:end], np.array(starts[chunks]) - first)

    def row(chunk: int) -> NDArray[np.float64]:
        return cast(NDArray[np.float64], summed(chunk // BLOCK)[chunk % BLOCK])

    near: list[list[bool]] = [[] for _ in steps]
    for window in range(-(-len(starts) // BLOCK)):
        for found, step in zip(near, steps, strict=True):
            found += (cosines_apart(summed(window), step, NOTHING)[:BLOCK] > merging).tolist()
    merged, first, last = [0], 0, 0
    current = row(0)
    while last + 1 < len(starts):
        partner = None
        for step, chunk in zip(steps, range(last + 1, len(starts)), strict=False):
            if totals[ends[chunk]] - totals[merged[-1]] > largest:
                break
            similar = near[step - 1][last] if first == last else _similarity(current, row(chunk)) > merging
            if similar:
                partner = chunk
                break
        if partner is None:
            first = last = last + 1
            merged.append(starts[first])
            current = row(first)
        else:
            current = current + sum(map(row, range(last + 1, partner + 1)))
            last = partner
    return merged


def _similarity(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / norm if norm > 0 else NOTHING
