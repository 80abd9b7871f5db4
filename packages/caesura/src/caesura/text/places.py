"""What fits of a text too long -> the positions where it could be cut, the best first."""

from __future__ import annotations

import re
from collections.abc import Iterator

CLAUSE = re.compile(r"[,;:)\]}\u2013\u2014\u060c\u061b](?=\s)\s+|[\uff0c\u3001\uff1b\uff1a]\s*|\n\s*")
WORD = re.compile(r"\s+")
INDENT = re.compile(r"([ \t]*+)(?![)\]}]|</|\s)")
MUCH = 1000
LINE = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
BLANK_LINE = re.compile(r"\n[ \t]*\r?\n(?=.)|</tr>\s*", re.DOTALL)


def places(text: str, start: int, reach: int, lines: bool) -> Iterator[int]:
    """Positions up to `reach`, the best first; of a text in lines, the ends of blank lines, rows and lines."""
    window = text[start:reach]
    if lines:
        yield from reversed([start + match.end() for match in BLANK_LINE.finditer(window)])
        ends = [match.end() for match in LINE.finditer(window)]
        yield from sorted([start + end for end in ends if 2 * end > len(window)], key=lambda at: _depth(text, at))
        yield from reversed([start + end for end in ends if 2 * end <= len(window)])
    yield from reversed([start + match.end() for match in CLAUSE.finditer(window, len(window) // 2)])
    if text[reach].isspace():
        yield reach
    yield from reversed([start + match.end() for match in WORD.finditer(window)])
    yield from range(reach, start, -1)


def _depth(text: str, at: int) -> tuple[int, int]:
    """How far the line is indented that begins here, the later of two first; a bracket closes what precedes."""
    found = INDENT.match(text, at)
    return (len(found[1].expandtabs(4)) if found else MUCH), -at
