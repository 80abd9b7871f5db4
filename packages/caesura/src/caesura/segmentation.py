"""A segmented text: its units and breaks, its chunks and their vectors."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int, check_size
from caesura.edges import merge
from caesura.types import Breaks, Chunk, Edges, Gaps, Limits, Sizer, Sizes, Span
from caesura.vectors import normalize, window_sums


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """One text, its n units and where it was cut: all that a plot, a bug report or an index needs.

    text: the document. units: their edges. breaks: the first unit of each chunk but the first. limits, size, trim:
    those of the splitter.
    """

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
    sections: tuple[int, ...] = ()
    """The units that the sections of a long text begin with, each cut by itself; the first is not among them."""

    @property
    def edges(self) -> Edges:
        """The edges of the groups of units. They tile the text."""
        return merge(self.units, self.breaks)

    def chunks(self, overlap: int = 0) -> list[Chunk]:
        """Returns rising slices of the text such that what lies outside them is whitespace, none is blank, and none
        measures over `limits.max_size` plus `overlap`.

        An `overlap` puts earlier units in front of a chunk: as many whole ones as sum to at most that size, but never
        the whole chunk before it. The cut should have had room for it: a ``max_size`` that is smaller by the overlap.
        """
        if overlap != 0:
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
        """Returns (k, d), a row for each chunk: the direction of the sum of its units' rows, weighted by the roots of
        their sizes, and their mean length, which is 1 where each row has length 1. Zero rows do not count.

        chunks: slices of the text, such as those with an overlap; by default `chunks()`. A unit that a slice holds in
        part counts whole. above: for each chunk one more row, such as that of its headings, and its size; it counts as
        a unit does.
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
        """Returns the first and the last unit of each chunk that are not blank."""
        if self.sizes.all():  # nearly every text
            edges = [0, *self.breaks.tolist(), len(self.sizes)]
            return [(first, end - 1) for first, end in pairwise(edges) if first < end]
        held = np.flatnonzero(self.sizes)
        ends = np.concatenate(([0], np.searchsorted(held, self.breaks), [len(held)]))
        first, end = ends[:-1][ends[:-1] < ends[1:]], ends[1:][ends[:-1] < ends[1:]]
        return list(zip(held[first].tolist(), held[end - 1].tolist(), strict=True))

    def fits(self, held: NDArray[np.intp], first: int, end: int) -> bool:
        """Whether the slice from unit ``held[first]`` to before ``held[end]`` fits `limits.max_size` as it is
        returned.
        """
        units, most = held[first:end], self.limits.max_size
        span = self._span(int(units[0]), int(units[-1]))
        return most is None or bool(self._measured(span) <= most)

    def _measured(self, span: Span) -> Any:
        text = self.text[span.start : span.end]
        return check_size("the sizer", text, self.size(text))

    def _span(self, first: int, last: int) -> Span:
        start, end = int(self.units[first]), int(self.units[last + 1])
        if not self.trim:
            return Span(start, end)
        if self.sections and self.text[start] in " \t":  # as it was measured, with nothing of other sections
            edges = [0, *self.sections, len(self.sizes)]
            low = int(self.units[edges[bisect_right(edges, first) - 1]])
            high = int(self.units[edges[bisect_left(edges, last + 1)]])
            span = shown_span(self.text[low:high], start - low, end - low, self.is_code)
            return Span(low + span.start, low + span.end)
        return shown_span(self.text, start, end, self.is_code)

    def _earlier(self, first: int, last: int, previous: int, overlap: int) -> int:
        """Returns the unit that a chunk starts at once earlier units are added to it."""
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


def shown_span(text: str, start: int, end: int, is_code: bool) -> Span:
    """A range of the text -> the same without whitespace at its ends, but for the indentation of code."""
    bare = text[start:end].lstrip()
    first = end - len(bare)
    if first == start or text[start] not in " \t":
        return Span(first, first + len(bare.rstrip()))
    from caesura.text.blocks import trim_chunk  # most chunks do not ask

    return trim_chunk(text, start, end, is_code)
