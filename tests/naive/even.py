"""Sizes, gaps and what the text shows -> how good chunks near a target are, one chunk and one edge at a time."""

from __future__ import annotations

from math import sqrt

from naive.breaks import groups


def worth(
    breaks: list[int],
    own: list[int],
    gaps: list[float],
    structure: list[float],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    target: int,
) -> float | None:
    """None where a group of more than one unit is over `max_size` or sixteen targets. own: the breaks of a cut."""
    largest = min(max_size or sum(sizes), 16 * target)
    paragraphs = groups([gap + 1 for gap, shown in enumerate(structure) if shown], len(sizes))
    mean = sum(gaps) / len(gaps)
    deviation = sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    value = 0.0
    for first, end in groups(breaks, len(sizes)):
        size = sum(sizes[first:end])
        if end - first > 1 and size > largest:
            return None
        value -= (size / target - 1) ** 2
        if size < target / 4 or size < min_size:
            value -= 2

    def edge(at: int) -> float:
        shown = structure[at - 1]
        found = 0.6 * (min(shown, 1) - sum(min(other, 1) for other in structure) / len(structure))
        if not shown and any(a < at < b and sum(sizes[a:b]) <= largest for a, b in paragraphs):
            found -= 0.7
        if deviation > 1e-9:
            found += 0.1 * (gaps[at - 1] - mean) / deviation
        return found + (at in own)

    edges = [edge(at) for at in range(1, len(sizes))]
    near = max(1, round(target * len(sizes) / (2 * sum(sizes))))
    best = [max(edges[first : first + near]) for first in range(0, len(edges), near)]
    return value + sum(edges[at - 1] for at in breaks) - len(breaks) * sum(best) / len(best)
