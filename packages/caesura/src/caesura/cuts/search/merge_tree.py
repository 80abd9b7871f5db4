"""The tree of merges: the nearest neighbours join first, until one group is left or none may grow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import inf
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.scores.noise import ALIKE, Noise
from caesura.cuts.search.linkages import Cohesion, Direction, Linkage
from caesura.types import Breaks, Sizes, Vectors
from caesura.vectors import BLOCK, PIECE, cosines_apart, group_sums, row_products, window_sums

GRAINS = 2.0**40
"""Distances are rounded to multiples of 1 / GRAINS: equal ones stay equal, in whichever order their sums were added."""


@dataclass(frozen=True, slots=True, eq=False)
class MergeTree:
    """A bottom-up clustering in which only neighbours join: a tree over the units of one text."""

    order: NDArray[np.intp]
    """(m,) the gap that each merge closes, first merge first; m is n - 1, or less where limits forbade the rest."""
    heights: NDArray[np.float64]
    """(m,) the highest distance up to each merge. The distances themselves can fall, because only neighbours join."""
    vectors: Vectors
    weights: NDArray[np.float64]

    @property
    def fewest(self) -> int:
        """The number of chunks after the last merge."""
        return len(self.weights) - len(self.order)

    def breaks(self, chunks: int) -> Breaks:
        """A number of chunks, `fewest` to n -> their breaks."""
        left = np.ones(len(self.weights), np.bool_)
        left[0] = False
        left[self.order[: len(left) - chunks]] = False
        return np.flatnonzero(left)

    def within(self, distance: float) -> int:
        """The number of chunks left when all at most `distance` apart, up to which the tree goes, have joined."""
        return len(self.weights) - int(self.heights.searchsorted(distance, side="right"))

    def spread(self) -> NDArray[np.float64]:
        """(m + 1,) the sum of squared distances from the chunks' means, at `fewest` chunks first, at n chunks last."""
        sums, weight = window_sums(self.vectors, self.weights), np.concatenate(([0], np.cumsum(self.weights)))

        def explained(start: int, end: int) -> float:
            row = sums[end] - sums[start]
            return float(row @ row) / float(weight[end] - weight[start])

        n = len(self.weights)
        before, after = list(range(-1, n)), list(range(1, n + 2))  # the edges before and after each
        spread = np.zeros(len(self.order) + 1)
        for number, gap in enumerate(self.order.tolist()):
            start, end = before[gap], after[gap]
            lost = explained(start, gap) + explained(gap, end) - explained(start, end)
            spread[number + 1] = spread[number] + lost
            before[end], after[start] = start, end
        return spread[::-1]


def agglomerate(
    rows: NDArray[Any],
    weights: NDArray[np.float64],
    sizes: Sizes,
    linkage: Linkage,
    max_size: int | None = None,
    bonus: NDArray[np.float64] | None = None,
    farthest: float = inf,
) -> MergeTree:
    """Groups -> `MergeTree`, such that no merge makes a group over `max_size`, up to the first that is over `farthest`.

    rows: (n, d) the sums of their weighted rows, which are used up if they are float64. weights, sizes: (n,) the sums
    of theirs. bonus: (n + 1,) is added to the distance at each edge. Of equal distances the first in the text comes
    first.
    """
    n = len(sizes)
    sums, own_squares, both = _measure(rows)
    added = np.zeros(n + 1) if bonus is None else bonus
    # by edge: where the group before it begins, where the group after it ends, and what both measure
    before, after, farther = list(range(-1, n)), list(range(1, n + 2)), added.tolist()
    squares, pairs = own_squares.tolist(), [0.0, *both.tolist()]
    weighs, totals = [*accumulate(weights.tolist(), initial=0.0)], [*accumulate(sizes.tolist(), initial=0)]
    largest, most = totals[-1] if max_size is None else max_size, min(farthest * GRAINS, float_info.max)
    waiting = np.full(n + 1, inf)  # the distance at each edge, inf where none may join
    many = n >= BLOCK
    blocks = [waiting[low : low + BLOCK] for low in range(0, n + 1, BLOCK)] if many else []
    distances = linkage(own_squares[:-1], weights[:-1], own_squares[1:], weights[1:], both)
    waiting[1:-1] = np.rint((distances + added[1:-1]) * GRAINS)
    if largest < totals[-1]:
        waiting[1:-1][sizes[:-1] + sizes[1:] > largest] = inf
    # of n numbers numpy finds the least sooner than Python keeps a heap; of many, by their least in a block
    lowest = np.minimum.reduceat(waiting, np.arange(0, n + 1, BLOCK)) if many else waiting
    order, grains = list[int](), list[float]()
    held: Any = waiting.data  # whose numbers are read and written sooner than those of the array
    least, distance_of = waiting.argmin, linkage.__call__
    while True:
        block = int(lowest.argmin()) if many else 0
        gap = block * BLOCK + int(blocks[block].argmin()) if many else int(least())
        height = held[gap]
        if height > most:
            heights = np.maximum.accumulate(np.array(grains)) / GRAINS
            return MergeTree(np.array(order, np.intp), heights, rows, weights)
        start, end, square = before[gap], after[gap], pairs[gap]
        order.append(gap)
        grains.append(height)
        row = sums[start]
        row += sums[gap]
        sums[start] = row
        before[end], after[start], squares[start] = start, end, square
        held[gap] = held[start] = held[end] = inf
        weight, left, right = weighs[end] - weighs[start], before[start], after[end]
        if start and totals[end] - totals[left] <= largest:
            other = squares[left]
            whole = other + square + 2 * float(sums[left].dot(row))
            pairs[start] = whole = whole if whole > 0 else 0.0
            distance = distance_of(other, weighs[start] - weighs[left], square, weight, whole)
            held[start] = round((distance + farther[start]) * GRAINS)
        if end < n and totals[right] - totals[start] <= largest:
            other = squares[end]
            whole = square + other + 2 * float(row.dot(sums[end]))
            pairs[end] = whole = whole if whole > 0 else 0.0
            distance = distance_of(square, weight, other, weighs[right] - weighs[end], whole)
            held[end] = round((distance + farther[end]) * GRAINS)
        if many:
            sums.pop(gap, None)
            for changed in {start // BLOCK, block, end // BLOCK}:
                lowest[changed] = blocks[changed][blocks[changed].argmin()]


class _Sums(dict[int, NDArray[np.float64]]):
    """The sum of each group by its first row. That of a row alone is made when it is read, to save memory."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows: NDArray[Any] = rows

    def __missing__(self, start: int) -> NDArray[np.float64]:
        row: NDArray[np.float64] = self.rows[start].astype(np.float64)
        return row


def _measure(rows: NDArray[Any]) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Returns the sums of groups by their first rows, which are the rows yet, the (n,) squared lengths of them, and
    the (n - 1,) of the sum of each row and the next."""
    n, sums = len(rows), list[NDArray[np.float64]]()
    squares, both = np.empty(n), np.empty(max(n - 1, 0))
    for low in range(0, n, PIECE):
        part = rows[low : low + PIECE + 1].astype(np.float64, copy=False)
        own = row_products(part, part)
        squares[low : low + len(part)] = own
        both[low : low + len(part) - 1] = own[:-1] + own[1:] + 2 * row_products(part[:-1], part[1:])
        if n < BLOCK:
            sums.extend(part[:PIECE])
    return sums or _Sums(rows), squares, both


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Joins the units of a document, or groups of them, to larger groups.

    weighted: (n, d) their rows, each less the document's mean, and weighted. noise: the document's.
    """

    weighted: NDArray[np.float32]
    weights: NDArray[np.float64]
    sizes: Sizes
    noise: Noise
    max_size: int | None

    def join_alike(self, breaks: Breaks) -> Breaks:
        """Joins neighbours on one subject, the most similar first -> the breaks left."""
        if not len(breaks):
            return breaks
        rows = self._sums(breaks)
        if cosines_apart(rows, 1, nothing=0.0).max() < ALIKE:
            return breaks
        merged = self._merge(breaks, rows, Direction(), None, 1 - ALIKE)
        return breaks[merged.breaks(merged.within(1 - ALIKE)) - 1]

    def join_by_chance(self, breaks: Breaks, confidence: float, bonus: NDArray[np.float64]) -> Breaks:
        """Joins neighbours that differ no more than by chance, then those on one subject -> the breaks left."""
        if not len(breaks):
            return breaks
        merged = self._merge(breaks, self._sums(breaks), Cohesion(), bonus, self.noise.penalty(1, confidence))
        breaks = breaks[merged.breaks(self.noise.settle(merged.within, confidence)) - 1]
        del merged  # with the sums that it holds
        return self.join_alike(breaks)

    def _merge(
        self,
        breaks: Breaks,
        rows: NDArray[Any],
        linkage: Linkage,
        bonus: NDArray[np.float64] | None,
        farthest: float,
    ) -> MergeTree:
        """The merges of groups. rows: their sums."""
        edges = np.concatenate(([0], breaks, [len(self.weights)]))
        weights, sizes = np.add.reduceat(self.weights, edges[:-1]), np.add.reduceat(self.sizes, edges[:-1])
        farther = None if bonus is None else bonus[edges]
        return agglomerate(rows, weights, sizes, linkage, self.max_size, farther, farthest)

    def _sums(self, breaks: Breaks) -> NDArray[np.float64]:
        """Breaks -> (k, d) the sum of the rows of each group."""
        return group_sums(self.weighted, np.concatenate(([0], breaks)))
