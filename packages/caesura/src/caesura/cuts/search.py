"""Rows, weights, sizes and limits -> the best segmentation, by penalty, by target size or by number of chunks.

Dynamic programming from left to right: what a text is worth up to an end is the best over the last chunk's starts of
what it is worth up to there, and the length of the sum from there.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from caesura.types import Breaks, Limits, Sizes, Vectors
from caesura.vectors import group_sums, lengths_of, products, window_sums

PENALTY = 1.25
MOST_CELLS = 2**27
"""The largest table for a number of chunks: 12 bytes a cell."""
TRIALS = 40
"""Of penalties, for a target size. A fourth of them is seldom needed."""
WIDEST, BLOCK, MOST_LENGTHS = 512, 32, 2**24
"""So many starts in reach of an end are few; so many ends are measured at a time; so many lengths kept: 128 MB."""


class Search:
    """Rows, their weights and sizes, the limits of one text, and what each edge adds -> the best breaks."""

    vectors: Vectors
    weights: NDArray[np.float64]
    bonus: NDArray[np.float64]
    least: int
    highest: float
    """No segmentation's sum is over it."""
    first: NDArray[np.intp]
    """(n + 1,) for each end the first start from which a chunk to there fits."""

    def __init__(
        self,
        vectors: Vectors,
        weights: NDArray[np.float64],
        sizes: Sizes,
        limits: Limits,
        bonus: NDArray[np.float64],
    ) -> None:
        self.vectors, self.weights, self.bonus, self.least = vectors, weights, bonus, limits.min_size
        self.totals: NDArray[np.intp] = np.concatenate(([0], np.cumsum(sizes)))
        self.largest: int = int(self.totals[-1]) if limits.max_size is None else limits.max_size
        self.highest = float((lengths_of(vectors) * weights).sum() + bonus.sum())
        self.n: int = len(vectors)
        ends = np.arange(1, self.n + 1)
        reach = np.searchsorted(self.totals, self.totals[1:] - self.largest)
        self.first = np.concatenate(([0], np.minimum(reach, ends - 1)))
        widest = int((ends - self.first[1:]).max())
        self.narrow: bool = widest <= WIDEST
        self._room: bool = (self.n + 1) * (widest + BLOCK) <= MOST_LENGTHS
        self.sums: NDArray[np.float64] = np.zeros((0, 0)) if self.narrow else window_sums(vectors, weights)
        self._blocks: dict[int, list[NDArray[np.float64]]] = {}
        self._keeps = False  # what is searched more than once, if there is room

    def lengths(self, end: int) -> NDArray[np.float64]:
        """The lengths of the sums from every start in reach to before `end`."""
        if not self.narrow:
            rows = self.sums[end] - self.sums[self.first[end] : end]
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
        block, row = divmod(end - 1, BLOCK)
        if block not in self._blocks:
            if not self._keeps:
                self._blocks.clear()
            self._blocks[block] = self._measured(1 + block * BLOCK)
        return self._blocks[block][row]

    def _measured(self, begin: int) -> list[NDArray[np.float64]]:
        """`lengths` of a block of ends, by a matrix product. Sums are taken from the first start in reach, so that they
        are small and little is lost where squares are subtracted."""
        ends = np.arange(begin, min(begin + BLOCK, self.n + 1))
        low = int(self.first[begin])
        near = window_sums(self.vectors[low : ends[-1]], self.weights[low : ends[-1]])
        squares = np.einsum("ij,ij->i", near, near)
        late = ends - low
        apart = squares[late, None] + squares[None] - 2 * products(near[late], near)
        block = np.sqrt(np.maximum(apart, 0))
        return [block[row, self.first[end] - low : end - low] for row, end in enumerate(ends.tolist())]

    def by_penalty(self, penalty: float) -> Breaks:
        """The best breaks where each chunk costs `penalty`; of equals, those with the longest last chunk."""
        penalty = min(penalty, self.highest + 1)  # over which none is ever earned
        return self._among_few(penalty) if self.narrow else self._among_many(penalty)

    def _among_few(self, penalty: float) -> Breaks:
        """Few starts are in reach of an end: all of them are looked at."""
        n, totals = self.n, self.totals
        too_small = 2 * (self.highest + n * penalty) + 1  # more than all else together
        best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
        bonus, firsts = (self.bonus - penalty).tolist(), self.first.tolist()
        large = np.searchsorted(totals, totals - self.least, side="right").tolist()
        for end in range(1, n + 1):
            first = firsts[end]
            values = best[first:end] + self.lengths(end)
            if self.least:
                values[max(large[end] - first, 0) :] -= too_small
            chosen = int(values.argmax())
            best[end], back[end] = values[chosen] + bonus[end], first + chosen
        return _trace(back)

    def _among_many(self, penalty: float) -> Breaks:
        """Many starts are in reach: those that a later one has overtaken are left out."""
        n, sums, totals = self.n, self.sums, self.totals
        too_small = 2 * (self.highest + n * penalty) + 1  # more than all else together
        best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
        starts, overtaken = np.zeros(1, np.intp), np.full(1, inf)  # and the total from which on a later start is better
        for end in range(1, n + 1):
            kept = (totals[end] - totals[starts] <= self.largest) & (overtaken > totals[end])
            kept[-1] = True  # one unit is a chunk, however large
            starts, overtaken = starts[kept], overtaken[kept]
            rows = sums[end] - sums[starts]
            reached = best[starts] + np.sqrt(np.einsum("ij,ij->i", rows, rows))
            values = reached - penalty
            if self.least:
                values = values - too_small * (totals[end] - totals[starts] < self.least)
            chosen = int(values.argmax())
            best[end], back[end] = values[chosen] + self.bonus[end], starts[chosen]
            overtaken = np.where(reached <= best[end], np.minimum(overtaken, totals[end] + self.least), overtaken)
            starts, overtaken = np.append(starts, end), np.append(overtaken, inf)
        return _trace(back)

    def by_size(self, target: int) -> Breaks:
        """The breaks whose number of chunks is nearest to that of chunks of the target size, over all penalties."""
        return self._nearest(max(1, round(int(self.totals[-1]) / target)))

    def _nearest(self, wanted: int) -> Breaks:
        """The breaks whose number of chunks is nearest to `wanted`, over all penalties.

        Between a penalty that gives too many and one that gives too few, the next to try is where both are worth the
        same: there a number between them is best, or none is at any penalty.
        """
        self._keeps = self._room
        many = few = None
        breaks, penalty = self.by_penalty(PENALTY), PENALTY
        for _ in range(TRIALS):
            made = len(breaks) + 1
            if made == wanted or (penalty > self.highest if made > wanted else not penalty):
                return breaks
            if made > wanted:
                many = breaks
            else:
                few = breaks
            if many is not None and few is not None:
                penalty = (self.worth(many) - self.worth(few)) / (len(many) - len(few))
            else:
                penalty = 0.0 if penalty < 1e-3 else penalty / 4 if many is None else penalty * 2
            breaks = self.by_penalty(max(penalty, 0.0))
            if many is not None and few is not None and len(breaks) in (len(many), len(few)):
                break
        ends = [found for found in (few, many, breaks) if found is not None]
        return min(ends, key=lambda found: abs(len(found) + 1 - wanted))

    def worth(self, breaks: Breaks) -> float:
        """The summed lengths and bonuses of a segmentation, without penalties."""
        rows = group_sums(self.vectors, self.weights, np.concatenate(([0], breaks)))
        return float(np.sqrt(np.einsum("ij,ij->i", rows, rows)).sum() + self.bonus[breaks].sum())

    def by_count(self, wanted: int) -> Breaks:
        """The best breaks into so many chunks, or the nearest number that the limits and the units allow; where the
        table is too large, the nearest that a penalty gives."""
        n = self.n
        count = min(max(wanted, self._fewest()), n)
        if n * count > MOST_CELLS:
            return self._nearest(count)
        too_small = 2 * self.highest + 1
        best, back = np.full((n + 1, count + 1), -inf), np.zeros((n + 1, count + 1), np.int32)
        best[0, 0] = 0
        for end in range(1, n + 1):
            start, gains = int(self.first[end]), self.lengths(end)
            if self.least:
                gains = gains - too_small * (self.totals[end] - self.totals[start:end] < self.least)
            values = best[start:end, :-1] + gains[:, None]
            chosen = values.argmax(axis=0)
            best[end, 1:] = values[chosen, np.arange(count)] + self.bonus[end]
            back[end, 1:] = start + chosen
        if self.least:
            small = np.round(-best[n, 1:] / too_small)
            small[: self._fewest() - 1] = inf
            count = 1 + int(np.flatnonzero(small == small.min())[-1])
        breaks, end = np.zeros(count, np.intp), n
        for chunk in range(count, 0, -1):
            end = breaks[chunk - 1] = back[end, chunk]
        return breaks[1:]

    def _fewest(self) -> int:
        """The least number of chunks that keeps `max_size`."""
        count = start = 0
        while start < len(self.totals) - 1:
            end = int(np.searchsorted(self.totals, self.totals[start] + self.largest, side="right")) - 1
            start, count = max(end, start + 1), count + 1
        return count


def _trace(back: NDArray[np.intp]) -> Breaks:
    """For each end the start of its last chunk -> the breaks."""
    breaks, end = [], len(back) - 1
    while back[end] > 0:
        end = int(back[end])
        breaks.append(end)
    return np.array(breaks[::-1], dtype=np.intp)
