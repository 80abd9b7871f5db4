"""A problem and a number of chunks -> its best breaks into so many, exactly: a table of units times chunks."""

from __future__ import annotations

from math import inf

import numpy as np

from caesura.cuts.search.nearest import nearest
from caesura.cuts.search.problem import Problem
from caesura.types import Breaks

MOST_CELLS = 2**27
"""The largest table: 12 bytes a cell."""


def by_count(problem: Problem, wanted: int) -> Breaks:
    """The best breaks into so many chunks, or the nearest number that the limits and the units allow; where the table
    is too large, the nearest that a penalty gives."""
    n, least, fewest = problem.n, problem.least, _fewest(problem)
    count = min(max(wanted, fewest), n)
    if n * count > MOST_CELLS:
        return nearest(problem, count)
    too_small = 2 * problem.highest + 1
    best, back = np.full((n + 1, count + 1), -inf), np.zeros((n + 1, count + 1), np.int32)
    best[0, 0] = 0
    for end in range(1, n + 1):
        start, gains = int(problem.first[end]), problem.lengths(end)
        if least:
            gains = gains - too_small * (problem.totals[end] - problem.totals[start:end] < least)
        values = best[start:end, :-1] + gains[:, None]
        chosen = values.argmax(axis=0)
        best[end, 1:] = values[chosen, np.arange(count)] + problem.bonus[end]
        back[end, 1:] = start + chosen
    if least:
        small = np.round(-best[n, 1:] / too_small)
        small[: fewest - 1] = inf
        count = 1 + int(np.flatnonzero(small == small.min())[-1])
    breaks, end = np.zeros(count, np.intp), n
    for chunk in range(count, 0, -1):
        end = breaks[chunk - 1] = back[end, chunk]
    return breaks[1:]


def _fewest(problem: Problem) -> int:
    """The least number of chunks that keeps `max_size`."""
    count = start = 0
    while start < problem.n:
        end = int(np.searchsorted(problem.totals, problem.totals[start] + problem.largest, side="right")) - 1
        start, count = max(end, start + 1), count + 1
    return count
