"""A problem and a penalty for each chunk -> its best breaks, from left to right.

Dynamic programming: what a text is worth up to an end is the best over the last chunk's starts of what it is worth up
to there, and the length of the sum from there.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.search.problem import Problem
from caesura.types import Breaks

PENALTY = 1.25
"""What a chunk must gain where nothing else is said, and what is tried first."""


def by_penalty(problem: Problem, penalty: float) -> Breaks:
    """The best breaks where each chunk costs `penalty`; of equals, those with the longest last chunk."""
    penalty = min(penalty, problem.highest + 1)  # over which none is ever earned
    too_small = 2 * (problem.highest + problem.n * penalty) + 1  # more than all else together
    search = _among_few if problem.narrow else _among_many
    back, breaks, end = search(problem, penalty, too_small), list[int](), problem.n
    while back[end] > 0:
        end = int(back[end])
        breaks.append(end)
    return np.array(breaks[::-1], dtype=np.intp)


def _among_few(problem: Problem, penalty: float, too_small: float) -> NDArray[np.intp]:
    """(n + 1,) for each end the start of its last chunk, where few are in reach: all of them are looked at."""
    n, totals, least = problem.n, problem.totals, problem.least
    best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
    bonus, firsts = (problem.bonus - penalty).tolist(), problem.first.tolist()
    large = np.searchsorted(totals, totals - least, side="right").tolist()
    for end in range(1, n + 1):
        first = firsts[end]
        values = best[first:end] + problem.lengths(end)
        if least:
            values[max(large[end] - first, 0) :] -= too_small
        chosen = int(values.argmax())
        best[end], back[end] = values[chosen] + bonus[end], first + chosen
    return back


def _among_many(problem: Problem, penalty: float, too_small: float) -> NDArray[np.intp]:
    """The same where many starts are in reach: those that a later one has overtaken are left out."""
    n, sums, totals, bonus, least = problem.n, problem.sums, problem.totals, problem.bonus, problem.least
    best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
    starts, overtaken = np.zeros(1, np.intp), np.full(1, inf)  # and the total from which on a later start is better
    for end in range(1, n + 1):
        kept = (totals[end] - totals[starts] <= problem.largest) & (overtaken > totals[end])
        kept[-1] = True  # one unit is a chunk, however large
        starts, overtaken = starts[kept], overtaken[kept]
        rows = sums[end] - sums[starts]
        reached = best[starts] + np.sqrt(np.einsum("ij,ij->i", rows, rows))
        values = reached - penalty
        if least:
            values = values - too_small * (totals[end] - totals[starts] < least)
        chosen = int(values.argmax())
        best[end], back[end] = values[chosen] + bonus[end], starts[chosen]
        overtaken = np.where(reached <= best[end], np.minimum(overtaken, totals[end] + least), overtaken)
        starts, overtaken = np.append(starts, end), np.append(overtaken, inf)
    return back
