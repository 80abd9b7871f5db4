"""All the breaks there are, what the optimal cut says that they are worth, and what it finds by chance."""

from __future__ import annotations

from itertools import combinations

from naive.breaks import groups
from naive.noise import gain, joined, less_mean, settle
from naive.rows import Row


def segmentations(n: int) -> list[list[int]]:
    """All sets of breaks of n units."""
    return [list(chosen) for count in range(n) for chosen in combinations(range(1, n), count)]


def worth(
    breaks: list[int],
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    bonus: list[float],
    weights: list[float],
) -> tuple[int, float] | None:
    """What a segmentation is worth without its penalties: the fewest small groups, then the greatest sum of gains.
    None where a group of more than one unit is too large. bonus: of each gap."""
    small, value, apart = 0, sum(bonus[at - 1] for at in breaks), less_mean(rows, weights)
    for first, end in groups(breaks, len(rows)):
        size = sum(sizes[first:end])
        if end - first > 1 and max_size is not None and size > max_size:
            return None
        small += size < min_size
        value += gain(apart, weights, first, end)
    return -small, value


def by_chance(
    worths: dict[tuple[int, ...], tuple[int, float]],
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    weights: list[float],
    confidence: float,
    margins: list[float],
) -> list[int]:
    """worths: of every segmentation within the limits. The number of chunks is guessed among those that end at every
    fourth edge, if there are such, and found among all; then those that are alike join."""
    apart, n = less_mean(rows, weights), len(rows)
    best: tuple[int, ...] = ()

    def made(step: int, penalty: float) -> int:
        nonlocal best
        less = {
            breaks: (small, value - penalty * (len(breaks) + 1))
            for breaks, (small, value) in worths.items()
            if all(at % step == 0 for at in breaks)
        }
        best = max(less, key=lambda breaks: less[breaks])
        values = [value for small, value in less.values() if small == less[best][0]]
        margins.append(min((less[best][1] - value for value in values if value != less[best][1]), default=1))
        if len(values) > 1:
            margins.append(sorted(values)[-1] - sorted(values)[-2])
        return len(best) + 1

    chunks = max(1, n // 8 - 1)
    every_fourth = [*range(0, n, 4), n]
    if all(max_size is None or sum(sizes[a:b]) <= max_size or b - a == 1 for a, b in groups(every_fourth[1:-1], n)):
        chunks = 2 + settle(lambda penalty: made(4, penalty), apart, weights, confidence, chunks, 0.1, margins) * 5 // 4
    settle(lambda penalty: made(1, penalty), apart, weights, confidence, chunks, 0.5, margins)
    return joined(list(best), apart, weights, sizes, max_size, margins)
