"""A splitter that returns strings, as a segmenter that returns edges: by one forward scan over the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from caesura.checks import check_callable
from caesura.errors import SegmentError
from caesura.types import Edges

WORD = re.compile(r"\S+")
NEAR = 80
"""Characters, whitespace aside, that a splitter may drop between two pieces and be told so."""


@dataclass(frozen=True, slots=True)
class aligned:  # noqa: N801 - used as a function: aligned(splitter)
    """Makes a segmenter, str -> Edges, of a splitter that returns strings.

    The pieces must be the text in order; only whitespace may be missing, added or changed. Whitespace between two
    pieces belongs to the earlier one. Raises `SegmentError`, with a caret under the place, where the pieces are not the
    text.

    >>> aligned(str.split)("one two")
    array([0, 4, 7])
    """

    split: Callable[[str], Iterable[str]]

    def __post_init__(self) -> None:
        check_callable(self, "split")

    def __call__(self, text: str) -> Edges:
        bare = "".join(text.split())
        places = [place for match in WORD.finditer(text) for place in range(*match.span())]
        starts, position = [], 0
        for number, piece in enumerate(self.split(text)):
            if not isinstance(piece, str):
                raise SegmentError(f"the splitter must return str pieces, got {piece!r:.80} as piece {number}")
            wanted = "".join(piece.split())
            if not bare.startswith(wanted, position):
                pairs = zip(wanted, bare[position:], strict=False)
                same = next((count for count, (one, other) in enumerate(pairs) if one != other), len(bare) - position)
                place = [*places, len(text)][position + same]
                what = f"piece {number} goes on {wanted[same : same + 40]!r}"
                start = wanted[:8]
                back = bare.rfind(start, max(position - len(wanted), 0), position - 1 + len(start))
                later = bare.find(start, position + 1, position + NEAR)
                if back >= 0 and (later < 0 or back + len(wanted) > position):
                    what += ", and begins before the piece before it ends: let them not overlap (chunk_overlap=0)"
                elif later >= 0:
                    what += f", and {bare[position:later]!r} before it is in no piece: let pieces keep what parts them"
                raise SegmentError(_stray(text, place, what))
            if wanted:
                starts.append(places[position])
            position += len(wanted)
        if position < len(bare):
            raise SegmentError(_stray(text, places[position], "the text goes on after the last piece"))
        return np.array([0, *starts[1:], len(text)] if text else [0], dtype=np.intp)


def _stray(text: str, position: int, what: str) -> str:
    """An error message with the line of the text and a caret under the place."""
    start = max(text.rfind("\n", 0, position) + 1, position - 40)
    line = text[start : position + 30].split("\n", 1)[0]
    return (
        f"the splitter's pieces must be the text in order, whitespace aside, without overlap: "
        f"at {position} {what}\n    {line}\n    {' ' * (position - start)}^"
    )
