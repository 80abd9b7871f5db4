"""Why each chunk begins where it does: a reason for each chunk of a text that one of our splitters cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura import ClusterCut, Count, DoublePassCut, OptimalCut, Segmentation, Span, Splitter
from caesura.cuts import HALF_WEIGHT
from caesura.cuts.cluster import NClusters
from caesura.cuts.percentile import THRESHOLDS
from caesura.cuts.scores.noise import Noise, chunk_gains, reliability_weights
from caesura.segmentation import shown_span
from caesura.text.markup import structure
from caesura.vectors import window_sums
from caesura_lab.plotting import GapCurve, centre_units

EDGE_WORDS = {0.5: "after a line end", 1.0: "after a blank line", 2.0: "before a heading"}


def explain_chunks(segmentation: Segmentation, splitter: Splitter, curve: GapCurve) -> list[str]:
    """Returns a reason per chunk, in sentences; the first chunk's says that the text begins.

    A reason gives what is measured on a finished chunk and the one before it: whether both would fit together, how
    alike they are, and what the rule of the cut makes of that. A cut without a rule here has its similarity named.
    """
    units, vectors = centre_units(segmentation, splitter.background)
    starts = [0, *np.searchsorted(units, segmentation.breaks).tolist()]
    ends = [*starts[1:], len(units)]
    cut, sizes, limit = splitter.cut, segmentation.sizes[units], segmentation.limits.max_size
    weights = reliability_weights(sizes, getattr(cut, "half_weight", HALF_WEIGHT))
    sums, weighs = window_sums(vectors, weights), np.concatenate(([0], np.cumsum(weights)))
    noise = Noise.of(vectors, weights)
    strengths = structure(segmentation.text, segmentation.units[units], segmentation.is_code)
    reasons = ["The text begins here."] if len(units) else []
    for before, start, end in zip(starts, starts[1:], ends[1:], strict=False):
        strength = float(strengths[start - 1])
        size = _joined_size(segmentation, units, before, end)
        pair = _Pair(np.diff(sums[[before, start, end]], axis=0), np.diff(weighs[[before, start, end]]), strength)
        if limit is not None and size > limit:
            score = _describe_score(cut, curve, start) or pair.describe()
            why = [f"joined with the chunk before, it would measure {size:,}, over the limit of {limit:,}", score]
        elif segmentation.limits.target_size is not None:
            target = f"the target_size is {segmentation.limits.target_size:,}"
            why = [f"joined with the chunk before, it would measure {size:,}", target, pair.describe()]
        else:
            why = [_apply_rule(cut, pair, noise, len(starts), curve, start)]
        if strength in EDGE_WORDS:
            why.append(f"it begins {EDGE_WORDS[strength]}")
        reasons.append(" ".join(f"{said[0].upper()}{said[1:]}." for said in why))
    return reasons


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two neighbouring chunks: the sums of their weighted rows and of their weights, the strength of the edge."""

    sums: NDArray[np.float64]
    weights: NDArray[np.float64]
    strength: float

    @property
    def likeness(self) -> float:
        """The cosine of their sums."""
        left, right = self.sums
        norm = float(np.sqrt((left @ left) * (right @ right)))
        return float(left @ right) / norm if norm > 0 else 0.0

    def describe(self) -> str:
        """How alike they are."""
        return f"their similarity is {self.likeness:.2f}"

    def gain(self, noise: Noise) -> float:
        """What is gained by parting them."""
        apart = self.sums - self.weights[:, None] * noise.mean_row
        both = chunk_gains(apart.sum(axis=0, keepdims=True), self.weights.sum(keepdims=True))
        return float(chunk_gains(apart, self.weights).sum() - both[0])


def _joined_size(segmentation: Segmentation, units: NDArray[np.intp], first: int, end: int) -> int:
    """What the units from `first` to `end` measure as one chunk."""
    span = Span(int(segmentation.units[units[first]]), int(segmentation.units[units[end - 1] + 1]))
    span = shown_span(segmentation.text, *span, segmentation.is_code) if segmentation.trim else span
    return segmentation.size(segmentation.text[span.start : span.end])


def _apply_rule(cut: object, pair: _Pair, noise: Noise, chunks: int, curve: GapCurve, start: int) -> str:
    """What the cut's own rule says of two neighbours that would fit together, with the plugins' names of settings."""
    if isinstance(cut, OptimalCut) and cut.n_chunks is not None:
        return f"a cut here gains {pair.gain(noise):.2f}, among the most for n_chunks={cut.n_chunks}"
    own = getattr(cut, "confidence", None) is None or (isinstance(cut, ClusterCut) and _stop_of(cut) is not None)
    if isinstance(cut, (OptimalCut, ClusterCut, DoublePassCut)) and not own:
        penalty = getattr(cut, "penalty", None)
        setting = f"confidence={cut.confidence:g}" if penalty is None else f"penalty={penalty:g}"
        if penalty is None:
            penalty = noise.penalty(chunks, float(cut.confidence or 0))
        penalty -= cut.structure * pair.strength
        return f"a cut here gains {pair.gain(noise):.2f}; with {setting} it must gain {penalty:.2f} at this place"
    if isinstance(cut, DoublePassCut):
        least = cut.merging_threshold
        over = "not over" if pair.likeness <= least else "over"
        rest = "" if pair.likeness <= least else ", yet the passes from left to right did not join them"
        likeness = f"its similarity to the chunk before is {pair.likeness:.2f}"
        return f"{likeness}, {over} merging_threshold={least:g}{rest}"
    if isinstance(cut, ClusterCut):
        return f"joining stopped at {_stop_of(cut)} before these two joined: {pair.describe()}"
    likeness = f"its similarity to the chunk before is {pair.likeness:.2f}"
    return _describe_score(cut, curve, start) or f"{likeness}{_name_threshold(cut)}"


def _stop_of(cut: ClusterCut) -> str | None:
    """What ends the joining, under its name in the plugins; None: chance."""
    stop, distance = cut.stop, getattr(cut.stop, "distance", None) if cut.stop else cut.linkage.threshold
    if distance is not None:
        return f"distance_threshold={distance:g}"
    if isinstance(stop, NClusters):
        return f"n_clusters={stop.n_clusters}"
    return None if stop is None else f"stop={type(stop).__name__.lower()}"


def _describe_score(cut: object, curve: GapCurve, start: int) -> str | None:
    """What the threshold says of the gap before a unit, where the cut goes by one."""
    if not curve.exact or curve.threshold is None:
        return None
    score, threshold = float(curve.scores[start - 1]), f"the threshold of {curve.threshold:.3f}{_name_threshold(cut)}"
    if score > curve.threshold:
        return f"the gap scores {score:.3f}, over {threshold}"
    return f"the gap scores {score:.3f}, not over {threshold}, cut to keep the limit"


def _name_threshold(cut: object) -> str:
    """The setting that a threshold is of, in brackets; nothing of one that is none of ours."""
    threshold = getattr(cut, "threshold", None)
    if isinstance(threshold, Count):
        return f" (number_of_chunks={threshold.chunks})"
    kind = next((name for name, made in THRESHOLDS.items() if type(threshold) is made), None)
    if kind is None:
        return ""
    named = "" if kind == "percentile" else f"breakpoint_threshold_type={kind}, "
    return f" ({named}breakpoint_threshold_amount={getattr(threshold, 'amount', 0):g})"
