"""Whether a difference between splitters is more than chance: bootstrap intervals of scores on the same items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura.checks import check_int, check_number
from caesura_lab.tables import Row, Table

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
    check_number("level", level, 0, 1)
    check_int("resamples", resamples, 1)
    random, count = np.random.default_rng(seed), len(differences)
    step = max(1, BLOCK // count)
    means = [
        differences[random.integers(count, size=(min(step, resamples - start), count))].mean(axis=1)
        for start in range(0, resamples, step)
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(differences.mean()), float(low), float(high))


def interpolated(at: float, positions: ArrayLike, rows: ArrayLike) -> NDArray[np.float64]:
    """(m,) positions, such as mean sizes, and (m, q) scores -> (q,) scores at `at`.

    Each column is linear between the two nearest positions on either side, so that what is compared stays paired.
    Raises `SettingError` outside the positions: what was not run is not known.

    >>> interpolated(25, [10, 20, 30], [[0.0, 1.0], [0.2, 0.8], [0.4, 0.0]]).round(3).tolist()
    [0.3, 0.4]
    """
    places, values = np.asarray(positions, np.float64), np.asarray(rows, np.float64)
    if places.ndim != 1 or values.ndim != 2 or len(places) != len(values) or not len(places):
        raise SettingError(f"rows must be one per position, got shapes {places.shape} and {values.shape}")
    order = np.argsort(places, kind="stable")
    places, values = places[order], values[order]
    if not places[0] <= at <= places[-1]:
        raise SettingError(f"{at:g} is outside of what was run, {places[0]:g} to {places[-1]:g}: run more sizes")
    above = int(np.searchsorted(places, at))
    if places[above] == at:
        return np.array(values[above], np.float64)
    share = (at - places[above - 1]) / (places[above] - places[above - 1])
    return np.array((1 - share) * values[above - 1] + share * values[above], np.float64)


def leads(scores: Mapping[str, Mapping[str, ArrayLike]], by: str) -> Table:
    """By the name of each splitter, by measure, (n,) scores of the same n items -> a `Table` with a row per splitter.

    by: the measure in which the lead over the first splitter is taken, item by item, with its 95 % interval. An item
    that has no score, NaN, is in no mean, and in no lead if either of the two has none. Raises `SettingError` where a
    splitter has not that measure, or not one score per item.

    >>> table = leads({"a": {"right": [0, 1, 1]}, "b": {"right": [1, 1, float("nan")]}}, by="right")
    >>> [(row["splitter"], row["lead_in_right"]) for row in table]
    [('a', None), ('b', 0.5)]
    """
    measured = {name: {m: np.asarray(row, np.float64) for m, row in own.items()} for name, own in scores.items()}
    if not measured or any(by not in own for own in measured.values()):
        raise SettingError(f"every splitter must have scores of {by!r}, got {[list(own) for own in measured.values()]}")
    shapes = {row.shape for own in measured.values() for row in own.values()}
    if len(shapes) > 1 or len(next(iter(shapes))) != 1:
        raise SettingError(f"scores must be one per item for every splitter and measure, got shapes {sorted(shapes)}")
    first = next(iter(measured.values()))[by]
    rows: list[Row] = []
    for name, own in measured.items():
        both = np.isfinite(own[by]) & np.isfinite(first)
        interval = paired_interval(own[by][both], first[both]) if rows and both.any() else (None, None, None)
        lead = dict(zip((f"lead_in_{by}", "from", "to"), interval, strict=True))
        rows.append({"splitter": name, **{measure: _finite_mean(row) for measure, row in own.items()}, **lead})
    missing = sum(int(np.isnan(row).sum()) for own in measured.values() for row in own.values())
    notes = [f"{len(first)} items; the lead is over {rows[0]['splitter']}, item by item, with its 95 % interval: "]
    notes[0] += "where 0 is inside, it may be chance."
    if missing:
        notes.append(f"{missing} of the scores are missing, and left out.")
    return Table(tuple(rows), f"Means, and the lead in {by}", tuple(notes))


def _finite_mean(row: NDArray[np.float64]) -> float | None:
    finite = row[np.isfinite(row)]
    return float(finite.mean()) if len(finite) else None
