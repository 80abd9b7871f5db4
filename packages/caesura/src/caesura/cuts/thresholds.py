"""Gaps -> (n - 1,) where to cut: those that stand out among the gaps of their text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import number, whole
from caesura.types import Gaps

Threshold: TypeAlias = Callable[[Gaps], NDArray[np.bool_]]
"""Gaps -> (n - 1,) True where to cut."""


@dataclass(frozen=True, slots=True)
class Percentile:
    """Gaps above the `amount`-th percentile of the text's gaps, 0 to 100. The peers take 95; 85 measures better."""

    amount: float = 85.0

    def __post_init__(self) -> None:
        number("percentile", self.amount, 0, 100)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        return np.asarray(gaps > np.percentile(gaps, self.amount))


@dataclass(frozen=True, slots=True)
class StandardDeviation:
    """Gaps above the mean plus `amount` standard deviations."""

    amount: float = 3.0

    def __post_init__(self) -> None:
        number("standard deviation amount", self.amount, -inf, inf)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        return np.asarray(gaps > gaps.mean() + self.amount * gaps.std())


@dataclass(frozen=True, slots=True)
class Interquartile:
    """Gaps above the mean plus `amount` times the distance from the first to the third quartile."""

    amount: float = 1.5

    def __post_init__(self) -> None:
        number("interquartile amount", self.amount, -inf, inf)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        first, third = np.percentile(gaps, [25, 75])
        return np.asarray(gaps > gaps.mean() + self.amount * (third - first))


@dataclass(frozen=True, slots=True)
class Gradient:
    """Gaps where the curve of gaps rises faster than at `amount` percent of its places; one gap alone is never cut."""

    amount: float = 95.0

    def __post_init__(self) -> None:
        number("gradient percentile", self.amount, 0, 100)

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
        whole("the number of chunks", self.chunks, 1)

    def __call__(self, gaps: Gaps) -> NDArray[np.bool_]:
        chosen = np.zeros(len(gaps), np.bool_)
        chosen[np.argsort(-gaps, kind="stable")[: self.chunks - 1]] = True
        return chosen
