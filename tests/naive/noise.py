"""Rows and weights -> what a chunk gains, and what it has to gain by chance, from every pair of rows."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

from naive.breaks import groups
from naive.rows import Row, pooled, similarity


def dot(a: Row, b: Row) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def less_mean(rows: list[Row], weights: list[float]) -> list[Row]:
    mean = [value / sum(weights) for value in pooled(rows, weights, 0, len(rows))]
    return [[value - middle for value, middle in zip(row, mean, strict=True)] for row in rows]


def gain(rows: list[Row], weights: list[float], first: int, end: int) -> float:
    """Of rows less their mean: the squared length of the sum over the weight and 0.3."""
    total = pooled(rows, weights, first, end)
    return dot(total, total) / (sum(weights[first:end]) + 0.3)


def average(rows: list[Row], weights: list[float]) -> float:
    """The mean squared length of rows less their mean."""
    return sum(weight * dot(row, row) for row, weight in zip(rows, weights, strict=True)) / sum(weights)


def deviation(rows: list[Row], weights: list[float]) -> float:
    """The root of twice the mean squared product of two rows less their mean."""
    pairs = [
        weights[i] * weights[j] * dot(rows[i], rows[j]) ** 2
        for i in range(len(rows))
        for j in range(len(rows))
        if i != j
    ]
    return sqrt(2 * sum(pairs) / len(pairs)) if pairs else 0.0


def penalty(rows: list[Row], weights: list[float], chunks: float, confidence: float) -> float:
    """What each of so many chunks has to gain."""
    more = max(2 * log(len(rows) / chunks) - 2.3 - log(20 * (1 - confidence)) / 1.5, 1)
    return max(average(rows, weights) + more * deviation(rows, weights), 1e-6)


def settle(
    made: Callable[[float], int],
    rows: list[Row],
    weights: list[float],
    confidence: float,
    chunks: int,
    near: float,
    margins: list[float],
) -> int:
    """The number of chunks that is found, and of that what is found, until the penalty is one of those tried."""
    apart, tried = near * deviation(rows, weights), list[float]()
    while len(tried) < 8:
        own = penalty(rows, weights, chunks, confidence)
        margins.extend(abs(abs(own - other) - apart) for other in tried)
        if any(abs(own - other) <= apart for other in tried):
            break
        tried.append(own)
        chunks = made(own)
    return chunks


def joined(
    breaks: list[int],
    rows: list[Row],
    weights: list[float],
    sizes: list[int],
    max_size: int | None,
    margins: list[float],
) -> list[int]:
    """The breaks left once neighbours have joined whose sums have a cosine over 0.2, the most similar first."""
    while True:
        found = []
        for (start, at), (_, end) in zip(groups(breaks, len(rows)), groups(breaks, len(rows))[1:], strict=False):
            if max_size is None or sum(sizes[start:end]) <= max_size:
                found.append((similarity(pooled(rows, weights, start, at), pooled(rows, weights, at, end)) or 0.0, -at))
        if not found:
            return breaks
        found.sort(reverse=True)
        margins.append(abs(found[0][0] - 0.2))
        if found[0][0] <= 0.2:
            return breaks
        if len(found) > 1:
            margins.append(found[0][0] - found[1][0])
        breaks = [at for at in breaks if at != -found[0][1]]
