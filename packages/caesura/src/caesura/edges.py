"""The algebra of tilings: a tiling is its edges, so that overlaps and disorder cannot be written down."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caesura.checks import check_int
from caesura.types import Breaks, Edges, Span


def spans(edges: Edges) -> list[Span]:
    """Edges -> the n spans between them.

    >>> spans(np.array([0, 2, 5]))
    [Span(start=0, end=2), Span(start=2, end=5)]
    """
    return [Span(start, end) for start, end in pairwise(edges.tolist())]


def merge(edges: Edges, breaks: Breaks) -> Edges:
    """(Edges of units, Breaks) -> edges of groups. Returns edges such that each is one of those given.

    >>> merge(np.array([0, 2, 5, 9]), np.array([2]))
    array([0, 5, 9])
    """
    if len(edges) < 2:
        return edges
    return edges[np.concatenate(([0], breaks, [len(edges) - 1])).astype(np.intp)]


def is_tiling(edges: object, length: int) -> bool:
    """Whether `edges` is a one-dimensional array of whole numbers that rises strictly from 0 to `length`."""
    if not isinstance(edges, np.ndarray) or edges.ndim != 1 or len(edges) < 1 or edges.dtype.kind not in "iu":
        return False
    return bool(edges[0] == 0 and edges[-1] == length and (edges[1:] > edges[:-1]).all())


def trim(text: str, start: int, end: int) -> Span:
    """A range of the text -> the same without whitespace at its ends; a blank one is empty, at its end.

    >>> trim("a  bc ", 1, 6)
    Span(start=3, end=5)
    """
    piece = text[start:end]
    bare = piece.lstrip()
    start = end - len(bare)
    return Span(start, start + len(bare.rstrip()))


@dataclass(frozen=True, slots=True)
class joined:  # noqa: N801 - used as a function: view=joined(1)
    """A view in which a unit is embedded together with the `buffer_size` units on either side, one space between.

    The published form of percentile cutting. It embeds every sentence ``1 + 2 * buffer_size`` times.

    >>> joined(1)("One. Two. Three.", np.array([0, 5, 10, 16]))
    ['One. Two.', 'One. Two. Three.', 'Two. Three.']
    """

    buffer_size: int = 1

    def __post_init__(self) -> None:
        check_int("buffer_size", self.buffer_size, 0)

    def __call__(self, text: str, edges: Edges) -> list[str]:
        units = [text[start:end].strip() for start, end in spans(edges)]
        held = [unit for unit in units if unit]
        windows = (
            " ".join(held[max(place - self.buffer_size, 0) : place + self.buffer_size + 1])
            for place in range(len(held))
        )
        return [next(windows) if unit else "" for unit in units]
