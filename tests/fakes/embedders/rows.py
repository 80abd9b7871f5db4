"""Rows at right angles, rows on one subject after another, and the breaks that a cut makes of a few rows."""

from __future__ import annotations

import numpy as np

from caesura import Limits
from caesura.types import Cut

A, B, C = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def breaks(rows: object, cut: Cut, limits: Limits | None = None, sizes: object = None) -> list[int]:
    """sizes: of the units, each 1 where none are given."""
    rows = np.array(rows, np.float32)
    return cut(rows, np.array([1] * len(rows) if sizes is None else sizes), limits or Limits()).tolist()


def blocks(counts: list[int], noise: float = 0.15) -> np.ndarray:
    """Rows on one subject after another, so many of each."""
    random = np.random.default_rng(5)
    subjects = np.repeat(np.eye(len(counts), 12), counts, axis=0)
    rows = subjects + random.normal(0, noise, subjects.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
