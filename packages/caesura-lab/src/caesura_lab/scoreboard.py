"""Several splitters' scores on the same items -> a table of their means, and how far each leads the first of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura import SettingError
from caesura_lab.bootstrap import paired_interval
from caesura_lab.tables.table import Row, Table


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
        found = paired_interval(own[by][both], first[both]) if rows and both.any() else (None, None, None)
        lead = dict(zip((f"lead_in_{by}", "from", "to"), found, strict=True))
        rows.append({"splitter": name, **{measure: _mean(row) for measure, row in own.items()}, **lead})
    missing = sum(int(np.isnan(row).sum()) for own in measured.values() for row in own.values())
    notes = [f"{len(first)} items; the lead is over {rows[0]['splitter']}, item by item, with its 95 % interval: "]
    notes[0] += "where 0 is inside, it may be chance."
    if missing:
        notes.append(f"{missing} of the scores are missing, and left out.")
    return Table(tuple(rows), f"Means, and the lead in {by}", tuple(notes))


def _mean(row: NDArray[np.float64]) -> float | None:
    held = row[np.isfinite(row)]
    return float(held.mean()) if len(held) else None
