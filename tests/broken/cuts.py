"""Cuts that each break a law, and what `check_cut` says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura import Limits, OptimalCut, PercentileCut
from caesura.cuts.limits.fit import fit
from caesura.types import Breaks, Cut, Gaps, Sizes, Structure, Vectors

SOUND = PercentileCut()
CHANCE = np.random.default_rng(0)


def nowhere(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.array([])  # type: ignore[return-value]


def as_a_list(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return SOUND(vectors, sizes, limits).tolist()  # type: ignore[return-value]


def with_both_ends(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.array([0, *SOUND(vectors, sizes, limits), len(sizes)], np.intp)


def one_too_low(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return SOUND(vectors, sizes, limits) - 1


def twice(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.repeat(SOUND(vectors, sizes, limits), 2)


def without_limits(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return SOUND(vectors, sizes, Limits())


def everywhere(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    return np.arange(1, max(len(sizes), 1))


def by_chance(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    gaps = CHANCE.random(max(len(sizes) - 1, 0))
    return fit(np.flatnonzero(gaps > 0.7) + 1, gaps, sizes, limits)


def centring(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    vectors -= vectors.mean(axis=0) if len(vectors) else 0
    return SOUND(vectors, sizes, limits)


def dividing(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    unit = vectors / np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))  # a row of zeros has no length
    gaps = np.nan_to_num(1 - (unit[1:] * unit[:-1]).sum(axis=1)).astype(np.float64)
    return fit(np.flatnonzero(gaps > 0.7) + 1, gaps, sizes, limits)


def not_for_one(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    assert len(sizes) != 1, "too short"
    return SOUND(vectors, sizes, limits)


@dataclass(frozen=True)
class Scored:
    """A cut by scores that is wrong in one of its two steps."""

    fault: str

    def scores(self, vectors: Vectors, sizes: Sizes) -> Gaps:
        gaps = SOUND.scores(vectors, sizes)
        return gaps + np.inf if self.fault == "infinite" else gaps[1:] if self.fault == "short" else gaps

    def place(self, gaps: Gaps, sizes: Sizes, limits: Limits) -> Breaks:
        return fit(np.zeros(0, np.intp), SOUND.scores(np.ones((len(sizes), 1)), sizes), sizes, limits)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return SOUND(vectors, sizes, limits)


@dataclass(frozen=True)
class Structured:
    """A cut that keeps no limit where it sees what the text shows, which is how a Splitter calls it."""

    cut: Cut = field(default_factory=OptimalCut)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.cut(vectors, sizes, limits)

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks:
        return np.flatnonzero(structure) + 1


BROKEN: list[tuple[Any, str]] = [
    (nowhere, r"rises strictly within(?s:.*)of float64(?s:.*)np\.zeros\(0, np\.intp\)"),
    (as_a_list, "rises strictly within(?s:.*)a list"),
    (with_both_ends, r"rises strictly within(?s:.*)0 units(?s:.*)\[0, 0\]"),
    (one_too_low, "rises strictly within"),
    (twice, "rises strictly within"),
    (without_limits, r"at most limits\.max_size(?s:.*)units \d+ to \d+ sum to \d+(?s:.*)fit"),
    (everywhere, r"under limits\.min_size(?s:.*)joined=False"),
    (by_chance, "the same breaks for the same units"),
    (centring, "leaves its inputs as they are(?s:.*)has written to"),
    (dividing, "takes any units(?s:.*)FloatingPointError"),
    (not_for_one, "takes any units\n  given:  1 units in 1 dimensions(?s:.*)AssertionError: too short"),
    (Scored("infinite"), "one finite number per gap"),
    (Scored("short"), "one finite number per gap"),
    (Scored("other"), "is what the cut itself returns"),
    (Structured(), r"at most limits\.max_size(?s:.*)within\(…\)"),
    (lambda *units: SOUND(*units), "can be pickled"),
]
IDS = [getattr(one, "__name__", type(one).__name__) for one, _ in BROKEN]
