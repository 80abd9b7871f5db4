"""The name of each of our cuts -> the cut at its defaults, and the cut for a number of chunks where it takes one.

Every table of `nox -s quality` goes through this list: a new cut is added here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from caesura import ClusterCut, DoublePassCut, NClusters, OptimalCut, PercentileCut
from caesura.cuts.percentile import Count
from caesura.types import Cut


@dataclass(frozen=True, slots=True)
class Ours:
    """A cut as a user gets it, and as one gets it who knows the number of chunks."""

    default: Cut
    given: Callable[[int], Cut] | None = None


OURS: dict[str, Ours] = {
    "OptimalCut": Ours(OptimalCut(), lambda chunks: OptimalCut(n_chunks=chunks)),
    "ClusterCut": Ours(ClusterCut(), lambda chunks: ClusterCut(stop=NClusters(chunks))),
    "DoublePassCut": Ours(DoublePassCut()),
    "PercentileCut": Ours(PercentileCut(), lambda chunks: PercentileCut(threshold=Count(chunks))),
}
