"""A cut, (Vectors, Sizes, Limits) -> Breaks, in; nothing out, or an AssertionError that says which law it breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from caesura.testing.breaks import fits, joins, rises
from caesura.testing.forms import scores, windows
from caesura.testing.laws import broken, copied, shown
from caesura.testing.rows import Document, documents
from caesura.testing.ways import every_way, ways
from caesura.types import Cut

Law: TypeAlias = Callable[[Cut, Sequence[Document]], None]


def repeats(cut: Cut, given: Sequence[Document]) -> None:
    """The same units have the same breaks, in whatever order documents come."""
    first = [[np.array(found) for _, found in ways(cut, document)] for document in given]
    for document, before in zip(reversed(given), reversed(first), strict=True):
        for old, (name, new) in zip(before, ways(cut, document), strict=True):
            if not np.array_equal(old, new):
                raise broken(
                    "a cut returns the same breaks for the same units",
                    document,
                    f"{name} = {shown(old)}, then {shown(new)}",
                    "keep nothing between calls, and seed what is left to chance within the call",
                )


def leaves(cut: Cut, given: Sequence[Document]) -> None:
    """Vectors and sizes are never written to."""
    for document in given:
        own = replace(document, vectors=document.vectors.copy(), sizes=document.sizes.copy(), writable=True)
        for name, _ in ways(cut, own):
            same = np.array_equal(own.vectors, document.vectors) and np.array_equal(own.sizes, document.sizes)
            if not same:
                raise broken(
                    "a cut leaves its inputs as they are",
                    document,
                    f"{name} has written to its vectors or sizes",
                    "work on a copy: the Splitter uses vectors and sizes again",
                )


def survives(cut: Cut, given: Sequence[Document]) -> None:
    """Rows of zeros, which are similar to nothing, divide nothing by zero."""
    for document in given:
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            for _ in ways(cut, document):
                pass


LAWS: tuple[Law, ...] = (leaves, rises, fits, joins, repeats, survives, scores, windows)


def check_cut(cut: Cut, given: Sequence[Document] | None = None, *, joined: bool = True, pickled: bool = True) -> None:
    """A cut -> nothing, or an AssertionError. given: documents to try, by default `documents()` of the module `rows`.

    A cut that has `scores` and `place`, or `within`, is also called by these, as a Splitter does. joined: whether
    `min_size`, which is a wish, is held too. pickled: whether it must also survive pickling.
    """
    tried = documents() if given is None else given
    for law in LAWS:
        if joined or law is not joins:
            law(cut, tried)
    if pickled:
        copied(cut, "cut", lambda part: [found.tolist() for _, _, found in every_way(part, tried[-10:])])
