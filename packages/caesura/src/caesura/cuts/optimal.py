"""Optimal cut: the best segmentation of the whole text, by dynamic programming."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Annotated

import numpy as np

from caesura.checks import check_int, check_number
from caesura.cuts import CONFIDENCE, HALF_WEIGHT, MOST, MOST_SURE, STRUCTURE, Setting
from caesura.cuts.scores.noise import Noise, edge_bonus, reliability_weights
from caesura.cuts.search.dynamic_programme import SegmentCosts, by_chance, by_count, by_penalty
from caesura.cuts.search.merge_tree import Grouping
from caesura.errors import SettingError
from caesura.types import Breaks, Limits, Sizes, Structure, Vectors


@dataclass(frozen=True, slots=True)
class OptimalCut:
    """The segmentation whose chunks gain most, where each has to gain more than chance would.

    A chunk gains the squared length of the sum of its units' rows, less the document's mean, over their number: the
    more, the more its units agree. In a text without any order some segmentation always gains more than none, so what a
    chunk has to gain is judged by the document's own rows: by what they gain by chance, how much that varies, and how
    long the chunks are. Of all segmentations within the limits it returns the best: of those with the fewest chunks
    under `min_size`, the one with the highest sum. Neighbours whose sums have a cosine over 0.2 then join: they are on
    one subject, however surely they differ. With a penalty or a number of chunks, none join.

    The best segmentation into ``n_chunks`` is found by a table, whose time grows with chunks times units (0.3 s and
    50 MB at its largest). A larger table (chunks times units times units in reach over 2**26: 400 chunks of 10,000
    sentences) is not made: time and memory are linear, the number is the same where there is no `min_size`, and all
    chunks but one are those of the best segmentation at some penalty.

    Time is linear in the number of units for a given `max_size`, and without one where subjects change: a start that a
    later start has overtaken never comes back (Killick, Fearnhead and Eckley's PELT), for a chunk hardly gains more
    than its parts. On one subject alone it grows with the square: 10,000 sentences without `max_size` take 27 s.
    """

    confidence: Annotated[
        float,
        Setting(
            "How sure it must be that a cut is not chance: at 0.95, about one text in twenty is still cut if its "
            "sentences are shuffled."
        ),
    ] = CONFIDENCE
    penalty: Annotated[
        float | None,
        Setting("What each chunk must gain, instead of what chance explains. Less makes smaller chunks.", decides=True),
    ] = None
    n_chunks: Annotated[
        int | None,
        Setting("The number of chunks, or the nearest that the limits allow.", decides=True),
    ] = None
    structure: Annotated[
        float,
        Setting("What a paragraph's end takes off the penalty. A line's end takes half as much, a heading twice."),
    ] = STRUCTURE
    half_weight: Annotated[
        float, Setting("A sentence of this share of the mean size counts half. 0: all count the same.")
    ] = HALF_WEIGHT

    def __post_init__(self) -> None:
        if self.penalty is not None and self.n_chunks is not None:
            raise SettingError(
                f"penalty and n_chunks exclude one another: give one of them, got penalty={self.penalty!r} and "
                f"n_chunks={self.n_chunks!r}"
            )
        check_number("confidence", self.confidence, 0, MOST_SURE)
        if self.penalty is not None:
            check_number("penalty", self.penalty, 0, inf)
        if self.n_chunks is not None:
            check_int("n_chunks", self.n_chunks, 1)
        check_number("structure", self.structure, 0, MOST)
        check_number("half_weight", self.half_weight, 0, MOST)

    @property
    def chunk_count(self) -> int | None:
        """The number of chunks that it was given."""
        return self.n_chunks

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.within(vectors, sizes, limits, np.zeros(max(len(sizes) - 1, 0)))

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks:
        """The same as `__call__`, with what the text itself shows at each gap."""
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        weights, bonus = reliability_weights(sizes, self.half_weight), edge_bonus(structure, self.structure)
        noise = Noise.of(vectors, weights)
        weighted = noise.weighted(vectors, weights)
        problem = SegmentCosts(weighted, weights, sizes, limits, bonus, noise)
        if self.n_chunks is not None:
            return by_count(problem, self.n_chunks)
        if self.penalty is not None:
            return by_penalty(problem, self.penalty)
        breaks = by_chance(problem, self.confidence)
        if not len(breaks):
            return breaks
        return Grouping(weighted, weights, sizes, noise, limits.max_size).join_alike(breaks)
