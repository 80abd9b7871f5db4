"""Linkages: how far apart two neighbouring groups of units are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from caesura.cuts.scores.noise import ALIKE, PRIOR, TINY

Value: TypeAlias = Any
"""A float, or an array of them."""


@runtime_checkable
class Linkage(Protocol):
    """How far apart two neighbouring groups are, and up to where they are on one subject.

    left, right and both: the squared lengths of the groups' summed weighted rows, and of the sum of both groups.
    left_weight and right_weight: the sums of their weights. All are numbers, or all are arrays of them.
    """

    __slots__ = ()
    threshold: ClassVar[float | None] = None
    """None: chance says how far, as in `OptimalCut`."""
    centred: ClassVar[bool] = True
    """Whether the document's mean is subtracted from the unit rows first."""

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value: ...


@dataclass(frozen=True, slots=True)
class Cohesion(Linkage):
    """How much less both gain together than each alone: what `OptimalCut` loses when it joins them."""

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        together = both / (left_weight + right_weight + PRIOR)
        return left / (left_weight + PRIOR) + right / (right_weight + PRIOR) - together


@dataclass(frozen=True, slots=True)
class Ward(Linkage):
    """How much the squared distances of rows from the mean of their group grow in all (Ward 1963)."""

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        together = both / (left_weight + right_weight + TINY)  # units of size 0 weigh nothing
        return left / (left_weight + TINY) + right / (right_weight + TINY) - together


@dataclass(frozen=True, slots=True)
class Average(Linkage):
    """The mean of 1 minus the cosine over all pairs of a row here and a row there."""

    threshold: ClassVar[float | None] = 0.95
    centred: ClassVar[bool] = False

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return 1 - (both - left - right) / (2 * left_weight * right_weight + TINY)


@dataclass(frozen=True, slots=True)
class Direction(Linkage):
    """1 minus the cosine of both groups' sums; 1 if one of the sums is zero."""

    threshold: ClassVar[float | None] = 1 - ALIKE

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        greater = max if isinstance(left, float) else np.maximum
        return 1 - (both - left - right) / (2 * greater(left * right, TINY) ** 0.5)
