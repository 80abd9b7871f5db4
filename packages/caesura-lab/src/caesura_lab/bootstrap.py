"""Two splitters' scores on the same items -> their mean difference and its bootstrap interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from caesura import SettingError
from caesura.errors import number, whole

BLOCK = 4_000_000
"""Numbers drawn at a time, so that many items need no more memory than few."""


class Interval(NamedTuple):
    """A mean difference, and the range in which it lies with the level asked for."""

    difference: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether 0 is outside: the data say which of the two is higher."""
        return self.low > 0 or self.high < 0


def paired_interval(
    ours: ArrayLike, theirs: ArrayLike, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """(n,) scores of two on the same n items -> the mean of ours less theirs, with its percentile bootstrap interval.

    Items are drawn anew, with replacement, each with both its scores (Efron and Tibshirani 1993, chapter 13); with the
    same seed the interval is the same. Raises `SettingError` where the two are not n finite numbers each.

    >>> paired_interval([1.0, 2.0, 3.0], [0.5, 1.5, 2.5])
    Interval(difference=0.5, low=0.5, high=0.5)
    """
    first, second = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if first.shape != second.shape or first.ndim != 1 or not len(first):
        raise SettingError(f"scores must be one per item for both, got shapes {first.shape} and {second.shape}")
    differences = first - second
    if not np.isfinite(differences).all():
        raise SettingError(f"scores must be finite, got {int((~np.isfinite(differences)).sum())} that are not")
    number("level", level, 0, 1)
    whole("resamples", resamples, 1)
    random, count = np.random.default_rng(seed), len(differences)
    step = max(1, BLOCK // count)
    means = [
        differences[random.integers(count, size=(min(step, resamples - start), count))].mean(axis=1)
        for start in range(0, resamples, step)
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(differences.mean()), float(low), float(high))
