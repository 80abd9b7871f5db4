"""The tree of merges: the nearest neighbours join first, until one group is left or none may grow."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.noise import ALIKE, PRIOR, TINY, Noise
from caesura.types import Breaks, Sizes, Vectors
from caesura.vectors import BLOCK, PIECE, cosines_apart, group_sums, window_sums

Value: TypeAlias = Any
"""A float, or an array of them."""
GRAINS = 2.0**40
"""Distances are rounded to so many parts of one, so that equals are equal however their sums were added up."""


class Linkage(Protocol):
    """How far apart two neighbouring groups are, and up to where they are on one subject.

    left, right and both: the squared lengths of the groups' summed weighted rows, and of the sum of both groups;
    left_weight and right_weight: the sums of their weights. Numbers, or arrays of them.
    """

    threshold: ClassVar[float | None]
    """None: chance says how far, as in `OptimalCut`."""
    centred: ClassVar[bool]
    """Whether the rows are those less the document's mean, else unit rows."""

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value: ...


@dataclass(frozen=True, slots=True)
class Cohesion:
    """How much less both gain together than each alone: what `OptimalCut` loses when it joins them."""

    threshold: ClassVar[float | None] = None
    centred: ClassVar[bool] = True

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        together = both / (left_weight + right_weight + PRIOR)
        return left / (left_weight + PRIOR) + right / (right_weight + PRIOR) - together


@dataclass(frozen=True, slots=True)
class Ward:
    """How much the squared distances of rows from the mean of their group grow in all (Ward 1963)."""

    threshold: ClassVar[float | None] = None
    centred: ClassVar[bool] = True

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return left / left_weight + right / right_weight - both / (left_weight + right_weight)


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of 1 minus the cosine over all pairs of a row here and a row there."""

    threshold: ClassVar[float | None] = 0.95
    centred: ClassVar[bool] = False

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return 1 - (both - left - right) / (2 * left_weight * right_weight)


@dataclass(frozen=True, slots=True)
class Direction:
    """1 minus the cosine of both groups' sums; 1 where one of them says nothing."""

    threshold: ClassVar[float | None] = 1 - ALIKE
    centred: ClassVar[bool] = True

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return 1 - (both - left - right) / (2 * np.maximum(left * right, TINY) ** 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class MergeTree:
    """A bottom-up clustering in which only neighbours join: a tree over the units of one text."""

    order: NDArray[np.intp]
    """(m,) the gap that each merge closes, first merge first; m is n - 1, or less where limits forbade the rest."""
    heights: NDArray[np.float64]
    """(m,) the distance at each merge. Only neighbours join, so that it can fall: here it is the highest so far."""
    vectors: Vectors
    weights: NDArray[np.float64]

    @property
    def fewest(self) -> int:
        """The number of chunks after the last merge."""
        return len(self.weights) - len(self.order)

    def breaks(self, chunks: int) -> Breaks:
        """Returns the breaks that are left at so many chunks, `fewest` to n."""
        left = np.ones(len(self.weights), np.bool_)
        left[0] = False
        left[self.order[: len(left) - chunks]] = False
        return np.flatnonzero(left)

    def within(self, distance: float) -> int:
        """The number of chunks once all have joined that are at most so far apart."""
        return len(self.weights) - int(np.searchsorted(self.heights, distance, side="right"))

    def spread(self) -> NDArray[np.float64]:
        """(m + 1,) the sum of squared distances from the chunks' means, at `fewest` chunks first, at n chunks last."""
        sums, weight = window_sums(self.vectors, self.weights), np.concatenate(([0], np.cumsum(self.weights)))

        def explained(start: int, end: int) -> float:
            row = sums[end] - sums[start]
            return float(row @ row) / float(weight[end] - weight[start])

        before, after = neighbours(len(self.weights))
        spread = np.zeros(len(self.order) + 1)
        for number, gap in enumerate(self.order.tolist()):
            start, end = before[gap], after[gap]
            lost = explained(start, gap) + explained(gap, end) - explained(start, end)
            spread[number + 1] = spread[number] + lost
            before[end], after[start] = start, end
        return spread[::-1]


def neighbours(n: int) -> tuple[list[int], list[int]]:
    """For each edge the edge before and after it."""
    return [edge - 1 for edge in range(n + 1)], [edge + 1 for edge in range(n + 1)]


def agglomerate(
    vectors: Vectors,
    weights: NDArray[np.float64],
    linkage: Linkage,
    sizes: Sizes,
    max_size: int | None = None,
    mean: NDArray[np.float32] | None = None,
    bonus: NDArray[np.float64] | None = None,
) -> MergeTree:
    """Rows, their weights and sizes -> `MergeTree`, such that no merge makes a group over `max_size`.

    mean: what is taken off the rows, for a linkage that wants it. bonus: (n + 1,) how much farther apart groups are at
    an edge. The nearest neighbours join first, of equals the earlier. O(n log n) merges by a heap, no table of pairs.
    """
    n = len(vectors)
    sums = _Sums(vectors, weights, mean if linkage.centred else None)
    squares, both = sums.squares()
    apart = np.zeros(n + 1) if bonus is None else bonus
    farther, weighs = apart.tolist(), np.concatenate(([0], np.cumsum(weights))).tolist()
    totals = np.concatenate(([0], np.cumsum(sizes))).tolist()
    largest = totals[-1] if max_size is None else max_size
    before, after = neighbours(n)
    distances = np.asarray(linkage(squares[:-1], weights[:-1], squares[1:], weights[1:], both)) + apart[1:-1]
    distances = np.rint(distances * GRAINS) / GRAINS
    waiting: list[tuple[float, int, int, int, float]] = [
        (distance, gap, gap - 1, gap + 1, square)
        for gap, distance, square in zip(range(1, n), distances.tolist(), both.tolist(), strict=True)
        if totals[gap + 1] - totals[gap - 1] <= largest
    ]
    heapq.heapify(waiting)
    held = squares.tolist()  # by the edge at which a group starts, the squared length of its sum
    order: list[int] = []
    heights: list[float] = []
    while waiting:
        distance, gap, start, end, square = heapq.heappop(waiting)
        if before[gap] != start or after[gap] != end:
            continue
        order.append(gap)
        heights.append(distance)
        sums[start] = sums[start] + sums[gap]
        sums.pop(gap, None)
        before[gap] = -1
        before[end], after[start], held[start] = start, end, square
        for near in (start, end):
            if not 0 < near < n or totals[after[near]] - totals[before[near]] > largest:
                continue
            left, right = before[near], after[near]
            a, b = held[left], held[near]
            whole = max(a + b + 2 * float(sums[left].dot(sums[near])), 0.0)
            found = linkage(a, weighs[near] - weighs[left], b, weighs[right] - weighs[near], whole) + farther[near]
            heapq.heappush(waiting, (round(found * GRAINS) / GRAINS, near, left, right, whole))
    return MergeTree(np.array(order, np.intp), np.maximum.accumulate(np.array(heights, np.float64)), vectors, weights)


class _Sums(dict[int, NDArray[np.float64]]):
    """The summed rows of groups, by their first units; in a long document, a unit's own is made where it is read."""

    def __init__(self, vectors: Vectors, weights: NDArray[np.float64], mean: NDArray[np.float32] | None) -> None:
        self._vectors, self._weights = vectors, weights.astype(np.float32)
        self._mean = np.zeros(vectors.shape[1], np.float32) if mean is None else mean

    def __missing__(self, unit: int) -> NDArray[np.float64]:
        return np.asarray((self._vectors[unit] - self._mean) * self._weights[unit], np.float64)

    def squares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n,) squared lengths of units, and (n - 1,) those of the sum of each and the next."""
        n = len(self._vectors)
        squares, both = np.zeros(n), np.zeros(max(n - 1, 0))
        for low in range(0, n, PIECE):
            rows = self._vectors[low : low + PIECE + 1] - self._mean
            rows *= self._weights[low : low + PIECE + 1, None]
            part = rows.astype(np.float64)
            own = np.einsum("ij,ij->i", part, part)
            squares[low : low + len(part)] = own
            both[low : low + len(part) - 1] = own[:-1] + own[1:] + 2 * np.einsum("ij,ij->i", part[:-1], part[1:])
            if n <= BLOCK:
                self.update(enumerate(part[:PIECE], low))
        return squares, both


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups of a document's units, to be joined further."""

    vectors: Vectors
    weights: NDArray[np.float64]
    sizes: Sizes
    noise: Noise
    max_size: int | None

    def merged(self, starts: Breaks, rows: Vectors, linkage: Linkage, bonus: Any = None) -> MergeTree:
        """The merges of groups, by their first units and their mean rows, in place of units."""
        weights, sizes = np.add.reduceat(self.weights, starts), np.add.reduceat(self.sizes, starts)
        apart = None if bonus is None else bonus[np.append(starts, len(self.weights))]
        return agglomerate(rows, weights, linkage, sizes, self.max_size, bonus=apart)

    def means(self, breaks: Breaks) -> tuple[Breaks, Vectors]:
        """The first units of groups, and their mean rows less that of the document."""
        starts = np.concatenate(([0], breaks)).astype(np.intp)
        ends, rows = np.append(breaks, len(self.weights)), np.empty((len(starts), self.vectors.shape[1]), np.float32)
        weights = np.maximum(np.add.reduceat(self.weights, starts), TINY)[:, None]
        for low in range(0, len(starts), PIECE):
            some = slice(low, low + PIECE)
            held = slice(int(starts[low]), int(ends[some][-1]))
            sums = group_sums(self.vectors[held], self.weights[held], starts[some] - held.start)
            rows[some] = sums / weights[some] - self.noise.mean_row
        return starts, rows

    def alike(self, breaks: Breaks) -> Breaks:
        """The breaks that are left when neighbours on one subject have joined, the most similar first."""
        if not len(breaks):
            return breaks
        starts, rows = self.means(breaks)
        if cosines_apart(rows, 1, nothing=0.0).max() < ALIKE:
            return breaks
        merged = self.merged(starts, rows, Direction())
        return breaks[merged.breaks(merged.within(1 - ALIKE)) - 1]

    def settled(self, breaks: Breaks, confidence: float, bonus: NDArray[np.float64]) -> Breaks:
        """The breaks that are left when neighbours have joined that differ no more than by chance, or are alike."""
        if not len(breaks):
            return breaks
        merged = self.merged(*self.means(breaks), Cohesion(), bonus)
        breaks = breaks[merged.breaks(self.noise.settle(merged.within, confidence)) - 1]
        del merged  # and its rows
        return self.alike(breaks)
