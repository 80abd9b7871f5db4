"""Rows, weights, sizes and limits of a text -> the chunks that fit, and how long the sums of their rows are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.arithmetic import group_sums, window_sums
from caesura.cuts.search.products import lengths_of, products
from caesura.types import Breaks, Limits, Sizes, Vectors

WIDEST, BLOCK, MOST_LENGTHS = 512, 32, 2**24
"""So many starts in reach of an end are few; so many ends are measured at a time; so many lengths kept: 128 MB."""


class Problem:
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
        self.vectors, self.weights, self.bonus, self.least = vectors, weights, bonus, limits.min_size
        self.n, self.totals = len(vectors), np.concatenate(([0], np.cumsum(sizes)))
        self.largest = int(self.totals[-1]) if limits.max_size is None else limits.max_size
        self.highest = float((lengths_of(vectors) * weights).sum() + bonus.sum())
        ends = np.arange(1, self.n + 1)
        reach = np.searchsorted(self.totals, self.totals[1:] - self.largest)
        self.first = np.concatenate(([0], np.minimum(reach, ends - 1)))
        widest = int((ends - self.first[1:]).max())
        self.narrow = widest <= WIDEST
        self.sums = np.zeros((0, 0)) if self.narrow else window_sums(vectors, weights)
        self._room = (self.n + 1) * (widest + BLOCK) <= MOST_LENGTHS
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

    def worth(self, breaks: Breaks) -> float:
        """The sum of a segmentation's lengths and bonuses."""
        rows = group_sums(self.vectors, self.weights, np.concatenate(([0], breaks)))
        return float(np.sqrt(np.einsum("ij,ij->i", rows, rows)).sum() + self.bonus[breaks].sum())
