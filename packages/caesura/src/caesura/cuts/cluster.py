"""(Vectors, Sizes, Limits) -> Breaks: neighbours join from the bottom up, until a rule says stop."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from caesura.cuts.agglomerate import agglomerate
from caesura.cuts.fit import fit
from caesura.cuts.gaps import Adjacent
from caesura.cuts.linkage import Cohesion, Linkage
from caesura.cuts.merges import Merges
from caesura.cuts.stops import DistanceThreshold, Stop
from caesura.cuts.weights import MOST, reliable
from caesura.errors import SettingError, functions, number
from caesura.types import Breaks, Limits, Sizes, Vectors


@dataclass(frozen=True, slots=True)
class ClusterCut:
    """Hierarchical clustering in which only neighbours join, so that chunks stay in order.

    linkage: how far apart two neighbours are: `Cohesion`, `Ward` or `Average`. stop: when to stop: `DistanceThreshold`
    (by default that of the linkage), `NClusters`, `Elbow` or `Silhouette`. half_weight: how much short units count, see
    `reliable`. No merge makes a group over `max_size`; what is then under `min_size` joins the neighbour it is nearest
    to, where that fits.
    """

    linkage: Linkage = field(default_factory=Cohesion)
    stop: Stop | None = None
    half_weight: float = 0.25

    def __post_init__(self) -> None:
        functions(self, "linkage", *(["stop"] if self.stop is not None else []))
        number("half_weight", self.half_weight, 0, MOST)
        if self.stop is None and not hasattr(self.linkage, "threshold"):
            raise SettingError(
                f"a linkage without a threshold of its own needs stop=DistanceThreshold(…): {self.linkage!r}"
            )

    def tree(self, vectors: Vectors, sizes: Sizes) -> Merges:
        """All n - 1 merges, without a look at any limit: what a hierarchy takes its levels from."""
        return agglomerate(vectors, reliable(sizes, self.half_weight), self.linkage, sizes)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        merged = agglomerate(vectors, reliable(sizes, self.half_weight), self.linkage, sizes, limits.max_size)
        stop = DistanceThreshold(self.linkage.threshold) if self.stop is None else self.stop
        breaks = merged.breaks(stop(merged))
        if limits.min_size:
            breaks = fit(breaks, Adjacent()(vectors, sizes), sizes, limits)
        return breaks
