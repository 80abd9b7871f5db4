"""Where the stages meet: documents to units, the caller embeds them, units and vectors to chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.background import Background
from caesura.checks import check_callable, check_size
from caesura.cuts.double_pass import DoublePassCut
from caesura.edges import is_tiling
from caesura.errors import SegmentError, SettingError
from caesura.sansio import Blocking, embed_in_batches, run
from caesura.segmentation import Segmentation, centred_together, says_code, segment, shown_span
from caesura.sizers import tokens, without_hyphenation, without_surrogates
from caesura.types import Chunk, CountedCut, Cut, Edges, Embed, Limits, Segmenter, Sizer, Sizes, Vectors, View
from caesura.vectors import as_rows

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Documents cut into units, waiting for one vector per text. documents: their texts. units: the edges of each.
    limits: of each. sizes: of the units of each."""

    documents: tuple[str, ...]
    units: tuple[Edges, ...]
    texts: tuple[str, ...]
    """What is to be embedded: one text for each unit that is not blank, over all documents in order."""
    limits: tuple[Limits, ...]
    sizes: tuple[Sizes, ...]

    def by_document(
        self, vectors: Any, background: Background | None
    ) -> Iterator[tuple[str, Edges, Limits, Sizes, tuple[NDArray[np.float32], Vectors | None]]]:
        """One vector per text -> each document, its units, limits and sizes, its own rows, and these centred, unless it
        has more than go together. Raises `EmbeddingError`."""
        rows = as_rows(vectors, len(self.texts))
        ends = np.cumsum([np.count_nonzero(sizes) for sizes in self.sizes], dtype=np.intp)
        each = zip(self.documents, self.units, self.limits, self.sizes, strict=True)
        return ((*document, own) for document, own in zip(each, centred_together(rows, ends, background), strict=True))


def check_each(size: Sizer) -> Sizer:
    """A sizer -> one that raises `SettingError` for what is no size; `len` and `tokens` return nothing else."""
    if size is len or isinstance(size, tokens):
        return size
    return lambda text: check_size("the sizer", text, size(text))


def bounded_units(text: str, segment: Segmenter, size: Sizer, limits: Limits) -> Edges:
    """A document -> its units, none over the limit, or over twice the target where there is no limit.

    Raises `SegmentError` where `segment` does not tile it.
    """
    edges = segment(text)
    if not is_tiling(edges, len(text)):
        raise SegmentError(
            f"segment() must return edges that rise from 0 to len(text) = {len(text)}, got {edges!r:.200}; "
            f"wrap a splitter that returns strings in aligned(…)"
        )
    target = limits.target_size
    largest = limits.max_size if limits.max_size is not None or target is None else 2 * target
    if largest is None:
        return edges
    from caesura.text.refine import refine  # needed only where there is a limit

    return refine(text, edges, check_each(size), largest, target, says_code(segment))


def measured_units(text: str, units: Edges, settings: Splitter) -> tuple[Sizes, list[str]]:
    """A document and its units -> what each adds to a chunk, and what is embedded for those that are not blank.

    A word that is hyphenated at a line's end is embedded whole.
    """
    view, trim, size = settings.view, settings.trim, None if settings.size is len else check_each(settings.size)
    edges, sizes, before = units.tolist(), [], None
    own = [text[start:end].strip() for start, end in pairwise(edges)]
    for start, end, bare in zip(edges, edges[1:], own, strict=False):
        if not bare:
            sizes.append(0)
            continue
        if trim:
            end = start + len(text[start:end].rstrip() if text[start].isspace() else bare)
        if before is None:
            before = shown_span(text, start, end, says_code(settings.segment)).start if trim else start
        sizes.append(end - before if size is None else max(1, size(text[before:end])))
        before = end
    own = own if trim else [text[start:end] for start, end in pairwise(edges)]
    shown = own if view is None else view(text, units)
    if len(shown) != len(own):
        raise SettingError(f"view() must return one text per unit: expected {len(own)}, got {len(shown)}")
    texts = [one for one, measured in zip(shown, sizes, strict=True) if measured]
    if "-\n" in text:
        texts = [without_hyphenation(text) if "-\n" in text else text for text in texts]
    clean = text.isascii() or (view is None and without_surrogates(text) is text)
    return np.array(sizes, np.intp), texts if clean else [*map(without_surrogates, texts)]


def rule_segmenter() -> Segmenter:
    """`units`, loaded when it is first asked for."""
    from caesura.text.sentences import units  # so that `import caesura` does not wait for the rules

    return units


def _check_limits(value: object, cut: Cut) -> None:
    if not isinstance(value, Limits):
        raise SettingError(f"limits must be Limits(max_size=…, min_size=…), got {value!r}")
    count = cut.chunk_count if value.target_size is not None and isinstance(cut, CountedCut) else None
    if count is not None:
        raise SettingError(
            f"a number of chunks, {count}, and target_size={value.target_size} exclude one another: "
            f"leave one of them out"
        )


class Stages(Protocol[T]):
    """A `Splitter` or a `Hierarchy`: a frozen dataclass that prepares texts and finishes them with their vectors."""

    @property
    def background(self) -> Background | None: ...
    def prepare(self, texts: Sequence[str], limits: Sequence[Limits] | None = None) -> Batch: ...
    def finish(self, batch: Batch, vectors: Any) -> list[T]: ...


@dataclass(frozen=True, slots=True)
class Splitter:
    """Cuts texts into chunks by meaning, within limits. Holds settings only: the embedder is an argument.

    limits: what a chunk may measure, by default anything; a target and a number of chunks exclude one another.
    size: str -> int, what is measured. segment: str -> Edges.
    view: what is embedded for each unit, by default the unit itself. cut: (Vectors, Sizes, Limits) -> Breaks.
    background: what rows are centred on. Default thresholds are meant for centred rows, so pass ``calibrate(embed)``;
    None is the published meaning of the methods, uncentred.
    trim: whether chunks are embedded, measured and returned without whitespace at their ends, but for the indentation
    of code.

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

    def __post_init__(self) -> None:
        check_callable(self, "size", "segment", "cut", *(["view"] if self.view is not None else []))
        _check_limits(self.limits, self.cut)
        if self.background is not None and not isinstance(self.background, Background):
            raise SettingError(f"background must be a Background, such as calibrate(embed), got {self.background!r}")

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
            _check_limits(own, self.cut)
        for number, text in enumerate(documents):
            if not isinstance(text, str):
                raise SettingError(f"a document must be a str, got {type(text).__name__} at position {number}")
        units = [bounded_units(text, self.segment, self.size, own) for text, own in zip(documents, each, strict=True)]
        measured = [measured_units(text, edges, self) for text, edges in zip(documents, units, strict=True)]
        shown = tuple(text for _, texts in measured for text in texts)
        return Batch(documents, tuple(units), shown, each, tuple(sizes for sizes, _ in measured))

    def finish(self, batch: Batch, vectors: Any) -> list[Segmentation]:
        """A batch and one vector per text of it -> one segmentation per document. Raises `EmbeddingError`."""
        return [
            segment(self, text, units, sizes, rows, [(limits, self.cut)])[0]
            for text, units, limits, sizes, rows in batch.by_document(vectors, self.background)
        ]

    def split(self, text: str, embed: Embed, batch_size: int | None = None) -> list[Chunk]:
        """A text -> its chunks, in order: ``text[chunk.start:chunk.end] == chunk.text``."""
        return self.split_many([text], embed, batch_size)[0]

    def split_many(self, texts: Sequence[str], embed: Embed, batch_size: int | None = None) -> list[list[Chunk]]:
        """Texts -> the chunks of each. `embed` is called once for all of them, or with `batch_size` texts at a time."""
        batch = self.prepare(texts)
        rows = run(embed_in_batches(Blocking(), embed, batch.texts, batch_size))
        return [segmentation.chunks() for segmentation in self.finish(batch, rows)]
