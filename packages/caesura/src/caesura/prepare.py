"""A document in; its units, none over the limit, what each adds to a chunk, and the texts to embed out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.edges import is_tiling
from caesura.errors import SegmentError, SettingError
from caesura.size import without_surrogates
from caesura.types import Edges, Limits, Segmenter, Sizer, Sizes, View
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

    def parted(self, vectors: Any) -> Iterator[tuple[str, Edges, Limits, Sizes, NDArray[np.float32]]]:
        """One vector per text -> each document, its units, limits, sizes and own rows. Raises `EmbeddingError`."""
        rows = own_rows(vectors, len(self.texts))
        ends = np.cumsum([np.count_nonzero(sizes) for sizes in self.sizes], dtype=np.intp)
        return zip(self.documents, self.units, self.limits, self.sizes, np.split(rows, ends)[:-1], strict=True)


def bounded_units(text: str, segment: Segmenter, size: Sizer, limits: Limits) -> Edges:
    """A document -> its units, none over the limit. Raises `SegmentError` where `segment` does not tile it."""
    edges = segment(text)
    if not is_tiling(edges, len(text)):
        raise SegmentError(
            f"segment() must return edges that rise from 0 to len(text) = {len(text)}, got {edges!r:.200}; "
            f"wrap a splitter that returns strings in aligned(…)"
        )
    if limits.max_size is None:
        return edges
    from caesura.text.refine import refine  # needed only where there is a limit

    return refine(text, edges, size, limits.max_size)


def measured_units(
    text: str, units: Edges, size: Sizer, limits: Limits, view: View | None, trim: bool
) -> tuple[Sizes, list[str]]:
    """A document and its units -> what each adds to a chunk, and what is embedded for those that are not blank."""
    own, sizes, before = [], [], None
    most = np.iinfo(np.intp).max if limits.max_size is None else limits.max_size
    for start, end in pairwise(units.tolist()):
        piece = text[start:end]
        bare = piece.strip()
        if not bare:
            sizes.append(0)
        else:
            if trim:
                end -= len(piece) - len(piece.rstrip())
            if before is None:
                before = end - len(bare) if trim else start
            sizes.append(min(max(1, size(text[before:end])), most))  # it fits, however much whitespace is before it
            before = end
        own.append(bare if trim else piece)
    shown = own if view is None else view(text, units)
    if len(shown) != len(own):
        raise SettingError(f"view() must return one text per unit: expected {len(own)}, got {len(shown)}")
    texts = [one for one, measured in zip(shown, sizes, strict=True) if measured]
    return np.array(sizes, np.intp), texts if text.isascii() else [*map(without_surrogates, texts)]
