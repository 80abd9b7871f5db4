"""Our splitters by name with their settings, and a `Sizing` -> for an embedder a `Splitter`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from caesura import SettingError, Splitter
from caesura.adapter import chunk_limits
from caesura.adapter_cuts import cluster_cut, double_pass_cut, optimal_cut
from caesura.adapter_percentile import percentile_cut
from caesura.types import Cut, View
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.peer import Settings

OURS: dict[str, Settings] = {
    "double-pass": {
        "initial_threshold": None,
        "appending_threshold": None,
        "merging_threshold": None,
        "look_ahead": 1,
        "min_units": 3,
    },
    "optimal": {"penalty": None, "n_chunks": None, "target_size": None, "structure": 0.3, "half_weight": 0.25},
    "cluster": {
        "linkage": "cohesion",
        "n_clusters": None,
        "distance_threshold": None,
        "stop": None,
        "half_weight": 0.25,
    },
    "percentile": {
        "breakpoint_threshold_type": "percentile",
        "breakpoint_threshold_amount": None,
        "number_of_chunks": None,
        "window": "adjacent",
        "window_size": None,
        "buffer_size": None,
    },
}
"""Our splitters and their settings, by the names and defaults that they have in the plugins."""
SIZES = ("size", "min_size", "overlap")
"""What a name may set beside its own settings."""


def splitter_for(kind: str, settings: Settings, sizing: Sizing) -> Callable[[Embedder], Splitter]:
    """One of `OURS` with settings. Raises `SettingError` for a setting that it has not, or a value out of range."""
    calibrated = settings.pop("calibrated", True)
    if unknown := sorted(set(settings) - set(OURS[kind])):
        raise SettingError(
            f"splitter {kind!r} has no setting {unknown[0]!r}: it has {', '.join([*OURS[kind], 'calibrated', *SIZES])}"
        )
    if not isinstance(calibrated, bool):
        raise SettingError(f"calibrated must be true or false, got {calibrated!r}")
    limits = chunk_limits(sizing.size, sizing.min_size, sizing.overlap)
    cut, view = _cut(kind, OURS[kind] | settings, sizing)
    splitter = Splitter(limits=limits, size=sizing.sizer, cut=cut, view=view)
    return lambda embedder: replace(splitter, background=embedder.background if calibrated else None)


def _cut(kind: str, settings: Settings, sizing: Sizing) -> tuple[Cut, View | None]:
    if kind == "percentile":
        return percentile_cut(**settings)
    if kind == "optimal":
        return optimal_cut(**settings, chunk_size=sizing.size), None
    return (double_pass_cut(**settings) if kind == "double-pass" else cluster_cut(**settings)), None
