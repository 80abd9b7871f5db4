"""A bad setting of one kind of splitter is refused where it is made, by its name."""

from __future__ import annotations

from typing import Any

import pytest

from caesura import SettingError
from langchain_caesura import (
    ClusterSemanticSplitter,
    DoublePassSemanticSplitter,
    OptimalSemanticSplitter,
    SemanticPercentileSplitter,
)

THRESHOLDS: list[tuple[dict[str, Any], str]] = [
    ({name: value}, f"{name} must be a finite number from -1 to 1, got")
    for name in ("initial_threshold", "appending_threshold", "merging_threshold")
    for value in (1.01, -1.01, float("nan"), float("inf"), "0.5", True)
]
DOUBLE: list[tuple[dict[str, Any], str]] = [
    *THRESHOLDS,
    *(({"confidence": value}, "confidence must be a finite number from 0 to 0.99") for value in (-0.1, 1, "0.95")),
    ({"min_units": 3}, "has no setting min_units=3"),
    *(({"look_ahead": value}, "look_ahead must be a whole number of at least 0") for value in (-1, 1.5, None)),
]
PERCENTILE: list[tuple[dict[str, Any], str]] = [
    ({"breakpoint_threshold_type": "median"}, r"must be one of \['percentile', .*got 'median'"),
    ({"breakpoint_threshold_type": ["percentile"]}, "breakpoint_threshold_type must be one of"),
    *(({"breakpoint_threshold_amount": value}, "from 0 to 100") for value in (-1, 101, float("nan"), "95")),
    ({"breakpoint_threshold_type": "gradient", "breakpoint_threshold_amount": 101}, "from 0 to 100"),
    ({"breakpoint_threshold_type": "interquartile", "breakpoint_threshold_amount": float("inf")}, "finite number"),
    *(({"number_of_chunks": value}, "number_of_chunks must be a whole number of at least 1") for value in (0, -2, 2.5)),
    ({"number_of_chunks": 3, "breakpoint_threshold_amount": 90}, "give one of them"),
    ({"window": "sliding"}, r"window must be one of \['adjacent', 'overlapping', 'joined'\], got 'sliding'"),
    ({"buffer_size": 1}, "window='adjacent' takes window_size, not buffer_size=1"),
    ({"window": "adjacent", "buffer_size": 0}, "takes window_size, not buffer_size=0"),
    ({"window": "overlapping", "window_size": 3}, "window='overlapping' takes buffer_size, not window_size=3"),
    ({"window": "joined", "window_size": 3}, "window='joined' takes buffer_size, not window_size=3"),
    ({"window": "joined", "window_size": 3, "buffer_size": 1}, "takes buffer_size, not window_size=3"),
    *(({"window_size": value}, "must be a whole number of at least 1") for value in (0, -1, 1.5)),
    *(({"window": w, "buffer_size": -1}, "buffer_size must be a whole number") for w in ("overlapping", "joined")),
]
OPTIMAL: list[tuple[dict[str, Any], str]] = [
    *(({"penalty": value}, "penalty must be a finite number") for value in (-1, float("nan"), "1.2")),
    *(({"n_chunks": value}, "n_chunks must be a whole number of at least 1") for value in (0, 2.5)),
    *(({"confidence": value}, "confidence must be a finite number from 0 to 0.99") for value in (None, 1, "0.95")),
    ({"structure": -0.1}, "structure must be a finite number"),
    ({"penalty": 1.0, "n_chunks": 3}, "exclude one another"),
]
CLUSTER: list[tuple[dict[str, Any], str]] = [
    ({"linkage": "single"}, r"linkage must be one of \['cohesion', 'ward', 'average'\], got 'single'"),
    *(({"linkage": value}, "linkage must be one of") for value in (None, ["ward"])),
    *(({"stop": value}, r"stop must be one of \['elbow', 'silhouette'\], got ") for value in ("knee", "", ["elbow"])),
    ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1"),
    ({"distance_threshold": -1}, "distance_threshold must be a finite number"),
    ({"n_clusters": 3, "stop": "elbow"}, "exclude one another"),
    *(({"confidence": value}, "confidence must be a finite number from 0 to 0.99") for value in (None, 1)),
]


def named(case: object) -> str | None:
    return ",".join(f"{k}={v!r}".partition(" at 0x")[0][:40] for k, v in case.items()) if isinstance(case, dict) else ""


CASES = [
    *((DoublePassSemanticSplitter, *case) for case in DOUBLE),
    *((SemanticPercentileSplitter, *case) for case in PERCENTILE),
    *((OptimalSemanticSplitter, *case) for case in OPTIMAL),
    *((ClusterSemanticSplitter, *case) for case in CLUSTER),
]


@pytest.mark.parametrize(("cls", "settings", "message"), CASES, ids=named)
def test_a_bad_setting_of_one_splitter_is_refused(cls: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        cls(**settings)
