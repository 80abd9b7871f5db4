"""A plugin's settings -> a `PercentileCut`, or a `SettingError` that names the setting."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Literal, TypeAlias, get_args

from caesura.cuts.gaps import Adjacent, Neighbours, Overlapping
from caesura.cuts.percentile import PercentileCut
from caesura.cuts.thresholds import Count, Gradient, Interquartile, Percentile, StandardDeviation, Threshold
from caesura.edges import joined
from caesura.errors import SettingError, number, one_of, whole
from caesura.types import View

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


def percentile_cut(
    breakpoint_threshold_type: ThresholdType,
    breakpoint_threshold_amount: float | None,
    number_of_chunks: int | None,
    window: Window,
    window_size: int | None,
    buffer_size: int | None,
) -> tuple[PercentileCut, View | None]:
    """A plugin's settings -> the cut, and the view where neighbours are joined before they are embedded.

    Raises `SettingError` for an unknown name, an amount beside a number of chunks, or a size that the window has not.
    """
    one_of("breakpoint_threshold_type", breakpoint_threshold_type, THRESHOLDS)
    one_of("window", window, get_args(Window))
    if window == "adjacent" and buffer_size is not None:
        raise SettingError(f"window='adjacent' takes window_size, not buffer_size={buffer_size!r}")
    if window != "adjacent" and window_size is not None:
        raise SettingError(f"window={window!r} takes buffer_size, not window_size={window_size!r}")
    if number_of_chunks is not None and breakpoint_threshold_amount is not None:
        raise SettingError("number_of_chunks takes the place of breakpoint_threshold_amount: give one of them")
    for name, value in (("number_of_chunks", number_of_chunks), ("window_size", window_size)):
        if value is not None:
            whole(name, value, 1)
    if buffer_size is not None:
        whole("buffer_size", buffer_size, 0)
    threshold: Threshold = THRESHOLDS[breakpoint_threshold_type]()
    if number_of_chunks is not None:
        threshold = Count(number_of_chunks)
    elif breakpoint_threshold_amount is not None:
        most = 100.0 if breakpoint_threshold_type in ("percentile", "gradient") else inf
        number("breakpoint_threshold_amount", breakpoint_threshold_amount, 0.0 if most == 100 else -inf, most)
        threshold = THRESHOLDS[breakpoint_threshold_type](breakpoint_threshold_amount)
    buffer = 1 if buffer_size is None else buffer_size
    if window == "joined":
        return PercentileCut(Neighbours(), threshold), joined(buffer)
    if window == "overlapping":
        return PercentileCut(Overlapping(buffer), threshold), None
    return PercentileCut(Adjacent() if window_size is None else Adjacent(window_size), threshold), None
