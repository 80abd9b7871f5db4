"""Rows at right angles, and the breaks that a cut makes of a few rows."""

from __future__ import annotations

import numpy as np

from caesura import Limits
from caesura.types import Cut

A, B, C = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def breaks(rows: object, cut: Cut, limits: Limits | None = None, sizes: object = None) -> list[int]:
    """sizes: of the units, each 1 where none are given."""
    rows = np.array(rows, np.float32)
    return cut(rows, np.array([1] * len(rows) if sizes is None else sizes), limits or Limits()).tolist()
