"""A cut that has scores, or says that it is windowed, in; nothing out, or an AssertionError where it is not so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from caesura.centred import CentredRows
from caesura.testing.laws import answering, broken, shown
from caesura.testing.rows import Document
from caesura.testing.ways import breaks_by, ways
from caesura.types import Cut, ScoredCut, Vectors


def scores(cut: Cut, given: Sequence[Document]) -> None:
    """A cut with scores has one finite score per gap, and places its breaks by them alone. Others pass."""
    if not isinstance(cut, ScoredCut):
        return
    for document in given:
        with answering("a cut takes any units", document, "no unit and one unit have no gap"):
            gaps = cut.scores(document.vectors, document.sizes)
        if np.shape(gaps) != (max(len(document.sizes) - 1, 0),) or not np.isfinite(gaps).all():
            raise broken(
                "scores() returns one finite number per gap, (n - 1,)",
                document,
                f"shape {np.shape(gaps)}: {shown(gaps)}",
                "higher is a better place to cut; a pair that cannot be compared has a score too",
            )
        placed, called = breaks_by(cut, document, "place"), breaks_by(cut, document, "cut")
        if not np.array_equal(placed, called):
            raise broken(
                "place(scores(vectors, sizes), sizes, limits) is what the cut itself returns",
                document,
                f"{shown(placed)} and {shown(called)}",
                "let __call__ return self.place(self.scores(vectors, sizes), sizes, limits)",
            )


def windows(cut: Cut, given: Sequence[Document]) -> None:
    """A cut that says `windowed` finds the same where its vectors are made as it looks at them. Others pass."""
    if not getattr(cut, "windowed", False):
        return
    for document in given:
        rows = CentredRows(document.vectors)
        small, large = replace(document, vectors=rows[:]), replace(document, vectors=cast(Vectors, rows))
        remedy = "index its vectors by a unit, a slice or an array, no more, or do not say that it is windowed"
        with answering("a windowed cut looks at its vectors by slices", document, remedy):
            for (name, found), (_, again) in zip(ways(cut, small), ways(cut, large), strict=True):
                if not np.array_equal(found, again):
                    raise broken(
                        "a windowed cut returns the same breaks for a large document's rows",
                        document,
                        f"{name} = {shown(found)}, then {shown(again)}",
                        remedy,
                    )
