"""Splitters of every sizer, cut and limit, as hypothesis draws them, and what one makes of a text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fakes.splitters.sizers import SIZERS, tiktoken_sizer
from fakes.texts.drawn_texts import at_stops, blanks, documents
from hypothesis import strategies as st

from caesura import Adjacent, Count, DoublePassCut, Limits, Percentile, PercentileCut, Splitter

CUTS = (
    DoublePassCut(),
    DoublePassCut(-1, -1, -1, confidence=None, structure=0),
    DoublePassCut(1, 1, 1, confidence=None, structure=0),
    DoublePassCut(0.3, 0.4, 0.5, 3, confidence=None, structure=0),
    PercentileCut(),
    PercentileCut(Adjacent(1), Percentile(40)),
    PercentileCut(threshold=Count(3)),
)

NAMES = (*SIZERS, "tiktoken")

every_sizer = pytest.mark.parametrize("name", NAMES)

texts = st.one_of(documents, documents, blanks)


def sizer(name: str) -> tuple[Callable[[str], int], int]:
    if name != "tiktoken":
        return SIZERS[name]
    found = tiktoken_sizer()
    if found is None:
        pytest.skip("needs tiktoken and the data that llama-index-core carries")
    return found, 16


@st.composite
def splitters(draw: st.DrawFn, name: str) -> Splitter:
    size, least = sizer(name)
    largest = draw(st.one_of(st.none(), st.integers(least, least + 60)))
    smallest = draw(st.integers(0, 30 if largest is None else largest))
    return Splitter(
        Limits(largest, smallest), size, at_stops, None, draw(st.sampled_from(CUTS)), None, draw(st.booleans())
    )
