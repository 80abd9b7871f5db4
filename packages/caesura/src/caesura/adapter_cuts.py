"""A plugin's settings -> the core's cuts, or a `SettingError` that names the setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, cast

from caesura.cuts.cluster import ClusterCut
from caesura.cuts.double_pass import DoublePassCut
from caesura.cuts.linkage import Average, Cohesion, Linkage, Ward
from caesura.cuts.optimal import OptimalCut
from caesura.cuts.percentile import PercentileCut
from caesura.cuts.silhouette import Silhouette
from caesura.cuts.stops import DistanceThreshold, Elbow, NClusters, Stop
from caesura.errors import SettingError, one_of, whole
from caesura.hierarchy import Level, by_sizes
from caesura.types import Cut

LinkageName: TypeAlias = Literal["cohesion", "ward", "average"]
StopName: TypeAlias = Literal["elbow", "silhouette"]
LevelCut: TypeAlias = Literal["optimal", "double_pass", "percentile", "cluster"]

LINKAGES: dict[str, Callable[[], Linkage]] = {"cohesion": Cohesion, "ward": Ward, "average": Average}
STOPS: dict[str, Callable[[], Stop]] = {"elbow": Elbow, "silhouette": Silhouette}
LEVEL_CUTS: dict[str, Cut | None] = {
    "optimal": None,
    "double_pass": DoublePassCut(),
    "percentile": PercentileCut(),
    "cluster": ClusterCut(),
}


def own_cut(cut: object) -> Cut:
    """What was given as cut -> the same. Raises `SettingError` for what is not called, or is a class of cuts."""
    if callable(cut) and not isinstance(cut, type):
        return cast(Cut, cut)
    got = f"the class {cut.__name__}, not an instance: {cut.__name__}(…)" if isinstance(cut, type) else f"{cut!r:.120}"
    raise SettingError(
        f"cut must be a function, (vectors, sizes, limits) -> breaks, such as caesura.OptimalCut(), got {got}"
    )


def double_pass_cut(
    initial_threshold: float | None,
    appending_threshold: float | None,
    merging_threshold: float | None,
    look_ahead: int,
    min_units: int,
) -> DoublePassCut:
    """A plugin's settings -> the cut; a threshold of None is the cut's own default."""
    whole("min_units", min_units, 1)
    given = {
        "initial_threshold": initial_threshold,
        "appending_threshold": appending_threshold,
        "merging_threshold": merging_threshold,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return DoublePassCut(**chosen, look_ahead=look_ahead, min_units=min_units)


def optimal_cut(
    penalty: float | None,
    n_chunks: int | None,
    target_size: int | None,
    structure: float,
    half_weight: float,
    chunk_size: int | None,
) -> OptimalCut:
    """A plugin's settings -> the cut. Raises `SettingError` for a target that the chunk size forbids."""
    cut = OptimalCut(penalty, n_chunks, target_size, structure, half_weight)
    if target_size is not None and chunk_size is not None and target_size > chunk_size:
        raise SettingError(f"target_size={target_size} must not be over chunk_size={chunk_size}: raise chunk_size")
    return cut


def cluster_cut(
    linkage: LinkageName,
    n_clusters: int | None,
    distance_threshold: float | None,
    stop: StopName | None,
    half_weight: float,
) -> ClusterCut:
    """A plugin's settings -> the cut. Raises `SettingError` for an unknown name, or two ways to stop."""
    one_of("linkage", linkage, LINKAGES)
    if stop is not None:
        one_of("stop", stop, STOPS)
    given = {"n_clusters": n_clusters, "distance_threshold": distance_threshold, "stop": stop}
    given = {name: value for name, value in given.items() if value is not None}
    if len(given) > 1:
        raise SettingError(
            f"n_clusters, distance_threshold and stop exclude one another: give one of them, got {given}"
        )
    chosen: Stop | None = None if stop is None else STOPS[stop]()
    if n_clusters is not None:
        chosen = NClusters(n_clusters)
    if distance_threshold is not None:
        chosen = DistanceThreshold(distance_threshold)
    return ClusterCut(LINKAGES[linkage](), chosen, half_weight)


def levels_of(chunk_sizes: Sequence[int], cut: LevelCut) -> tuple[Level, ...]:
    """A plugin's settings -> the levels of a hierarchy, each cut in the same way. Raises `SettingError`."""
    one_of("cut", cut, LEVEL_CUTS)
    sizes = list(chunk_sizes)
    for size in sizes:
        whole("each of chunk_sizes", size, 1)
    if not sizes or any(below >= above for above, below in pairwise(sizes)):
        raise SettingError(f"chunk_sizes must fall from coarse to fine, such as [2048, 512, 128], got {sizes}")
    return by_sizes(*sizes, cut=LEVEL_CUTS[cut])
