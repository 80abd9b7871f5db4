"""Double-pass cut: sentences grow into chunks in a first pass, and chunks merge in a second."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf, sqrt
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int, check_number
from caesura.cuts.fit import fit
from caesura.cuts.gaps import Adjacent
from caesura.types import Breaks, Limits, Sizes, Vectors
from caesura.vectors import BLOCK, cosines, cosines_apart, group_sums

LOOK_AHEAD, MIN_UNITS = 1, 3
"""Defaults of `DoublePassCut`, which the plugins and the lab read here; measured with its thresholds."""
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
    steps = range(1, min(look_ahead, len(starts)) + 2)

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


@dataclass(frozen=True, slots=True)
class DoublePassCut:
    """Double-pass merging with a look ahead.

    First pass: a chunk starts where two sentences' similarity is over `initial_threshold`, and grows while the
    similarity of its last two sentences to the next one is over `appending_threshold`. Second pass: a chunk merges with
    the next one where their similarity is over `merging_threshold`, else with the next but one and what lies between
    (up to `look_ahead` chunks further). Both passes go once from left to right, so that the last sentence of a subject
    is often left alone. With `min_units` above 1, neighbours therefore join at last, the most similar first, while
    their similarity is over `merging_threshold`, or, where one of them has fewer than `min_units` units, over
    `leftover_threshold`. Every test is strict, and the size is tested before the similarity. Whatever is then under
    `min_size` joins the neighbour it is nearest to, where that fits.

    ``min_units=1`` is the published algorithm, and what LlamaIndex has under the name double merging.
    With ``look_ahead=1``, uncentred, and an embedder whose vectors add up as here, the breaks are the same.

    Similarities are cosines; several sentences stand for the sum of their rows, each by its size. The defaults are
    meant for rows centred on a background.
    """

    initial_threshold: float = 0.0
    appending_threshold: float = 0.15
    merging_threshold: float = 0.25
    look_ahead: int = LOOK_AHEAD
    min_units: int = MIN_UNITS
    leftover_threshold: float = 0.05
    windowed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("initial_threshold", "appending_threshold", "merging_threshold", "leftover_threshold"):
            check_number(name, getattr(self, name), -1, 1)
        check_int("look_ahead", self.look_ahead, 0)
        check_int("min_units", self.min_units, 1)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        totals = np.concatenate(([0], np.cumsum(sizes))).tolist()
        largest = totals[-1] if limits.max_size is None else limits.max_size
        starts = grow(vectors, sizes, totals, largest, self.initial_threshold, self.appending_threshold)
        starts = merge(starts, vectors, sizes, totals, largest, self.merging_threshold, self.look_ahead)
        if self.min_units > 1:
            rows = group_sums(vectors, sizes, np.array(starts))
            starts = _join_leftovers(
                starts, rows, totals, largest, self.min_units, self.leftover_threshold, self.merging_threshold
            )
        breaks = np.array(starts[1:], dtype=np.intp)
        if limits.min_size:
            breaks = fit(breaks, Adjacent()(vectors, sizes), sizes, limits)
        return breaks


def _join_leftovers(
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
