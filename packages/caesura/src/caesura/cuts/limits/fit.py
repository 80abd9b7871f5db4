"""Limits for the breaks of a cut: large groups are cut at their strongest gap, small ones join a neighbour."""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.types import Breaks, Gaps, Limits, Sizes


def fit(breaks: Breaks, gaps: Gaps, sizes: Sizes, limits: Limits) -> Breaks:
    """Returns breaks such that every group of more than one unit sums to at most `max_size`, and no group under
    `min_size` could join a neighbour without breaking that.

    A group too large is cut at its strongest gap (one that leaves `min_size` on both sides, if there is one), and its
    halves in turn; of equals, the one nearest its middle. Then the weakest break beside a group too small is given up,
    again and again, of equals the first.
    """
    totals = np.concatenate(([0], np.cumsum(sizes)))
    breaks = _cut_large(breaks, gaps, totals, limits)
    return _join_small(breaks, gaps, totals, limits) if limits.min_size else breaks


def _cut_large(breaks: Breaks, gaps: Gaps, totals: NDArray[np.intp], limits: Limits) -> Breaks:
    if limits.max_size is None:
        return breaks
    kept = breaks.tolist()
    waiting = list(pairwise([0, *kept, len(totals) - 1]))
    while waiting:
        start, end = waiting.pop()
        if end - start < 2 or totals[end] - totals[start] <= limits.max_size:
            continue
        low = int(np.searchsorted(totals, totals[start] + limits.min_size))
        high = int(np.searchsorted(totals, totals[end] - limits.min_size, side="right"))
        low, high = max(low, start + 1), min(high, end)
        if low >= high:
            low, high = start + 1, end
        scores = gaps[low - 1 : high - 1]
        best = low + np.flatnonzero(scores == scores.max())
        cut = int(best[np.argmin(np.abs(2 * totals[best] - totals[start] - totals[end]))])
        insort(kept, cut)
        waiting += [(start, cut), (cut, end)]
    return np.array(kept, dtype=np.intp)


def _join_small(breaks: Breaks, gaps: Gaps, totals: NDArray[np.intp], limits: Limits) -> Breaks:
    ends = [0, *breaks.tolist(), len(totals) - 1]
    largest = limits.max_size if limits.max_size is not None else int(totals[-1])

    def small(start: int, end: int) -> bool:
        return bool(totals[end] - totals[start] < limits.min_size)

    waiting = [(float(gaps[at - 1]), at) for at in ends[1:-1]]
    heapq.heapify(waiting)
    while waiting:
        _, at = heapq.heappop(waiting)
        place = bisect_left(ends, at)
        if place == len(ends) or ends[place] != at:
            continue
        start, end = ends[place - 1], ends[place + 1]
        if (small(start, at) or small(at, end)) and totals[end] - totals[start] <= largest:
            del ends[place]
    return np.array(ends[1:-1], dtype=np.intp)


def fit_slices(breaks: Breaks, sizes: Sizes, fits: Callable[[int, int], bool]) -> Breaks:
    """Returns the given breaks and more, such that ``fits(a, b)`` for every group of more than one unit.

    The size of a whole can exceed the sum of its parts, so the slices themselves are measured here. A group that does
    not fit is halved where its parts' sizes are most even.
    """
    totals = np.concatenate(([0], np.cumsum(sizes)))
    waiting = list(pairwise([0, *breaks.tolist(), len(sizes)]))[::-1]
    ends: list[int] = []
    while waiting:
        start, end = waiting.pop()
        if end - start < 2 or fits(start, end):
            ends.append(end)
            continue
        half = (totals[start] + totals[end]) / 2
        middle = bisect_left(totals, half, start + 1, end - 1)
        cut = middle - 1 if middle > start + 1 and half - totals[middle - 1] <= totals[middle] - half else middle
        waiting += [(cut, end), (start, cut)]
    return np.array(ends[:-1], dtype=np.intp)
