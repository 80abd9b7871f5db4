"""Several levels over the same units: search small, return large. Every unit is embedded once.

Not loaded by `import caesura`. The shape is the Splitter's: `prepare` and `finish` are pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.background import Background
from caesura.batch import Batch
from caesura.checks import check_int
from caesura.cuts.optimal import OptimalCut
from caesura.cutting import CutLevel, cut_batch
from caesura.errors import SettingError
from caesura.sansio import Blocking, embed_in_batches, run
from caesura.segmentation import Segmentation
from caesura.splitter import Splitter, rule_segmenter
from caesura.types import Chunk, Cut, Embed, Limits, Segmenter, Sizer, View

Level = tuple[Limits, Cut]
"""What the chunks of a level may measure, and what cuts them."""


def by_sizes(*sizes: int, cut: Cut | None = None) -> tuple[Level, ...]:
    """Makes the levels of a `Hierarchy` from their largest sizes, coarse to fine.

    cut: used for every level, with the largest sizes alone. By default `OptimalCut` ends chunks near two thirds of each
    size.
    """
    for size in sizes:
        check_int("a level's size", size, 1)
    if cut is not None:
        return tuple((Limits(size), cut) for size in sizes)
    return tuple((Limits(size, 0, max(1, 2 * size // 3)), OptimalCut()) for size in sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """One text, cut at several levels over the same units."""

    levels: tuple[Segmentation, ...]
    """Coarse to fine: the breaks of each are among those of the next."""

    def chunks(self) -> list[list[Chunk]]:
        """Returns the chunks of each level, such that each lies within one chunk of the level before."""
        return [level.chunks() for level in self.levels]

    def parents(self) -> list[list[int]]:
        """Returns for each level, per chunk, the index of the chunk of the level before that it lies in.

        The first level has none.
        """
        found: list[list[int]] = [[]]
        for above, level in pairwise(self.levels):
            first = [start for start, _ in level.groups()]
            found.append(np.searchsorted(above.breaks, first, side="right").tolist())
        return found


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Cuts texts at several levels, coarse to fine, each within the chunks of the level before. Holds settings only.

    levels: (Limits, cut) for each, with falling largest sizes; only the first may have no largest size.
    `by_sizes(2048, 512, 128)` makes them. For the levels of one merge tree, take
    ``(Limits(), ClusterCut(stop=DistanceThreshold(2.5)))`` and smaller distances after it. size, segment, view,
    background, trim: as in `Splitter`.
    """

    levels: tuple[Level, ...]
    size: Sizer = len
    segment: Segmenter = field(default_factory=rule_segmenter)
    view: View | None = None
    background: Background | None = None
    trim: bool = True
    _splitters: tuple[Splitter, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels or not all(isinstance(level, tuple) and len(level) == 2 for level in self.levels):
            raise SettingError(f"levels must be pairs of (Limits, cut), coarse to fine, got {self.levels!r:.200}")
        own = self.size, self.segment, self.view
        made = tuple(Splitter(limits, *own, cut, self.background, self.trim) for limits, cut in self.levels)
        sizes = [limits.max_size for limits, _ in self.levels]
        for above, below in pairwise(sizes):
            if above is not None and (below is None or below >= above):
                raise SettingError(f"the largest sizes of the levels must fall from coarse to fine, got {sizes}")
        object.__setattr__(self, "_splitters", made)

    def prepare(
        self,
        texts: Sequence[str],
        limits: Sequence[Limits] | None = None,
        segmenters: Sequence[Segmenter] | None = None,
    ) -> Batch:
        """Documents -> their units, none over the finest level's limit, and the texts to embed.

        limits: of the finest level, one per text where they differ. A text with less room at that level has as much
        less at every level, since metadata takes its room from large chunks too. segmenters: one per text where they
        differ.
        """
        return self._splitters[-1].prepare(texts, limits, segmenters)

    def finish(self, batch: Batch, vectors: Any, background: Background | None = None) -> list[Nested]:
        """A batch and one vector per text of it -> one `Nested` per document. Raises `EmbeddingError`.

        background: of the embedder that made the vectors; None: the hierarchy's.
        """
        levels = [self._levels(finest) for finest in batch.limits]
        background = self.background if background is None else background
        return [Nested(tuple(found)) for found in cut_batch(self._splitters[-1], batch, vectors, background, levels)]

    def split(self, text: str, embed: Embed, batch_size: int | None = None) -> Nested:
        """Cuts one text at all levels."""
        batch = self.prepare([text])
        return self.finish(batch, run(embed_in_batches(Blocking(), embed, batch.texts, batch_size)))[0]

    def _levels(self, finest: Limits) -> list[CutLevel]:
        """The levels of a document that may have less room than this hierarchy gives."""
        *coarser, (limits, cutter) = [(one.limits, one.cutter) for one in self._splitters]
        less = 0 if limits.max_size is None or finest.max_size is None else limits.max_size - finest.max_size
        if less > 0:
            coarser = [(own.reduced(own.max_size and own.max_size - less), by) for own, by in coarser]
        return [*coarser, (finest, cutter)]
