"""(Vectors, Sizes, Limits) -> Breaks: sentences grow into chunks, then chunks merge, over a short interruption too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.fit import fit
from caesura.cuts.gaps import Adjacent
from caesura.errors import number, whole
from caesura.types import Breaks, Limits, Sizes, Vectors
from caesura.vectors import cosines, window_sums

NOTHING = -np.inf
"""The similarity of a zero row to anything: over no threshold."""
MEASURED = (0.0, 0.15, 0.25)
"""The thresholds that measure best on centred rows, three units being the smallest chunk that nothing is joined to."""


@dataclass(frozen=True, slots=True)
class DoublePassCut:
    """Double-pass merging with a look ahead.

    First pass: a chunk starts where two sentences' similarity is over `initial_threshold`, and grows while the
    similarity of its last two sentences to the next one is over `appending_threshold`. Second pass: a chunk merges with
    the next one where their similarity is over `merging_threshold`, else with the next but one and what lies between
    (up to `look_ahead` chunks further). Both passes go once from left to right, so that the last sentence of a subject
    is often left alone. With `min_units` above 1, neighbours therefore join at last, the most similar first, while
    their similarity is over `merging_threshold`, or, where one of them has fewer than `min_units` units, over
    `leftover_threshold`. Every test is strict, and the size is tested before the similarity. Whatever is then under
    `min_size` joins the neighbour it is nearest to, where that fits.

    `min_units` left out is 3 beside the default thresholds, which were measured with it (`nox -s thresholds`), and 1
    beside any others: that is the published algorithm, and what LlamaIndex's SemanticDoubleMergingSplitterNodeParser
    implements. With ``look_ahead=1``, uncentred, and an embedder whose vectors add up as here, the breaks are the same.

    Similarities are cosines; several sentences stand for the sum of their rows, each by its size. The defaults are
    meant for rows centred on a background.
    """

    initial_threshold: float = MEASURED[0]
    appending_threshold: float = MEASURED[1]
    merging_threshold: float = MEASURED[2]
    look_ahead: int = 1
    min_units: int | None = None
    leftover_threshold: float = 0.05

    def __post_init__(self) -> None:
        for name in ("initial_threshold", "appending_threshold", "merging_threshold", "leftover_threshold"):
            number(name, getattr(self, name), -1, 1)
        whole("look_ahead", self.look_ahead, 0)
        if self.min_units is None:
            given = (self.initial_threshold, self.appending_threshold, self.merging_threshold)
            object.__setattr__(self, "min_units", 3 if given == MEASURED else 1)
        whole("min_units", self.min_units, 1)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        sums = window_sums(vectors, sizes)
        totals = np.concatenate(([0], np.cumsum(sizes))).tolist()
        largest = totals[-1] if limits.max_size is None else limits.max_size
        starts = self._grow(vectors, sums, totals, largest)
        starts = self._merge(starts, sums, totals, largest)
        if self.min_units is not None and self.min_units > 1:
            from caesura.cuts.leftovers import join_leftovers  # so that what is loaded first stays small

            starts = join_leftovers(
                starts, sums, totals, largest, self.min_units, self.leftover_threshold, self.merging_threshold
            )
        breaks = np.array(starts[1:], dtype=np.intp)
        if limits.min_size:
            breaks = fit(breaks, Adjacent()(vectors, sizes), sizes, limits)
        return breaks

    def _grow(self, vectors: Vectors, sums: NDArray[np.float64], totals: list[int], largest: int) -> list[int]:
        """First pass -> the first unit of each chunk."""
        starting = (cosines(vectors[:-1], vectors[1:], NOTHING) > self.initial_threshold).tolist()
        last_two = sums[2:-1] - sums[:-3] if len(vectors) > 2 else sums[:0]
        growing = [False, *(cosines(last_two, vectors[2:], NOTHING) > self.appending_threshold).tolist()]
        starts = [0]
        for unit in range(1, len(vectors)):
            alone = unit - starts[-1] == 1
            similar = starting[unit - 1] if alone else growing[unit - 1]
            if not similar or totals[unit + 1] - totals[starts[-1]] > largest:
                starts.append(unit)
        return starts

    def _merge(self, starts: list[int], sums: NDArray[np.float64], totals: list[int], largest: int) -> list[int]:
        """Second pass: first units of chunks -> first units of merged chunks."""
        ends = [*starts[1:], len(totals) - 1]
        rows = sums[ends] - sums[starts]
        steps = range(1, self.look_ahead + 2)
        near = [(cosines(rows[:-step], rows[step:], NOTHING) > self.merging_threshold).tolist() for step in steps]
        merged, last = [0], 0
        while last + 1 < len(starts):
            alone = merged[-1] == starts[last]
            current = sums[ends[last]] - sums[merged[-1]]
            partner = None
            for step, chunk in zip(steps, range(last + 1, len(starts)), strict=False):
                if totals[ends[chunk]] - totals[merged[-1]] > largest:
                    break
                if near[step - 1][last] if alone else _similarity(current, rows[chunk]) > self.merging_threshold:
                    partner = chunk
                    break
            last = last + 1 if partner is None else partner
            if partner is None:
                merged.append(starts[last])
        return merged


def _similarity(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / norm if norm > 0 else NOTHING
