"""A cut in; nothing out, or an AssertionError where its breaks are none, or do not keep the limits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from caesura.testing.laws import broken, shown
from caesura.testing.rows import Document
from caesura.testing.ways import every_way, groups
from caesura.types import Cut

FIT = "caesura.cuts.fit.fit(breaks, gaps, sizes, limits) makes any breaks keep the limits"


def rises(cut: Cut, given: Sequence[Document]) -> None:
    """Breaks are whole numbers, rise strictly, and lie in 1..n-1; no unit and one unit have none."""
    for document, name, found in every_way(cut, given):
        n = len(document.sizes)
        kind = isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype.kind == "i"
        if not kind or not all(a < b for a, b in pairwise([0, *found.tolist(), max(n, 1)])):
            raise broken(
                "a cut's breaks are a 1-d array of whole numbers that rises strictly within 1..n-1",
                document,
                f"{name} = {shown(found)}" + ("" if kind else f", {_kind(found)}"),
                "a break is the first unit of a new chunk; where there is none, return np.zeros(0, np.intp), "
                "not np.array([]), which is an array of floats",
            )


def fits(cut: Cut, given: Sequence[Document]) -> None:
    """Every group of more than one unit fits `max_size`, by the sum of its units' sizes."""
    for document, name, found in every_way(cut, given):
        largest = document.limits.max_size
        for first, end, total in groups(found, document):
            if largest is not None and end - first > 1 and total > largest:
                raise broken(
                    "every group of more than one unit sums to at most limits.max_size",
                    document,
                    f"{name} = {shown(found)}: units {first} to {end - 1} sum to {total}",
                    FIT,
                )


def joins(cut: Cut, given: Sequence[Document]) -> None:
    """No group under `min_size` is left beside one that it could join within `max_size`."""
    for document, name, found in every_way(cut, given):
        limits = document.limits
        for (first, _, one), (_, end, two) in pairwise(groups(found, document)):
            if min(one, two) < limits.min_size and (limits.max_size is None or one + two <= limits.max_size):
                raise broken(
                    "no group under limits.min_size could join a neighbour within limits.max_size",
                    document,
                    f"{name} = {shown(found)}: units {first} to {end - 1} could be one group of {one + two}",
                    f"{FIT}; where the cut lets small groups stand, pass joined=False",
                )


def _kind(found: object) -> str:
    return f"of {found.dtype}" if isinstance(found, np.ndarray) else f"a {type(found).__name__}"
