"""Which neighbours join, in which order, and how far apart they were -> the breaks at any number of chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.arithmetic import window_sums
from caesura.types import Breaks, Vectors


@dataclass(frozen=True, slots=True, eq=False)
class Merges:
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
        done = self.order[: len(self.weights) - chunks]
        return np.setdiff1d(np.arange(1, len(self.weights), dtype=np.intp), done, assume_unique=True)

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
