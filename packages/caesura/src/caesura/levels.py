"""Units, their rows and the cuts of one or more levels in, segmentations out: each cuts within the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.slices import fit_slices
from caesura.edges import is_tiling
from caesura.errors import SettingError
from caesura.segmentation import Segmentation
from caesura.types import Breaks, Cut, Edges, Gaps, Limits, ScoredCut, Sizer, Sizes, StructuredCut, Vectors
from caesura.vectors import unit_rows

LARGE = 2**24
"""Numbers, 64 MB, from which on rows are not centred at once, though that is faster."""


def segmented(
    settings: Any,
    text: str,
    units: Edges,
    sizes: Sizes,
    own: NDArray[np.float32],
    levels: Sequence[tuple[Limits, Cut]],
) -> list[Segmentation]:
    """Units that are not blank and their rows -> a segmentation per level, coarse to fine, each within the one before.

    settings: a Splitter, or what has its size, trim and background. Cuts between the units that are not blank, measures
    the slices, and puts what was found among all units.
    """
    held = np.flatnonzero(sizes)
    background = settings.background
    mean = (background.mean, background.weight) if background else ()
    vectors = _windowed(own, mean, [cut for _, cut in levels]) or unit_rows(own, len(own), *mean)
    rows = own
    if len(held) < len(sizes):
        rows = np.zeros((len(sizes), own.shape[1]), np.float32)
        rows[held] = own
    found: list[Segmentation] = []
    breaks: Breaks = np.zeros(0, np.intp)
    for limits, cut in levels:
        ends = [0, *breaks.tolist(), len(held)]
        scores = np.full(max(len(held) - 1, 0), np.inf) if isinstance(cut, ScoredCut) else None
        inner = [breaks]
        for start, end in pairwise(ends):
            some = vectors if (start, end) == (0, len(held)) else vectors[start:end]
            part = text, units[held[start:end]], some, sizes[held[start:end]]
            within = _breaks(cut, limits, *part, None if scores is None else scores[start : end - 1])
            inner.append(start + _checked(within, end - start))
        breaks = np.sort(np.concatenate(inner))
        gaps = None
        if scores is not None:
            gaps = np.full(max(len(sizes) - 1, 0), -np.inf)
            gaps[held[1:] - 1] = scores
        made = Segmentation(text, units, held[breaks], sizes, rows, gaps, limits, settings.size, settings.trim)
        if limits.max_size is not None and not _fit(breaks, sizes[held], limits.max_size, settings.size):
            breaks = fit_slices(breaks, sizes[held], partial(made.fits, held))
            made = replace(made, breaks=held[breaks])
        found.append(made)
    return found


def _checked(breaks: Any, count: int) -> Breaks:
    """What a cut returned for `count` units; raises `SettingError` where it is not breaks."""
    whole = isinstance(breaks, np.ndarray) and breaks.ndim == 1 and breaks.dtype.kind in "iu"
    if whole and (not len(breaks) or is_tiling(np.concatenate(([0], breaks, [count])), count)):
        return cast(Breaks, breaks)
    raise SettingError(
        f"cut() must return an array of whole numbers that rise within 1 to {count - 1}, the first units of chunks, "
        f"got {breaks!r:.120}"
    )


def _windowed(own: NDArray[np.float32], mean: tuple[Any, ...], cuts: list[Cut]) -> Vectors | None:
    """The rows of a large document, centred where they are looked at, if its one cut looks at a window at a time."""
    if own.size < LARGE or len(cuts) > 1 or not getattr(cuts[0], "windowed", False):
        return None
    from caesura.centred import CentredRows  # seldom needed

    return cast(Vectors, CentredRows(own, *mean))


def _fit(breaks: Breaks, sizes: Sizes, max_size: int, size: Sizer) -> bool:
    """Whether all groups surely fit as slices: where characters are counted, none has more than its units together."""
    return size is len and (not len(sizes) or int(np.add.reduceat(sizes, [0, *breaks.tolist()]).max()) <= max_size)


def _breaks(
    cut: Cut,
    limits: Limits,
    text: str,
    starts: NDArray[np.intp],
    vectors: Vectors,
    sizes: Sizes,
    scores: Gaps | None,
) -> Breaks:
    """One group of units, cut; the scores of a cut that has scores are written into `scores`."""
    if scores is not None and isinstance(cut, ScoredCut):
        scores[:] = cut.scores(vectors, sizes)
        return cut.place(scores, sizes, limits)
    if isinstance(cut, StructuredCut):
        from caesura.text.structure import structure  # only such a cut needs it

        return cut.within(vectors, sizes, limits, structure(text, starts))
    return cut(vectors, sizes, limits)
