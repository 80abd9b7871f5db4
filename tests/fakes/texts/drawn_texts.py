"""Texts as hypothesis draws them, odd ones above all; any edges of a text; and a segmenter without rules."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura_testing.texts import FRAGMENTS

any_text = st.text(st.characters(exclude_categories=()), max_size=6)
documents = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), any_text), max_size=30).map(
    "".join
)
blanks = st.text(st.sampled_from(" \n\t\r\x0b\x0c\x1c\x1f\x85\u00a0\u2028\u3000"), max_size=20)

STOP = re.compile(r"[.!?\u3002\uff01\uff1f]+\s*|\n")


def at_stops(text: str) -> NDArray[np.intp]:
    """Edges behind every run of stops and behind every line end: no rule, and blank units now and then."""
    ends = {match.end() for match in STOP.finditer(text)}
    return np.array(sorted({0, *ends, len(text)}), dtype=np.intp)


@st.composite
def tilings(draw: st.DrawFn, text: str) -> NDArray[np.intp]:
    """Any edges of a text."""
    inner = draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=12))
    return np.array(sorted({0, len(text), *(at for at in inner if at < len(text))}), dtype=np.intp)
