"""Chunks of even size: each near a target, ended at a paragraph where one is near, else where the meaning turns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.types import Breaks, Gaps, Limits, Sizes, Structure

END, INSIDE = 0.6, 0.7
"""What the end of a paragraph is worth, the end of a line half of it; and what a cut costs inside a paragraph that is
within the limit. 1 is what a chunk of twice the target costs."""
GAP, BREAK = 0.1, 1.0
"""What a gap is worth that is one deviation over the mean, and one at which the cut itself would cut."""
SCRAP, SCRAPPY = 4, 2.0
"""A chunk under such a part of the target is a scrap; what it costs beside its distance from the target."""
REACH = 16
"""No chunk of more than one unit is over so many targets; the cut itself looks at chunks up to that."""


def even(breaks: Breaks, gaps: Gaps, structure: Structure, sizes: Sizes, limits: Limits) -> Breaks:
    """Breaks of a cut, and n units' gaps, structure and sizes -> breaks whose chunks are near `limits.target_size`.

    The best sum over all segmentations within the limits, in time linear in the units: a chunk costs the square of its
    distance from the target, in targets.
    """
    n, target = len(sizes), limits.target_size
    if n < 2 or target is None:
        return np.zeros(0, np.intp)
    totals = np.concatenate(([0], np.cumsum(sizes)))
    largest = min(int(totals[-1]), target * REACH, limits.max_size or int(totals[-1]))
    worth = _worth(breaks, gaps, structure, totals, largest)
    near = max(1, round(target * n / (2 * int(totals[-1]))))  # units in half a target
    worth[1:n] -= np.maximum.reduceat(worth[1:n], np.arange(0, n - 1, near)).mean()  # so that more cuts are no gain
    rewards = worth.tolist()
    shares, least = totals / target, max(-(-target // SCRAP), limits.min_size)
    firsts = np.minimum(np.searchsorted(totals, totals - largest), np.arange(-1, n)).tolist()
    best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
    scraps = np.searchsorted(totals, totals - min(least, largest + 1), side="right").tolist()
    for end in range(1, n + 1):
        first = firsts[end]
        values = shares[end] - 1 - shares[first:end]
        values *= -values
        values += best[first:end]
        values[max(scraps[end] - first, 0) :] -= SCRAPPY
        chosen = int(values.argmax())
        best[end], back[end] = values[chosen] + rewards[end], first + chosen
    found, end = list[int](), n
    while back[end] > 0:
        end = int(back[end])
        found.append(end)
    return np.array(found[::-1], np.intp)


def _worth(
    breaks: Breaks, gaps: Gaps, structure: Structure, totals: NDArray[np.intp], largest: int
) -> NDArray[np.float64]:
    """(n + 1,) what it is worth to cut at each edge."""
    n = len(totals) - 1
    ends = np.concatenate(([0], np.flatnonzero(structure) + 1, [n]))
    fits = np.repeat(np.diff(totals[ends]) <= largest, np.diff(ends))
    worth = np.zeros(n + 1)
    deviation = gaps.std()
    shown = np.minimum(structure, 1)
    worth[1:n] = END * (shown - shown.mean()) - INSIDE * ((structure == 0) & fits[1:])
    worth[1:n] += GAP * (gaps - gaps.mean()) / deviation if deviation > 1e-9 else 0.0
    worth[breaks] += BREAK
    return worth
