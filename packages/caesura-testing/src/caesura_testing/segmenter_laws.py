"""Laws of a segmenter, str -> Edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from caesura.edges import is_tiling
from caesura.types import Edges, Segmenter
from caesura_testing.laws import answering, broken_law, copy_of, shorten, shorten_text
from caesura_testing.texts import odd_texts

TILES = "a segmenter's edges tile the text: a 1-d array of whole numbers that rises strictly from 0 to len(text)"
AGAIN = "a segmenter returns the same edges for the same text, whatever it was asked before"
REMEDY = (
    "return np.array([0, *ends], dtype=np.intp) where ends are the positions behind each unit, the last of them "
    "len(text); for '' that is [0]. Wrap a splitter that returns strings in caesura.aligned(…)"
)


def tiles(segment: Segmenter, texts: Sequence[str]) -> None:
    """Every character of any text is in exactly one unit, and no unit is empty."""
    for text in texts:
        found = _edges(segment, text)
        if not is_tiling(found, len(text)):
            raise broken_law(TILES, shorten_text(text), _wrong(found, len(text)), REMEDY)


def segments_again(segment: Segmenter, texts: Sequence[str]) -> None:
    """The same text has the same edges, in whatever order texts come; edges once returned stay as they were."""
    first: list[Edges] = []
    kept: list[Edges] = []
    for text in texts:
        first.append(_edges(segment, text))
        kept.append(np.array(first[-1]))
    remedy = "keep nothing between calls, or a copy of it: neither state, nor chance, nor the array that was returned"
    for text, before in zip(reversed(texts), reversed(kept), strict=True):
        after = _edges(segment, text)
        if not np.array_equal(after, before):
            raise broken_law(AGAIN, shorten_text(text), f"{shorten(before)}, then {shorten(after)}", remedy)
    for text, edges, before in zip(texts, first, kept, strict=True):
        if not np.array_equal(edges, before):
            raise broken_law(AGAIN, shorten_text(text), f"{shorten(before)}, later changed to {shorten(edges)}", remedy)


LAWS: tuple[Callable[[Segmenter, Sequence[str]], None], ...] = (tiles, segments_again)


def check_segmenter(segment: Segmenter, texts: Sequence[str] | None = None, *, pickled: bool = True) -> None:
    """A segmenter -> nothing, or an AssertionError. texts: those to try, by default `odd_texts()`.

    pickled: whether it must also survive pickling, as work in other processes needs.
    """
    given = odd_texts() if texts is None else texts
    for law in LAWS:
        law(segment, given)
    if pickled:
        copy_of(segment, "segmenter", lambda part: [part(text).tolist() for text in given[:40]])


def _edges(segment: Segmenter, text: str) -> Edges:
    remedy = "a text may be empty, blank, or hold any code point: return its edges all the same"
    with answering("a segmenter takes any text", shorten_text(text), remedy):
        return segment(text)


def _wrong(found: object, length: int) -> str:
    """What keeps an answer from being a tiling."""
    if not isinstance(found, np.ndarray):
        return f"{type(found).__name__}, not an array: {shorten(found)}"
    if found.ndim != 1 or found.dtype.kind not in "iu":
        return f"an array of {found.dtype} in {found.ndim} dimensions"
    if not len(found) or found[0] != 0 or found[-1] != length:
        return f"{shorten(found)}, which must begin with 0 and end with {length}"
    at = int(np.flatnonzero(np.diff(found) <= 0)[0])
    return f"{shorten(found)}, in which {found[at]} is followed by {found[at + 1]}"
