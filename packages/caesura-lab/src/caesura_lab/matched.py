"""A splitter's scores at several sizes -> its scores at another splitter's size, question by question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError


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
        return _row(values[above])
    share = (at - places[above - 1]) / (places[above] - places[above - 1])
    return _row((1 - share) * values[above - 1] + share * values[above])


def _row(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.array(values, np.float64)
