"""Cuts of one's own, as users write them: functions and frozen dataclasses, some that look at no limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura import Adjacent
from caesura.cuts.limits.fit import fit
from caesura.types import Breaks, Gaps, Limits, Sizes, Vectors


def every_third(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    """Three units to a chunk, whatever they measure."""
    return np.arange(3, len(vectors), 3)


def nowhere(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.zeros(0, np.intp)


@dataclass(frozen=True, slots=True)
class Each:
    """So many units to a chunk, whatever they measure."""

    count: int = 3

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return np.arange(self.count, len(vectors), self.count)


@dataclass(frozen=True, slots=True)
class Deep:
    """Cuts where `gaps` are over `least`, within the limits. `note` is what a user wants to remember of it."""

    gaps: Callable[[Vectors, Sizes], Gaps] = Adjacent()  # noqa: RUF009 - frozen
    least: float = 0.5
    note: str | None = None

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        gaps = self.gaps(vectors, sizes)
        return fit(np.flatnonzero(gaps > self.least) + 1, gaps, sizes, limits)


@dataclass(frozen=True)
class Worked:
    """So many units to a chunk. What the field without an argument holds follows from the other."""

    count: int = 3
    twice: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.count)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return np.arange(self.count, len(vectors), self.count)


def lengths_apart(vectors: Vectors, sizes: Sizes) -> Gaps:
    """A gap function without a class: how unlike in size two neighbours are."""
    return np.abs(np.diff(sizes)) / np.maximum(sizes[1:], sizes[:-1])


def returning(value: Any) -> Callable[[Vectors, Sizes, Limits], Any]:
    """A cut that returns the same, whatever it is given."""
    return lambda vectors, sizes, limits: value


def called(cut: object) -> str:
    """A cut -> what a test of it is called: its repr without the addresses of functions."""
    return re.sub(r"<function (\w+) at 0x[0-9a-fA-F]+>", r"\1", repr(cut))
