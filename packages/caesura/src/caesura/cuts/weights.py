"""Sizes -> weights: how much a unit counts for, before the rows of several are added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.types import Sizes

MOST = 1e6
"""Of `half_weight`, and of what structure takes off: far over all that means anything, and without overflow."""


def reliable(sizes: Sizes, half_weight: float) -> NDArray[np.float64]:
    """(n,) sizes -> (n,) weights of mean 1: a longer unit says more, but no unit drowns the others.

    A unit weighs ``size / (size + half_weight * mean size)`` before that: 0 makes all alike, a large `half_weight`
    makes them weigh by their sizes. The row of a short unit is mostly noise, and that of a long one is not better for
    every word more.
    """
    own = np.asarray(sizes, np.float64)
    if not half_weight or not own.any():
        return np.ones(len(own))
    weights = own / (own + half_weight * own.mean())
    return np.asarray(weights / weights.mean())
