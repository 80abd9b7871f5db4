"""Rows and sizes -> the merges of neighbours, and how good a partition is, by looking at every pair."""

from __future__ import annotations

from naive.breaks import groups
from naive.rows import Row, length, pooled


def cluster(
    rows: list[Row], sizes: list[int], max_size: int | None, weights: list[float], linkage: str, margins: list[float]
) -> list[tuple[int, float]]:
    """The gaps that merges close, in order, each with its distance, found by looking at every gap every time."""
    ends, made = list(range(len(rows) + 1)), []
    while True:
        found = []
        for before, gap, after in zip(ends, ends[1:], ends[2:], strict=False):
            if max_size is not None and sum(sizes[before:after]) > max_size:
                continue
            left, right = pooled(rows, weights, before, gap), pooled(rows, weights, gap, after)
            a, b = sum(weights[before:gap]), sum(weights[gap:after])
            if linkage == "average":
                distance = 1 - sum(x * y for x, y in zip(left, right, strict=True)) / (a * b)
            elif linkage == "ward":
                distance = a * b / (a + b) * sum((x / a - y / b) ** 2 for x, y in zip(left, right, strict=True))
            else:
                distance = length(left) + length(right) - length([x + y for x, y in zip(left, right, strict=True)])
            found.append((distance, gap))
        if not found:
            return made
        found.sort()
        if len(found) > 1:
            margins.append(found[1][0] - found[0][0])
        made.append((found[0][1], found[0][0]))
        ends.remove(found[0][1])


def spread(breaks: list[int], rows: list[Row], weights: list[float]) -> float:
    """The weighted sum of squared distances of rows from the weighted mean of their group."""
    value = 0.0
    for first, end in groups(breaks, len(rows)):
        weight = sum(weights[first:end])
        mean = [x / weight for x in pooled(rows, weights, first, end)]
        for at in range(first, end):
            value += weights[at] * sum((x - y) ** 2 for x, y in zip(rows[at], mean, strict=True))
    return value


def silhouette(breaks: list[int], rows: list[Row], weights: list[float]) -> float:
    """The weighted mean silhouette over all rows, by the mean of 1 - dot over pairs; 0 for a row alone in its group."""
    parts = groups(breaks, len(rows))
    if len(parts) == 1:
        return 0.0

    def apart(at: int, others: list[int]) -> float:
        dots = [weights[o] * (1 - sum(x * y for x, y in zip(rows[at], rows[o], strict=True))) for o in others]
        return sum(dots) / sum(weights[o] for o in others)

    scores = 0.0
    for number, (first, end) in enumerate(parts):
        for at in range(first, end):
            others = [o for o in range(first, end) if o != at]
            if not others:
                continue
            near = [parts[other] for other in (number - 1, number + 1) if 0 <= other < len(parts)]
            beyond = min(apart(at, list(range(*part))) for part in near)
            within = apart(at, others)
            if max(within, beyond) > 0:
                scores += weights[at] * (beyond - within) / max(within, beyond)
    return scores / sum(weights)
