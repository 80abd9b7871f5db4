"""Cluster cut: neighbours join, bottom up, until a stopping rule ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_callable, check_choice, check_int, check_number
from caesura.cuts import CONFIDENCE, HALF_WEIGHT, MOST, MOST_SURE, STRUCTURE, Setting
from caesura.cuts.limits.fit import fit
from caesura.cuts.scores.gaps import ADJACENT
from caesura.cuts.scores.noise import Noise, edge_bonus, reliability_weights
from caesura.cuts.search.linkages import Average, Cohesion, Linkage, Ward
from caesura.cuts.search.merge_tree import Grouping, MergeTree, agglomerate
from caesura.errors import SettingError
from caesura.types import Breaks, Limits, Sizes, Structure, Vectors
from caesura.vectors import window_sums

StoppingRule: TypeAlias = Callable[[MergeTree], int]
"""A tree of merges -> the number of chunks at which to stop, from its `fewest` to the number of units."""
LinkageName: TypeAlias = Literal["cohesion", "ward", "average"]
StopName: TypeAlias = Literal["elbow", "silhouette"]

DIGITS = 6
"""Decimal places to which distances are rounded: rounding errors of float32 must not bend a curve or decide a ratio."""
LEVELS = 64
"""The most numbers of chunks that are tried if each costs a pass over the text."""


@dataclass(frozen=True, slots=True)
class NClusters:
    """So many chunks, or the nearest number that the limits and the units allow."""

    n_clusters: int

    def __post_init__(self) -> None:
        check_int("n_clusters", self.n_clusters, 1)

    def __call__(self, merged: MergeTree) -> int:
        return min(max(self.n_clusters, merged.fewest), len(merged.weights))


@dataclass(frozen=True, slots=True)
class DistanceThreshold:
    """Neighbours join while they are at most so far apart, in the units of the linkage."""

    distance: float

    def __post_init__(self) -> None:
        check_number("distance_threshold", self.distance, 0, inf)

    def __call__(self, merged: MergeTree) -> int:
        return merged.within(self.distance)


@dataclass(frozen=True, slots=True)
class Elbow:
    """Where the sum of squared distances within chunks bends most: farthest under the line between its ends.

    Numbers of chunks up to half the number of units count: beyond, single units dominate. It finds a bend in any text,
    also in one on a single subject.
    """

    def __call__(self, merged: MergeTree) -> int:
        spread = merged.spread().round(DIGITS)[: max(len(merged.weights) // 2 - merged.fewest, 0) + 1]
        if len(spread) < 3 or spread[0] <= spread[-1]:
            return merged.fewest
        drop = (spread - spread[-1]) / (spread[0] - spread[-1])
        line = np.linspace(1, 0, len(spread))
        return merged.fewest + int(np.argmax(line - drop))


@dataclass(frozen=True, slots=True)
class ClusterCut:
    """Hierarchical clustering in which only neighbours join, so that chunks stay in order.

    linkage: how far apart two neighbours are: `Cohesion`, `Ward` or `Average`. stop: when to stop: `DistanceThreshold`,
    `NClusters`, `Elbow` or `Silhouette`. None: when all neighbours differ more than chance explains (`Average`: at its
    threshold), and neighbours that are alike have joined.

    No merge makes a group over `max_size`. At the end, a group under `min_size` joins the nearest neighbour that it
    fits with.
    """

    linkage: Linkage = field(default_factory=Cohesion)
    stop: StoppingRule | None = None
    half_weight: Annotated[
        float, Setting("A sentence of this share of the mean size counts half. 0: all count the same.")
    ] = HALF_WEIGHT
    confidence: Annotated[
        float,
        Setting(
            "How sure it must be that a cut is not chance: at 0.95, about one text in ten is still cut if its "
            "sentences are shuffled."
        ),
    ] = CONFIDENCE
    structure: Annotated[
        float, Setting("What a paragraph's end adds to the distance. A line's end adds half as much, a heading twice.")
    ] = STRUCTURE

    def __post_init__(self) -> None:
        check_callable(self, "linkage", *(["stop"] if self.stop is not None else []))
        check_number("half_weight", self.half_weight, 0, MOST)
        check_number("confidence", self.confidence, 0, MOST_SURE)
        check_number("structure", self.structure, 0, MOST)
        if self.stop is None and not isinstance(self.linkage, Linkage):
            raise SettingError(
                f"a linkage without a threshold of its own needs stop=DistanceThreshold(…): {self.linkage!r}"
            )

    @classmethod
    def from_settings(
        cls,
        *,
        linkage: Annotated[
            LinkageName, Setting("How far apart two groups are: cohesion, ward or average.")
        ] = "cohesion",
        n_clusters: Annotated[int | None, Setting("The number of chunks.", decides=True)] = None,
        distance_threshold: Annotated[
            float | None,
            Setting("Stop at this distance. None: where chance does not explain it (average: 0.95).", decides=True),
        ] = None,
        stop: Annotated[StopName | None, Setting("Find where to stop: elbow or silhouette.", decides=True)] = None,
        **fields: float,
    ) -> ClusterCut:
        """What a host's user types -> the cut. Raises `SettingError` for an unknown name, or two ways to stop."""
        linkages: dict[str, Linkage] = {"cohesion": Cohesion(), "ward": Ward(), "average": Average()}
        stops: dict[str, StoppingRule] = {"elbow": Elbow(), "silhouette": Silhouette()}
        check_choice("linkage", linkage, linkages)
        if stop is not None:
            check_choice("stop", stop, stops)
        given = {"n_clusters": n_clusters, "distance_threshold": distance_threshold, "stop": stop}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) > 1:
            raise SettingError(
                f"n_clusters, distance_threshold and stop exclude one another: give one of them, got {given}"
            )
        rule = None if stop is None else stops[stop]
        if n_clusters is not None:
            rule = NClusters(n_clusters)
        if distance_threshold is not None:
            rule = DistanceThreshold(distance_threshold)
        return cls(linkages[linkage], rule, **fields)

    @property
    def chunk_count(self) -> int | None:
        """The number of chunks that it was given."""
        return self.stop.n_clusters if isinstance(self.stop, NClusters) else None

    def tree(self, vectors: Vectors, sizes: Sizes) -> MergeTree:
        """All n - 1 merges, whatever the limits. A hierarchy can take its levels from them."""
        weights = reliability_weights(sizes, self.half_weight)
        rows = self._rows(vectors, weights, Noise.of(vectors, weights))
        return replace(agglomerate(rows, weights, sizes, self.linkage), vectors=vectors)

    def _rows(self, vectors: Vectors, weights: NDArray[np.float64], noise: Noise) -> NDArray[np.float32]:
        """(n, d) what joins: the weighted unit rows, without the document's mean where the linkage leaves it out."""
        return (
            noise.weighted(vectors, weights) if self.linkage.centred else vectors * weights.astype(np.float32)[:, None]
        )

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.within(vectors, sizes, limits, np.zeros(max(len(sizes) - 1, 0)))

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks:
        """The same as `__call__`, with what the text itself shows at each gap."""
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        weights, bonus = reliability_weights(sizes, self.half_weight), edge_bonus(structure, self.structure)
        noise = Noise.of(vectors, weights)
        rows = self._rows(vectors, weights, noise)
        merged = agglomerate(rows, weights, sizes, self.linkage, limits.max_size, bonus)
        if self.stop is not None:
            breaks = merged.breaks(self.stop(replace(merged, vectors=vectors)))
        elif self.linkage.threshold is not None:
            breaks = merged.breaks(merged.within(self.linkage.threshold))
        else:
            breaks = merged.breaks(noise.settle(merged.within, self.confidence))
            own = isinstance(self.linkage, Cohesion)  # others overrate a single long unit
            rows = rows if self.linkage.centred else noise.weighted(vectors, weights)
            groups = Grouping(rows, weights, sizes, noise, limits.max_size)
            breaks = groups.join_alike(breaks) if own else groups.join_by_chance(breaks, self.confidence, bonus)
        if limits.min_size:
            breaks = fit(breaks, ADJACENT(vectors, sizes), sizes, limits)
        return breaks


@dataclass(frozen=True, slots=True)
class Silhouette:
    """Where units lie deepest in their own chunk and farthest from the nearer neighbouring one, on average.

    At most 64 numbers of chunks up to half the number of units are tried, close together where they are small. One
    chunk scores 0. Source: Rousseeuw 1987, with a chunk's neighbours as the only other clusters.
    """

    def __call__(self, merged: MergeTree) -> int:
        most = max(len(merged.weights) // 2, merged.fewest)
        tried: list[int] = np.unique(np.geomspace(merged.fewest, most, LEVELS).round().astype(np.intp)).tolist()
        sums = window_sums(merged.vectors, merged.weights)
        return int(max(tried, key=lambda chunks: (_silhouette(merged, merged.breaks(chunks), sums), -chunks)))


def _silhouette(merged: MergeTree, breaks: Breaks, sums: NDArray[np.float64]) -> float:
    """The mean silhouette of all units, 0 for one alone in its chunk."""
    if not len(breaks):
        return 0.0
    vectors, weights = merged.vectors, merged.weights
    ends = np.concatenate(([0], breaks, [len(vectors)]))
    group = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    total = np.diff(sums[ends], axis=0)
    weight = np.diff(np.concatenate(([0], np.cumsum(weights)))[ends])
    means = total / weight[:, None]
    shared = np.diff(ends)[group] > 1
    own = np.ones(len(vectors))
    rest = total[group] - vectors * weights[:, None]
    np.divide(np.einsum("ij,ij->i", vectors, rest), weight[group] - weights, out=own, where=shared)
    nearest = np.full(len(vectors), -inf)
    for step, inside in ((-1, group > 0), (1, group < len(ends) - 2)):
        cosine = np.einsum("ij,ij->i", vectors[inside], means[group[inside] + step])
        nearest[inside] = np.maximum(nearest[inside], cosine)
    within, beyond = (1 - own).round(DIGITS), (1 - nearest).round(DIGITS)
    larger = np.maximum(within, beyond)
    scores = np.zeros(len(vectors))
    np.divide(beyond - within, larger, out=scores, where=shared & (larger > 0))
    return float(np.average(scores, weights=weights))
