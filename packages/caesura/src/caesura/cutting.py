"""Units and their rows -> breaks and segmentations, level by level: what comes after the embedder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from math import inf
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from caesura.background import Background
from caesura.batch import Batch, SplitSettings
from caesura.cuts.limits.fit import fit_slices
from caesura.errors import SettingError
from caesura.segmentation import Segmentation
from caesura.sizers import tokens
from caesura.types import (
    Breaks,
    CountedCut,
    Cut,
    Edges,
    Gaps,
    Limits,
    ScoredCut,
    Sizes,
    StructuredCut,
    StructureWeight,
    Vectors,
)
from caesura.vectors import BLOCK, as_rows, unit_rows


class Cutter(NamedTuple):
    """A cut and what it says of itself. A `Splitter` asks it once, when it is made.

    scored: the cut if it is a `ScoredCut`, else None. structured: the cut if it is a `StructuredCut` and no
    `ScoredCut`, else None. share: how many standard deviations a `ScoredCut` adds to the score at a paragraph's end.
    chunk_count: the number of chunks of a text as a whole, where the cut was given one.
    """

    cut: Cut
    scored: ScoredCut | None
    structured: StructuredCut | None
    share: float
    chunk_count: int | None

    @classmethod
    def of(cls, cut: Cut) -> Cutter:
        """Asks a cut what it says of itself."""
        scored = cut if isinstance(cut, ScoredCut) else None
        structured = cut if scored is None and isinstance(cut, StructuredCut) else None
        share = cut.structure if scored is not None and isinstance(cut, StructureWeight) else 0.0
        return cls(cut, scored, structured, share, cut.chunk_count if isinstance(cut, CountedCut) else None)


CutLevel: TypeAlias = tuple[Limits, Cutter]
UNKNOWN = inf
"""More than any limit."""


def cut_batch(
    settings: SplitSettings,
    batch: Batch,
    vectors: Any,
    background: Background | None,
    levels: Sequence[Sequence[CutLevel]],
) -> list[list[Segmentation]]:
    """Cuts each document at each of its levels. Raises `EmbeddingError` unless there is one vector per text.

    levels: of each document, coarse to fine. background: what the rows are centred on.
    """
    codes = batch.is_code or (False,) * len(batch.documents)
    parts = [_parts(batch, number, own) for number, own in enumerate(levels)]
    ends = np.cumsum([np.count_nonzero(sizes) for own in parts for *_, sizes in own], dtype=np.intp)
    centred, found = _centre_together(vectors, ends, background), list[list[Segmentation]]()
    for number, own in enumerate(parts):
        cut, rows = list[list[Segmentation]](), list[NDArray[np.float32]]()
        for part in own:
            both = next(centred)
            cut.append(_cut_document(settings, codes[number], *part, both, levels[number]))
            rows.append(both[0])
        found.append(cut[0] if len(cut) == 1 else _join(batch, number, cut, np.concatenate(rows)))
    return found


def _parts(batch: Batch, number: int, levels: Sequence[CutLevel]) -> list[tuple[str, Edges, Sizes]]:
    """A document -> text, units and sizes of each of its sections; of the whole where chunks are counted."""
    text, units, sizes = batch.documents[number], batch.units[number], batch.sizes[number]
    begun = batch.sections[number] if batch.sections else ()
    if not begun or any(cutter.chunk_count is not None for _, cutter in levels):
        return [(text, units, sizes)]
    edges = pairwise([0, *begun, len(sizes)])
    some = [(units[first : end + 1], sizes[first:end]) for first, end in edges]
    return [(text[own[0] : own[-1]], own - own[0], sizes) for own, sizes in some]


def _with_blanks(rows: NDArray[np.float32], sizes: Sizes) -> NDArray[np.float32]:
    """The rows of units that are not blank -> (n, d) those of all units, zero for a blank one."""
    if len(rows) == len(sizes):
        return rows
    found = np.zeros((len(sizes), rows.shape[1]), np.float32)
    found[np.flatnonzero(sizes)] = rows
    return found


def _join(
    batch: Batch, number: int, sections: Sequence[Sequence[Segmentation]], own_rows: NDArray[np.float32]
) -> list[Segmentation]:
    """The levels of each section of a document, and the document's own rows -> the levels of the document."""
    sizes, begun, rows = batch.sizes[number], batch.sections[number], _with_blanks(own_rows, batch.sizes[number])
    joined: list[Segmentation] = []
    for parts in zip(*sections, strict=True):
        breaks, gaps = list[NDArray[np.intp]](), list[Gaps]()
        for start, part in zip((0, *begun), parts, strict=True):
            held = start and part.sizes.any() and sizes[:start].any()
            breaks += [np.array([start] if held else [], np.intp), start + part.breaks]
            gaps += [np.full(min(start, 1), np.inf)] + ([] if part.gaps is None else [part.gaps])
        whole = {"text": batch.documents[number], "units": batch.units[number], "rows": rows, "sections": begun}
        own = {"breaks": np.concatenate(breaks), "sizes": np.concatenate([part.sizes for part in parts])}
        scores = None if parts[0].gaps is None else np.concatenate(gaps)
        joined.append(replace(parts[0], **whole, **own, gaps=scores))
    return joined


def _centre_together(
    vectors: Any, ends: NDArray[np.intp], background: Background | None
) -> Iterator[tuple[NDArray[np.float32], Vectors]]:
    """Yields the own rows of each document or section, and its unit rows, which are made for many small ones at once.

    vectors: one per text. ends: where the rows of each document or section end.
    """
    rows = as_rows(vectors, int(ends[-1]) if len(ends) else 0)
    mean, weight = (background.mean, background.weight) if background else (None, np.inf)
    first = start = 0
    while first < len(ends):
        last = max(int(np.searchsorted(ends, start + BLOCK, side="right")), first + 1)
        stop = int(ends[last - 1])
        own, places = rows[start:stop], ends[first:last] - start
        centred = unit_rows(own, mean, weight, places)
        for begin, end in pairwise([0, *places.tolist()]):
            yield own[begin:end], centred[begin:end]
        first, start = last, stop


def _cut_document(
    settings: SplitSettings,
    is_code: bool,
    text: str,
    units: Edges,
    sizes: Sizes,
    both: tuple[NDArray[np.float32], Vectors],
    levels: Sequence[CutLevel],
) -> list[Segmentation]:
    """Returns a segmentation per level, each within the one before. both: a document's rows and its unit rows.

    It cuts between the units that are not blank, and measures the slices. The breaks that it returns are numbers of all
    units, blank ones included.
    """
    held: Any = np.flatnonzero(sizes)
    count, shown = len(held), (settings.size, settings.trim, is_code)
    rows, vectors = _with_blanks(both[0], sizes), both[1]
    starts, held = (units[:-1], None) if count == len(sizes) else (units[held], held)
    found: list[Segmentation] = []
    breaks: Breaks = np.zeros(0, np.intp)
    most: tuple[NDArray[Any], NDArray[np.intp]] | None = None
    for limits, cutter in levels:
        # A unit's size includes the whitespace before it, which a chunk of that unit alone drops: so no unit counts
        # more than the limit.
        level_sizes = sizes if limits.max_size is None else np.minimum(sizes, limits.max_size)
        measured = level_sizes if held is None else level_sizes[held]
        ends = [0, *breaks.tolist(), count]
        scores = None if cutter.scored is None else np.full(max(count - 1, 0), np.inf)
        inner = [breaks]
        for start, end in pairwise(ends):
            some = vectors if (start, end) == (0, count) else vectors[start:end]
            own = None if scores is None else scores[start : end - 1]
            inner.append(
                start + _cut_group(cutter, limits, (text, starts[start:end], is_code), some, measured[start:end], own)
            )
        breaks = np.sort(np.concatenate(inner)) if len(inner) > 2 else inner[1]
        gaps = scores
        if scores is not None and held is not None:
            gaps = np.full(max(len(sizes) - 1, 0), -np.inf)
            gaps[held[1:] - 1] = scores
        own_breaks = breaks if held is None else held[breaks]
        made = Segmentation(text, units, own_breaks, level_sizes, rows, gaps, limits, *shown)
        if limits.max_size is not None and count:
            begun, joined = most = most or _most(settings, text, starts, sizes if held is None else sizes[held])
            first, end = np.concatenate(([0], breaks)), np.append(breaks, count)
            if (begun[first] + joined[end] - joined[first + 1] > limits.max_size).any():
                fits = partial(_fits, made, np.arange(count) if held is None else held, *most)
                breaks = fit_slices(breaks, measured, fits)
                made = replace(made, breaks=breaks if held is None else held[breaks])
        found.append(made)
    return found


def _most(
    settings: SplitSettings, text: str, starts: NDArray[np.intp], sizes: Sizes
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """(n,) starts and sizes of units -> (n,) the most that each measures where a chunk begins with it, and (n + 1,)
    running sums of the most that each adds to a chunk.

    With `len`, a slice is never larger than the sum of its units; with other sizers it may be.
    """
    begun: Any = 0 if settings.size is len else UNKNOWN
    joined: Any = 0
    if settings.trim and isinstance(settings.size, tokens):
        begun, joined = settings.size.joints(text, starts.tolist()) or (begun, joined)
    return sizes + begun, np.concatenate(([0], np.cumsum(sizes + joined)))


def _fits(
    made: Segmentation, held: NDArray[np.intp], begun: NDArray[Any], joined: NDArray[np.intp], first: int, end: int
) -> bool:
    """Whether a chunk is within the limit, by `_most` or by measuring it."""
    most = begun[first] + joined[end] - joined[first + 1]
    return bool(most <= (made.limits.max_size or 0)) or made.fits(held, first, end)


def _cut_group(
    cutter: Cutter,
    limits: Limits,
    place: tuple[str, NDArray[np.intp], bool],
    vectors: Vectors,
    sizes: Sizes,
    scores: Gaps | None,
) -> Breaks:
    """Cuts one group of units, and writes the scores of a `ScoredCut` into `scores`.

    place: the text, where the units start in it, and whether it is code.
    """
    target = limits.target_size is not None
    wide = _wide(limits) if target else limits
    structure = np.zeros(max(len(sizes) - 1, 0))
    if target or cutter.share or cutter.structured is not None:
        from caesura.text.markup import structure as structure_of  # not every cut needs it

        structure = structure_of(*place)
    if cutter.scored is not None and scores is not None:
        own = cutter.scored.scores(vectors, sizes)
        scores[:] = own + cutter.share * own.std() * structure if cutter.share and len(own) else own
        breaks = cutter.scored.place(scores, sizes, wide)
    elif cutter.structured is not None:
        breaks = cutter.structured.within(vectors, sizes, wide, structure)
    else:
        breaks = cutter.cut(vectors, sizes, wide)
    breaks = _check_breaks(breaks, len(sizes))
    if not target:
        return breaks
    from caesura.cuts.limits.even import even  # only a target needs these
    from caesura.cuts.scores.gaps import ADJACENT

    return even(breaks, ADJACENT(vectors, sizes), structure, sizes, limits)


@lru_cache(maxsize=64)
def _wide(limits: Limits) -> Limits:
    """Returns the limits for a cut whose chunks are made even afterwards: a few times the target size."""
    from caesura.cuts.limits.even import REACH

    reach = min((limits.target_size or 0) * REACH, sys.maxsize)
    return Limits(max(reach, limits.max_size or 0, limits.min_size), limits.min_size)


def _check_breaks(breaks: Any, count: int) -> Breaks:
    """Returns a cut's breaks for `count` units as an array. Raises `SettingError` for anything else."""
    given: Any = breaks
    if isinstance(breaks, (list, tuple)) and all(isinstance(one, Integral) for one in breaks):
        given = np.array(breaks, None if breaks else np.intp)
    whole = isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iu"
    if whole and (not len(given) or (given[0] > 0 and given[-1] < count and np.all(given[1:] > given[:-1]))):
        return cast(Breaks, given)
    raise SettingError(
        f"cut() must return an array or a list of whole numbers that rise within 1 to {count - 1}, the first units of "
        f"chunks, got {breaks!r:.120}"
    )
