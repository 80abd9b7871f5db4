"""Chunks near a target size, which end at a paragraph if one is near, else where the meaning turns."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import inf, sqrt
from operator import add

import numpy as np

from caesura.types import Breaks, Gaps, Limits, Sizes, Structure

END, INSIDE = 0.6, 0.7
"""What the end of a paragraph is worth (the end of a line is worth half of it), and what a cut costs inside a paragraph
that is within the limit. A chunk of twice the target costs 1."""
GAP, BREAK = 0.1, 1.0
"""What a gap is worth if it is one deviation over the mean, and if the cut itself would cut there."""
SCRAP, SCRAPPY = 4, 2.0
"""A chunk under 1 / `SCRAP` of the target is a scrap, and costs `SCRAPPY` more."""
MOST = 2**18
"""Chunks that numpy measures at a time."""
FEW = 12
"""The most chunks to an end, on average, that Python measures sooner than numpy."""
REACH = 16
"""No chunk of more than one unit is over this many targets."""


def even(breaks: Breaks, gaps: Gaps, structure: Structure, sizes: Sizes, limits: Limits) -> Breaks:
    """Breaks of a cut, and n units' gaps, structure and sizes -> breaks whose chunks are near `limits.target_size`.

    The best sum over all segmentations within the limits, in time linear in the units: a chunk costs the square of its
    distance from the target, in targets.
    """
    n, target = len(sizes), limits.target_size
    if n < 2 or target is None:
        return np.zeros(0, np.intp)
    totals = [0, *accumulate(sizes.tolist())]
    largest = min(totals[-1], target * REACH, limits.max_size or totals[-1])
    worth = _worth(breaks, gaps, structure.tolist(), totals, largest)
    near = max(1, round(target * n / (2 * totals[-1])))  # units in half a target
    highest = np.array([max(worth[at : at + near]) for at in range(1, n, near)])
    usual = float(highest.sum() / len(highest))  # is taken off, so that more cuts are no gain
    rewards = [0.0, *[value - usual for value in worth[1:n]], 0.0]
    firsts, first = [0], 0
    for end in range(1, n + 1):
        while totals[first] < totals[end] - largest:
            first += 1
        firsts.append(min(first, end - 1))
    search = _among_few if n * (n + 1) // 2 - sum(firsts) <= n * FEW else _among_many
    back = search(totals, rewards, firsts, target, max(-(-target // SCRAP), limits.min_size))
    found, end = list[int](), n
    while back[end] > 0:
        end = back[end]
        found.append(end)
    return np.array(found[::-1], np.intp)


def _among_few(totals: list[int], rewards: list[float], firsts: list[int], target: int, least: int) -> list[int]:
    """(n + 1,) for each end the start of its last chunk. firsts: its first start. least: the size that is no scrap."""
    best, back = [0.0], [0]
    for end in range(1, len(totals)):
        top, chosen, whole = -inf, 0, totals[end]
        for start in range(firsts[end], end):
            size = whole - totals[start]
            apart = size / target - 1
            value = best[start] - (apart * apart + SCRAPPY if size < least else apart * apart)
            if value > top:
                top, chosen = value, start
        best.append(top + rewards[end])
        back.append(chosen)
    return back


def _among_many(totals: list[int], rewards: list[float], firsts: list[int], target: int, least: int) -> list[int]:
    """The same if many starts are in reach. It measures the chunks to many ends at a time."""
    n, edges, reached = len(totals) - 1, np.array(totals), np.array(firsts)
    best, back, counts = np.zeros(n + 1), [0], np.arange(n + 1) - reached
    some = max(1, MOST // int(counts.max()))
    for low in range(1, n + 1, some):
        own, at = counts[low : low + some], 0
        starts = np.arange(own.sum()) + np.repeat(reached[low : low + some] + own - own.cumsum(), own)
        sizes = np.repeat(edges[low : low + some], own) - edges[starts]
        costs = (sizes / target - 1) ** 2 + SCRAPPY * (sizes < least)
        for end, first in enumerate(firsts[low : low + some], low):
            values = best[first:end] - costs[at : at + end - first]
            chosen = int(values.argmax())
            best[end] = values[chosen] + rewards[end]
            back.append(first + chosen)
            at += end - first
    return back


def _worth(breaks: Breaks, gaps: Gaps, structure: list[float], totals: list[int], largest: int) -> list[float]:
    """(n,) what it is worth to cut before each unit."""
    shown = [min(each, 1.0) for each in structure]
    usual = sum(shown) / len(shown)
    worth = [0.0] * (len(totals) - 1)
    for start, end in pairwise([0, *[at for at, each in enumerate(structure, 1) if each], len(worth)]):
        worth[start] = END * (shown[start - 1] - usual)
        inside = INSIDE if totals[end] - totals[start] <= largest else 0.0
        worth[start + 1 : end] = [END * (0 - usual) - inside] * (end - start - 1)
    apart = gaps - gaps.sum() / len(gaps)
    deviation = sqrt((apart * apart).sum() / len(gaps))
    if deviation > 1e-9:
        worth[1:] = map(add, worth[1:], (GAP * apart / deviation).tolist())
    for at in breaks.tolist():
        worth[at] += BREAK
    return worth
