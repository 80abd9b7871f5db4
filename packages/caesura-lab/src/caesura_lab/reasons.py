"""A text as one of our splitters cut it -> for each chunk but the first a sentence that says why it begins there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura import ClusterCut, DoublePassCut, OptimalCut, Segmentation, Span, Splitter
from caesura.cuts.search import PENALTY
from caesura.edges import trim
from caesura.text.markup import structure
from caesura.vectors import reliability_weights, window_sums
from caesura_lab.plotting import Curve, centred

SHOWN = {0.5: "after a line end", 1.0: "after a blank line", 2.0: "before a heading"}


def reasons(made: Segmentation, splitter: Splitter, curve: Curve) -> list[str]:
    """Returns one sentence per chunk; the first chunk's says that the text begins.

    What is said is measured on the finished chunks: whether the two would fit together, how alike they are, and what
    the cut's own rule makes of that.
    """
    held, vectors = centred(made, splitter.background)
    starts = [0, *np.searchsorted(held, made.breaks).tolist()]
    ends = [*starts[1:], len(held)]
    cut, sizes = splitter.cut, made.sizes[held]
    weights = (
        reliability_weights(sizes, cut.half_weight)
        if isinstance(cut, (OptimalCut, ClusterCut))
        else sizes.astype(float)
    )
    sums = window_sums(vectors, weights)
    shown = structure(made.text, made.units[held])
    told = ["The text begins here."] if len(held) else []
    for before, start, end in zip(starts, starts[1:], ends[1:], strict=False):
        where = SHOWN.get(float(shown[start - 1]), "")
        together = _together(made, held, before, end)
        left, right = sums[start] - sums[before], sums[end] - sums[start]
        if made.limits.max_size is not None and together > made.limits.max_size:
            why = f"with the chunk before it would measure {together:,}, over the limit of {made.limits.max_size:,}"
            score = _score(curve, start) or f"their similarity is {_cosine(left, right):.2f}"
            told.append(_sentence(f"{why}; {score}", where))
        else:
            fewest = min(start - before, end - start)
            told.append(_sentence(_rule(cut, left, right, float(shown[start - 1]), curve, start, fewest), where))
    return told


def _together(made: Segmentation, held: NDArray[np.intp], first: int, end: int) -> int:
    span = Span(int(made.units[held[first]]), int(made.units[held[end - 1] + 1]))
    span = trim(made.text, *span) if made.trim else span
    return made.size(made.text[span.start : span.end])


def _rule(
    cut: object,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    shown: float,
    curve: Curve,
    start: int,
    units: int,
) -> str:
    """What the cut's own rule says of two neighbours that would fit together; units: how many the smaller has."""
    likeness = _cosine(left, right)
    if isinstance(cut, DoublePassCut):
        least = cut.merging_threshold
        if cut.min_units is not None and units < cut.min_units:
            least = cut.leftover_threshold
        over = "not over" if likeness <= least else "over"
        rest = "" if likeness <= least else ", yet the passes from left to right did not join them"
        return f"its similarity to the chunk before is {likeness:.2f}, {over} the merging threshold of {least:g}{rest}"
    if isinstance(cut, OptimalCut):
        gain = float(np.linalg.norm(left) + np.linalg.norm(right) - np.linalg.norm(left + right))
        if cut.n_chunks is not None or cut.target_size is not None:
            wanted = f"{cut.n_chunks} chunks" if cut.n_chunks is not None else f"a mean size of {cut.target_size}"
            return f"parting here gains {gain:.2f}, among the most for {wanted}"
        penalty = (PENALTY if cut.penalty is None else cut.penalty) - cut.structure * shown
        return f"parting here gains {gain:.2f}, at a penalty of {penalty:.2f} at this place"
    if isinstance(cut, ClusterCut):
        return f"joining stopped before these two were alike enough: their similarity is {likeness:.2f}"
    return _score(curve, start) or f"its similarity to the chunk before is {likeness:.2f}"


def _score(curve: Curve, start: int) -> str | None:
    """What the threshold says of the gap before a unit, where the cut goes by one."""
    if not curve.exact or curve.threshold is None:
        return None
    score = float(curve.scores[start - 1])
    if score > curve.threshold:
        return f"the gap scores {score:.3f}, over the threshold of {curve.threshold:.3f}"
    return f"the gap scores {score:.3f}, not over the threshold of {curve.threshold:.3f}, cut to keep the limit"


def _sentence(why: str, where: str) -> str:
    return f"{why[0].upper()}{why[1:]}{f'; it begins {where}' if where else ''}."


def _cosine(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    norm = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / norm if norm > 0 else 0.0
