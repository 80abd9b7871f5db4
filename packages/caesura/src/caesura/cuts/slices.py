"""Breaks, and what says whether a slice of the text fits -> breaks between which every slice does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from caesura.types import Breaks, Sizes


def fit_slices(breaks: Breaks, sizes: Sizes, fits: Callable[[int, int], bool]) -> Breaks:
    """Returns breaks such that ``fits(a, b)`` for every group of more than one unit, each break given among them.

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
