"""Rows, lists of floats -> their unit rows, sums and similarities, in plain loops.

Where a decision compares a similarity with a threshold, `margins` collects how near the two came.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt

Row = list[float]


def length(row: Row) -> float:
    return sqrt(sum(value * value for value in row))


def unit(row: Row) -> Row:
    """A row of length 1; a zero row, or one that is not finite, is zero."""
    if not all(isfinite(value) for value in row) or not any(row):
        return [0.0 for _ in row]
    return [value / length(row) for value in row]


def unit_rows(rows: list[Row], background: Row | None = None, weight: float = inf) -> list[Row]:
    """Unit rows of one document; with a background, what is left of each once the centre is subtracted, as a unit row.

    The centre is the background, or the mean of it, `weight` times, and the document's own rows that say anything.
    """
    ones = [unit(row) for row in rows]
    said = [one for one in ones if any(one)]
    if background is None or not said:
        return ones
    centre = background
    if isfinite(weight):
        total = weight + len(said)
        centre = [(weight * value + sum(own)) / total for value, *own in zip(background, *said, strict=True)]
    made = []
    for one in ones:
        left = [value - middle for value, middle in zip(one, centre, strict=True)]
        says = any(one) and length(left) >= 1e-6
        made.append(unit(left) if says else [0.0 for _ in one])
    return made


def pooled(rows: list[Row], weights: list[int] | list[float], first: int, end: int) -> Row:
    """What the units first..end-1, as far as there are such, say together: the sum of their rows by their weights."""
    total = [0.0] * len(rows[0])
    for number in range(max(first, 0), min(end, len(rows))):
        for column, value in enumerate(rows[number]):
            total[column] += weights[number] * value
    return total


def similarity(a: Row, b: Row) -> float | None:
    """The cosine of two rows; None where one of them is zero, and so similar to nothing."""
    if not any(a) or not any(b):
        return None
    return sum(x * y for x, y in zip(a, b, strict=True)) / (length(a) * length(b))


def over(a: Row, b: Row, threshold: float, margins: list[float] | None) -> bool:
    """Whether two rows are more similar than the threshold: strictly, and never where one of them is zero."""
    cosine = similarity(a, b)
    if cosine is None:
        return False
    if margins is not None:
        margins.append(abs(cosine - threshold))
    return cosine > threshold


def reliable(sizes: list[int], half_weight: float) -> list[float]:
    """size / (size + half_weight * mean size), and then as many times that as makes the mean 1."""
    mean = sum(sizes) / len(sizes)
    own = [size / (size + half_weight * mean) for size in sizes]
    return [weight * len(own) / sum(own) for weight in own]
