"""Percentile cut: the gaps that stand out among those of their text, by a threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Annotated, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_callable, check_choice, check_int, check_number
from caesura.cuts import MOST, STRUCTURE, Setting
from caesura.cuts.limits.fit import fit
from caesura.cuts.scores.gaps import Adjacent, GapScore, Overlapping
from caesura.edges import joined
from caesura.errors import SettingError
from caesura.types import Breaks, Gaps, Limits, Sizes, Vectors, View

Threshold: TypeAlias = Callable[[Gaps], NDArray[np.bool_]]
"""Gaps -> (n - 1,) True where to cut."""
ThresholdType: TypeAlias = Literal["percentile", "standard_deviation", "interquartile", "gradient"]
Window: TypeAlias = Literal["adjacent", "overlapping", "joined"]


@dataclass(frozen=True, slots=True)
class Percentile:
    """Gaps above the `amount`-th percentile of the text's gaps, 0 to 100. The peers take 95; 85 measures better."""

    amount: float = 85.0

    def __post_init__(self) -> None:
        check_number("percentile", self.amount, 0, 100)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        return np.asarray(gaps > np.percentile(gaps, self.amount))


@dataclass(frozen=True, slots=True)
class StandardDeviation:
    """Gaps above the mean plus `amount` standard deviations."""

    amount: float = 3.0

    def __post_init__(self) -> None:
        check_number("standard deviation amount", self.amount, -inf, inf)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        return np.asarray(gaps > gaps.mean() + self.amount * gaps.std())


@dataclass(frozen=True, slots=True)
class Interquartile:
    """Gaps above the mean plus `amount` times the distance from the first to the third quartile."""

    amount: float = 1.5

    def __post_init__(self) -> None:
        check_number("interquartile amount", self.amount, -inf, inf)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        first, third = np.percentile(gaps, [25, 75])
        return np.asarray(gaps > gaps.mean() + self.amount * (third - first))


@dataclass(frozen=True, slots=True)
class Gradient:
    """Gaps where the curve of gaps rises faster than at `amount` percent of its places; one gap alone is never cut."""

    amount: float = 95.0

    def __post_init__(self) -> None:
        check_number("gradient percentile", self.amount, 0, 100)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        if len(gaps) < 2:
            return np.zeros(len(gaps), np.bool_)
        slopes = np.gradient(gaps)
        return np.asarray(slopes > np.percentile(slopes, self.amount))


@dataclass(frozen=True, slots=True)
class Count:
    """The strongest ``chunks - 1`` gaps, the earlier of equals first; all gaps where there are fewer."""

    chunks: int

    def __post_init__(self) -> None:
        check_int("the number of chunks", self.chunks, 1)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        chosen = np.zeros(len(gaps), np.bool_)
        chosen[np.argsort(-gaps, kind="stable")[: self.chunks - 1]] = True
        return chosen


THRESHOLDS: dict[str, Callable[..., Threshold]] = {
    "percentile": Percentile,
    "standard_deviation": StandardDeviation,
    "interquartile": Interquartile,
    "gradient": Gradient,
}
"""Each rule under the name that hosts have for it."""


@dataclass(frozen=True, slots=True)
class PercentileCut:
    """Scores every gap, cuts where the scores pass a threshold, then keeps the limits.

    gaps: how different both sides of a gap are, as `Adjacent`. threshold: which scores are cut, as `Percentile`.

    With ``view=joined(1)``, ``Adjacent(1)``, ``structure=0`` and no limits or background, the breaks are those of
    LangChain's SemanticChunker and LlamaIndex's SemanticSplitterNodeParser on the same sentences.
    """

    gaps: GapScore = field(default_factory=Adjacent)
    threshold: Threshold = field(default_factory=Percentile)
    structure: Annotated[
        float,
        Setting(
            "What a paragraph's end adds to a gap, in standard deviations. A line's end adds half, a heading twice."
        ),
    ] = STRUCTURE

    def __post_init__(self) -> None:
        check_callable(self, "gaps", "threshold")
        check_number("structure", self.structure, 0, MOST)

    @classmethod
    def from_settings(
        cls,
        *,
        breakpoint_threshold_type: Annotated[
            ThresholdType,
            Setting(
                "What a gap is measured against: percentile, standard_deviation, interquartile or gradient.",
                decides=True,
            ),
        ] = "percentile",
        breakpoint_threshold_amount: Annotated[
            float | None,
            Setting("The amount. None: 85, 3 (standard deviation), 1.5 (interquartile), 95 (gradient).", decides=True),
        ] = None,
        number_of_chunks: Annotated[
            int | None,
            Setting("The number of chunks. chunk_size still holds, unless it is None.", decides=True),
        ] = None,
        window: Annotated[
            Window,
            Setting(
                "What is compared. adjacent: the units before a gap with those after it. overlapping, joined: a unit "
                "among its neighbours with the next, as published, by pooled vectors or by joined text."
            ),
        ] = "adjacent",
        window_size: Annotated[int | None, Setting("Units on each side of a gap (adjacent); None is 3.")] = None,
        buffer_size: Annotated[int | None, Setting("Neighbours on each side (overlapping, joined); None is 1.")] = None,
        **fields: float,
    ) -> tuple[PercentileCut, View | None]:
        """What a host's user types -> the cut, and the view where neighbours are joined before they are embedded.

        Raises `SettingError` for an unknown name, an amount beside a number of chunks, or a size that the window has
        not.
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
        threshold = THRESHOLDS[breakpoint_threshold_type]()
        if number_of_chunks is not None:
            threshold = Count(number_of_chunks)
        elif breakpoint_threshold_amount is not None:
            most = 100.0 if breakpoint_threshold_type in ("percentile", "gradient") else inf
            check_number("breakpoint_threshold_amount", breakpoint_threshold_amount, 0.0 if most == 100 else -inf, most)
            threshold = THRESHOLDS[breakpoint_threshold_type](breakpoint_threshold_amount)
        buffer = 1 if buffer_size is None else buffer_size
        if window == "joined":
            return cls(Adjacent(1), threshold, **fields), joined(buffer)
        if window == "overlapping":
            return cls(Overlapping(buffer), threshold, **fields), None
        return cls(Adjacent() if window_size is None else Adjacent(window_size), threshold, **fields), None

    @property
    def chunk_count(self) -> int | None:
        """The number of chunks that it was given."""
        return self.threshold.chunks if isinstance(self.threshold, Count) else None

    def scores(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        """The score of each gap, whatever the limits."""
        return self.gaps(vectors, sizes)

    def place(self, gaps: Gaps, sizes: Sizes, limits: Limits) -> Breaks:
        """Scores -> breaks within the limits."""
        if not len(gaps):
            return np.zeros(0, np.intp)
        return fit(np.flatnonzero(self.threshold(gaps)) + 1, gaps, sizes, limits)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.place(self.scores(vectors, sizes), sizes, limits)
