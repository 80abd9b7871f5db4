"""Edges in, edges with nothing larger than max_size out: whole units first, then what they are made of.

That is blocks, lines, items and sentences; what is still too large is cut at a clause, word, grapheme or code point.
"""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np

from caesura.edges import spans, trim
from caesura.text.blocks import blocks
from caesura.text.graphemes import inside_grapheme
from caesura.text.places import LINE, places
from caesura.text.ruler import Ruler
from caesura.text.sentences import sentences
from caesura.types import Edges, Sizer

_DEEP = 8  # parts within parts; a part alone can have parts that it had not beside others, and so on without end


def refine(text: str, edges: Edges, size: Sizer, max_size: int) -> Edges:
    """Edges -> edges such that every piece, whole and trimmed, is at most `max_size`, and every edge given stays.

    Idempotent. A unit too long is parted into its blocks, items or sentences if it has any. A piece still too long is
    cut from its left end: code and tables at the last blank line, else at the least indented line in the second half of
    what fits, else at the last line end; all else, and a line too long, at the last clause end in the second half of
    what fits, else at the last word end, else between graphemes, else between code points. The strings measured are at
    most four times `max_size` characters long or twice as long as what fits. Raises `SettingError` where one code point
    is too large.
    """
    if size is len and (len(edges) < 2 or int(np.diff(edges).max()) <= max_size):
        return edges
    ruler = Ruler(text, size, max_size)
    refined = [0]
    for start, end in spans(edges):
        refined.extend(_pieces(ruler, start, end))
    return np.array(refined, dtype=np.intp)


def _pieces(ruler: Ruler, start: int, end: int, depth: int = 0) -> list[int]:
    """The ends of the pieces of one unit, the unit's own end last."""
    if ruler.reach(start, end) == end:
        return [end]
    core = trim(ruler.text, start, end)
    inner, lines = _parts_of(ruler.text[core.start : core.end])
    ends: list[int] = []
    for first, last in pairwise([core.start + edge for edge in inner]):
        if len(inner) > 2 and depth < _DEEP:
            ends += _pieces(ruler, first, last, depth + 1)
        else:
            ends += _row(ruler, first, last, lines)
    return [*_row(ruler, start, core.start, False), *ends, *_row(ruler, core.end, end, False)]


def _row(ruler: Ruler, start: int, end: int, lines: bool) -> list[int]:
    """The ends of pieces laid one after another, each to its best place; the rest of a long line by itself."""
    ends: list[int] = []
    while start < end:
        start = _place(ruler, start, ruler.reach(start, end), end, lines)
        ends.append(start)
        if lines and start < end and LINE.fullmatch(ruler.text, start - 1, start) is None:
            line = LINE.search(ruler.text, start, end)
            ends += _row(ruler, start, line.end() if line else end, False)
            start = ends[-1]
    return ends


def _place(ruler: Ruler, start: int, reach: int, end: int, lines: bool) -> int:
    """The best position to cut at, at most `reach`, which fits itself."""
    if reach == end:
        return end
    whole = (at for at in places(ruler.text, start, reach, lines) if not inside_grapheme(ruler.text, at, start))
    return next((at for at in islice(whole, 64) if ruler.fits(start, at)), reach)


def _parts_of(unit: str) -> tuple[list[int], bool]:
    """A unit -> the edges of what it is made of, and whether it is a text in lines, as code and tables are.

    Made of several blocks, as of a heading and a sentence: those; a list: its items; prose: its sentences.
    """
    found = [block for block in blocks(unit, lists=True) if block[2] != "closing"]
    kind = found[0][2] if found else ""
    if kind in ("list", "quote") and len(found) == 1:
        found = list(blocks(unit, lists=False))
    if len(found) > 1:
        return [0, *(start for start, _, _ in found[1:]), len(unit)], False
    if kind in ("", "list", "quote"):
        return sentences(unit).tolist(), False
    return [0, len(unit)], kind in ("code", "table", "formula", "matter")
