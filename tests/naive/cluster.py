"""Rows and sizes -> the merges of neighbours, and how good a partition is, by looking at every pair."""

from __future__ import annotations

from naive.breaks import groups
from naive.noise import gain, joined, less_mean, settle
from naive.rows import Row, pooled


def cluster(
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    weights: list[float],
    linkage: str,
    margins: list[float],
    bonus: list[float] | None = None,
    breaks: list[int] | None = None,
) -> list[tuple[int, float]]:
    """The gaps that merges close, in order, each with its distance, found by looking at every gap every time.

    Average takes unit rows, the others rows less their mean. bonus: of each gap, how much farther apart its sides are.
    breaks: of the groups to begin with; without, units.
    """
    ends, made = [0, *(range(1, len(rows)) if breaks is None else breaks), len(rows)], []
    rows = rows if linkage == "average" else less_mean(rows, weights)
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
                distance = sum(gain(rows, weights, *part) for part in ((before, gap), (gap, after)))
                distance -= gain(rows, weights, before, after)
            found.append((distance + (bonus[gap - 1] if bonus else 0.0), gap))
        if not found:
            return made
        found.sort()
        if len(found) > 1:
            margins.append(found[1][0] - found[0][0])
        made.append((found[0][1], found[0][0]))
        ends.remove(found[0][1])


def within(merges: list[tuple[int, float]], breaks: list[int], distance: float, margins: list[float]) -> list[int]:
    """The breaks that are left when all merges are done before the first that is over a distance."""
    left = list(breaks)
    for gap, apart in merges:
        margins.append(abs(apart - distance))
        if apart > distance:
            break
        left.remove(gap)
    return left


def by_chance(
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    weights: list[float],
    linkage: str,
    confidence: float,
    bonus: list[float],
    margins: list[float],
    breaks: list[int],
) -> list[int]:
    """The breaks left once neighbours have joined that chance explains, then those that are alike."""
    apart = less_mean(rows, weights)
    merges = cluster(rows, sizes, max_size, weights, linkage, margins, bonus, breaks)

    def made(penalty: float) -> int:
        return len(within(merges, breaks, penalty, margins)) + 1

    chunks = settle(made, apart, weights, confidence, max(1, len(rows) // 8 - 1), 0.1, margins)
    done = {gap for gap, _ in merges[: max(len(breaks) + 1 - chunks, 0)]}
    left = [gap for gap in breaks if gap not in done]
    if linkage != "cohesion":
        given = rows, sizes, max_size, weights, "cohesion", confidence, bonus, margins
        return by_chance(*given, left) if left else left
    return joined(left, apart, weights, sizes, max_size, margins)


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
