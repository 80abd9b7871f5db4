"""Texts and an embedder in, chunks out: the one place where the stages meet. `prepare` and `finish` are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.asking import drive, requests
from caesura.background import Background
from caesura.cuts.double_pass import DoublePassCut
from caesura.edges import is_tiling
from caesura.errors import SegmentError, SettingError, functions
from caesura.levels import segmented
from caesura.segmentation import Segmentation
from caesura.size import without_surrogates
from caesura.types import (
    Chunk,
    Cut,
    Edges,
    Embed,
    Limits,
    Segmenter,
    Sizer,
    Sizes,
    View,
)
from caesura.vectors import own_rows


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents cut into units, waiting for one vector per text."""

    documents: tuple[str, ...]
    units: tuple[Edges, ...]
    texts: tuple[str, ...]
    """What is to be embedded: one text for each unit that is not blank, over all documents in order."""
    limits: tuple[Limits, ...]
    sizes: tuple[Sizes, ...]


def rules() -> Segmenter:
    """`units`, loaded when it is first asked for."""
    from caesura.text.sentences import units  # so that `import caesura` does not wait for the rules

    return units


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
    segment: Segmenter = field(default_factory=rules)
    view: View | None = None
    cut: Cut = field(default_factory=DoublePassCut)
    background: Background | None = None
    trim: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.limits, Limits):
            raise SettingError(f"limits must be Limits(max_size=…, min_size=…), got {self.limits!r}")
        functions(self, "size", "segment", "cut", *(["view"] if self.view is not None else []))
        if self.background is not None and not isinstance(self.background, Background):
            raise SettingError(
                f"background must be a Background, as calibrate(embed) makes it, got {self.background!r}"
            )

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
        made = [self._document(text, limit) for text, limit in zip(documents, each, strict=True)]
        texts = tuple(text for _, _, shown in made for text in shown)
        return Batch(documents, tuple(units for units, _, _ in made), texts, each, tuple(sizes for _, sizes, _ in made))

    def finish(self, batch: Batch, vectors: Any) -> list[Segmentation]:
        """A batch and one vector per text of it -> one segmentation per document. Raises `EmbeddingError`."""
        rows = own_rows(vectors, len(batch.texts))
        ends = np.cumsum([np.count_nonzero(sizes) for sizes in batch.sizes], dtype=np.intp)
        columns = batch.documents, batch.units, batch.limits, batch.sizes, np.split(rows, ends)[:-1]
        return [self._segmentation(*document) for document in zip(*columns, strict=True)]

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
        if limits.max_size is None:
            return edges
        from caesura.text.refine import refine  # needed only where there is a limit

        return refine(text, edges, self.size, limits.max_size)

    def _document(self, text: str, limits: Limits) -> tuple[Edges, Sizes, list[str]]:
        """A text -> its units, what each adds to a chunk, and what is embedded for those that are not blank."""
        units = self._units(text, limits)
        size, own, sizes, before = self.size, [], [], None
        most = np.iinfo(np.intp).max if limits.max_size is None else limits.max_size
        for start, end in pairwise(units.tolist()):
            piece = text[start:end]
            bare = piece.strip()
            if not bare:
                sizes.append(0)
            else:
                if self.trim:
                    end -= len(piece) - len(piece.rstrip())
                if before is None:
                    before = end - len(bare) if self.trim else start
                sizes.append(min(max(1, size(text[before:end])), most))  # it fits, however much whitespace is before it
                before = end
            own.append(bare if self.trim else piece)
        shown = own if self.view is None else self.view(text, units)
        if len(shown) != len(own):
            raise SettingError(f"view() must return one text per unit: expected {len(own)}, got {len(shown)}")
        views = [view for view, measured in zip(shown, sizes, strict=True) if measured]
        return units, np.array(sizes, np.intp), views if text.isascii() else [*map(without_surrogates, views)]

    def _segmentation(
        self, text: str, units: Edges, limits: Limits, sizes: Sizes, own: NDArray[np.float32]
    ) -> Segmentation:
        return segmented(self, text, units, sizes, own, [(limits, self.cut)])[0]
