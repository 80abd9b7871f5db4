"""A segmented text: its units and breaks, its chunks and their vectors; and how units and vectors become one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from caesura.background import Background
from caesura.checks import check_int, check_size
from caesura.cuts.limits.fit import fit_slices
from caesura.edges import merge, trim
from caesura.errors import SettingError
from caesura.sizers import tokens
from caesura.types import (
    Breaks,
    Chunk,
    Cut,
    Edges,
    Gaps,
    Limits,
    ScoredCut,
    Segmenter,
    Sizer,
    Sizes,
    Span,
    StructuredCut,
    Vectors,
)
from caesura.vectors import BLOCK, LARGE, CentredRows, normalize, unit_rows, window_sums


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """One text, its n units and where it was cut: all that a plot, a bug report or an index needs. text: the document.
    units: their edges. breaks: each chunk's first unit, but the first's. limits, size, trim: those of the splitter."""

    text: str
    units: Edges
    breaks: Breaks
    sizes: Sizes
    """(n,) what a unit adds to a chunk: itself and the whitespace before it, at most `limits.max_size`. 0 for a blank
    unit, and only for that."""
    rows: NDArray[np.float32]
    """(n, d) as the embedder returned them; zero for a blank unit."""
    gaps: Gaps | None = None
    """(n - 1,) the scores of a cut that has scores; -inf behind which there is only a blank unit, inf where a coarser
    level is cut."""
    limits: Limits = field(default_factory=Limits)
    size: Sizer = len
    trim: bool = True
    is_code: bool = False
    """Whether the segmenter says so; else only what looks like code keeps the indentation that a chunk begins with."""

    @property
    def edges(self) -> Edges:
        """The edges of the groups of units. They tile the text."""
        return merge(self.units, self.breaks)

    def chunks(self, overlap: int = 0) -> list[Chunk]:
        """Returns rising slices of the text such that what lies outside them is whitespace, none is blank, and none
        measures over `limits.max_size` plus `overlap`.

        An `overlap` adds to a chunk the units before it, as many whole ones as sum to at most that size, but never the
        whole chunk before it. The cut should have had room for it: a ``max_size`` less the overlap.
        """
        check_int("overlap", overlap, 0)
        chunks: list[Chunk] = []
        previous = 0
        for first, last in self.groups():
            start = first
            if overlap and chunks:
                start = self._earlier(first, last, previous, overlap)
            span = self._span(start, last)
            chunks.append(Chunk(self.text[span.start : span.end], *span))
            previous = first
        return chunks

    def vectors(
        self, chunks: Sequence[Chunk] | None = None, above: tuple[NDArray[np.float32], Sequence[int]] | None = None
    ) -> NDArray[np.float32]:
        """Returns (k, d): for each chunk the direction of the sum of the embedder's own rows of its units, weighted by
        the roots of their sizes, and their mean length: 1 where each of them has it. Zero rows do not count.

        chunks: slices of the text, such as those with an overlap; by default those of `chunks()`. A unit of which a
        slice holds a part counts whole. above: of each chunk a row of the embedder's that counts as one unit more, such
        as that of its headings, and what it measures.
        """
        spans = self.chunks() if chunks is None else chunks
        if not spans:
            return self.rows[:0]
        lengths = np.sqrt(np.einsum("ij,ij->i", self.rows, self.rows, dtype=np.float64))
        weights = np.sqrt(self.sizes) * (lengths > 0)
        sums = window_sums(self.rows, weights)
        totals = window_sums(np.stack([lengths, np.ones_like(lengths)], axis=1), weights)
        first = np.searchsorted(self.units, [chunk.start for chunk in spans], side="right") - 1
        last = np.searchsorted(self.units, [chunk.end for chunk in spans], side="left")
        summed, total = (totals[last] - totals[first]).T
        rows = sums[last] - sums[first]
        if above is not None:
            lengths = np.sqrt(np.einsum("ij,ij->i", above[0], above[0], dtype=np.float64))
            weights = np.sqrt(above[1]) * (lengths > 0)
            rows, summed, total = rows + weights[:, None] * above[0], summed + weights * lengths, total + weights
        total[total == 0] = 1
        mean = np.asarray(rows / total[:, None], np.float32)
        return np.asarray(normalize(mean) * (summed / total)[:, None], np.float32)

    def groups(self) -> list[tuple[int, int]]:
        """The first and the last unit of each chunk that are not blank."""
        if self.sizes.all():  # nearly every text
            edges = [0, *self.breaks.tolist(), len(self.sizes)]
            return [(first, end - 1) for first, end in pairwise(edges) if first < end]
        held = np.flatnonzero(self.sizes)
        ends = np.concatenate(([0], np.searchsorted(held, self.breaks), [len(held)]))
        first, end = ends[:-1][ends[:-1] < ends[1:]], ends[1:][ends[:-1] < ends[1:]]
        return list(zip(held[first].tolist(), held[end - 1].tolist(), strict=True))

    def fits(self, held: NDArray[np.intp], first: int, end: int) -> bool:
        """Whether the slice from one of the units `held` to before another fits `limits.max_size`, as it is shown."""
        units, most = held[first:end], self.limits.max_size
        span = self._span(int(units[0]), int(units[-1]))
        if most is not None and self.trim and isinstance(self.size, tokens):
            text, starts = self.text[span.start : span.end], self.units[units[1:]] - span.start
            if self.size.surely_joined(text, starts.tolist(), int(self.sizes[units].sum()), most):
                return True
        return most is None or bool(self._measured(span) <= most)

    def _measured(self, span: Span) -> Any:
        text = self.text[span.start : span.end]
        return check_size("the sizer", text, self.size(text))

    def _span(self, first: int, last: int) -> Span:
        start, end = int(self.units[first]), int(self.units[last + 1])
        return shown_span(self.text, start, end, self.is_code) if self.trim else Span(start, end)

    def _earlier(self, first: int, last: int, previous: int, overlap: int) -> int:
        """The unit at which a chunk starts once earlier units are added to it."""
        largest = None if self.limits.max_size is None else self.limits.max_size + overlap
        start, room = first, overlap
        held = np.flatnonzero(self.sizes[previous + 1 : first]) + previous + 1  # a blank unit adds nothing
        for unit in held[::-1].tolist():
            room -= int(self.sizes[unit])
            if room < 0:
                break
            span = self._span(unit, last)
            if largest is not None and self._measured(span) > largest:
                break
            start = unit
        return start


def centred_together(
    rows: NDArray[np.float32], ends: NDArray[np.intp], background: Background | None
) -> Iterator[tuple[NDArray[np.float32], Vectors | None]]:
    """Rows of documents, and where those of each end -> each one's own, and its unit rows, which are made for many
    small documents at once; None for a large one, of which the cut says how they are made."""
    mean, weight = (background.mean, background.weight) if background else (None, np.inf)
    first = start = 0
    while first < len(ends):
        last = max(int(np.searchsorted(ends, start + BLOCK, side="right")), first + 1)
        stop = int(ends[last - 1])
        own, places = rows[start:stop], ends[first:last] - start
        centred = unit_rows(own, mean, weight, places) if len(own) <= BLOCK else None
        for begin, end in pairwise([0, *places.tolist()]):
            yield own[begin:end], None if centred is None else centred[begin:end]
        first, start = last, stop


def segment(
    settings: Any,
    text: str,
    units: Edges,
    sizes: Sizes,
    own: tuple[NDArray[np.float32], Vectors | None],
    levels: Sequence[tuple[Limits, Cut]],
) -> list[Segmentation]:
    """Units that are not blank and their rows -> a segmentation per level, coarse to fine, each within the one before.

    settings: a Splitter, or what has its size, segment, trim and background. own: see `centred_together`. Cuts between
    the units that are not blank, measures the slices, and puts what was found among all units.
    """
    held: Any = np.flatnonzero(sizes)
    count, shown = len(held), (settings.size, settings.trim, says_code(settings.segment))
    rows, vectors = own
    if vectors is None:
        vectors = _centred(rows, settings.background, [cut for _, cut in levels])
    if count == len(sizes):
        starts, held = units[:-1], None
    else:
        starts, rows = units[held], np.zeros((len(sizes), rows.shape[1]), np.float32)
        rows[held] = own[0]
    found: list[Segmentation] = []
    breaks: Breaks = np.zeros(0, np.intp)
    for limits, cut in levels:
        # alone a unit fits, however much whitespace is before it; among others, all of that counts
        level_sizes = sizes if limits.max_size is None else np.minimum(sizes, limits.max_size)
        measured = level_sizes if held is None else level_sizes[held]
        ends = [0, *breaks.tolist(), count]
        scores = np.full(max(count - 1, 0), np.inf) if is_scored(cut) else None
        inner = [breaks]
        for start, end in pairwise(ends):
            some = vectors if (start, end) == (0, count) else vectors[start:end]
            part = text, starts[start:end], some, measured[start:end]
            within = _breaks(cut, limits, *part, None if scores is None else scores[start : end - 1], shown[-1])
            inner.append(start + _check_breaks(within, end - start))
        breaks = np.sort(np.concatenate(inner)) if len(inner) > 2 else inner[1]
        gaps = scores
        if scores is not None and held is not None:
            gaps = np.full(max(len(sizes) - 1, 0), -np.inf)
            gaps[held[1:] - 1] = scores
        own_breaks = breaks if held is None else held[breaks]
        made = Segmentation(text, units, own_breaks, level_sizes, rows, gaps, limits, *shown)
        if limits.max_size is not None and not _surely_fit(breaks, sizes[sizes > 0], limits.max_size, settings.size):
            held = np.arange(count) if held is None else held
            breaks = fit_slices(breaks, measured, partial(made.fits, held))
            made = replace(made, breaks=held[breaks])
        found.append(made)
    return found


def shown_span(text: str, start: int, end: int, is_code: bool) -> Span:
    """A range of the text -> the same without whitespace at its ends, but for the indentation of code."""
    span = trim(text, start, end)
    if start == span.start or text[start] not in " \t":
        return span
    from caesura.text.blocks import trim_chunk  # most chunks do not ask

    return trim_chunk(text, start, end, is_code)


def says_code(segment: Segmenter) -> bool:
    """Whether a segmenter says that its units are lines of code, with their indentation."""
    return bool(getattr(segment, "is_code", False))


def _check_breaks(breaks: Any, count: int) -> Breaks:
    """What a cut returned for `count` units, a list of its own too; raises `SettingError` where it is not breaks."""
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


def is_scored(cut: Cut) -> bool:
    """Whether a cut is a `ScoredCut`, at a tenth of what it costs to ask the protocol."""
    return hasattr(cut, "scores") and hasattr(cut, "place")


def _centred(own: NDArray[np.float32], background: Background | None, cuts: list[Cut]) -> Vectors:
    """The unit rows of a large document, made where they are looked at if its one cut looks at a window at a time."""
    mean, weight = (background.mean, background.weight) if background else (None, np.inf)
    if own.size < LARGE or len(cuts) > 1 or not getattr(cuts[0], "windowed", False):
        return unit_rows(own, mean, weight)
    return cast(Vectors, CentredRows(own, mean, weight))


def _surely_fit(breaks: Breaks, sizes: Sizes, max_size: int, size: Sizer) -> bool:
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
    is_code: bool,
) -> Breaks:
    """One group of units, cut; the scores of a cut that has scores are written into `scores`."""
    share = getattr(cut, "structure", 0.0) if scores is not None else 0.0
    structured = scores is None and hasattr(cut, "within")
    looks = share or structured or limits.target_size is not None
    edges = np.zeros(max(len(starts) - 1, 0))
    if looks:
        from caesura.text.markup import structure  # not every cut needs it

        edges = structure(text, starts, is_code)

    def own_breaks(limits: Limits) -> Breaks:
        """What the cut makes of its vectors, and of the structure between them if it takes that."""
        if scores is not None:
            scored = cast(ScoredCut, cut)
            own = scored.scores(vectors, sizes)
            scores[:] = own + share * own.std() * edges if share and len(own) else own
            return scored.place(scores, sizes, limits)
        if structured:
            return cast(StructuredCut, cut).within(vectors, sizes, limits, edges)
        return cut(vectors, sizes, limits)

    if limits.target_size is None:
        return own_breaks(limits)
    from caesura.cuts.limits.even import REACH, even  # only a target needs it
    from caesura.cuts.scores.gaps import Adjacent

    whole = max(int(sizes.sum()), 1)
    reach = max(min(limits.target_size * REACH, whole), limits.max_size or 0, limits.min_size)
    breaks = _check_breaks(own_breaks(Limits(reach, limits.min_size)), len(starts))
    return even(breaks, Adjacent()(vectors, sizes), edges, sizes, limits)
