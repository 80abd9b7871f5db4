"""Splits units that are over the limit at the best place that fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from caesura.errors import SettingError
from caesura.sizers import tokens
from caesura.text.blocks import blocks, header_end, trim_chunk
from caesura.text.containers import containers
from caesura.text.graphemes import inside_grapheme
from caesura.text.markup import indent, line_start
from caesura.text.number_rows import tall_rows
from caesura.text.sentences import sentences, units
from caesura.types import Edges, Sizer, Span

CLAUSE = re.compile(r"[,;:)\]}\u2013\u2014\u060c\u061b](?=\s)\s+|[\uff0c\u3001\uff1b\uff1a]\s*|\n\s*")
WORD = re.compile(r"\s+")
INDENT = re.compile(r"([ \t]*+)(?![)\]}]|</|\s)")
MUCH = 1000
BlockParts: TypeAlias = Callable[[str], Edges | None]
LINE = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
BLANK_LINE = re.compile(r"\n[ \t]*\r?\n(?=.)|</tr>\s*", re.DOTALL | re.IGNORECASE)
_ENDED = ("</tr>", *"\n\r\x0b\x0c\x85\u2028\u2029")
_WHOLE = ("code", "table", "formula", "container", "list", "quote")
"""Kinds of blocks that are whole within another one as long as they fit the limit, whatever the target is."""
_DEEP = 8  # parts within parts; a part alone can have parts that it had not beside others, and so on without end


def cut_candidates(text: str, start: int, reach: int, lines: bool, headed: int = 0) -> Iterator[int]:
    """Returns positions up to `reach`, the best first; in a text in lines, the ends of blank lines, rows and lines.

    headed: where what follows a heading begins; a cut there is worse than one behind any row, line or word after it.
    """
    window, past = text[start:reach], max(headed - start, 0)
    if lines:
        yield from reversed([start + match.end() for match in BLANK_LINE.finditer(window) if match.end() > past])
        every = [match.end() for match in LINE.finditer(window)]
        ends = [end for end in every if end > past]
        yield from sorted([start + end for end in ends if 2 * end > len(window)], key=lambda at: _depth(text, at))
        yield from reversed([start + end for end in ends if 2 * end <= len(window)])
        if start < headed < reach:
            yield headed
        yield from reversed([start + end for end in every if end <= past])
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

    def holds(self, start: int, end: int) -> bool:
        """Whether `longest_fitting` is the end."""
        return self._bounds(start, end)[0] == end or (end == start + 1 and self.longest_fitting(start, end) == end)

    def _bounds(self, start: int, end: int) -> tuple[int, int]:
        """A position such that the slice up to it fits, and one after it, if there is any, such that it does not."""
        low, step = start, 4 * self.max_size
        high = min(end, start + step)
        while self.fits(start, high):
            if high == end:
                return end, end
            low, step = high, 2 * step
            high = min(end, start + step)
        return low, high

    def longest_fitting(self, start: int, end: int) -> int:
        """The furthest position up to `end` such that the slice from `start` fits, as far as bisection finds it."""
        low, high = self._bounds(start, end)
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
    fits: Iterable[bool] = (),
) -> Edges:
    """Returns edges such that every piece, whole and trimmed, measures at most `max_size`, and every given edge stays.
    Idempotent.

    target_size: the most for the pieces of a unit that is too long, if it is less than `max_size` and holds each of its
    code points. is_code: whether all is code, whatever it looks like. block_parts: what knows the parts of a block of
    code, see `BlockSegmenter`: pieces end where they do. fits: of each unit, whether it is known to fit. A unit that is
    too long is split into its blocks, items or sentences if it has any. A piece that is still too long is cut from its
    left end: code and tables at the last blank line, else at the least indented line in the second half of what fits,
    else at the last line end; all else, and a line that is too long, at the last clause end in the second half of what
    fits, else at the last word end, else between graphemes, else between code points. A heading stays with the first of
    what follows it, unless that fits by itself and not with the heading. The strings that are measured have at most
    four times `max_size` characters or twice as many as fit. Raises `SettingError` where one code point is too large.
    """
    if size is len and (len(edges) < 2 or int(np.diff(edges).max()) <= max_size):
        return edges
    ruler = Ruler(text, size, max_size, is_code, block_parts)
    finer = ruler if target_size is None else Ruler(text, size, min(target_size, max_size), is_code, block_parts)
    surely = max_size if size is len or (isinstance(size, tokens) and size.bytewise and text.isascii()) else 0
    refined, fitting = [0], iter(fits)
    for start, end in pairwise(edges.tolist()):
        if next(fitting, False) or end - start <= surely or ruler.holds(start, end):
            refined.append(end)
            continue
        try:
            refined.extend(_pieces(finer, ruler, start, end))
        except SettingError:
            refined.extend(_pieces(ruler, ruler, start, end))
    return np.array(refined, dtype=np.intp)


def _pieces(ruler: Ruler, most: Ruler, start: int, end: int, depth: int = 0, opened: int = 0) -> list[int]:
    """Returns the ends of the pieces of one unit, the unit's own end last.

    most: what a part may measure that is a block by itself. opened: where what follows the opening lines begins of the
    container whose first part this is.
    """
    if ruler.holds(start, end):
        return [end]
    core = trim_chunk(ruler.text, start, end, ruler.is_code)
    lead = line_start(ruler.text, core.start)
    unit = ruler.text[lead : core.end]
    parts = Parts([0, len(unit)], True, kind="code") if ruler.is_code else _parts_of(unit, max(opened - lead, 0))
    before, after = _row(ruler, start, core.start, False), _row(ruler, core.end, end, False)
    block = core.start < core.end and (not depth or parts.kind in _WHOLE)
    if block and most.holds(core.start, core.end):
        return [*before, core.end, *after]
    ends: list[int] = []
    known = _known_parts(ruler, most, core, lead + parts.headed) if parts.lines else None
    if known is not None:
        ends = [at for first, last in pairwise(known) for at in _row(ruler, first, last, True)]
        return [*before, *ends, *after]
    for first, last in pairwise([core.start, *(lead + edge for edge in parts.edges[1:])]):
        if len(parts.edges) > 2 and depth < _DEEP:
            inside = lead + parts.opened if parts.opened and first == core.start else 0
            ends += _pieces(ruler, most, first, last, depth + 1, inside)
        elif first < (place := lead + parts.headed) < last:
            ends += _headed_row(ruler, most, first, place, last, parts.lines)
        else:
            ends += _row(ruler, first, last, parts.lines)
    return [*before, *ends, *after]


def _known_parts(ruler: Ruler, most: Ruler, core: Span, start: int) -> list[int] | None:
    """Returns the edges of the parts of a block of code, if somebody knows them. It is whole if it fits.

    core: the block, with a heading before it. start: of the block itself.
    """
    if ruler.block_parts is None or ruler.is_code:
        return None
    edges = ruler.block_parts(ruler.text[start : core.end])
    if edges is None or most.holds(core.start, core.end):
        return None if edges is None else [core.start, core.end]
    return [core.start, *(start + edge for edge in edges.tolist()[1:])]


def _headed_row(ruler: Ruler, most: Ruler, start: int, headed: int, end: int, lines: bool) -> list[int]:
    """Returns the ends of pieces of a heading and one sentence, item or text in lines: all of it if that fits, or the
    heading with the first line, else the heading with a beginning; alone if the sentence fits and the heading takes
    more than half of the limit."""
    line = LINE.search(ruler.text, headed, end) if lines else None
    first = line.end() if line else end
    if most is not ruler and ruler.longest_fitting(start, first) < first == most.longest_fitting(start, first):
        return [first, *_row(ruler, first, end, lines)]
    alone = not lines and ruler.size(ruler.text[start:headed].rstrip()) * 2 > ruler.max_size
    if alone and ruler.holds(headed, end):
        return [*_row(ruler, start, headed, False), end]
    return _row(ruler, start, end, lines, headed)


def _row(ruler: Ruler, start: int, end: int, lines: bool, headed: int = 0) -> list[int]:
    """Returns the ends of pieces, one after another, each at its best place; the rest of a long line is a piece by
    itself. headed: see `cut_candidates`.
    """
    ends: list[int] = []
    while start < end:
        first, start = start, _place(ruler, start, ruler.longest_fitting(start, end), end, lines, headed)
        ends.append(start)
        if lines and start < end and not ruler.text[first:start].rstrip(" \t").lower().endswith(_ENDED):
            line = LINE.search(ruler.text, start, end)
            ends += _row(ruler, start, line.end() if line else end, False)
            start = ends[-1]
    return ends


def _place(ruler: Ruler, start: int, reach: int, end: int, lines: bool, headed: int) -> int:
    """The best position to cut at, at most `longest_fitting`, which fits itself."""
    if reach == end:
        return end
    candidates = cut_candidates(ruler.text, start, reach, lines, headed)
    whole = (at for at in candidates if not inside_grapheme(ruler.text, at, start))
    return next((at for at in islice(whole, 64) if ruler.fits(start, at)), reach)


class Parts(NamedTuple):
    """The edges of a unit's parts, and whether it is a text in lines, as code and tables are.

    headed: where what follows its heading begins. opened: where what follows the opening lines of the container begins
    that it is. kind: of the one block that it is.
    """

    edges: list[int]
    lines: bool = False
    headed: int = 0
    opened: int = 0
    kind: str = ""


def _parts_of(unit: str, opened: int = 0, headings: bool = True) -> Parts:
    """Returns the parts of a unit: its blocks, if it has several; else the items of a list, the units within a
    container, or the sentences of prose. A heading is in one part with the first of what follows it.

    opened: where what follows the opening lines of a container begins. headings: whether there may be headings.
    """
    if opened:
        return _parts_below(unit, opened)
    found = [(start, kind) for start, _, kind in blocks(unit, lists=True) if kind != "closing"]
    headed = next((start for start, kind in found if kind not in ("heading", "question", "rule")), 0)
    if headed and headings and headed != found[0][0]:
        return _parts_below(unit, headed, headings=False)
    kind = found[0][1] if len(found) == 1 else ""
    if kind in ("list", "quote"):
        found = [(start, part) for start, _, part in blocks(unit, lists=False, whole=True) if part != "closing"]
        found = found if kind == "quote" else _outermost(unit, found)
    elif kind == "container" and (body := _body_of(unit)):
        base = line_start(unit, body)
        edges = units(unit[base:])
        if len(edges) == 2:  # what it holds is one thing
            return _parts_below(unit, body)._replace(kind=kind)
        return Parts([0, *(base + edges[1:]).tolist()], opened=body, kind=kind)
    if len(found) > 1:
        return Parts([0, *(start for start, _ in found[1:]), len(unit)], kind=kind)
    if kind in ("", "list", "quote", "turn", "question", "container"):
        return Parts(sentences(unit).tolist(), kind=kind)
    if kind == "table" and (rows := tall_rows(unit)):
        return Parts([0, *rows, len(unit)], kind=kind)
    headed = header_end(unit) if kind == "table" else 0
    return Parts([0, len(unit)], kind in ("code", "table", "formula", "matter"), headed, kind=kind)


def _parts_below(unit: str, at: int, headings: bool = True) -> Parts:
    """The parts of a unit whose lines above a place open what follows: they are in one part with the first of it."""
    base = line_start(unit, at)
    inner = _parts_of(unit[base:], headings=headings)
    return inner._replace(
        edges=[0, *(base + edge for edge in inner.edges[1:])],
        headed=base + inner.headed if inner.headed else at,
        opened=inner.opened and base + inner.opened,
    )


def _outermost(unit: str, found: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The blocks in a list -> those that are indented the least below the first one; the others are parts of them."""
    depths = [indent(unit, start) for start, _ in found[1:]]
    return [*found[:1], *(block for block, depth in zip(found[1:], depths, strict=True) if depth == min(depths))]


def _body_of(unit: str) -> int:
    """Returns where what follows the opening lines begins of the container that a unit is; 0 if it has none."""
    first = next((box for box in containers(unit)), None)
    return first.body if first and first.start < first.body < first.end else 0
