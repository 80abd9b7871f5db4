"""A splitter that is ready, texts and an embedder -> a `Cutting` of each text: where its chunks are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from caesura import Segmentation, Span, Splitter
from caesura.asking import drive, requests
from caesura.types import Embed
from caesura_lab.embedders.embedder import Embedder
from caesura_lab.located import located
from caesura_lab.sizing import Sizing
from caesura_lab.splitters.peer import Pieces


@dataclass(frozen=True, slots=True)
class Cutting:
    """One text as one splitter cut it.

    spans: the chunks, rising; they may overlap. made: all that is known of the cut, where it is ours. lost: how many
    pieces of another's splitter are not in the text, and so are not among the spans.
    """

    splitter: str
    text: str
    spans: tuple[Span, ...]
    made: Segmentation | None = None
    lost: int = 0

    @property
    def chunks(self) -> list[str]:
        """The texts of the chunks."""
        return [self.text[start:end] for start, end in self.spans]


@dataclass(frozen=True, slots=True)
class Method:
    """A splitter, ready for texts: ``method(texts, embedder)`` -> one `Cutting` per text.

    make: one of ours; pieces: in its place, another's. limited: whether the size is kept by it.
    """

    name: str
    make: Callable[[Embedder], Splitter] | None
    pieces: Callable[[Embed], Pieces] | None
    sizing: Sizing
    limited: bool = True

    def __call__(self, texts: Sequence[str], embedder: Embedder) -> list[Cutting]:
        if self.make is not None:
            splitter = self.make(embedder)
            batch = splitter.prepare(texts)
            made = splitter.finish(batch, drive(requests(batch.texts), embedder.embed))
            return [self._ours(segmentation) for segmentation in made]
        split = cast("Callable[[Embed], Pieces]", self.pieces)(embedder.embed)
        return [self._theirs(text, split(text)) for text in texts]

    def _ours(self, made: Segmentation) -> Cutting:
        spans = tuple(Span(chunk.start, chunk.end) for chunk in made.chunks(self.sizing.overlap))
        return Cutting(self.name, made.text, spans, made)

    def _theirs(self, text: str, pieces: Sequence[str]) -> Cutting:
        spans, lost = located(text, pieces)
        return Cutting(self.name, text, tuple(spans), None, lost)
