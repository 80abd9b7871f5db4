"""The search for the best segmentation: a dynamic programme, by penalty or by number of chunks."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from caesura.types import Breaks, Limits, Sizes, Vectors
from caesura.vectors import BLOCK, group_sums, window_sums

TILE, ONE_THREAD = 16, 2**18
"""Rows of a piece, and the multiplications up to which OpenBLAS uses one thread for a product."""
WIDEST, ENDS, MOST_LENGTHS = 512, 32, 2**24
"""So many starts in reach of an end are few; so many ends are measured at a time; so many lengths kept: 128 MB."""
PENALTY = 1.25
"""What a chunk must gain where nothing else is said, and what is tried first."""
TRIALS = 40
"""Of penalties. A fourth of them is seldom needed."""
MOST_CELLS = 2**27
"""The largest table: 12 bytes a cell."""


def lengths_of(vectors: Vectors) -> NDArray[np.float64]:
    """(n, d) -> (n,) lengths, a window of rows at a time."""
    windows = (vectors[start : start + BLOCK] for start in range(0, len(vectors), BLOCK))
    return np.concatenate([np.zeros(0), *(np.sqrt(np.einsum("ij,ij->i", rows, rows)) for rows in windows)])


def products(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, d) and (n, d) rows -> (m, n) inner products, in pieces so small that BLAS does each in one thread.

    Where other work keeps the processors busy, threads that wait for one another's turn cost more than the product.
    """
    found = np.empty((len(a), len(b)))
    for start in range(0, len(a), TILE):
        some = a[start : start + TILE]
        width = max(1, ONE_THREAD // max(1, some.size))
        for left in range(0, len(b), width):
            np.matmul(some, b[left : left + width].T, out=found[start : start + TILE, left : left + width])
    return found


class SegmentCosts:
    """What is searched: n units with rows, weights and sizes, limits, and bonuses.

    The best breaks are those whose chunks' lengths and bonuses have the highest sum.
    """

    vectors: Vectors
    weights: NDArray[np.float64]
    bonus: NDArray[np.float64]
    """(n + 1,) what a chunk that ends at an edge is worth beside its length."""
    n: int
    totals: NDArray[np.intp]
    """(n + 1,) running sums of the sizes."""
    largest: int
    """What a chunk of more than one unit may measure."""
    least: int
    highest: float
    """No segmentation's sum is over it."""
    first: NDArray[np.intp]
    """(n + 1,) for each end the first start from which a chunk to there fits."""
    narrow: bool
    """Whether few starts are in reach of every end."""
    sums: NDArray[np.float64]
    """(n + 1, d) running sums of the weighted rows; none where it is narrow."""

    def __init__(
        self,
        vectors: Vectors,
        weights: NDArray[np.float64],
        sizes: Sizes,
        limits: Limits,
        bonus: NDArray[np.float64],
    ) -> None:
        self.vectors, self.weights, self.bonus = vectors, weights, bonus
        self.n, self.totals = len(vectors), np.concatenate(([0], np.cumsum(sizes)))
        whole = int(self.totals[-1])  # what is larger than all is as good as one more, which can be added to
        self.largest = whole if limits.max_size is None else min(limits.max_size, whole)
        self.least = min(limits.min_size, whole + 1)
        self.highest = float((lengths_of(vectors) * weights).sum() + bonus.sum())
        ends = np.arange(1, self.n + 1)
        reach = np.searchsorted(self.totals, self.totals[1:] - self.largest)
        self.first = np.concatenate(([0], np.minimum(reach, ends - 1)))
        widest = int((ends - self.first[1:]).max())
        self.narrow = widest <= WIDEST
        self.sums = np.zeros((0, 0)) if self.narrow else window_sums(vectors, weights)
        self._room = (self.n + 1) * (widest + ENDS) <= MOST_LENGTHS
        self._keeps = False
        self._blocks: dict[int, list[NDArray[np.float64]]] = {}

    def keep(self) -> None:
        """Keeps lengths from now on, if there is room: the problem is to be searched more than once."""
        self._keeps = self._room

    def lengths(self, end: int) -> NDArray[np.float64]:
        """The lengths of the sums from every start in reach to before `end`."""
        if not self.narrow:
            rows = self.sums[end] - self.sums[self.first[end] : end]
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
        block, row = divmod(end - 1, ENDS)
        if block not in self._blocks:
            if not self._keeps:
                self._blocks.clear()
            self._blocks[block] = self._measured(1 + block * ENDS)
        return self._blocks[block][row]

    def _measured(self, begin: int) -> list[NDArray[np.float64]]:
        """`lengths` of a block of ends, by a matrix product. Sums are taken from the first start in reach, so that they
        are small and little is lost where squares are subtracted."""
        ends = np.arange(begin, min(begin + ENDS, self.n + 1))
        low = int(self.first[begin])
        near = window_sums(self.vectors[low : ends[-1]], self.weights[low : ends[-1]])
        squares = np.einsum("ij,ij->i", near, near)
        late = ends - low
        apart = squares[late, None] + squares[None] - 2 * products(near[late], near)
        block = np.sqrt(np.maximum(apart, 0))
        return [block[row, self.first[end] - low : end - low] for row, end in enumerate(ends.tolist())]

    def worth(self, breaks: Breaks) -> float:
        """The sum of a segmentation's lengths and bonuses."""
        rows = group_sums(self.vectors, self.weights, np.concatenate(([0], breaks)))
        return float(np.sqrt(np.einsum("ij,ij->i", rows, rows)).sum() + self.bonus[breaks].sum())


def by_penalty(problem: SegmentCosts, penalty: float) -> Breaks:
    """The best breaks where each chunk costs `penalty`; of equals, those with the longest last chunk."""
    penalty = min(penalty, problem.highest + 1)  # over which none is ever earned
    too_small = 2 * (problem.highest + problem.n * penalty) + 1  # more than all else together
    search = _among_few if problem.narrow else _among_many
    back, breaks, end = search(problem, penalty, too_small), list[int](), problem.n
    while back[end] > 0:
        end = int(back[end])
        breaks.append(end)
    return np.array(breaks[::-1], dtype=np.intp)


def _among_few(problem: SegmentCosts, penalty: float, too_small: float) -> NDArray[np.intp]:
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


def _among_many(problem: SegmentCosts, penalty: float, too_small: float) -> NDArray[np.intp]:
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


def nearest(problem: SegmentCosts, wanted: int) -> Breaks:
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


def by_count(problem: SegmentCosts, wanted: int) -> Breaks:
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


def _fewest(problem: SegmentCosts) -> int:
    """The least number of chunks that keeps `max_size`."""
    count = start = 0
    while start < problem.n:
        end = int(np.searchsorted(problem.totals, problem.totals[start] + problem.largest, side="right")) - 1
        start, count = max(end, start + 1), count + 1
    return count
