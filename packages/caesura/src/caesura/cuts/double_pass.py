"""Double-pass cut: sentences grow into chunks in a first pass, and chunks merge in a second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int, check_number
from caesura.cuts import CONFIDENCE, HALF_WEIGHT, MOST, MOST_SURE, STRUCTURE, Setting
from caesura.cuts.limits.fit import fit
from caesura.types import Breaks, Limits, Sizes, Structure, Vectors
from caesura.vectors import (
    NEAR_ZERO,
    PIECE,
    are_zero,
    cosine,
    cosine_list,
    group_sums,
    row_products,
)

NOTHING = -np.inf
"""The similarity of a zero row to anything. It is under every threshold."""


@dataclass(frozen=True, slots=True)
class _Units:
    """The n units of a document, as both passes read them."""

    rows: NDArray[np.float32]
    """(n, d) their rows."""
    shares: NDArray[np.float64]
    """(n,) what each row is multiplied by in a sum; 0 for a row that is similar to nothing."""
    totals: list[int]
    """(n + 1,) running sums of the sizes."""
    largest: int
    """The most that a chunk of more than one unit may measure."""
    bonus: NDArray[np.float64]
    """(n + 1,) what a paragraph or line end at each edge takes off the similarity across it."""


def grow_chunks(units: _Units, initial: float, appending: float) -> list[int]:
    """First pass: units and two thresholds -> the first unit of each chunk."""
    starting, growing = list[float](), [NOTHING]  # how similar each unit is to the one before, and to those two
    for low in range(0, len(units.rows) - 1, PIECE):
        part, own = units.rows[low : low + PIECE + 2].astype(np.float64), units.shares[low : low + PIECE + 2]
        squares = row_products(part, part) * own * own
        next_one = row_products(part[:-1], part[1:]) * own[:-1] * own[1:]
        next_two = row_products(part[:-2], part[2:]) * own[:-2] * own[2:]
        starting += cosine_list(next_one, squares[:-1], squares[1:], NOTHING)[:PIECE]
        last_two = np.maximum(squares[:-2] + squares[1:-1] + 2 * next_one[:-1], 0)
        growing += cosine_list(next_two + next_one[1:], last_two, squares[2:], NOTHING)
    starts, first, totals = [0], 0, units.totals
    for unit, bonus in enumerate(units.bonus[1:-1].tolist(), 1):
        alike = starting[unit - 1] - bonus > initial if unit - first == 1 else growing[unit - 1] - bonus > appending
        if not alike or totals[unit + 1] - totals[first] > units.largest:
            starts.append(first := unit)
    return starts


def merge_chunks(units: _Units, starts: list[int], merging: float, look_ahead: int) -> list[int]:
    """Second pass: the first units of chunks, and a threshold -> the first units of merged chunks."""
    sums = group_sums(units.rows, np.array(starts), units.shares)
    ends = [*(units.totals[start] for start in starts), units.totals[-1]]
    squares, ahead = row_products(sums, sums), list[list[float]]()  # how similar each is to the next, the second, …
    merged, after, count, bonus = list[int](), 0, len(starts), units.bonus[starts].tolist()
    while after < count:
        first = chunk = after
        after, grown = first + 1, None
        merged.append(starts[first])
        while (chunk := chunk + 1) < count and chunk <= after + look_ahead:
            if ends[chunk + 1] - ends[first] > units.largest:
                break
            step = chunk - first
            if grown is not None:
                alike = _similarity(grown, sums[chunk])
            else:
                if len(ahead) < step:
                    products = row_products(sums[:-step], sums[step:])
                    ahead.append(cosine_list(products, squares[:-step], squares[step:], NOTHING))
                alike = ahead[step - 1][first]
            if alike - bonus[chunk] > merging:
                grown = reduce(add, sums[after : chunk + 1], sums[first] if grown is None else grown)
                after = chunk + 1
    return merged


def _similarity(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The cosine of two rows, `NOTHING` if one is zero."""
    return cosine(float(a.dot(b)), float(a.dot(a)), float(b.dot(b)), NOTHING)


@dataclass(frozen=True, slots=True)
class DoublePassCut:
    """Double-pass merging with a look ahead, and no chunk left over.

    Both passes go once from left to right, which often leaves the last sentence of a subject alone. A last step
    therefore joins neighbours while chance explains their difference (see `OptimalCut`). Then it joins neighbours whose
    summed rows have a cosine of at least 0.2. Every comparison of the two passes with a threshold is >, not >=. The
    size is tested before the similarity. At the end, a chunk under `min_size` joins the more similar neighbour that it
    fits with.

    ``DoublePassCut(confidence=None, structure=0)`` is the published algorithm, which LlamaIndex calls double merging.
    The breaks are the same as LlamaIndex's with ``look_ahead=1``, rows that are not centred, and an embedder for which
    a text's vector is the sum of its sentences'.

    Similarities are cosines. Several sentences stand for the sum of their rows, each times its size. The defaults are
    meant for rows centred on a background. With a confidence, the document's mean row is subtracted too.
    """

    initial_threshold: Annotated[
        float, Setting("A chunk starts if two sentences are more similar than this.", decides=True)
    ] = 0.1
    appending_threshold: Annotated[
        float,
        Setting("A chunk grows while its last two sentences and the next are more similar than this.", decides=True),
    ] = 0.2
    merging_threshold: Annotated[
        float, Setting("Two chunks merge if they are more similar than this.", decides=True)
    ] = 0.3
    look_ahead: Annotated[int, Setting("How many chunks may lie between two that merge.")] = 1
    confidence: Annotated[
        float | None,
        Setting(
            "How sure it must be that a cut is not chance: at 0.95, about one text in ten is still cut if its "
            "sentences are shuffled. None: the two passes decide alone."
        ),
    ] = CONFIDENCE
    structure: Annotated[
        float,
        Setting(
            "How much less a cut must gain at a paragraph's end. A line's end counts half as much, a heading twice. "
            "Similarities across the end are lowered by a third of this."
        ),
    ] = STRUCTURE

    def __post_init__(self) -> None:
        for name in ("initial_threshold", "appending_threshold", "merging_threshold"):
            check_number(name, getattr(self, name), -1, 1)
        check_int("look_ahead", self.look_ahead, 0)
        if self.confidence is not None:
            check_number("confidence", self.confidence, 0, MOST_SURE)
        check_number("structure", self.structure, 0, MOST)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.within(vectors, sizes, limits, np.zeros(max(len(sizes) - 1, 0)))

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks:
        """Does the same as `__call__`. structure: what the text itself shows at each gap."""
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        # here, so that `import caesura` does not wait for what cutting needs
        from caesura.cuts.scores.noise import Noise, edge_bonus, reliability_weights
        from caesura.cuts.search.merge_tree import Grouping

        weights = reliability_weights(sizes, HALF_WEIGHT)
        bonus = edge_bonus(structure, self.structure)
        noise = None if self.confidence is None else Noise.of(vectors, weights)
        totals = [*accumulate(sizes.tolist(), initial=0)]
        largest = totals[-1] if limits.max_size is None else limits.max_size
        rows, shares = vectors, sizes.astype(np.float64)
        if noise is not None:
            rows = noise.weighted(vectors, weights)
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            lengths[are_zero(vectors) | (lengths <= NEAR_ZERO * weights)] = np.inf  # is similar to nothing
            shares /= lengths
        units = _Units(rows, shares, totals, largest, bonus / 3)
        starts = grow_chunks(units, self.initial_threshold, self.appending_threshold)
        starts = merge_chunks(units, starts, self.merging_threshold, self.look_ahead)
        breaks = np.array(starts[1:], dtype=np.intp)
        if noise is not None and self.confidence is not None:
            groups = Grouping(rows, weights, sizes, noise, limits.max_size)
            breaks = groups.join_by_chance(breaks, self.confidence, bonus)
        if limits.min_size:
            from caesura.cuts.scores.gaps import ADJACENT

            breaks = fit(breaks, ADJACENT(vectors, sizes), sizes, limits)
        return breaks
