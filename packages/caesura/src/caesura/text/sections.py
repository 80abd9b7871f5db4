"""Sections of a long text. The text itself decides where they begin, so that an edit changes few of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from zlib import crc32

import numpy as np

from caesura.types import Edges

AHEAD = 64
"""So many characters after a place decide whether a section begins there."""
FENCED = 50_000
"""What lies between two fences that are further apart is no code."""
_FENCE = re.compile(r"(?:\n|\A)[^\S\n]*+(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*)")
_PLACES = tuple(
    map(
        re.compile,
        (
            r"\n[^\S\n]*+\n(?=\S)",  # a blank line, with nothing indented below it
            r"[\n\r](?=\S)",
            r"[\n\r](?=[^\S\n\r]*+\S)",
            r"(?:\w{4}[.!?][\"'”’)\]]*+\s++|[。！？][」』”’）]*+)(?=\w)",
        ),
    )
)


def section_edges(text: str, most: int) -> Edges:
    """Text -> the edges of its sections, of which one by itself is its own only section. A text of at most `most`
    characters is one.

    A section has at least a quarter of `most`. It begins after a blank line, outside of code in fences, where a
    checksum of the next characters is least; at a heading, if there is one. Where no line is blank it begins with
    another line, else with a sentence. Only where there are none of these it is longer than `most`. So texts that
    differ in one place have nearly all sections in common.

    >>> section_edges("\\n\\n".join(["The ferry leaves at nine."] * 6), 90).tolist()
    [0, 27, 108, 160]
    """
    edges, length, least = [0], len(text), max(most // 4, 1)
    fences = _fences(text) if "```" in text or "~~~" in text else []
    while length - edges[-1] > most:
        start, stop = edges[-1] + least, min(edges[-1] + most, length - least)
        at = next((min(some, key=lambda at: _rank(text, at)) for some in _places(text, start, stop, fences) if some), 0)
        while not at and stop < length - least:
            start, stop = stop, min(stop + most, length - least)
            at = min((some[0] for some in _places(text, start, stop, fences) if some), default=0)
        if not at:
            break
        edges.append(at)
    return np.array([*edges, length] if length else edges, np.intp)


def _places(text: str, start: int, stop: int, fences: list[int]) -> Iterator[list[int]]:
    """Yields where a section may begin in a range: after blank lines, with other lines, with sentences."""
    for pattern in _PLACES:
        found = [each.end() for each in pattern.finditer(text, start, stop + 1)]
        yield [at for at in found if not bisect_right(fences, at) % 2] if fences else found


def _rank(text: str, at: int) -> tuple[bool, int]:
    """The least of some places is where a section begins."""
    return text[at] != "#", crc32(text[at : at + AHEAD].encode("utf-8", "surrogatepass"))


def _fences(text: str) -> list[int]:
    """The starts and ends of code between fences, in turn."""
    found, closing, edges = list[tuple[int, int]](), dict[str, int](), [0]
    for mark in reversed([*_FENCE.finditer(text)]):  # from the last, so that it is known where each is closed
        found.append((mark.start(), closing.get(mark["mark"], 0)))
        if not mark["info"].strip():
            closing[mark["mark"]] = mark.end()
    for start, end in reversed(found):
        if start >= edges[-1] and 0 < end - start <= FENCED:
            edges += [start, end]
    return edges[1:]
