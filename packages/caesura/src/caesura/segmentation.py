"""One text, its units and its breaks -> chunks, their vectors, and what a plot needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.arithmetic import window_sums
from caesura.edges import merge, trim
from caesura.errors import whole
from caesura.types import Breaks, Chunk, Edges, Gaps, Limits, Sizer, Sizes, Span


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """One text, its n units and where it was cut: all that a plot, a bug report or an index needs."""

    text: str
    units: Edges
    breaks: Breaks
    sizes: Sizes
    """(n,) what a unit adds to a chunk: itself and the whitespace before it. 0 for a blank unit, and only for that."""
    rows: NDArray[np.float32]
    """(n, d) as the embedder returned them; zero for a blank unit."""
    gaps: Gaps | None = None
    """(n - 1,) the scores of a cut that has scores; -inf behind which there is only a blank unit, inf where a coarser
    level is cut."""
    limits: Limits = field(default_factory=Limits)
    size: Sizer = len
    trim: bool = True

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
        whole("overlap", overlap, 0)
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

    def vectors(self, chunks: Sequence[Chunk] | None = None) -> NDArray[np.float32]:
        """Returns (k, d): for each chunk the mean of the embedder's own rows of its units, weighted by their sizes.

        chunks: slices of the text, such as those with an overlap; by default those of `chunks()`. A unit of which a
        slice holds a part counts whole.
        """
        spans = self.chunks() if chunks is None else chunks
        if not spans:
            return self.rows[:0]
        sums = window_sums(self.rows, self.sizes)
        totals = np.concatenate(([0], np.cumsum(self.sizes)))
        first = np.searchsorted(self.units, [chunk.start for chunk in spans], side="right") - 1
        last = np.searchsorted(self.units, [chunk.end for chunk in spans], side="left")
        weights = np.maximum(totals[last] - totals[first], 1)
        return np.asarray((sums[last] - sums[first]) / weights[:, None], np.float32)

    def groups(self) -> list[tuple[int, int]]:
        """The first and the last unit of each chunk that are not blank."""
        held = np.flatnonzero(self.sizes)
        ends = np.concatenate(([0], np.searchsorted(held, self.breaks), [len(held)]))
        first, end = ends[:-1][ends[:-1] < ends[1:]], ends[1:][ends[:-1] < ends[1:]]
        return list(zip(held[first].tolist(), held[end - 1].tolist(), strict=True))

    def fits(self, held: NDArray[np.intp], first: int, end: int) -> bool:
        """Whether the slice from one of the units `held` to before another fits `limits.max_size`, as it is shown."""
        span = self._span(int(held[first]), int(held[end - 1]))
        return self.limits.max_size is None or self.size(self.text[span.start : span.end]) <= self.limits.max_size

    def _span(self, first: int, last: int) -> Span:
        start, end = int(self.units[first]), int(self.units[last + 1])
        return trim(self.text, start, end) if self.trim else Span(start, end)

    def _earlier(self, first: int, last: int, previous: int, overlap: int) -> int:
        """The unit at which a chunk starts once earlier units are added to it."""
        largest = None if self.limits.max_size is None else self.limits.max_size + overlap
        start, room = first, overlap
        for unit in range(first - 1, previous, -1):
            room -= int(self.sizes[unit])
            span = self._span(unit, last)
            if room < 0 or (largest is not None and self.size(self.text[span.start : span.end]) > largest):
                break
            if self.sizes[unit]:
                start = unit
        return start
