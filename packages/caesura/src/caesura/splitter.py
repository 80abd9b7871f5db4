"""Texts and an embedder in, chunks out: the one place where the stages meet. `prepare` and `finish` are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.background import Background
from caesura.cuts.double_pass import DoublePassCut
from caesura.cuts.fit import fit_slices
from caesura.edges import cores, is_tiling, merge, spans, trim
from caesura.errors import SegmentError, SettingError
from caesura.size import without_surrogates
from caesura.text.refine import refine
from caesura.text.sentences import sentences
from caesura.types import Breaks, Chunk, Cut, Edges, Embed, Gaps, Limits, ScoredCut, Segmenter, Sizer, Sizes, Span, View
from caesura.vectors import drive, own_rows, requests, unit_rows


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents cut into units, waiting for one vector per text."""

    documents: tuple[str, ...]
    units: tuple[Edges, ...]
    texts: tuple[str, ...]
    """What is to be embedded: one text for each unit that is not blank, over all documents in order."""
    limits: tuple[Limits, ...]
    sizes: tuple[Sizes, ...]


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
    """(n - 1,) the scores of a cut that has scores; -inf behind which there is only a blank unit."""
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
        chunks: list[Chunk] = []
        previous = 0
        for first, last in self._groups():
            start = first
            if overlap and chunks:
                start = self._earlier(first, last, previous, overlap)
            span = self._span(start, last)
            chunks.append(Chunk(self.text[span.start : span.end], *span))
            previous = first
        return chunks

    def vectors(self) -> NDArray[np.float32]:
        """Returns (k, d): for each chunk the mean of the embedder's own rows of its units, weighted by their sizes."""
        sums = np.zeros((len(self.sizes) + 1, self.rows.shape[1]))
        np.cumsum(self.rows * self.sizes[:, None], axis=0, out=sums[1:])
        totals = np.concatenate(([0], np.cumsum(self.sizes)))
        groups = np.array(self._groups(), dtype=np.intp).reshape(-1, 2)
        first, end = groups[:, 0], groups[:, 1] + 1
        return ((sums[end] - sums[first]) / (totals[end] - totals[first])[:, None]).astype(np.float32)

    def _groups(self) -> list[tuple[int, int]]:
        """The first and the last unit of each chunk that are not blank."""
        held = np.flatnonzero(self.sizes)
        groups = np.split(held, np.searchsorted(held, self.breaks))
        return [(int(group[0]), int(group[-1])) for group in groups if len(group)]

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


@dataclass(frozen=True, slots=True)
class Splitter:
    """Cuts texts into chunks by meaning, within limits. Holds settings only: the embedder is an argument.

    limits: what a chunk may measure, by default anything. size: str -> int, what is measured. segment: str -> Edges.
    view: what is embedded for each unit, by default the unit itself. cut: (Vectors, Sizes, Limits) -> Breaks.
    background: what rows are centred on. Default thresholds are meant for centred rows, so pass ``calibrate(embed)``;
    None is the published meaning of the methods, uncentred.
    trim: whether chunks are embedded, measured and returned without whitespace at their ends.

    >>> def embed(texts):
    ...     return [[float(word in text) for word in ("cat", "dog", "tax", "law")] for text in texts]
    >>> [chunk.text for chunk in Splitter().split("A cat. The cat and the dog. The law. A tax law.", embed)]
    ['A cat. The cat and the dog.', 'The law. A tax law.']
    """

    limits: Limits = field(default_factory=Limits)
    size: Sizer = len
    segment: Segmenter = sentences
    view: View | None = None
    cut: Cut = field(default_factory=DoublePassCut)
    background: Background | None = None
    trim: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.limits, Limits):
            raise SettingError(f"limits must be Limits(max_size=…, min_size=…), got {self.limits!r}")
        for name in ("size", "segment", "cut"):
            if not callable(getattr(self, name)):
                raise SettingError(f"{name} must be callable, got {getattr(self, name)!r}")
        if self.background is not None and not isinstance(self.background, Background):
            raise SettingError(f"background must be a Background, as calibrate(embed) makes it, got {self.background!r}")

    def prepare(self, texts: Sequence[str], limits: Sequence[Limits] | None = None) -> Batch:
        """Documents -> their units, none over the limit, and the texts to embed.

        limits: one per text where they differ, else the Splitter's. Raises `SettingError` for a text that is no str,
        `SegmentError` where `segment` does not tile a text.
        """
        if isinstance(texts, str):
            raise SettingError("texts must be a sequence of str, got one str: pass [text]")
        documents = tuple(texts)
        each = (self.limits,) * len(documents) if limits is None else tuple(limits)
        if len(each) != len(documents):
            raise SettingError(f"limits must be one per text: expected {len(documents)}, got {len(each)}")
        for number, text in enumerate(documents):
            if not isinstance(text, str):
                raise SettingError(f"a document must be a str, got {type(text).__name__} at position {number}")
        units = tuple(self._units(text, limit) for text, limit in zip(documents, each, strict=True))
        sizes, shown = [], []
        for text, edges, limit in zip(documents, units, each, strict=True):
            pieces = cores(text, edges)
            views = self.view(text, edges) if self.view else [text[start:end] for start, end in self._bare(pieces, edges)]
            if len(views) != len(pieces):
                raise SettingError(f"view() must return one text per unit: expected {len(pieces)}, got {len(views)}")
            sizes.append(self._sizes(text, edges, pieces, limit.max_size))
            shown += [without_surrogates(view) for view, (start, end) in zip(views, pieces, strict=True) if start < end]
        return Batch(documents, units, tuple(shown), each, tuple(sizes))

    def finish(self, batch: Batch, vectors: Any) -> list[Segmentation]:
        """A batch and one vector per text of it -> one segmentation per document. Raises `EmbeddingError`."""
        rows = own_rows(vectors, len(batch.texts))
        centre = (self.background.mean, self.background.weight) if self.background else ()
        made, start = [], 0
        for text, units, limits, sizes in zip(batch.documents, batch.units, batch.limits, batch.sizes, strict=True):
            held = np.flatnonzero(sizes)
            part = slice(start, start + len(held))
            start = part.stop
            gaps, breaks = self._cut(unit_rows(rows[part], len(held), *centre), sizes[held], limits)
            made.append(self._segmentation(text, units, limits, sizes, rows[part], gaps, breaks))
        return made

    def split(self, text: str, embed: Embed, batch_size: int | None = None) -> list[Chunk]:
        """A text -> its chunks, in order: ``text[chunk.start:chunk.end] == chunk.text``."""
        return self.split_many([text], embed, batch_size)[0]

    def split_many(self, texts: Sequence[str], embed: Embed, batch_size: int | None = None) -> list[list[Chunk]]:
        """Texts -> the chunks of each. `embed` is called once for all of them, or with `batch_size` texts at a time."""
        batch = self.prepare(texts)
        return [made.chunks() for made in self.finish(batch, drive(requests(batch.texts, batch_size), embed))]

    def _units(self, text: str, limits: Limits) -> Edges:
        edges = self.segment(text)
        if not is_tiling(edges, len(text)):
            raise SegmentError(
                f"segment() must return edges that rise from 0 to len(text) = {len(text)}, got {edges!r:.200}; "
                f"wrap a splitter that returns strings in aligned(…)"
            )
        return edges if limits.max_size is None else refine(text, edges, self.size, limits.max_size)

    def _bare(self, pieces: list[Span], edges: Edges) -> list[Span]:
        return pieces if self.trim else spans(edges)

    def _sizes(self, text: str, edges: Edges, pieces: list[Span], max_size: int | None) -> Sizes:
        """A unit alone fits, however much whitespace is before it, so none counts more than `max_size`."""
        sizes = np.zeros(len(pieces), np.intp)
        end = None
        for unit, (span, bare) in enumerate(zip(pieces, self._bare(pieces, edges), strict=True)):
            if span.start < span.end:
                sizes[unit] = max(1, self.size(text[bare.start if end is None else end : bare.end]))
                end = bare.end
        return sizes if max_size is None else np.minimum(sizes, max_size)

    def _cut(self, vectors: NDArray[np.float32], sizes: Sizes, limits: Limits) -> tuple[Gaps | None, Breaks]:
        if isinstance(self.cut, ScoredCut):
            gaps = self.cut.scores(vectors, sizes)
            return gaps, self.cut.place(gaps, sizes, limits)
        return None, self.cut(vectors, sizes, limits)

    def _segmentation(
        self, text: str, units: Edges, limits: Limits, sizes: Sizes, rows: NDArray[np.float32], gaps: Gaps | None, breaks: Breaks
    ) -> Segmentation:
        """Puts what was found for the units that are not blank in its place among all units, and measures the slices."""
        held = np.flatnonzero(sizes)
        blank = len(held) < len(sizes)
        if blank:
            every = np.zeros((len(sizes), rows.shape[1]), np.float32)
            every[held] = rows
            rows = every
        if blank and gaps is not None:
            scores = np.full(max(len(sizes) - 1, 0), -np.inf)
            scores[held[1:] - 1] = gaps
            gaps = scores
        made = Segmentation(text, units, held[breaks], sizes, rows, gaps, limits, self.size, self.trim)
        if limits.max_size is None:
            return made
        largest = limits.max_size

        def fits(first: int, end: int) -> bool:
            span = made._span(int(held[first]), int(held[end - 1]))
            return self.size(text[span.start : span.end]) <= largest

        return replace(made, breaks=held[fit_slices(breaks, sizes[held], fits)])
