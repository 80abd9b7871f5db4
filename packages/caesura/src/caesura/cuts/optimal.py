"""Optimal cut: the best segmentation of the whole text, by dynamic programming."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from caesura.checks import check_int, check_number
from caesura.cuts.search import PENALTY, SegmentCosts, by_count, by_penalty, nearest
from caesura.errors import SettingError
from caesura.types import Breaks, Limits, Sizes, Structure, Vectors
from caesura.vectors import HALF_WEIGHT, MOST, reliability_weights

STRUCTURE = 0.3
"""The default share of the penalty that a paragraph's end takes off, which the plugins and the lab use too."""


@dataclass(frozen=True, slots=True)
class OptimalCut:
    """The segmentation that maximises the summed lengths of its chunks' vectors, less `penalty` for each chunk.

    A chunk's vector is the sum of its units' unit rows: the longer, the more its units agree. Splitting a chunk never
    shortens the sum, so each chunk has to earn the penalty. Of all segmentations within the limits it returns the best:
    of those with the fewest chunks under `min_size`, the one with the highest sum.

    penalty: what a chunk must gain, in rows; 1.25 if none of the three is given. Less makes smaller chunks.
    n_chunks: the best segmentation into so many chunks, or as near a number as the limits allow. By a table, whose time
    grows with chunks times units (0.3 s and 50 MB at its largest). A larger one (chunks times units times units in
    reach over 2**26: 400 chunks of 10,000 sentences) is not made: time and memory are linear, the number is the same
    where there is no `min_size`, and all chunks but one are those of the best segmentation at some penalty.
    target_size: the penalty whose number of chunks is nearest to that of chunks of this size.
    structure: what the end of a paragraph takes off the penalty; the end of a line half of it, a heading (``#``,
    ``<h1>``, ``\\section``) twice. Only a Splitter knows where those are.
    half_weight: how much short units count, see `reliability_weights`.

    Time is linear in the number of units for a given `max_size`, and without one where subjects change: a start that a
    later start has overtaken never comes back (Killick, Fearnhead and Eckley's PELT), for the length of a sum is never
    over the sum of the lengths. Without one, and on one subject, it grows with the square: 10,000 units take 16 s.
    """

    penalty: float | None = None
    n_chunks: int | None = None
    target_size: int | None = None
    structure: float = STRUCTURE
    half_weight: float = HALF_WEIGHT
    windowed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("penalty", "n_chunks", "target_size")}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) > 1:
            raise SettingError(f"penalty, n_chunks and target_size exclude one another: give one of them, got {given}")
        check_number("penalty", PENALTY if self.penalty is None else self.penalty, 0, inf)
        for name in ("n_chunks", "target_size"):
            check_int(name, 1 if getattr(self, name) is None else getattr(self, name), 1)
        check_number("structure", self.structure, 0, MOST)
        check_number("half_weight", self.half_weight, 0, MOST)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.within(vectors, sizes, limits, np.zeros(max(len(sizes) - 1, 0)))

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks:
        """`__call__`, with what the text itself shows at each gap."""
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        weights = reliability_weights(sizes, self.half_weight)
        bonus = self.structure * np.concatenate(([0], structure, [0]))
        problem = SegmentCosts(vectors, weights, sizes, limits, bonus)
        if self.n_chunks is not None:
            return by_count(problem, self.n_chunks)
        if self.target_size is not None:
            return nearest(problem, max(1, round(int(problem.totals[-1]) / self.target_size)))
        return by_penalty(problem, PENALTY if self.penalty is None else self.penalty)
