"""All the breaks there are, and what the optimal cut says that they are worth."""

from __future__ import annotations

from itertools import combinations

from naive.breaks import groups
from naive.rows import Row, length, pooled


def segmentations(n: int) -> list[list[int]]:
    """All sets of breaks of n units."""
    return [list(chosen) for count in range(n) for chosen in combinations(range(1, n), count)]


def worth(
    breaks: list[int],
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    structure: list[float],
    weights: list[float],
) -> tuple[int, float] | None:
    """What a segmentation is worth without its penalties: the fewest small groups, then the greatest sum of lengths.
    None where a group of more than one unit is too large."""
    small, value = 0, sum(structure[at - 1] for at in breaks)
    for first, end in groups(breaks, len(rows)):
        size = sum(sizes[first:end])
        if end - first > 1 and max_size is not None and size > max_size:
            return None
        small += size < min_size
        value += length(pooled(rows, weights, first, end))
    return -small, value
