"""A text and its chunks in; nothing out, or an AssertionError that says which promise of a chunk they break."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.errors import SettingError
from caesura.testing.laws import broken, shown, text_shown
from caesura.types import Chunk, Sizer

REMEDY = "take start and end from caesura.Chunk, and change nothing in its text; a part of a part adds its own start"


def check_chunks(
    text: str, chunks: Sequence[Chunk], *, size: Sizer = len, max_size: int | None = None, overlap: bool = False
) -> None:
    """Holds that chunks are rising slices of the text, none blank, none over the limit, and that what lies outside
    them is whitespace.

    max_size: the most that a chunk may measure, in units of `size`. overlap: whether a chunk may begin before the one
    before it ends.
    """
    if max_size is not None and max_size < 1:
        raise SettingError(f"max_size must be at least 1, got {max_size}")
    covered, started = 0, -1
    for number, chunk in enumerate(chunks):
        what = f"chunk {number} of {len(chunks)}, {chunk.start}-{chunk.end}: {shown(repr(chunk.text))}"
        if not 0 <= chunk.start < chunk.end <= len(text) or text[chunk.start : chunk.end] != chunk.text:
            slice_ = shown(repr(text[max(chunk.start, 0) : max(chunk.end, 0)]))
            raise broken("a chunk is text[start:end]", text_shown(text), f"{what}; the slice is {slice_}", REMEDY)
        if not chunk.text.strip():
            raise broken("no chunk is blank", text_shown(text), what, "leave blank units out")
        if chunk.start <= started or (not overlap and chunk.start < covered):
            remedy = "return chunks in the order of the text" + ("" if overlap else "; overlap=True allows overlap")
            raise broken("chunks rise and do not overlap", text_shown(text), what, remedy)
        _blank(text, covered, chunk.start)
        if max_size is not None and size(chunk.text) > max_size:
            law = f"no chunk measures over max_size={max_size}"
            remedy = "pass the limit and the sizer to the Splitter, and measure what is returned"
            raise broken(law, text_shown(text), f"{what} measures {size(chunk.text)}", remedy)
        covered, started = max(covered, chunk.end), chunk.start
    _blank(text, covered, len(text))


def _blank(text: str, start: int, end: int) -> None:
    if text[start:end].strip():
        found = f"{shown(repr(text[start:end]))} at {start}-{end} is in no chunk"
        raise broken("every character that is not blank is in a chunk", text_shown(text), found, "drop nothing")
