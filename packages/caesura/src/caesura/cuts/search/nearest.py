"""A problem and a number of chunks -> the breaks nearest to it that are best at some penalty."""

from __future__ import annotations

from caesura.cuts.search.by_penalty import PENALTY, by_penalty
from caesura.cuts.search.problem import Problem
from caesura.types import Breaks

TRIALS = 40
"""Of penalties. A fourth of them is seldom needed."""


def nearest(problem: Problem, wanted: int) -> Breaks:
    """The breaks whose number of chunks is nearest to `wanted`, over all penalties.

    Between a penalty that gives too many and one that gives too few, the next to try is where both are worth the
    same: there a number between them is best, or none is at any penalty.
    """
    problem.keep()
    many = few = None
    breaks, penalty = by_penalty(problem, PENALTY), PENALTY
    for _ in range(TRIALS):
        made = len(breaks) + 1
        if made == wanted or (penalty > problem.highest if made > wanted else not penalty):
            return breaks
        if made > wanted:
            many = breaks
        else:
            few = breaks
        if many is not None and few is not None:
            penalty = (problem.worth(many) - problem.worth(few)) / (len(many) - len(few))
        else:
            penalty = 0.0 if penalty < 1e-3 else penalty / 4 if many is None else penalty * 2
        breaks = by_penalty(problem, max(penalty, 0.0))
        if many is not None and few is not None and len(breaks) in (len(many), len(few)):
            break
    ends = [found for found in (few, many, breaks) if found is not None]
    return min(ends, key=lambda found: abs(len(found) + 1 - wanted))
