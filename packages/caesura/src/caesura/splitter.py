"""Where the stages meet: documents to units, the caller embeds them, units and vectors to chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from caesura.background import Background
from caesura.batch import Batch, prepare_batch
from caesura.cuts.double_pass import DoublePassCut
from caesura.cutting import Cutter, cut_batch
from caesura.errors import SettingError
from caesura.sansio import Blocking, embed_in_batches, run
from caesura.segmentation import Segmentation
from caesura.types import Chunk, Cut, Embed, Limits, Segmenter, Sizer, View

T = TypeVar("T")


def rule_segmenter() -> Segmenter:
    """`units`, loaded when it is first asked for."""
    from caesura.text.sentences import units  # so that `import caesura` does not wait for the rules

    return units


class Stages(Protocol[T]):
    """A `Splitter` or a `Hierarchy`: a frozen dataclass that prepares texts and finishes them with their vectors."""

    @property
    def segment(self) -> Segmenter: ...
    @property
    def background(self) -> Background | None: ...
    def prepare(
        self,
        texts: Sequence[str],
        limits: Sequence[Limits] | None = None,
        segmenters: Sequence[Segmenter] | None = None,
    ) -> Batch: ...
    def finish(self, batch: Batch, vectors: Any, background: Background | None = None) -> list[T]: ...


@dataclass(frozen=True, slots=True)
class Splitter:
    """Cuts texts into chunks by meaning, within limits. Holds settings only: the embedder is an argument.

    limits: what a chunk may measure, by default anything; a target and a number of chunks exclude one another.
    size: str -> int, what is measured. segment: str -> Edges.
    view: what is embedded for each unit, by default the unit itself. cut: (Vectors, Sizes, Limits) -> Breaks.
    background: what rows are centred on. Default thresholds are meant for centred rows, so pass ``calibrate(embed)``.
    None: rows are not centred, as in the published methods.
    trim: whether chunks are embedded, measured and returned without whitespace at their ends. Code keeps its
    indentation.

    >>> def embed(texts):
    ...     return [[float(word in text) for word in ("cat", "dog", "tax", "law")] for text in texts]
    >>> [chunk.text for chunk in Splitter().split("A cat. The cat and the dog. The law. A tax law.", embed)]
    ['A cat. The cat and the dog.', 'The law. A tax law.']
    """

    limits: Limits = field(default_factory=Limits)
    size: Sizer = len
    segment: Segmenter = field(default_factory=rule_segmenter)
    view: View | None = None
    cut: Cut = field(default_factory=DoublePassCut)
    background: Background | None = None
    trim: bool = True
    cutter: Cutter = field(init=False, repr=False, compare=False)
    """`cut`, with what it says of itself."""

    def __post_init__(self) -> None:
        for name in ("size", "segment", "cut", "view"):
            value = getattr(self, name)
            if not callable(value) and (value is not None or name != "view"):
                raise SettingError(f"{name} must be callable, got {value!r}")
        object.__setattr__(self, "cutter", Cutter.of(self.cut))
        self._check_limits(self.limits)
        if self.background is not None and not isinstance(self.background, Background):
            raise SettingError(f"background must be a Background, such as calibrate(embed), got {self.background!r}")

    def _check_limits(self, limits: object) -> None:
        if not isinstance(limits, Limits):
            raise SettingError(f"limits must be Limits(max_size=…, min_size=…), got {limits!r}")
        if limits.target_size is not None and self.cutter.chunk_count is not None:
            raise SettingError(
                f"a number of chunks, {self.cutter.chunk_count}, and target_size={limits.target_size} exclude one "
                f"another: leave one of them out"
            )

    def prepare(
        self,
        texts: Sequence[str],
        limits: Sequence[Limits] | None = None,
        segmenters: Sequence[Segmenter] | None = None,
    ) -> Batch:
        """Documents -> their units, none over the limit, and the texts to embed.

        limits, segmenters: one per text where they differ, else the Splitter's. Raises `SettingError` for a text that
        is no str, `SegmentError` where `segment` does not tile a text.
        """
        if isinstance(texts, str):
            raise SettingError("texts must be a sequence of str, got one str: pass [text]")
        documents = tuple(texts)
        for own in limits or ():
            self._check_limits(own)
        limits = (self.limits,) * len(documents) if limits is None else limits
        segmenters = (self.segment,) * len(documents) if segmenters is None else segmenters
        for name, count in (("limits", len(limits)), ("segmenters", len(segmenters))):
            if count != len(documents):
                raise SettingError(f"{name} must be one per text: expected {len(documents)}, got {count}")
        for number, text in enumerate(documents):
            if not isinstance(text, str):
                raise SettingError(f"a document must be a str, got {type(text).__name__} at position {number}")
        return prepare_batch(self, documents, limits, segmenters)

    def finish(self, batch: Batch, vectors: Any, background: Background | None = None) -> list[Segmentation]:
        """A batch and one vector per text of it -> one segmentation per document. Raises `EmbeddingError`.

        background: of the embedder that made the vectors; None: the Splitter's.
        """
        levels = [[(limits, self.cutter)] for limits in batch.limits]
        background = self.background if background is None else background
        return [*map(itemgetter(0), cut_batch(self, batch, vectors, background, levels))]

    def split(self, text: str, embed: Embed, batch_size: int | None = None) -> list[Chunk]:
        """A text -> its chunks, in order: ``text[chunk.start:chunk.end] == chunk.text``. Raises as `split_many`."""
        return self.split_many([text], embed, batch_size)[0]

    def split_many(self, texts: Sequence[str], embed: Embed, batch_size: int | None = None) -> list[list[Chunk]]:
        """Texts -> the chunks of each. `embed` is called once for all of them, or with `batch_size` texts at a time.

        Raises `SettingError` for what is no str, and `EmbeddingError` if `embed` does not return one row per text.
        """
        batch = self.prepare(texts)
        rows = run(embed_in_batches(Blocking(), embed, batch.texts, batch_size))
        return [segmentation.chunks() for segmentation in self.finish(batch, rows)]
