"""A sentence splitter of a user or a library, as a segmenter that returns edges: by one forward scan over the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from caesura.errors import SegmentError, SettingError
from caesura.types import BlockSegmenter, CodeSegmenter, Edges, FileSegmenter, Segmenter

SentenceSplitter: TypeAlias = Callable[[str], "Iterable[str] | Edges"]
"""A text -> its sentences, in order, or the edges of its units."""
WORD = re.compile(r"\S+")
NEAR = 80
"""Characters, whitespace aside, that a splitter may drop between two pieces and be told so."""


@dataclass(frozen=True, slots=True)
class aligned:  # noqa: N801 - used as a function: aligned(splitter)
    """Makes a segmenter, str -> Edges, of a splitter that returns strings, or edges as a segmenter does.

    The pieces must be the text in order; only whitespace may be missing, added or changed. Whitespace between two
    pieces belongs to the earlier one. Raises `SegmentError`, with a caret under the place, where the pieces are not the
    text.

    >>> aligned(str.split)("one two")
    array([0, 4, 7])
    """

    split: SentenceSplitter

    def __post_init__(self) -> None:
        if not callable(self.split):
            raise SettingError(f"a sentence_splitter must be callable, str -> list of str, got {self.split!r}")

    @property
    def is_code(self) -> bool:
        """Whether the splitter says that its units are lines of code, as `Code` does."""
        return isinstance(self.split, CodeSegmenter) and bool(self.split.is_code)

    def for_file(self, name: str) -> aligned:
        """The splitter for the text of a file, which is another one where it goes by the names of files."""
        own = self.split.for_file(name) if isinstance(self.split, FileSegmenter) else self.split
        return self if own is self.split else aligned(own)

    def block_parts(self, block: str) -> Edges | None:
        """The edges of the parts of a block of code, where the splitter knows them."""
        return self.split.block_parts(block) if isinstance(self.split, BlockSegmenter) else None

    def __call__(self, text: str) -> Edges:
        found = self.split(text)
        if isinstance(found, np.ndarray):
            if found.dtype.kind in "iu":
                return found
            found = found.tolist()
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise SegmentError(f"the splitter must return a list of str, or an array of int edges, got {found!r:.80}")
        bare = "".join(text.split())
        places = [place for match in WORD.finditer(text) for place in range(*match.span())]
        starts, position = [], 0
        for number, piece in enumerate(found):
            if not isinstance(piece, str):
                kind = f"{piece!r:.80} as piece {number}"
                raise SegmentError(f"the splitter must return str pieces, or an array of int edges, got {kind}")
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


def segmenter(sentence_splitter: SentenceSplitter | None, rules: Segmenter) -> Segmenter:
    """Returns the segmenter of a sentence splitter; without one, `rules`. Raises `SettingError`."""
    return rules if sentence_splitter is None else aligned(sentence_splitter)


def segmenters_of(segment: Segmenter, files: Iterable[str]) -> list[Segmenter] | None:
    """Returns the segmenter of each document by the name of its file; None where it is `segment` for all of them."""
    if not isinstance(segment, aligned) or not isinstance(segment.split, FileSegmenter):
        return None
    return [segment.for_file(name) for name in files]
