"""A text and the starts of its units -> how strong an edge the text itself shows at each gap."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.text.lines import NL, OPENER
from caesura.types import Structure

LINE, PARAGRAPH, HEADING = 0.5, 1.0, 2.0

_NEWLINE = re.compile(rf"\r\n|[{NL}]")


def structure(text: str, starts: Sequence[int] | NDArray[np.intp]) -> Structure:
    """(n,) first positions of units -> (n - 1,) 2 before a heading, 1 after a blank line, 0.5 after a line end, else 0.

    Whitespace before a start counts, whichever unit it belongs to.
    """
    return np.array([_edge(text, int(at)) for at in starts[1:]], dtype=np.float64)


def _edge(text: str, at: int) -> float:
    if text[at - 1] == " " and not text[at - 2 : at - 1].isspace() and not text[at].isspace():
        return 0.0  # between two sentences of a line, most of all
    before = after = at
    while after < len(text) and text[after].isspace():
        after += 1
    while before and text[before - 1].isspace():
        before -= 1
    lines = len(_NEWLINE.findall(text, before, after))
    if not lines:
        return 0.0
    found = OPENER.match(text, after)
    if found is not None and found.lastgroup == "heading":
        return HEADING
    return PARAGRAPH if lines > 1 else LINE
