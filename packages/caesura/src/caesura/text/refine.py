"""Edges in, edges with nothing larger than max_size out: whole units first, then clause, word, grapheme, code point."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import numpy as np

from caesura.edges import spans, trim
from caesura.errors import SettingError
from caesura.types import Edges, Sizer

CLAUSE = re.compile(r"[,;:)\]}\u2013\u2014\u060c\u061b](?=\s)\s+|[\uff0c\u3001\uff1b\uff1a]\s*|\n\s*")
WORD = re.compile(r"\s+")


def refine(text: str, edges: Edges, size: Sizer, max_size: int) -> Edges:
    """Edges -> edges such that every piece, whole and trimmed, is at most `max_size`, and every edge given stays.

    Idempotent. A piece too long is cut from its left end: at the last clause end in the second half of what fits, else
    at the last word end, else between graphemes, else between code points. The strings measured are at most four
    times `max_size` characters long or twice as long as what fits. Raises `SettingError` where one code point is too
    large.
    """
    if size is len and (len(edges) < 2 or int(np.diff(edges).max()) <= max_size):
        return edges
    ruler = _Ruler(text, size, max_size)
    refined = [0]
    for start, end in spans(edges):
        refined.extend(ruler.pieces(start, end))
    return np.array(refined, dtype=np.intp)


class _Ruler:
    """Lays one size along one text."""

    def __init__(self, text: str, size: Sizer, max_size: int) -> None:
        self.text, self.size, self.max_size = text, size, max_size

    def pieces(self, start: int, end: int) -> list[int]:
        """The ends of the pieces of one unit, the unit's own end last."""
        if self.reach(start, end) == end:
            return [end]
        core = trim(self.text, start, end)
        ends: list[int] = []
        for part_start, part_end in ((start, core.start), core, (core.end, end)):
            while part_start < part_end:
                part_start = self.place(part_start, self.reach(part_start, part_end), part_end)
                ends.append(part_start)
        return ends

    def fits(self, start: int, end: int) -> bool:
        """Measures a slice, and what is left of it when it is trimmed: that can be larger, by a tokenizer's count."""
        piece = self.text[start:end]
        if self.size(piece) > self.max_size:
            return False
        bare = piece.strip()
        return len(bare) == len(piece) or self.size is len or self.size(bare) <= self.max_size

    def reach(self, start: int, end: int) -> int:
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
                f"measures {self.size(self.text[start])}; raise max_size or change the sizer"
            )
        return max(low, start + 1)

    def place(self, start: int, reach: int, end: int) -> int:
        """The best position to cut at, at most `reach`, which fits itself."""
        if reach == end:
            return end
        whole = (at for at in self.places(start, reach) if not inside_grapheme(self.text, at, start))
        return next((at for at in whole if self.fits(start, at)), reach)

    def places(self, start: int, reach: int) -> Iterator[int]:
        """Positions up to `reach`, the best first."""
        window = self.text[start:reach]
        yield from reversed([start + match.end() for match in CLAUSE.finditer(window, len(window) // 2)])
        if self.text[reach].isspace():
            yield reach
        yield from reversed([start + match.end() for match in WORD.finditer(window)])
        yield from range(reach, max(start, reach - 64), -1)


def inside_grapheme(text: str, position: int, start: int = 0) -> bool:
    """Whether a cut here would part a base from its marks, a joined emoji, a flag, a Hangul syllable, or CR from LF.

    start: where a grapheme is known to begin, before which nothing is read.
    """
    before, after = text[position - 1], text[position]
    if after < "\u0300":
        return before == "\r" and after == "\n"
    if unicodedata.category(after) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if "\u200d" in (before, after):
        return True
    if "\u1160" <= after <= "\u11ff":  # a Hangul vowel or final, behind the initial that opened the syllable
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    if "\U0001f1e6" <= after <= "\U0001f1ff":
        run = position
        while run > start and "\U0001f1e6" <= text[run - 1] <= "\U0001f1ff":
            run -= 1
        return (position - run) % 2 == 1
    return False
