"""Sums and weights of neighbouring groups -> how far apart they are: what a merge costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.float64]
"""(..., d) sums of the weighted unit rows of groups."""
Weights: TypeAlias = Any
"""(...) the sums of their weights."""
Distance: TypeAlias = Callable[[Rows, Weights, Rows, Weights], Any]


class Linkage(Protocol):
    """How far apart two neighbouring groups are, and up to where they are on one subject."""

    threshold: ClassVar[float]

    def __call__(self, left: Rows, left_weight: Weights, right: Rows, right_weight: Weights) -> Any: ...


def _dot(a: Rows, b: Rows) -> NDArray[np.float64]:
    return np.asarray(np.einsum("...i,...i->...", a, b))


@dataclass(frozen=True, slots=True)
class Cohesion:
    """How much shorter the sum of both is than their sums together: what `OptimalCut` loses when it joins them."""

    threshold: ClassVar[float] = 1.25

    def __call__(self, left: Rows, left_weight: Weights, right: Rows, right_weight: Weights) -> Any:
        both = left + right
        return np.sqrt(_dot(left, left)) + np.sqrt(_dot(right, right)) - np.sqrt(_dot(both, both))


@dataclass(frozen=True, slots=True)
class Ward:
    """How much the squared distances of rows from the mean of their group grow in all (Ward 1963)."""

    threshold: ClassVar[float] = 1.2

    def __call__(self, left: Rows, left_weight: Weights, right: Rows, right_weight: Weights) -> Any:
        apart = left / np.asarray(left_weight)[..., None] - right / np.asarray(right_weight)[..., None]
        return left_weight * right_weight / (left_weight + right_weight) * _dot(apart, apart)


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of 1 minus the cosine over all pairs of a row here and a row there."""

    threshold: ClassVar[float] = 0.95

    def __call__(self, left: Rows, left_weight: Weights, right: Rows, right_weight: Weights) -> Any:
        return 1 - _dot(left, right) / (left_weight * right_weight)
