"""Laws of a cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from caesura.types import Breaks, Cut, ScoredCut, StructuredCut
from caesura_testing.laws import answering, broken_law, copy_of, shorten
from caesura_testing.units import Units, sample_units

FIT = "caesura.cuts.limits.fit.fit(breaks, gaps, sizes, limits) makes any breaks keep the limits"
Law: TypeAlias = Callable[[Cut, Sequence[Units]], None]


def every_way(cut: Cut, given: Sequence[Units]) -> Iterator[tuple[Units, str, Breaks]]:
    """Each document, each way to call the cut, and the breaks by it."""
    return ((document, name, found) for document in given for name, found in ways(cut, document))


def ways(cut: Cut, document: Units) -> Iterator[tuple[str, Breaks]]:
    """How a Splitter may call the cut, and the breaks of one document by it."""
    yield "cut(…)", breaks_by(cut, document, "cut")
    if isinstance(cut, ScoredCut):
        yield "place(…)", breaks_by(cut, document, "place")
    if isinstance(cut, StructuredCut):
        yield "within(…)", breaks_by(cut, document, "within")


def breaks_by(cut: Cut, document: Units, way: str) -> Breaks:
    """The breaks by one way: "place" and "within" where the cut has them, else a call; what it raises breaks a law."""
    vectors, sizes, limits = document.vectors, document.sizes, document.limits
    remedy = "there may be no unit or one, rows of zeros or all equal, a unit over max_size: divide by no zero"
    with answering("a cut takes any units", document, remedy):
        if way == "place" and isinstance(cut, ScoredCut):
            return cut.place(cut.scores(vectors, sizes), sizes, limits)
        if way == "within" and isinstance(cut, StructuredCut):
            return cut.within(vectors, sizes, limits, document.structure)
        return cut(vectors, sizes, limits)


def groups(breaks: Breaks, document: Units) -> list[tuple[int, int, int]]:
    """The first unit of each group, the one behind it, and the sum of their sizes."""
    ends = [0, *breaks.tolist(), len(document.sizes)]
    return [(first, end, int(document.sizes[first:end].sum())) for first, end in pairwise(ends)]


def rises(cut: Cut, given: Sequence[Units]) -> None:
    """Breaks are whole numbers, rise strictly, and lie in 1..n-1; no unit and one unit have none."""
    for document, name, found in every_way(cut, given):
        n = len(document.sizes)
        kind = isinstance(found, np.ndarray) and found.ndim == 1 and found.dtype.kind == "i"
        if not kind or not all(a < b for a, b in pairwise([0, *found.tolist(), max(n, 1)])):
            raise broken_law(
                "a cut's breaks are a 1-d array of whole numbers that rises strictly within 1..n-1",
                document,
                f"{name} = {shorten(found)}" + ("" if kind else f", {_kind(found)}"),
                "a break is the first unit of a new chunk; where there is none, return np.zeros(0, np.intp), "
                "not np.array([]), which is an array of floats",
            )


def fits_limit(cut: Cut, given: Sequence[Units]) -> None:
    """Every group of more than one unit fits `max_size`, by the sum of its units' sizes."""
    for document, name, found in every_way(cut, given):
        largest = document.limits.max_size
        for first, end, total in groups(found, document):
            if largest is not None and end - first > 1 and total > largest:
                raise broken_law(
                    "every group of more than one unit sums to at most limits.max_size",
                    document,
                    f"{name} = {shorten(found)}: units {first} to {end - 1} sum to {total}",
                    FIT,
                )


def joins(cut: Cut, given: Sequence[Units]) -> None:
    """No group under `min_size` is left beside one that it could join within `max_size`."""
    for document, name, found in every_way(cut, given):
        limits = document.limits
        for (first, _, one), (_, end, two) in pairwise(groups(found, document)):
            if min(one, two) < limits.min_size and (limits.max_size is None or one + two <= limits.max_size):
                raise broken_law(
                    "no group under limits.min_size could join a neighbour within limits.max_size",
                    document,
                    f"{name} = {shorten(found)}: units {first} to {end - 1} could be one group of {one + two}",
                    f"{FIT}; where the cut lets small groups stand, pass joined=False",
                )


def _kind(found: object) -> str:
    return f"of {found.dtype}" if isinstance(found, np.ndarray) else f"a {type(found).__name__}"


def scores(cut: Cut, given: Sequence[Units]) -> None:
    """A cut with scores has one finite score per gap, and places its breaks by them alone. Others pass."""
    if not isinstance(cut, ScoredCut):
        return
    for document in given:
        with answering("a cut takes any units", document, "no unit and one unit have no gap"):
            gaps = cut.scores(document.vectors, document.sizes)
        if np.shape(gaps) != (max(len(document.sizes) - 1, 0),) or not np.isfinite(gaps).all():
            raise broken_law(
                "scores() returns one finite number per gap, (n - 1,)",
                document,
                f"shape {np.shape(gaps)}: {shorten(gaps)}",
                "higher is a better place to cut; a pair that cannot be compared has a score too",
            )
        placed, called = breaks_by(cut, document, "place"), breaks_by(cut, document, "cut")
        if not np.array_equal(placed, called):
            raise broken_law(
                "place(scores(vectors, sizes), sizes, limits) is what the cut itself returns",
                document,
                f"{shorten(placed)} and {shorten(called)}",
                "let __call__ return self.place(self.scores(vectors, sizes), sizes, limits)",
            )


def cuts_again(cut: Cut, given: Sequence[Units]) -> None:
    """The same units have the same breaks, in whatever order documents come."""
    first = [[np.array(found) for _, found in ways(cut, document)] for document in given]
    for document, before in zip(reversed(given), reversed(first), strict=True):
        for old, (name, new) in zip(before, ways(cut, document), strict=True):
            if not np.array_equal(old, new):
                raise broken_law(
                    "a cut returns the same breaks for the same units",
                    document,
                    f"{name} = {shorten(old)}, then {shorten(new)}",
                    "keep nothing between calls, and seed what is left to chance within the call",
                )


def leaves(cut: Cut, given: Sequence[Units]) -> None:
    """Vectors and sizes are never written to."""
    for document in given:
        own = replace(document, vectors=document.vectors.copy(), sizes=document.sizes.copy(), writable=True)
        for name, _ in ways(cut, own):
            same = np.array_equal(own.vectors, document.vectors) and np.array_equal(own.sizes, document.sizes)
            if not same:
                raise broken_law(
                    "a cut leaves its inputs as they are",
                    document,
                    f"{name} has written to its vectors or sizes",
                    "work on a copy: the Splitter uses vectors and sizes again",
                )


def survives(cut: Cut, given: Sequence[Units]) -> None:
    """Rows of zeros, which are similar to nothing, divide nothing by zero."""
    for document in given:
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            for _ in ways(cut, document):
                pass


LAWS: tuple[Law, ...] = (leaves, rises, fits_limit, joins, cuts_again, survives, scores)


def check_cut(cut: Cut, given: Sequence[Units] | None = None, *, joined: bool = True, pickled: bool = True) -> None:
    """A cut -> nothing, or an AssertionError. given: documents to try, by default `sample_units()`.

    A cut that has `scores` and `place`, or `within`, is also called by these, as a Splitter does. joined: whether
    `min_size`, which is a wish, is held too. pickled: whether it must also survive pickling.
    """
    tried = sample_units() if given is None else given
    for law in LAWS:
        if joined or law is not joins:
            law(cut, tried)
    if pickled:
        copy_of(cut, "cut", lambda part: [found.tolist() for _, _, found in every_way(part, tried[-10:])])
