"""The tree of merges: the nearest neighbours join first, until one group is left or none may grow."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.scores.noise import ALIKE, Noise
from caesura.cuts.search.linkages import Cohesion, Direction, Linkage
from caesura.types import Breaks, Sizes, Vectors
from caesura.vectors import BLOCK, LARGE, PIECE, CentredRows, cosines_apart, group_sums, row_products, window_sums

GRAINS = 2.0**40
"""Distances are rounded to multiples of 1 / GRAINS: equal ones stay equal, in whichever order their sums were added."""
FEW = 16
"""In a large document, the sum of fewer units than these is made again instead of being kept."""


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
        """The number of chunks that are left when all that are at most `distance` apart have joined."""
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


class GroupSums:
    """The sums of groups' weighted rows, by the first row of each group. At first each of n rows is a group.

    vectors: (n, d) rows. weights: (n,) their weights. mean: (d,) is subtracted from each row before it is weighted.
    summed: whether the rows are sums of weighted rows already.

    A small document keeps all sums. A large one keeps those of large groups and makes the others when they are read.
    """

    def __init__(
        self,
        vectors: Vectors,
        weights: NDArray[np.float64],
        mean: NDArray[np.float32] | None = None,
        summed: bool = False,
    ) -> None:
        self.vectors: Vectors = vectors
        self.weights: NDArray[np.float64] = weights
        self._mean, self._shares = mean, None if summed else weights.astype(np.float32)[:, None]
        self._few = FEW if isinstance(vectors, CentredRows) or vectors.size > LARGE // 4 else 2
        self._kept: dict[int, NDArray[np.float64]] = {}
        self._last, self._joined = -1, np.zeros(0)
        self.ends: Any = sequence(np.arange(1, len(vectors) + 2))
        """The end of each group, by its first row. Who joins groups sets it."""

    def measure(self) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
        """Returns a mapping of first rows to sums, the (n,) squared lengths of the sums, and the (n - 1,) squared
        lengths of the sum of each group and the next."""
        n = len(self.vectors)
        squares, both = np.empty(n), np.empty(max(n - 1, 0))
        for low in range(0, n, PIECE):
            part = self._rows(slice(low, low + PIECE + 1))
            own = row_products(part, part)
            squares[low : low + len(part)] = own
            both[low : low + len(part) - 1] = own[:-1] + own[1:] + 2 * row_products(part[:-1], part[1:])
            if n <= BLOCK:
                self._kept.update(enumerate(part[:PIECE], low))
        return self._kept if n <= BLOCK else self, squares, both

    def __getitem__(self, start: int) -> NDArray[np.float64]:
        if start == self._last:
            return self._joined
        kept = self._kept.get(start)
        if kept is not None:
            return kept
        end = self.ends[start]
        return np.add.reduce(self._rows(slice(start, end)), axis=0) if end - start > 1 else self._rows(start)

    def __setitem__(self, start: int, row: NDArray[np.float64]) -> None:
        self._last, self._joined = start, row
        if self.ends[start] - start >= self._few:
            self._kept[start] = row

    def __delitem__(self, start: int) -> None:
        self._kept.pop(start, None)

    def _rows(self, some: Any) -> NDArray[np.float64]:
        rows: NDArray[Any] = self.vectors[some]
        if self._mean is not None:
            rows = rows - self._mean
        if self._shares is not None:
            rows = rows * self._shares[some]
        return rows.astype(np.float64, copy=self._shares is None)  # joining changes them


def agglomerate(
    sums: GroupSums,
    sizes: Sizes,
    linkage: Linkage,
    max_size: int | None = None,
    bonus: NDArray[np.float64] | None = None,
) -> MergeTree:
    """Groups and their sizes -> `MergeTree`, such that no merge makes a group over `max_size`.

    bonus: (n + 1,) is added to the distance at each edge. Of equal distances the first in the text comes first.
    """
    n, own_weights, (rows, own_squares, both) = len(sizes), sums.weights, sums.measure()
    added = np.zeros(n + 1) if bonus is None else bonus
    # by edge: where the group before it begins, where the group after it ends, and what both measure
    before, after, farther = sequence(np.arange(-1, n)), sums.ends, sequence(added)
    squares, pairs = sequence(own_squares), sequence(np.concatenate((both[:1], both)))
    weights, totals = sequence(running_sums(own_weights)), sequence(running_sums(sizes))
    largest = totals[-1] if max_size is None else max_size
    waiting = np.full(n + 1, inf)  # the distance at each edge, inf where none may join
    many = n >= BLOCK
    blocks = [waiting[low : low + BLOCK] for low in range(0, n + 1, BLOCK)] if many else []
    distances = linkage(own_squares[:-1], own_weights[:-1], own_squares[1:], own_weights[1:], both)
    waiting[1:-1] = np.rint((distances + added[1:-1]) * GRAINS)
    if max_size is not None:
        waiting[1:-1][sizes[:-1] + sizes[1:] > largest] = inf
    # of n numbers numpy finds the least sooner than Python keeps a heap; of many, by their least in a block
    lowest = np.minimum.reduceat(waiting, np.arange(0, n + 1, BLOCK)) if many else waiting
    order, grains = array("q"), array("d")
    held: Any = waiting.data  # whose numbers are read and written sooner than those of the array
    least, distance_of = waiting.argmin, linkage.__call__
    while True:
        block = int(lowest.argmin()) if many else 0
        gap = block * BLOCK + int(blocks[block].argmin()) if many else int(least())
        height = held[gap]
        if height == inf:
            heights = np.maximum.accumulate(np.array(grains)) / GRAINS
            return MergeTree(np.array(order, np.intp), heights, sums.vectors, own_weights)
        start, end, square = before[gap], after[gap], pairs[gap]
        order.append(gap)
        grains.append(height)
        row = rows[start]
        row += rows[gap]
        before[end], after[start], squares[start] = start, end, square
        rows[start] = row
        del rows[gap]
        held[gap] = held[start] = held[end] = inf
        weight, left, right = weights[end] - weights[start], before[start], after[end]
        if start and totals[end] - totals[left] <= largest:
            other = squares[left]
            whole = other + square + 2 * float(rows[left].dot(row))
            pairs[start] = whole = whole if whole > 0 else 0.0
            distance = distance_of(other, weights[start] - weights[left], square, weight, whole)
            held[start] = round((distance + farther[start]) * GRAINS)
        if end < n and totals[right] - totals[start] <= largest:
            other = squares[end]
            whole = square + other + 2 * float(row.dot(rows[end]))
            pairs[end] = whole = whole if whole > 0 else 0.0
            distance = distance_of(square, weight, other, weights[right] - weights[end], whole)
            held[end] = round((distance + farther[end]) * GRAINS)
        if many:
            for changed in {start // BLOCK, block, end // BLOCK}:
                lowest[changed] = blocks[changed][blocks[changed].argmin()]


def running_sums(values: NDArray[Any]) -> NDArray[Any]:
    """(n,) -> (n + 1,) running sums, from 0."""
    sums = np.zeros(len(values) + 1, values.dtype)
    np.cumsum(values, out=sums[1:])
    return sums


def sequence(values: NDArray[Any]) -> Any:
    """An array -> its numbers as a list, which is faster to read, or as an `array` if they are many."""
    return values.tolist() if len(values) <= BLOCK else array(values.dtype.char, values.tobytes())


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Joins the units of a document, or groups of them, to larger groups. noise: the document's."""

    vectors: Vectors
    weights: NDArray[np.float64]
    sizes: Sizes
    noise: Noise
    max_size: int | None

    def join_alike(self, breaks: Breaks, rows: NDArray[Any] | None = None) -> Breaks:
        """Joins neighbours on one subject, the most similar first -> the breaks left. rows: the sums of the groups."""
        if not len(breaks):
            return breaks
        rows = self._sums(breaks) if rows is None else rows
        if cosines_apart(rows, 1, nothing=0.0).max() < ALIKE:
            return breaks
        merged = self._merge(breaks, rows, Direction(), None)
        return breaks[merged.breaks(merged.within(1 - ALIKE)) - 1]

    def join_by_chance(self, breaks: Breaks, confidence: float, bonus: NDArray[np.float64]) -> Breaks:
        """Joins neighbours that differ no more than by chance, then those on one subject -> the breaks left."""
        if not len(breaks):
            return breaks
        rows = self._sums(breaks)
        merged = self._merge(breaks, rows, Cohesion(), bonus)
        left = merged.breaks(self.noise.settle(merged.within, confidence))
        rows = group_sums(rows, None, np.concatenate(([0], left))) if len(left) else rows
        return self.join_alike(breaks[left - 1], rows)

    def _merge(
        self, breaks: Breaks, rows: NDArray[Any], linkage: Linkage, bonus: NDArray[np.float64] | None
    ) -> MergeTree:
        """The merges of groups. rows: their sums."""
        edges = np.concatenate(([0], breaks, [len(self.weights)]))
        weights, sizes = np.add.reduceat(self.weights, edges[:-1]), np.add.reduceat(self.sizes, edges[:-1])
        farther = None if bonus is None else bonus[edges]
        return agglomerate(GroupSums(rows, weights, summed=True), sizes, linkage, self.max_size, farther)

    def _sums(self, breaks: Breaks) -> NDArray[Any]:
        """(k, d) for each group the sum of its weighted rows, each less the document's mean."""
        starts = np.concatenate(([0], breaks))
        if len(starts) <= BLOCK:
            return group_sums(self.vectors, self.weights, starts, self.noise.mean_row)
        ends, sums = np.append(breaks, len(self.weights)), np.empty((len(starts), self.vectors.shape[1]), np.float32)
        for low in range(0, len(starts), PIECE):
            held, own = slice(starts[low], ends[low : low + PIECE][-1]), starts[low : low + PIECE] - starts[low]
            sums[low : low + PIECE] = group_sums(self.vectors[held], self.weights[held], own, self.noise.mean_row)
        return sums
