"""Texts and an embedder in, chunks out: the one place where the stages meet. `prepare` and `finish` are pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura.asking import drive, requests
from caesura.background import Background
from caesura.cuts.double_pass import DoublePassCut
from caesura.errors import SettingError, functions
from caesura.levels import segmented
from caesura.prepare import Batch, bounded_units, measured_units
from caesura.segmentation import Segmentation
from caesura.types import Chunk, Cut, Embed, Limits, Segmenter, Sizer, View


def rules() -> Segmenter:
    """`units`, loaded when it is first asked for."""
    from caesura.text.sentences import units  # so that `import caesura` does not wait for the rules

    return units


def _are_limits(value: object) -> None:
    if not isinstance(value, Limits):
        raise SettingError(f"limits must be Limits(max_size=…, min_size=…), got {value!r}")


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
        _are_limits(self.limits)
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
        for own in each:
            _are_limits(own)
        for number, text in enumerate(documents):
            if not isinstance(text, str):
                raise SettingError(f"a document must be a str, got {type(text).__name__} at position {number}")
        units = [bounded_units(text, self.segment, self.size, own) for text, own in zip(documents, each, strict=True)]
        measured = [
            measured_units(text, edges, self.size, own, self.view, self.trim)
            for text, edges, own in zip(documents, units, each, strict=True)
        ]
        shown = tuple(text for _, texts in measured for text in texts)
        return Batch(documents, tuple(units), shown, each, tuple(sizes for sizes, _ in measured))

    def finish(self, batch: Batch, vectors: Any) -> list[Segmentation]:
        """A batch and one vector per text of it -> one segmentation per document. Raises `EmbeddingError`."""
        return [
            segmented(self, text, units, sizes, rows, [(limits, self.cut)])[0]
            for text, units, limits, sizes, rows in batch.parted(vectors)
        ]

    def split(self, text: str, embed: Embed, batch_size: int | None = None) -> list[Chunk]:
        """A text -> its chunks, in order: ``text[chunk.start:chunk.end] == chunk.text``."""
        return self.split_many([text], embed, batch_size)[0]

    def split_many(self, texts: Sequence[str], embed: Embed, batch_size: int | None = None) -> list[list[Chunk]]:
        """Texts -> the chunks of each. `embed` is called once for all of them, or with `batch_size` texts at a time."""
        batch = self.prepare(texts)
        return [made.chunks() for made in self.finish(batch, drive(requests(batch.texts, batch_size), embed))]
