"""The settings that both plugins share -> the core's limits and cuts, or a `SettingError` that names the setting; and
what both refuse in metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Literal, TypeAlias, cast, get_args

from caesura.background import Background
from caesura.checks import check_choice, check_int, check_number
from caesura.cuts import CONFIDENCE, HALF_WEIGHT, MOST, STRUCTURE
from caesura.cuts.cluster import ClusterCut, DistanceThreshold, Elbow, NClusters, Silhouette, StoppingRule
from caesura.cuts.double_pass import LOOK_AHEAD, DoublePassCut
from caesura.cuts.optimal import OptimalCut
from caesura.cuts.percentile import (
    Count,
    Gradient,
    Interquartile,
    Percentile,
    PercentileCut,
    StandardDeviation,
    Threshold,
)
from caesura.cuts.scores.gaps import Adjacent, Neighbours, Overlapping
from caesura.cuts.search.merge_tree import Average, Cohesion, Linkage, Ward
from caesura.edges import joined
from caesura.errors import SettingError
from caesura.hierarchy import Level, by_sizes
from caesura.types import Cut, Limits, View

DEEPEST = 100
"""How deep metadata may be nested: what writes and copies it goes some frames deeper for each, and has about 1000."""
LinkageName: TypeAlias = Literal["cohesion", "ward", "average"]
StopName: TypeAlias = Literal["elbow", "silhouette"]
LevelCut: TypeAlias = Literal["optimal", "double_pass", "percentile", "cluster"]
LINKAGES: dict[str, Callable[[], Linkage]] = {"cohesion": Cohesion, "ward": Ward, "average": Average}
STOPS: dict[str, Callable[[], StoppingRule]] = {"elbow": Elbow, "silhouette": Silhouette}
LEVEL_CUTS: dict[str, Cut | None] = {
    "optimal": None,
    "double_pass": DoublePassCut(),
    "percentile": PercentileCut(),
    "cluster": ClusterCut(),
}
ThresholdType: TypeAlias = Literal["percentile", "standard_deviation", "interquartile", "gradient"]
Window: TypeAlias = Literal["adjacent", "overlapping", "joined"]
THRESHOLDS: dict[str, Callable[..., Threshold]] = {
    "percentile": Percentile,
    "standard_deviation": StandardDeviation,
    "interquartile": Interquartile,
    "gradient": Gradient,
}
PEER_AMOUNTS: dict[str, float] = {"percentile": 95, "standard_deviation": 3, "interquartile": 1.5, "gradient": 95}
"""The amounts that LangChain's SemanticChunker takes where none is given."""

Size: TypeAlias = int | Literal["auto"] | None
CHARACTERS, TOKENS = (800, 2000), (200, 512)
"""The most that a chunk may measure where nothing is said: of even chunks, and of those that end by meaning alone."""
DECIDING: dict[str, str | None] = {
    "initial_threshold": None,
    "appending_threshold": None,
    "merging_threshold": None,
    "penalty": None,
    "n_chunks": None,
    "breakpoint_threshold_type": "percentile",
    "breakpoint_threshold_amount": None,
    "number_of_chunks": None,
    "n_clusters": None,
    "distance_threshold": None,
    "stop": None,
}
"""Settings that say where to cut, and their defaults. Where one of them is given, no size is aimed at by default."""


def decides(settings: Mapping[str, object]) -> bool:
    """Whether a splitter's settings say where to cut, so that by default no size is aimed at."""
    return any(settings.get(name, default) != default for name, default in DECIDING.items())


def chunk_limits(
    chunk_size: Size = "auto",
    min_chunk_size: int = 0,
    chunk_overlap: int = 0,
    target_size: Size = "auto",
    usual: tuple[int, int] = CHARACTERS,
    decided: bool = False,
) -> Limits:
    """A plugin's sizes -> the limits of the cut, with room left for the overlap. Raises `SettingError`.

    "auto": `chunk_size` is twice `target_size`, and `target_size` half of `chunk_size`, or none where it is `decided`
    where to cut. usual: `chunk_size` where neither is given, with a target and without.
    """
    for name, value in (("target_size", target_size), ("chunk_size", chunk_size)):
        if isinstance(value, str) and value != "auto":
            raise SettingError(f"{name} must be a whole number of at least 1, 'auto' or None, got {value!r}")
    if target_size is not None and target_size != "auto":
        check_int("target_size", target_size, 1)
    if chunk_size == "auto":
        if isinstance(target_size, int):
            chunk_size = 2 * target_size
        else:
            chunk_size = usual[1] if target_size is None or decided else usual[0]
    elif chunk_size is not None:
        check_int("chunk_size", chunk_size, 1)
    if isinstance(target_size, str):
        target_size = None if chunk_size is None or decided else max(1, chunk_size // 2)
    check_int("chunk_overlap", chunk_overlap, 0)
    check_int("min_chunk_size", min_chunk_size, 0)
    if chunk_size is None:
        return Limits(None, min_chunk_size, target_size)
    if target_size is not None and target_size > chunk_size:
        raise SettingError(f"target_size={target_size} must not be over chunk_size={chunk_size}: raise chunk_size")
    if 2 * chunk_overlap > chunk_size:
        raise SettingError(
            f"chunk_overlap={chunk_overlap} must be at most half of chunk_size={chunk_size}: what is new needs the rest"
        )
    if chunk_overlap + min_chunk_size > chunk_size:
        rest = f" and chunk_overlap={chunk_overlap}" if chunk_overlap else ""
        raise SettingError(f"chunk_size={chunk_size} must have room for min_chunk_size={min_chunk_size}{rest}")
    return Limits(chunk_size, min_chunk_size, target_size).reduced(chunk_size - chunk_overlap)


def given_background(background: Background | Sequence[float] | None, calibrated: bool) -> Background | None:
    """What was given as background, if anything was. Raises `SettingError` where it cannot serve."""
    if background is None:
        return None
    if not calibrated:
        raise SettingError("a background is what vectors are centred on: give it with calibrated=True, or leave it out")
    return background if isinstance(background, Background) else Background(background)


def check_context(context: float, embedded: bool) -> float:
    """How far vectors lean, if it can be. embedded: whether there are vectors. Raises `SettingError`."""
    check_number("context", context, 0, MOST)
    if context and not embedded:
        raise SettingError(f"context={context!r} moves the vectors of chunks: give embed_chunks=True too")
    return context


def check_cut(cut: object) -> Cut:
    """What was given as cut -> the same. Raises `SettingError` for what is not called, or is a class of cuts."""
    if callable(cut) and not isinstance(cut, type):
        return cast(Cut, cut)
    got = f"the class {cut.__name__}, not an instance: {cut.__name__}(…)" if isinstance(cut, type) else f"{cut!r:.120}"
    raise SettingError(
        f"cut must be a function, (vectors, sizes, limits) -> breaks, such as caesura.OptimalCut(), got {got}"
    )


def double_pass_cut(
    *,
    initial_threshold: float | None = None,
    appending_threshold: float | None = None,
    merging_threshold: float | None = None,
    look_ahead: int = LOOK_AHEAD,
    confidence: float | None = CONFIDENCE,
    structure: float = STRUCTURE,
) -> DoublePassCut:
    """A plugin's settings -> the cut; a threshold of None is the cut's own default."""
    given = {
        "initial_threshold": initial_threshold,
        "appending_threshold": appending_threshold,
        "merging_threshold": merging_threshold,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    return DoublePassCut(**chosen, look_ahead=look_ahead, confidence=confidence, structure=structure)


def optimal_cut(
    *,
    confidence: float = CONFIDENCE,
    penalty: float | None = None,
    n_chunks: int | None = None,
    structure: float = STRUCTURE,
    half_weight: float = HALF_WEIGHT,
) -> OptimalCut:
    """A plugin's settings -> the cut."""
    return OptimalCut(confidence, penalty, n_chunks, structure, half_weight)


def cluster_cut(
    *,
    linkage: LinkageName = "cohesion",
    n_clusters: int | None = None,
    distance_threshold: float | None = None,
    stop: StopName | None = None,
    half_weight: float = HALF_WEIGHT,
    confidence: float = CONFIDENCE,
    structure: float = STRUCTURE,
) -> ClusterCut:
    """A plugin's settings -> the cut. Raises `SettingError` for an unknown name, or two ways to stop."""
    check_choice("linkage", linkage, LINKAGES)
    if stop is not None:
        check_choice("stop", stop, STOPS)
    given = {"n_clusters": n_clusters, "distance_threshold": distance_threshold, "stop": stop}
    given = {name: value for name, value in given.items() if value is not None}
    if len(given) > 1:
        raise SettingError(
            f"n_clusters, distance_threshold and stop exclude one another: give one of them, got {given}"
        )
    chosen: StoppingRule | None = None if stop is None else STOPS[stop]()
    if n_clusters is not None:
        chosen = NClusters(n_clusters)
    if distance_threshold is not None:
        chosen = DistanceThreshold(distance_threshold)
    return ClusterCut(LINKAGES[linkage](), chosen, half_weight, confidence, structure)


def hierarchy_levels(chunk_sizes: Sequence[int], cut: LevelCut | Cut) -> tuple[Level, ...]:
    """A plugin's settings -> the levels of a hierarchy, each cut in the same way. Raises `SettingError`."""
    if isinstance(cut, str):
        check_choice("cut", cut, LEVEL_CUTS)
    sizes = list(chunk_sizes)
    for size in sizes:
        check_int("each of chunk_sizes", size, 1)
    if not sizes or any(below >= above for above, below in pairwise(sizes)):
        raise SettingError(f"chunk_sizes must fall from coarse to fine, such as [600, 120], got {sizes}")
    return by_sizes(*sizes, cut=LEVEL_CUTS[cut] if isinstance(cut, str) else check_cut(cut))


def percentile_cut(
    *,
    breakpoint_threshold_type: ThresholdType = "percentile",
    breakpoint_threshold_amount: float | None = None,
    number_of_chunks: int | None = None,
    window: Window = "adjacent",
    window_size: int | None = None,
    buffer_size: int | None = None,
    structure: float = STRUCTURE,
) -> tuple[PercentileCut, View | None]:
    """A plugin's settings -> the cut, and the view where neighbours are joined before they are embedded.

    Raises `SettingError` for an unknown name, an amount beside a number of chunks, or a size that the window has not.
    """
    check_choice("breakpoint_threshold_type", breakpoint_threshold_type, THRESHOLDS)
    check_choice("window", window, get_args(Window))
    if window == "adjacent" and buffer_size is not None:
        raise SettingError(f"window='adjacent' takes window_size, not buffer_size={buffer_size!r}")
    if window != "adjacent" and window_size is not None:
        raise SettingError(f"window={window!r} takes buffer_size, not window_size={window_size!r}")
    if number_of_chunks is not None and breakpoint_threshold_amount is not None:
        raise SettingError("number_of_chunks takes the place of breakpoint_threshold_amount: give one of them")
    for name, value in (("number_of_chunks", number_of_chunks), ("window_size", window_size)):
        if value is not None:
            check_int(name, value, 1)
    if buffer_size is not None:
        check_int("buffer_size", buffer_size, 0)
    threshold: Threshold = THRESHOLDS[breakpoint_threshold_type]()
    if number_of_chunks is not None:
        threshold = Count(number_of_chunks)
    elif breakpoint_threshold_amount is not None:
        most = 100.0 if breakpoint_threshold_type in ("percentile", "gradient") else inf
        check_number("breakpoint_threshold_amount", breakpoint_threshold_amount, 0.0 if most == 100 else -inf, most)
        threshold = THRESHOLDS[breakpoint_threshold_type](breakpoint_threshold_amount)
    buffer = 1 if buffer_size is None else buffer_size
    if window == "joined":
        return PercentileCut(Neighbours(), threshold, structure), joined(buffer)
    if window == "overlapping":
        return PercentileCut(Overlapping(buffer), threshold, structure), None
    adjacent = Adjacent() if window_size is None else Adjacent(window_size)
    return PercentileCut(adjacent, threshold, structure), None


def check_depth(name: str, value: object) -> None:
    """Raises `SettingError` for a value that holds itself or is nested deeper than `DEEPEST`."""
    if _is_deeper(value, DEEPEST):
        raise SettingError(
            f"{name} must not hold itself or be nested over {DEEPEST} deep, as this {type(value).__name__} is: "
            f"leave it out, or say there where it is found"
        )


def _is_deeper(value: object, depth: int) -> bool:
    if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
        return False
    items = value.values() if isinstance(value, Mapping) else value
    return depth == 0 or any(_is_deeper(item, depth - 1) for item in items)
