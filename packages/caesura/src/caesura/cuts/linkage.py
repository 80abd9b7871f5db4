"""Squared lengths of the sums of neighbouring groups, and weights -> how far apart they are: what a merge costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

Value: TypeAlias = Any
"""A float, or an array of them."""


class Linkage(Protocol):
    """How far apart two neighbouring groups are, and up to where they are on one subject.

    left, right and both: the squared lengths of the groups' summed weighted unit rows, and of the sum of both groups;
    left_weight and right_weight: the sums of their weights. Numbers, or arrays of them.
    """

    threshold: ClassVar[float]

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value: ...


@dataclass(frozen=True, slots=True)
class Cohesion:
    """How much shorter the sum of both is than their sums together: what `OptimalCut` loses when it joins them."""

    threshold: ClassVar[float] = 1.25

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return left**0.5 + right**0.5 - both**0.5


@dataclass(frozen=True, slots=True)
class Ward:
    """How much the squared distances of rows from the mean of their group grow in all (Ward 1963)."""

    threshold: ClassVar[float] = 1.2

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return left / left_weight + right / right_weight - both / (left_weight + right_weight)


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of 1 minus the cosine over all pairs of a row here and a row there."""

    threshold: ClassVar[float] = 0.95

    def __call__(self, left: Value, left_weight: Value, right: Value, right_weight: Value, both: Value) -> Value:
        return 1 - (both - left - right) / (2 * left_weight * right_weight)
