"""Splits units that are over the limit at the best place that fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TypeAlias

import numpy as np

from caesura.errors import SettingError
from caesura.sizers import tokens
from caesura.text.blocks import blocks, trim_chunk
from caesura.text.graphemes import inside_grapheme
from caesura.text.sentences import sentences
from caesura.types import Edges, Sizer

CLAUSE = re.compile(r"[,;:)\]}\u2013\u2014\u060c\u061b](?=\s)\s+|[\uff0c\u3001\uff1b\uff1a]\s*|\n\s*")
WORD = re.compile(r"\s+")
INDENT = re.compile(r"([ \t]*+)(?![)\]}]|</|\s)")
MUCH = 1000
BlockParts: TypeAlias = Callable[[str], Edges | None]
LINE = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
BLANK_LINE = re.compile(r"\n[ \t]*\r?\n(?=.)|</tr>\s*", re.DOTALL | re.IGNORECASE)
_ENDED = ("</tr>", *"\n\r\x0b\x0c\x85\u2028\u2029")
_DEEP = 8  # parts within parts; a part alone can have parts that it had not beside others, and so on without end


def cut_candidates(text: str, start: int, reach: int, lines: bool, headed: int = 0) -> Iterator[int]:
    """Returns positions up to `reach`, the best first; in a text in lines, the ends of blank lines, rows and lines.

    headed: where what follows a heading begins; a cut there is worse than one behind any row, line or word after it.
    """
    window, past = text[start:reach], max(headed - start, 0)
    if lines:
        yield from reversed([start + match.end() for match in BLANK_LINE.finditer(window) if match.end() > past])
        ends = [match.end() for match in LINE.finditer(window) if match.end() > past]
        yield from sorted([start + end for end in ends if 2 * end > len(window)], key=lambda at: _depth(text, at))
        yield from reversed([start + end for end in ends if 2 * end <= len(window)])
        if start < headed < reach:
            yield headed
    yield from reversed([start + match.end() for match in CLAUSE.finditer(window, max(len(window) // 2, past))])
    if text[reach].isspace() and reach > headed:
        yield reach
    words = [start + match.end() for match in WORD.finditer(window)]
    yield from reversed([at for at in words if at > headed])
    yield from reversed([at for at in words if at <= headed])
    yield from range(reach, start, -1)


def _depth(text: str, at: int) -> tuple[int, int]:
    """How far the line is indented that begins here, the later of two first; a bracket closes what precedes."""
    found = INDENT.match(text, at)
    return (len(found[1].expandtabs(4)) if found else MUCH), -at


@dataclass(frozen=True, slots=True)
class Ruler:
    """Lays one size along one text."""

    text: str
    size: Sizer
    max_size: int
    is_code: bool = False
    block_parts: BlockParts | None = None

    def fits(self, start: int, end: int) -> bool:
        """Measures a slice as it is and trimmed: by a tokenizer's count, the trimmed one can be larger."""
        piece = self.text[start:end]
        if isinstance(self.size, tokens) and self.size.surely(piece, self.max_size):
            return True
        if self.size(piece) > self.max_size:
            return False
        bare = piece.strip()
        if len(bare) == len(piece) or self.size is len:
            return True
        shown = trim_chunk(self.text, start, end, self.is_code)
        indented = {bare, self.text[shown.start : shown.end]} - {piece}
        return all(self.size(each) <= self.max_size for each in indented)

    def longest_fitting(self, start: int, end: int) -> int:
        """The furthest position up to `end` such that the slice from `start` fits, as far as bisection finds it."""
        low, step = start, 4 * self.max_size
        high = min(end, start + step)
        while self.fits(start, high):
            if high == end:
                return end
            low, step = high, 2 * step
            high = min(end, start + step)
        while high - low > 1:
            middle = (low + high) // 2
            if self.fits(start, middle):
                low = middle
            else:
                high = middle
        if low == start and not self.text[start].isspace() and not self.fits(start, start + 1):
            raise SettingError(
                f"max_size={self.max_size} is too small for a single character: {self.text[start]!r} at {start} "
                f"measures {self.size(self.text[start])}; raise max_size (chunk_size in the plugins, "
                f"size in the lab), or measure otherwise"
            )
        return max(low, start + 1)


def refine(
    text: str,
    edges: Edges,
    size: Sizer,
    max_size: int,
    target_size: int | None = None,
    is_code: bool = False,
    block_parts: BlockParts | None = None,
) -> Edges:
    """Returns edges such that every piece, whole and trimmed, measures at most `max_size`, and every given edge stays.
    Idempotent.

    target_size: the most for the pieces of a unit that is too long, if it is less than `max_size` and holds each of its
    code points. is_code: whether all is code, whatever it looks like. block_parts: what knows the parts of a block of
    code, see `BlockSegmenter`: pieces end where they do. A unit that is too long is split into its blocks,
    items or sentences if it has any. A piece that is still too long is cut from its left end: code and tables at the
    last blank line, else at the least indented line in the second half of what fits, else at the last line end; all
    else, and a line that is too long, at the last clause end in the second half of what fits, else at the last word
    end, else between graphemes, else between code points. A heading stays with the first of what follows it, unless
    that fits by itself and not with the heading. The strings that are measured have at most four times
    `max_size` characters or twice as many as fit. Raises `SettingError` where one code point is too large.
    """
    if size is len and (len(edges) < 2 or int(np.diff(edges).max()) <= max_size):
        return edges
    ruler = Ruler(text, size, max_size, is_code, block_parts)
    finer = ruler if target_size is None else Ruler(text, size, min(target_size, max_size), is_code, block_parts)
    surely = max_size if size is len or (isinstance(size, tokens) and size.bytewise and text.isascii()) else 0
    refined = [0]
    for start, end in pairwise(edges.tolist()):
        if end - start <= surely or ruler.longest_fitting(start, end) == end:
            refined.append(end)
            continue
        try:
            refined.extend(_pieces(finer, start, end))
        except SettingError:
            refined.extend(_pieces(ruler, start, end))
    return np.array(refined, dtype=np.intp)


def _pieces(ruler: Ruler, start: int, end: int, depth: int = 0) -> list[int]:
    """Returns the ends of the pieces of one unit, the unit's own end last."""
    if ruler.longest_fitting(start, end) == end:
        return [end]
    core = trim_chunk(ruler.text, start, end, ruler.is_code)
    unit = ruler.text[core.start : core.end]
    inner, lines, headed = ([0, len(unit)], True, 0) if ruler.is_code else _parts_of(unit)
    ends: list[int] = []
    parts = ruler.block_parts(unit[headed:]) if lines and ruler.block_parts and not ruler.is_code else None
    if parts is not None:
        inner = [0, *(headed + edge for edge in parts.tolist()[1:])]
    for first, last in pairwise([core.start + edge for edge in inner]):
        if parts is not None:
            ends += _row(ruler, first, last, True)
        elif len(inner) > 2 and depth < _DEEP:
            ends += _pieces(ruler, first, last, depth + 1)
        else:
            place = core.start + headed
            if first < place < last and not lines and ruler.longest_fitting(place, last) == last:
                ends += _row(ruler, first, place, False)  # a heading alone, and not half of a sentence or an item
                first = place
            ends += _row(ruler, first, last, lines, place)
    return [*_row(ruler, start, core.start, False), *ends, *_row(ruler, core.end, end, False)]


def _row(ruler: Ruler, start: int, end: int, lines: bool, headed: int = 0) -> list[int]:
    """Returns the ends of pieces, one after another, each at its best place; the rest of a long line is a piece by
    itself. headed: see `cut_candidates`.
    """
    ends: list[int] = []
    while start < end:
        first, start = start, _place(ruler, start, ruler.longest_fitting(start, end), end, lines, headed)
        ends.append(start)
        if lines and start < end and not _ends_row(ruler.text, first, start):
            line = LINE.search(ruler.text, start, end)
            ends += _row(ruler, start, line.end() if line else end, False)
            start = ends[-1]
    return ends


def _ends_row(text: str, start: int, end: int) -> bool:
    """Whether a piece ends with a line or a row of a table, and what the next one is indented by."""
    return text[start:end].rstrip(" \t").lower().endswith(_ENDED)


def _place(ruler: Ruler, start: int, reach: int, end: int, lines: bool, headed: int) -> int:
    """The best position to cut at, at most `longest_fitting`, which fits itself."""
    if reach == end:
        return end
    candidates = cut_candidates(ruler.text, start, reach, lines, headed)
    whole = (at for at in candidates if not inside_grapheme(ruler.text, at, start))
    return next((at for at in islice(whole, 64) if ruler.fits(start, at)), reach)


def _parts_of(unit: str, headings: bool = True) -> tuple[list[int], bool, int]:
    """Returns the edges of a unit's parts, whether it is a text in lines, as code and tables are, and where what
    follows its heading begins.

    The parts are its blocks, if it has several; else the items of a list, or the sentences of prose. A heading is in
    one part with the first of what follows it. headings: whether there may be one.
    """
    found = [block for block in blocks(unit, lists=True) if block[2] != "closing"]
    headed = next((start for start, _, kind in found if kind not in ("heading", "question")), 0)
    if headed and headings:
        inner, lines, _ = _parts_of(unit[headed:], headings=False)
        return [0, *(headed + edge for edge in inner[1:])], lines, headed
    kind = found[0][2] if found else ""
    if kind in ("list", "quote", "container") and len(found) == 1:
        found = [block for block in blocks(unit, lists=False) if block[2] != "closing"]
    if len(found) > 1:
        return [0, *(start for start, _, _ in found[1:]), len(unit)], False, 0
    if kind in ("", "list", "quote", "turn", "question"):
        return sentences(unit).tolist(), False, 0
    return [0, len(unit)], kind in ("code", "table", "formula", "matter"), 0
