"""The values that pass between the stages, and the callables that make them. Nothing here computes.

Vocabulary, one word per idea: a *unit* is the smallest piece, an *edge* a position between pieces, a *gap* the place
between two neighbouring units, a *break* a gap that was cut, a *chunk* what is left between breaks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from caesura.checks import check_int
from caesura.errors import SettingError

Edges: TypeAlias = NDArray[np.intp]
"""(n + 1,) strictly rising; ``edges[0] == 0`` and ``edges[-1] == len(text)``; the empty text is ``[0]``."""
Sizes: TypeAlias = NDArray[np.intp]
"""(n,) size of each unit, in units of the sizer."""
Vectors: TypeAlias = NDArray[np.float32]
"""(n, d) unit rows; a zero row stays zero and is similar to nothing."""
Gaps: TypeAlias = NDArray[np.float64]
"""(n - 1,) ``gaps[i]`` lies between unit i and unit i + 1; higher is a better place to cut."""
Breaks: TypeAlias = NDArray[np.intp]
"""(k,) strictly rising in 1..n-1: the first unit of each new chunk (the convention of `numpy.split`)."""
Structure: TypeAlias = NDArray[np.float64]
"""(n - 1,) what the text itself shows at each gap: 0 nothing, 0.5 a line end, 1 a blank line, 2 a heading."""

Sizer: TypeAlias = Callable[[str], int]
"""Measures a text: `len` counts characters; others count bytes, words or the tokens of a model."""
Segmenter: TypeAlias = Callable[[str], Edges]
"""A text -> the edges of its units, which tile it."""
View: TypeAlias = Callable[[str, Edges], "list[str]"]
"""A text and the edges of its units -> what is embedded for each unit."""
Embed: TypeAlias = Callable[[list[str]], Any]
"""Texts in, one row per text out: an (n, d) array or anything that `numpy.asarray` turns into one."""


class Span(NamedTuple):
    """A half-open range of code points of the source text, counted from 0."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a document: ``text == source[start:end]``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes that a chunk may have, in units of the sizer: `max_size` is a promise, the others are wishes.

    max_size: what no chunk is over; None: any. min_size: what a chunk should not be under. target_size: what each
    should be near; None: where the meaning turns alone decides. Raises `SettingError` where a size is no whole number,
    `max_size` or `target_size` is under 1, or `min_size` is negative, or one of them is over `max_size`.
    """

    max_size: int | None = None
    min_size: int = 0
    target_size: int | None = None

    def __post_init__(self) -> None:
        least = ("max_size", self.max_size, 1), ("min_size", self.min_size, 0), ("target_size", self.target_size, 1)
        for name, value, low in least:
            plain = type(value) is int and low <= value <= sys.maxsize
            if not plain and (value is not None or name == "min_size"):
                check_int(name, value, low)
        if self.max_size is not None:
            for name, value, _ in least[1:]:
                if value is not None and value > self.max_size:
                    raise SettingError(f"{name}={value} must not be over max_size={self.max_size}")

    def reduced(self, max_size: int | None) -> Limits:
        """The same with less room: wishes that are over it are at it."""
        if max_size is None:
            return Limits(None, self.min_size, self.target_size)
        target = self.target_size if self.target_size is None else min(self.target_size, max_size)
        return Limits(max_size, min(self.min_size, max_size), target)


class Cut(Protocol):
    """(Vectors, Sizes, Limits) -> Breaks, such that every group of more than one unit fits `limits.max_size`."""

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks: ...


@runtime_checkable
class ScoredCut(Protocol):
    """A cut in two steps, so that its scores can be seen: ``place(scores(vectors, sizes), sizes, limits)``.

    Where it has a `structure` over 0, that many standard deviations are added to the score at a paragraph's end.
    """

    def scores(self, vectors: Vectors, sizes: Sizes) -> Gaps: ...

    def place(self, gaps: Gaps, sizes: Sizes, limits: Limits) -> Breaks: ...


@runtime_checkable
class StructuredCut(Protocol):
    """A cut that also looks at what the text shows between its units: lines, paragraphs, headings."""

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks: ...


@runtime_checkable
class CountedCut(Protocol):
    """A cut that can be given a number of chunks, which excludes a target size."""

    @property
    def chunk_count(self) -> int | None:
        """The number that it was given."""


@runtime_checkable
class StructureWeight(Protocol):
    """A `ScoredCut` that adds `structure` standard deviations to the score at a paragraph's end."""

    @property
    def structure(self) -> float: ...


@runtime_checkable
class CodeSegmenter(Protocol):
    """A segmenter, or a host's sentence splitter, whose units are lines of code where `is_code` is true.

    Chunks then keep the indentation that they begin with.
    """

    @property
    def is_code(self) -> bool: ...


@runtime_checkable
class FileSegmenter(Protocol):
    """A segmenter, or a host's sentence splitter, that takes the name of a document's file into account."""

    def for_file(self, name: str, /) -> Any:
        """Returns what segments the text of a file; "" is the name of a text of which none is known."""
        ...


@runtime_checkable
class BlockSegmenter(Protocol):
    """A segmenter, or a host's sentence splitter, that knows the parts of blocks that are over the limit."""

    def block_parts(self, block: str, /) -> Edges | None:
        """Returns the edges of the parts of a block of code in its fence; None: what fits of its lines is a part."""
        ...


@runtime_checkable
class CalibratedEmbedder(Protocol):
    """An embedder that brings the mean row of unrelated texts as its `background`, or None."""

    @property
    def background(self) -> Any: ...
