"""Why each chunk begins where it does: a sentence for each chunk of a text that one of our splitters cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura import ClusterCut, DoublePassCut, OptimalCut, Segmentation, Span, Splitter
from caesura.cuts.search import PENALTY
from caesura.edges import trim
from caesura.text.markup import structure
from caesura.vectors import reliability_weights, window_sums
from caesura_lab.plotting import GapCurve, centre_units

EDGE_WORDS = {0.5: "after a line end", 1.0: "after a blank line", 2.0: "before a heading"}


def explain_chunks(segmentation: Segmentation, splitter: Splitter, curve: GapCurve) -> list[str]:
    """Returns one sentence per chunk; the first chunk's says that the text begins.

    What is said is measured on the finished chunks: whether the two would fit together, how alike they are, and what
    the cut's own rule makes of that.
    """
    units, vectors = centre_units(segmentation, splitter.background)
    starts = [0, *np.searchsorted(units, segmentation.breaks).tolist()]
    ends = [*starts[1:], len(units)]
    cut, sizes, limit = splitter.cut, segmentation.sizes[units], segmentation.limits.max_size
    weights = (
        reliability_weights(sizes, cut.half_weight)
        if isinstance(cut, (OptimalCut, ClusterCut))
        else sizes.astype(float)
    )
    sums = window_sums(vectors, weights)
    strengths = structure(segmentation.text, segmentation.units[units])
    sentences = ["The text begins here."] if len(units) else []
    for before, start, end in zip(starts, starts[1:], ends[1:], strict=False):
        strength = float(strengths[start - 1])
        size = _joined_size(segmentation, units, before, end)
        left, right = sums[start] - sums[before], sums[end] - sums[start]
        if limit is not None and size > limit:
            score = _describe_score(curve, start) or f"their similarity is {_cosine(left, right):.2f}"
            why = f"with the chunk before it would measure {size:,}, over the limit of {limit:,}; {score}"
        else:
            fewest = min(start - before, end - start)
            why = _apply_rule(cut, left, right, strength, curve, start, fewest)
        where = EDGE_WORDS.get(strength)
        sentences.append(f"{why[0].upper()}{why[1:]}{f'; it begins {where}' if where else ''}.")
    return sentences


def _joined_size(segmentation: Segmentation, units: NDArray[np.intp], first: int, end: int) -> int:
    """What the units from `first` to `end` measure as one chunk."""
    span = Span(int(segmentation.units[units[first]]), int(segmentation.units[units[end - 1] + 1]))
    span = trim(segmentation.text, *span) if segmentation.trim else span
    return segmentation.size(segmentation.text[span.start : span.end])


def _apply_rule(
    cut: object,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    strength: float,
    curve: GapCurve,
    start: int,
    units: int,
) -> str:
    """What the cut's own rule says of two neighbours that would fit together.

    strength: of the edge between them; units: how many the smaller has.
    """
    likeness = _cosine(left, right)
    if isinstance(cut, DoublePassCut):
        least = cut.merging_threshold
        if units < cut.min_units:
            least = cut.leftover_threshold
        over = "not over" if likeness <= least else "over"
        rest = "" if likeness <= least else ", yet the passes from left to right did not join them"
        return f"its similarity to the chunk before is {likeness:.2f}, {over} the merging threshold of {least:g}{rest}"
    if isinstance(cut, OptimalCut):
        gain = float(np.linalg.norm(left) + np.linalg.norm(right) - np.linalg.norm(left + right))
        if cut.n_chunks is not None or cut.target_size is not None:
            wanted = f"{cut.n_chunks} chunks" if cut.n_chunks is not None else f"a mean size of {cut.target_size}"
            return f"parting here gains {gain:.2f}, among the most for {wanted}"
        penalty = (PENALTY if cut.penalty is None else cut.penalty) - cut.structure * strength
        return f"parting here gains {gain:.2f}, at a penalty of {penalty:.2f} at this place"
    if isinstance(cut, ClusterCut):
        return f"joining stopped before these two were alike enough: their similarity is {likeness:.2f}"
    return _describe_score(curve, start) or f"its similarity to the chunk before is {likeness:.2f}"


def _describe_score(curve: GapCurve, start: int) -> str | None:
    """What the threshold says of the gap before a unit, where the cut goes by one."""
    if not curve.exact or curve.threshold is None:
        return None
    score = float(curve.scores[start - 1])
    if score > curve.threshold:
        return f"the gap scores {score:.3f}, over the threshold of {curve.threshold:.3f}"
    return f"the gap scores {score:.3f}, not over the threshold of {curve.threshold:.3f}, cut to keep the limit"


def _cosine(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    norm = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / norm if norm > 0 else 0.0
