"""Half-open ranges of whole numbers, in any order, overlapping or not -> their union, and what one holds of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def union(ranges: ArrayLike) -> NDArray[np.int64]:
    """(m, 2) ranges -> (u, 2) ranges that rise, do not touch and hold the same numbers. Empty ranges hold none.

    >>> union([(5, 9), (0, 3), (3, 4), (6, 7)]).tolist()
    [[0, 4], [5, 9]]
    """
    array = np.asarray(ranges, np.int64).reshape(-1, 2)
    array = array[array[:, 0] < array[:, 1]]
    array = array[np.argsort(array[:, 0], kind="stable")]
    if not len(array):
        return array
    reach = np.maximum.accumulate(array[:, 1])
    first = np.flatnonzero(np.r_[True, array[1:, 0] > reach[:-1]])
    return np.column_stack([array[first, 0], reach[np.r_[first[1:] - 1, len(array) - 1]]])


def length(ranges: ArrayLike) -> int:
    """How many numbers the ranges hold, each counted once."""
    merged = union(ranges)
    return int((merged[:, 1] - merged[:, 0]).sum())


def covered(reference: ArrayLike, ranges: ArrayLike) -> int:
    """How many numbers of `reference` are in `ranges`, each counted once however often either holds it.

    >>> covered([(10, 30)], [(0, 15), (12, 18), (29, 40)])
    9
    """
    wanted, had = union(reference), union(ranges)
    if not len(wanted) or not len(had):
        return 0
    # How many numbers of `had` lie below x is linear between its edges, with slope 1 inside and 0 outside: exact.
    held = np.cumsum(had[:, 1] - had[:, 0])
    below = np.column_stack([np.r_[0, held[:-1]], held]).ravel()
    return round(float(np.diff(np.interp(wanted, had.ravel(), below), axis=1).sum()))
