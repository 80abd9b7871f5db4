"""A splitter that returns strings -> a segmenter that returns edges, by one forward scan over the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from caesura.errors import SegmentError
from caesura.types import Edges


@dataclass(frozen=True, slots=True)
class aligned:  # noqa: N801 - used as a function: aligned(splitter)
    """(str -> pieces) -> a segmenter, str -> Edges.

    The pieces must be the text in order; whitespace alone may be missing, added or changed. What whitespace lies
    between two pieces belongs to the earlier one. Raises `SegmentError`, with a caret under the place, where the
    pieces are not the text.

    >>> aligned(str.split)("one two")
    array([0, 4, 7])
    """

    split: Callable[[str], Iterable[str]]

    def __call__(self, text: str) -> Edges:
        starts, position = [], 0
        for number, piece in enumerate(self.split(text)):
            words = piece.split()
            for word in words:
                position = _blank_end(text, position)
                if word is words[0]:
                    starts.append(position)
                if not text.startswith(word, position):
                    raise SegmentError(_stray(text, position, f"piece {number} has {word[:40]!r} where the text goes on"))
                position += len(word)
        position = _blank_end(text, position)
        if position < len(text):
            raise SegmentError(_stray(text, position, "the pieces end before the text does"))
        inner = starts[1:] if starts else []
        return np.array([0, *inner, len(text)] if text else [0], dtype=np.intp)


def _blank_end(text: str, position: int) -> int:
    """The first position from here on that is not whitespace."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _stray(text: str, position: int, what: str) -> str:
    """An error message with the line of the text and a caret under the place."""
    start = max(text.rfind("\n", 0, position) + 1, position - 40)
    line = text[start : position + 30].split("\n", 1)[0]
    return (
        f"the splitter's pieces must be the text in order, whitespace aside (no overlap, nothing rewritten): "
        f"at {position} {what}\n    {line}\n    {' ' * (position - start)}^"
    )
