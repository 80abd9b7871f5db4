"""The tree of merges: the nearest neighbours join first, until one group is left or none may grow."""

from __future__ import annotations

from array import array
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.scores.noise import ALIKE, PRIOR, TINY, Noise
from caesura.cuts.search.short_documents import Runs, runs_within
from caesura.types import Breaks, Sizes, Vectors
from caesura.vectors import BLOCK, LARGE, PIECE, CentredRows, cosines_apart, group_sums, window_sums

Value: TypeAlias = Any
"""A float, or an array of them."""
GRAINS = 2.0**40
"""Distances are rounded to so many parts of one, so that equals are equal however their sums were added up."""
FEW = 16
"""Units whose sum, in a large document, is not worth its memory."""


class Sums(Protocol):
    """The sums of groups' rows, as far as merges need them."""

    # The squared length of the sum of two neighbours, from theirs and the edges around and between them.
    def square(self, left: float, right: float, start: int, gap: int, end: int) -> float: ...
    def join(self, start: int, gap: int, end: int) -> None:
        """Adds the group that begins at an edge to the one before it."""


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
        together = both / (left_weight + right_weight + TINY)  # units of size 0 weigh nothing
        return left / (left_weight + TINY) + right / (right_weight + TINY) - together


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of 1 minus the cosine over all pairs of a row here and a row there."""

    threshold: ClassVar[float | None] = 0.95
    centred: ClassVar[bool] = False

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return 1 - (both - left - right) / (2 * left_weight * right_weight + TINY)


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
    vectors: Vectors,
    weights: NDArray[np.float64],
    linkage: Linkage,
    sizes: Sizes,
    max_size: int | None = None,
    mean: NDArray[np.float32] | None = None,
    bonus: NDArray[np.float64] | None = None,
    summed: bool = False,
) -> MergeTree:
    """Rows, their weights and sizes -> `MergeTree`, such that no merge makes a group over `max_size`.

    mean: what is taken off the rows, for a linkage that wants it. bonus: (n + 1,) how much farther apart groups are at
    an edge. summed: whether the rows are sums of weighted ones, which then change. Of equals the earlier join first.
    """
    row = np.zeros(vectors.shape[1], np.float32) if mean is None or not linkage.centred else mean
    sums = (_KeptSums if len(vectors) <= BLOCK else _Sums)(vectors, None if summed else weights, row)
    squares, both = sums.squares()
    apart = np.zeros(len(vectors) + 1) if bonus is None else bonus
    distances = np.asarray(linkage(squares[:-1], weights[:-1], squares[1:], weights[1:], both)) + apart[1:-1]
    totals, weighs = np.concatenate(([0], np.cumsum(sizes))), np.concatenate(([0], np.cumsum(weights)))
    largest = int(totals[-1]) if max_size is None else max_size
    waiting = np.full(len(vectors) + 1, inf)
    np.rint(distances * GRAINS, out=waiting[1:-1], where=totals[2:] - totals[:-2] <= largest)
    held, pairs = sequence(squares), sequence(np.concatenate(([0], both)))
    known = sequence(weighs), sequence(apart), sequence(totals), largest
    return MergeTree(*join_nearest(waiting, linkage, sums, held, pairs, *known), vectors, weights)


def sequence(values: NDArray[Any]) -> Any:
    """An array -> its numbers as Python has them: a list, which is faster, or where they are many an `array`."""
    return values.tolist() if len(values) <= BLOCK else array(values.dtype.char, values.tobytes())


def join_nearest(
    waiting: NDArray[np.float64],
    linkage: Linkage,
    sums: Sums,
    held: MutableSequence[float],
    pairs: MutableSequence[float],
    weighs: Sequence[float],
    farther: Sequence[float],
    totals: Sequence[int],
    largest: int,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """(n + 1,) the distance in grains at each edge, inf where none may join -> the order and the heights of a
    `MergeTree`. Of n numbers numpy finds the least sooner than Python keeps a heap; of many, by their least in a block.

    sums: those of n groups, or what else knows their inner products. held, pairs: (n,) the squared lengths of the sums
    of groups, and of each group and the one before it. weighs, farther, totals: (n + 1,) running sums of weights, how
    much farther apart groups are at an edge, and running sums of sizes.
    """
    n, order, grains = len(held), array("q"), array("d")
    before, after = sequence(np.arange(-1, n)), sequence(np.arange(1, n + 2))
    blocks = [waiting[low : low + BLOCK] for low in range(0, n + 1, BLOCK)]
    many = len(blocks) > 1
    lowest = np.array([own.min() for own in blocks if many])
    square, join, distance_at, least = sums.square, sums.join, waiting.item, waiting.argmin
    apart = linkage.__call__
    while True:
        block = int(lowest.argmin()) if many else 0
        gap = block * BLOCK + int(blocks[block].argmin()) if many else int(least())
        found = distance_at(gap)
        if found == inf:
            return np.array(order, np.intp), np.maximum.accumulate(np.array(grains)) / GRAINS
        start, end = before[gap], after[gap]
        order.append(gap)
        grains.append(found)
        join(start, gap, end)
        waiting[gap] = inf
        before[end], after[start], held[start] = start, end, pairs[gap]
        for near in (start, end):
            if not 0 < near < n:
                continue
            left, right = before[near], after[near]
            if totals[right] - totals[left] > largest:
                waiting[near] = inf
                continue
            a, b, own = held[left], held[near], weighs[near]
            whole = pairs[near] = square(a, b, left, near, right)
            distance = apart(a, own - weighs[left], b, weighs[right] - own, whole) + farther[near]
            waiting[near] = round(distance * GRAINS)
        if many:
            for changed in {start // BLOCK, block, end // BLOCK}:
                lowest[changed] = blocks[changed][blocks[changed].argmin()]


class _RunSums:
    """What is known of the sums of groups where all runs are: nothing has to be added up."""

    def __init__(self, runs: Runs, edges: list[int]) -> None:
        self._runs, self._edges = runs, edges

    def square(self, left: float, right: float, start: int, gap: int, end: int) -> float:
        return self._runs[self._edges[end] - 1][self._edges[start]]

    def join(self, start: int, gap: int, end: int) -> None:
        """Does nothing."""


class _Sums:
    """The sums of groups of weighted rows, by their first units. Those of a few units are made where they are asked
    for: of one, or in a large document, of less than `FEW`."""

    def __init__(self, vectors: Vectors, weights: NDArray[np.float64] | None, mean: NDArray[np.float32]) -> None:
        self._vectors, self._mean = vectors, mean
        self._weights = None if weights is None else weights.astype(np.float32)[:, None]
        self._few = FEW if isinstance(vectors, CentredRows) or vectors.size > LARGE // 4 else 2
        self._kept: dict[int, NDArray[np.float64]] = {}
        self._last, self._joined = -1, np.zeros(0)

    def _sum(self, start: int, end: int) -> NDArray[np.float64]:
        found = self._joined if start == self._last else self._kept.get(start)
        return self._made(start, end) if found is None else found

    def _made(self, start: int, end: int) -> NDArray[np.float64]:
        return np.add.reduce(self._rows(start, end), axis=0) if end - start > 1 else self._rows(start)

    def _rows(self, start: int, end: int | None = None) -> NDArray[np.float64]:
        some = start if end is None else slice(start, end)
        rows = self._vectors[some]
        if self._weights is not None:
            rows = (rows - self._mean) * self._weights[some]
        return rows.astype(np.float64, copy=False)

    def square(self, left: float, right: float, start: int, gap: int, end: int) -> float:
        return max(left + right + 2 * float(self._sum(start, gap).dot(self._sum(gap, end))), 0.0)

    def join(self, start: int, gap: int, end: int) -> None:
        few = end - start < self._few
        self._joined = self._made(start, end) if few else self._sum(start, gap) + self._sum(gap, end)
        self._last = start
        self._kept.pop(gap, None)
        if not few:
            self._kept[start] = self._joined

    def squares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n,) squared lengths of units, and (n - 1,) those of the sum of each and the next."""
        n = len(self._vectors)
        squares, both = np.zeros(n), np.zeros(max(n - 1, 0))
        for low in range(0, n, PIECE):
            part = self._rows(low, low + PIECE + 1)
            own = np.einsum("ij,ij->i", part, part)
            squares[low : low + len(part)] = own
            both[low : low + len(part) - 1] = own[:-1] + own[1:] + 2 * np.einsum("ij,ij->i", part[:-1], part[1:])
            self._keep(part[:PIECE])
        return squares, both

    def _keep(self, rows: NDArray[np.float64]) -> None:
        """Keeps none."""


class _KeptSums(_Sums):
    """All of them."""

    def __init__(self, vectors: Vectors, weights: NDArray[np.float64] | None, mean: NDArray[np.float32]) -> None:
        super().__init__(vectors, weights, mean)
        self._all: list[NDArray[np.float64]] = []

    def _keep(self, rows: NDArray[np.float64]) -> None:
        self._all.extend(rows)

    def square(self, left: float, right: float, start: int, gap: int, end: int) -> float:
        rows = self._all
        whole = left + right + 2 * float(rows[start].dot(rows[gap]))
        return whole if whole > 0 else 0.0

    def join(self, start: int, gap: int, end: int) -> None:
        first = self._all[start]
        first += self._all[gap]


class Grouping:
    """Groups of a document's units, to be joined further."""

    def __init__(
        self,
        vectors: Vectors,
        weights: NDArray[np.float64],
        sizes: Sizes,
        noise: Noise,
        max_size: int | None,
        runs: Runs | None = None,
    ) -> None:
        self.vectors: Vectors = vectors
        self.weights: NDArray[np.float64] = weights
        self.sizes: Sizes = sizes
        self.noise: Noise = noise
        self.max_size: int | None = max_size
        self.runs: Runs | None = runs or runs_within(vectors, weights, noise.mean_row)

    def units(self, linkage: Linkage, bonus: NDArray[np.float64]) -> MergeTree:
        """The merges of all units. bonus: (n + 1,) how much farther apart groups are at an edge."""
        weights, vectors = self.weights, self.vectors
        if self.runs is None or not linkage.centred:
            return agglomerate(vectors, weights, linkage, self.sizes, self.max_size, self.noise.mean_row, bonus)
        merged = self._merges(self.runs, list(range(len(weights))), linkage, bonus.tolist())
        return MergeTree(*merged, self.vectors, weights)

    def merged(self, breaks: Breaks, linkage: Linkage, bonus: NDArray[np.float64], rows: Vectors) -> MergeTree:
        """The merges of groups, in place of units. rows: their `sums`, which are changed."""
        starts = np.concatenate(([0], breaks)).astype(np.intp)
        weights = np.add.reduceat(self.weights, starts)
        if self.runs is not None:
            return MergeTree(*self._merges(self.runs, starts.tolist(), linkage, bonus.tolist()), rows, weights)
        sizes, apart = np.add.reduceat(self.sizes, starts), bonus[np.append(starts, len(self.weights))]
        return agglomerate(rows, weights, linkage, sizes, self.max_size, bonus=apart, summed=True)

    def _merges(
        self, runs: Runs, starts: list[int], linkage: Linkage, farther: list[float]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The groups of a short document, by their first units -> the order and the heights of their merges."""
        edges = [*starts, len(runs)]
        weights, sizes = [0.0, *self.weights.cumsum().tolist()], [0, *self.sizes.cumsum().tolist()]
        largest = sizes[-1] if self.max_size is None else self.max_size
        weighs, totals, apart = [weights[e] for e in edges], [sizes[e] for e in edges], [farther[e] for e in edges]
        held, pairs = [runs[end - 1][start] for start, end in pairwise(edges)], [0.0] * len(starts)
        waiting = np.full(len(edges), inf)
        for gap in range(1, len(starts)):
            if totals[gap + 1] - totals[gap - 1] <= largest:
                pairs[gap], own = runs[edges[gap + 1] - 1][edges[gap - 1]], weighs[gap]
                before, after = own - weighs[gap - 1], weighs[gap + 1] - own
                distance = linkage(held[gap - 1], before, held[gap], after, pairs[gap]) + apart[gap]
                waiting[gap] = round(distance * GRAINS)
        return join_nearest(waiting, linkage, _RunSums(runs, edges), held, pairs, weighs, apart, totals, largest)

    def sums(self, breaks: Breaks) -> NDArray[Any]:
        """The sums of groups' weighted rows less the document's mean; those of a short one are not needed."""
        if self.runs is not None:
            return self.vectors[:0]
        starts = np.concatenate(([0], breaks)).astype(np.intp)
        if len(starts) <= BLOCK:
            return group_sums(self.vectors, self.weights, starts, self.noise.mean_row)
        ends, sums = np.append(breaks, len(self.weights)), np.empty((len(starts), self.vectors.shape[1]), np.float32)
        for low in range(0, len(starts), PIECE):
            held, own = slice(starts[low], ends[low : low + PIECE][-1]), starts[low : low + PIECE] - starts[low]
            sums[low : low + PIECE] = group_sums(self.vectors[held], self.weights[held], own, self.noise.mean_row)
        return sums

    def alike(self, breaks: Breaks) -> Breaks:
        """The breaks that are left when neighbours on one subject have joined, the most similar first."""
        if not len(breaks):
            return breaks
        rows = self.sums(breaks)
        if self.runs is None and cosines_apart(rows, 1, nothing=0.0).max() < ALIKE:
            return breaks
        merged = self.merged(breaks, Direction(), np.zeros(len(self.weights) + 1), rows)
        return breaks[merged.breaks(merged.within(1 - ALIKE)) - 1]

    def settled(self, breaks: Breaks, confidence: float, bonus: NDArray[np.float64]) -> Breaks:
        """The breaks that are left when neighbours have joined that differ no more than by chance, or are alike."""
        if not len(breaks):
            return breaks
        merged = self.merged(breaks, Cohesion(), bonus, self.sums(breaks))
        breaks = breaks[merged.breaks(self.noise.settle(merged.within, confidence)) - 1]
        del merged  # and its rows
        return self.alike(breaks)
