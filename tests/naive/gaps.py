"""Rows -> a score for each gap between two of them."""

from __future__ import annotations

import itertools

from naive.rows import Row, pooled, similarity


def neighbours(rows: list[Row]) -> list[float]:
    """1 less the cosine of the units on either side of each gap; 1 where one of them is zero."""
    return [1 - (similarity(a, b) or 0.0) for a, b in itertools.pairwise(rows)]


def adjacent(rows: list[Row], window: int) -> list[float]:
    """The `window` units before each gap against the `window` units after it, all units weighing alike."""
    scores, alike = [], [1] * len(rows)
    for gap in range(1, len(rows)):
        before = pooled(rows, alike, gap - window, gap)
        after = pooled(rows, alike, gap, gap + window)
        scores.append(1 - (similarity(before, after) or 0.0))
    return scores


def overlapping(rows: list[Row], sizes: list[int], buffer_size: int) -> list[float]:
    """Each unit pooled with those within `buffer_size` of it, against the next unit pooled likewise."""
    windows = [pooled(rows, sizes, at - buffer_size, at + buffer_size + 1) for at in range(len(rows))]
    return neighbours(windows)
