"""(Vectors, Sizes, Limits) -> Breaks: sentences grow into chunks, then chunks merge, over a short interruption too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caesura.arithmetic import group_sums
from caesura.cuts.fit import fit
from caesura.cuts.gaps import Adjacent
from caesura.cuts.passes import grow, merge
from caesura.errors import number, whole
from caesura.types import Breaks, Limits, Sizes, Vectors

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
    windowed: ClassVar[bool] = True

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
        totals = np.concatenate(([0], np.cumsum(sizes))).tolist()
        largest = totals[-1] if limits.max_size is None else limits.max_size
        starts = grow(vectors, sizes, totals, largest, self.initial_threshold, self.appending_threshold)
        starts = merge(starts, vectors, sizes, totals, largest, self.merging_threshold, self.look_ahead)
        if self.min_units is not None and self.min_units > 1:
            from caesura.cuts.leftovers import join_leftovers  # so that what is loaded first stays small

            rows = group_sums(vectors, sizes, np.array(starts))
            starts = join_leftovers(
                starts, rows, totals, largest, self.min_units, self.leftover_threshold, self.merging_threshold
            )
        breaks = np.array(starts[1:], dtype=np.intp)
        if limits.min_size:
            breaks = fit(breaks, Adjacent()(vectors, sizes), sizes, limits)
        return breaks
