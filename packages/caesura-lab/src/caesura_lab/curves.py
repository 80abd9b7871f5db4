"""A text, its sentences' rows and a cut -> the gap curve that a picture shows, and the threshold where there is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura import Background, PercentileCut, Segmentation, Splitter
from caesura.asking import drive, requests
from caesura.cuts.gaps import Adjacent
from caesura.types import ScoredCut, Vectors
from caesura.vectors import unit_rows
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.splitters.cutting import Cutting, Method


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The gaps between sentences: (m,) `places`, first characters of what comes after each, and (m,) `scores`.

    A score is 1 less a cosine, so 0 to 2: how different the text after the gap is from that before it. threshold: what
    a score must be over for a cut, or None where the cut does not go by one. exact: whether the cut went by these very
    scores; else they are those of the three sentences on either side, drawn for comparison.
    """

    places: NDArray[np.intp]
    scores: NDArray[np.float64]
    threshold: float | None = None
    exact: bool = False


def centred(made: Segmentation, background: Background | None) -> tuple[NDArray[np.intp], Vectors]:
    """A segmentation -> the numbers of its units that are not blank, and their unit rows, as a cut sees them."""
    held = np.flatnonzero(made.sizes)
    rows = made.rows[held]
    if background is None:
        return held, unit_rows(rows, len(held))
    return held, unit_rows(rows, len(held), background.mean, background.weight)


def curve_of(cutting: Cutting, method: Method, embedder: Embedder) -> Curve:
    """A text as a splitter cut it -> its curve; where the splitter is another's, that of the text's sentences."""
    if cutting.made is not None and method.make is not None:
        splitter = method.make(embedder)
        return curve(cutting.made, splitter.background, splitter.cut)
    splitter = Splitter(cut=PercentileCut())
    batch = splitter.prepare([cutting.text])
    return curve(splitter.finish(batch, drive(requests(batch.texts), embedder.embed))[0], embedder.background)


def curve(made: Segmentation, background: Background | None, cut: object = None) -> Curve:
    """A segmentation, what its rows were centred on, and the cut that made it -> the curve to draw.

    The scores of a cut that has scores are its own, else those of `Adjacent` windows.
    """
    held, vectors = centred(made, background)
    places = np.array(
        [_first(made.text, int(made.units[unit]), int(made.units[unit + 1])) for unit in held[1:]], np.intp
    )
    if made.gaps is not None and isinstance(cut, ScoredCut):
        scores = made.gaps[held[1:] - 1]
        return Curve(places, scores, threshold(cut, scores), True)
    return Curve(places, Adjacent()(vectors, made.sizes[held]))


def threshold(cut: object, scores: NDArray[np.float64]) -> float | None:
    """The line between the scores that a cut's threshold passes and those that it does not; None if there is none.

    Any number between the highest below and the lowest above is equal to it on these scores; this is the middle.
    """
    choose = getattr(cut, "threshold", None)
    if choose is None or not len(scores):
        return None
    over = choose(scores)
    if not over.any() or over.all():
        return None
    low, high = float(scores[~over].max()), float(scores[over].min())
    return (low + high) / 2 if low < high else None


def _first(text: str, start: int, end: int) -> int:
    """Where a unit's first character stands that is not blank."""
    return start + len(text[start:end]) - len(text[start:end].lstrip())
