"""A hierarchy and how many of its levels each document has room for in, stages that cut each at those out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from caesura.background import Background
from caesura.hierarchy import Hierarchy, Nested
from caesura.prepare import Batch
from caesura.types import Limits
from caesura.vectors import own_rows


@dataclass(frozen=True, slots=True)
class Uneven:
    """A hierarchy, for documents of which some have no room in its smallest levels: `depths` says how many each has."""

    hierarchy: Hierarchy
    depths: tuple[int, ...]
    background: Background | None

    def prepare(self, texts: Sequence[str], limits: Sequence[Limits] | None = None) -> Batch:
        """As `Hierarchy.prepare`; limits: those of each document's own smallest level."""
        return self.hierarchy.prepare(texts, limits)

    def finish(self, batch: Batch, vectors: Any) -> list[Nested]:
        """As `Hierarchy.finish`."""
        rows = own_rows(vectors, len(batch.texts))
        ends = np.cumsum([0, *(int(np.count_nonzero(sizes)) for sizes in batch.sizes)])
        made: list[Nested] = []
        for depth, group in groupby(range(len(batch.documents)), self.depths.__getitem__):
            places = list(group)
            first, last = places[0], places[-1] + 1
            texts = slice(int(ends[first]), int(ends[last]))
            part = Batch(
                batch.documents[first:last],
                batch.units[first:last],
                batch.texts[texts],
                batch.limits[first:last],
                batch.sizes[first:last],
            )
            own = replace(self.hierarchy, levels=self.hierarchy.levels[:depth], background=self.background)
            made += own.finish(part, rows[texts])
        return made
