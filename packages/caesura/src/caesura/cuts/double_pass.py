"""Double-pass cut: sentences grow into chunks in a first pass, and chunks merge in a second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int, check_number
from caesura.cuts import CONFIDENCE, HALF_WEIGHT, MOST, MOST_SURE, STRUCTURE, Setting
from caesura.cuts.limits.fit import fit
from caesura.types import Breaks, Limits, Sizes, Structure, Vectors
from caesura.vectors import BLOCK, PIECE, CentredRows, centre, cosines_of, group_sums, reliability_weights

LOOK_AHEAD = 1
"""The default of `DoublePassCut`, which the plugins and the lab read here; measured with its thresholds."""
WINDOW = BLOCK // 4
"""Chunks that are looked at together in the second pass; they may be of several units each."""
NOTHING = -np.inf
"""The similarity of a zero row to anything: over no threshold."""


def grow(
    rows: NDArray[Any],
    sizes: Sizes | None,
    totals: list[int],
    largest: int,
    initial: float,
    appending: float,
    bonus: NDArray[np.float64],
) -> list[int]:
    """First pass: units -> the first unit of each chunk.

    sizes: None where the rows are those by their sizes. totals: running sums of the sizes; then two thresholds. bonus:
    (n + 1,) what the text takes off each similarity.
    """
    starting: list[bool] = []
    growing, count = [False], len(totals) - 1
    for low in range(0, count - 1, PIECE):
        some = slice(low, low + PIECE + 2)
        part = rows[some] if sizes is None else rows[some].astype(np.float64) * sizes[some, None]
        squares = np.einsum("ij,ij->i", part, part)
        next_one = np.einsum("ij,ij->i", part[:-1], part[1:])
        next_two = np.einsum("ij,ij->i", part[:-2], part[2:])
        near = cosines_of(next_one, squares[:-1], squares[1:], NOTHING)[:PIECE]
        starting += (near - bonus[low + 1 : low + 1 + len(near)] > initial).tolist()
        last_two = squares[:-2] + squares[1:-1] + 2 * next_one[:-1]
        longer = cosines_of(next_two + next_one[1:], np.maximum(last_two, 0), squares[2:], NOTHING)
        growing += (longer - bonus[low + 2 : low + 2 + len(longer)] > appending).tolist()
    starts = [0]
    for unit in range(1, count):
        alone = unit - starts[-1] == 1
        similar = starting[unit - 1] if alone else growing[unit - 1]
        if not similar or totals[unit + 1] - totals[starts[-1]] > largest:
            starts.append(unit)
    return starts


def merge(
    starts: list[int],
    rows: NDArray[Any],
    sizes: Sizes | None,
    totals: list[int],
    largest: int,
    merging: float,
    look_ahead: int,
    bonus: NDArray[np.float64],
) -> list[int]:
    """Second pass: first units of chunks -> first units of merged chunks. merging: its threshold; else see `grow`."""
    ends = [*starts[1:], len(totals) - 1]
    steps = range(1, min(look_ahead, len(starts)) + 2)

    @lru_cache(maxsize=2)
    def summed(window: int) -> NDArray[np.float64]:
        """The summed rows of `WINDOW` chunks, and of those that are looked ahead to."""
        chunks = slice(window * WINDOW, min((window + 1) * WINDOW + steps[-1], len(starts)))
        first, end = starts[chunks.start], ends[chunks.stop - 1]
        own = None if sizes is None else sizes[first:end]
        return group_sums(rows[first:end], own, np.array(starts[chunks]) - first)

    def row(chunk: int) -> NDArray[np.float64]:
        found: NDArray[np.float64] = summed(chunk // WINDOW)[chunk % WINDOW]
        return found

    edges, firsts, lasts = bonus[starts], np.array(totals)[starts], np.array(totals)[ends]
    partners: list[int] = []  # for a chunk that has joined none: how far ahead the one is that it joins, or 0
    for window in range(-(-len(starts) // WINDOW)):
        nearest = np.zeros(min(WINDOW, len(starts) - window * WINDOW), np.intp)
        squares = np.einsum("ij,ij->i", found := summed(window), found)
        for step in reversed(steps):
            products = np.einsum("ij,ij->i", found[:-step], found[step:])
            similarities = cosines_of(products, squares[:-step], squares[step:], NOTHING)[:WINDOW]
            chunks = window * WINDOW + np.arange(len(similarities))
            fits = lasts[chunks + step] - firsts[chunks] <= largest
            nearest[np.flatnonzero(fits & (similarities - edges[chunks + step] > merging))] = step
        partners += nearest.tolist()
    merged, first, last = [0], 0, 0
    current = row(0)
    while last + 1 < len(starts):
        partner = last if first != last else last + partners[last]
        for chunk in range(last + 1, min(last + 1 + len(steps), len(starts))) if first != last else ():
            if totals[ends[chunk]] - totals[merged[-1]] > largest:
                break
            if _similarity(current, row(chunk)) - edges[chunk] > merging:
                partner = chunk
                break
        if partner == last:
            first = last = last + 1
            merged.append(starts[first])
        else:
            current = sum(map(row, range(last + 1, partner + 1)), row(first) if first == last else current)
            last = partner
    return merged


def _similarity(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    norm = sqrt(float(a.dot(a)) * float(b.dot(b)))
    return min(float(a.dot(b)) / norm, 1.0) if norm > 0 else NOTHING


@dataclass(frozen=True, slots=True)
class DoublePassCut:
    """Double-pass merging with a look ahead, and no chunk left over.

    Both passes go once from left to right, so that the last sentence of a subject is often left alone. At last,
    therefore, neighbours join while chance explains their difference, see `OptimalCut`, and while they are alike. Every
    test is strict, and the size is tested before the similarity. Whatever is then under `min_size` joins the neighbour
    it is nearest to, where that fits.

    ``DoublePassCut(confidence=None, structure=0)`` is the published algorithm, and what LlamaIndex has under the name
    double merging. With ``look_ahead=1``, uncentred, and an embedder whose vectors add up as here, the breaks are the
    same.

    Similarities are cosines; several sentences stand for the sum of their rows, each by its size. The defaults are
    meant for rows centred on a background; with a confidence, what all sentences share is taken off too.
    """

    initial_threshold: Annotated[
        float, Setting("A chunk starts where the similarity of two sentences is over it.", decides=True)
    ] = 0.1
    appending_threshold: Annotated[
        float,
        Setting("A chunk grows while its last two sentences' similarity to the next is over it.", decides=True),
    ] = 0.2
    merging_threshold: Annotated[
        float, Setting("Two chunks merge where their similarity is over it.", decides=True)
    ] = 0.3
    look_ahead: Annotated[int, Setting("How many chunks a merge may reach over.")] = LOOK_AHEAD
    confidence: Annotated[
        float | None,
        Setting(
            "How sure a cut has to be: at 0.95, about one text in ten is cut whose sentences were shuffled; None: what "
            "the passes leave over stands."
        ),
    ] = CONFIDENCE
    structure: Annotated[
        float,
        Setting(
            "What a paragraph's end takes off the gain that a cut needs, and a third of it off a similarity across it; "
            "a line end half of it, a heading twice."
        ),
    ] = STRUCTURE
    windowed: ClassVar[bool] = True

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
        """`__call__`, with what the text itself shows at each gap."""
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        # here, so that `import caesura` does not wait for what cutting needs
        from caesura.cuts.scores.noise import Noise, edge_bonus
        from caesura.cuts.search.merge_tree import Grouping
        from caesura.cuts.search.short_documents import is_short, pass_twice, runs_of

        bonus = edge_bonus(structure, self.structure)
        totals = np.concatenate(([0], np.cumsum(sizes))).tolist()
        largest = totals[-1] if limits.max_size is None else limits.max_size
        apart, rows, weights = bonus / 3, vectors, reliability_weights(sizes, HALF_WEIGHT)
        noise = None if self.confidence is None else Noise.of(vectors, weights)
        if noise is not None:
            rows = cast(Vectors, CentredRows(vectors, noise.mean_row))
            if len(vectors) <= BLOCK:
                centre(rows := vectors[:].copy(), noise.mean_row)
        if is_short(vectors) and sizes.all():
            runs = runs_of(rows[:].astype(np.float64) * sizes[:, None])
            thresholds = self.initial_threshold, self.appending_threshold, self.merging_threshold
            starts = pass_twice(runs, totals, largest, thresholds, self.look_ahead, apart.tolist())
        else:
            given: tuple[NDArray[Any], Sizes | None] = rows, sizes
            if len(vectors) <= BLOCK:  # both passes weigh them at once
                given = rows[:].astype(np.float64) * sizes[:, None].astype(np.float64), None
            starts = grow(*given, totals, largest, self.initial_threshold, self.appending_threshold, apart)
            starts = merge(starts, *given, totals, largest, self.merging_threshold, self.look_ahead, apart)
        breaks = np.array(starts[1:], dtype=np.intp)
        if self.confidence is not None and noise is not None:
            groups = Grouping(vectors, weights, sizes, noise, limits.max_size)
            breaks = groups.settled(breaks, self.confidence, bonus)
        if limits.min_size:
            from caesura.cuts.scores.gaps import Adjacent

            breaks = fit(breaks, Adjacent()(vectors, sizes), sizes, limits)
        return breaks
