"""A text and the pieces that a splitter made of it -> where they are, whitespace aside, and how many are not there."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from caesura import Span

WORD = re.compile(r"\S+")


def located(text: str, pieces: Sequence[str]) -> tuple[list[Span], int]:
    """Pieces in the text's order -> their spans, rising, and the number that is not in the text from there on.

    Whitespace may be missing, added or changed; pieces may overlap, and text may be left out between them. A piece that
    occurs more than once is taken where it begins nearest to the end of the one before, before that if it goes on
    from there, else after it. Pieces of whitespace alone are left out and counted nowhere.

    >>> located("One two. Three  four.", ["One two.", "two.\\nThree", "four.", "five"])
    ([Span(start=0, end=8), Span(start=4, end=14), Span(start=16, end=21)], 1)
    """
    stretches = [match.span() for match in WORD.finditer(text)]
    bare = "".join(text[start:end] for start, end in stretches)
    starts = np.array([start for start, _ in stretches], np.intp)
    held = np.cumsum([0, *(end - start for start, end in stretches)])

    def place(position: int) -> int:
        stretch = int(np.searchsorted(held, position, side="right")) - 1
        return int(starts[stretch] + position - held[stretch])

    spans: list[Span] = []
    lost, first, end = 0, -1, 0
    for piece in pieces:
        wanted = "".join(piece.split())
        if not wanted:
            continue
        found = bare.rfind(wanted, max(first + 1, end - len(wanted) + 1), end + len(wanted))
        if found < 0:
            found = bare.find(wanted, end)
        if found < 0:
            lost += 1
            continue
        first, end = found, found + len(wanted)
        spans.append(Span(place(first), place(end - 1) + 1))
    return spans, lost
