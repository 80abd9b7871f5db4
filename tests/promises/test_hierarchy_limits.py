"""No chunk of any level of a hierarchy is over its level's limit, whatever whitespace stands between its units."""

from __future__ import annotations

import pytest
from fakes.laws import law
from fakes.texts.drawn_texts import at_stops
from hypothesis import given
from hypothesis import strategies as st

from caesura import ClusterCut, DoublePassCut, Limits, OptimalCut, PercentileCut, utf8_bytes, words
from caesura.hierarchy import Hierarchy
from langchain_caesura import SemanticHierarchySplitter

CUTS = (OptimalCut(), OptimalCut(0.5, half_weight=5), DoublePassCut(), ClusterCut(), PercentileCut())
blank = st.text(st.sampled_from(" \t\n\u00a0\u3000\x0c"), max_size=60) | st.integers(0, 900).map(
    lambda count: " " * count
)
said = st.text(st.sampled_from("abc .!?é\u4e2d"), max_size=12)
texts = st.lists(st.tuples(blank, said), max_size=25).map(lambda pairs: "".join(space + word for space, word in pairs))


def rows(texts: list[str]) -> list[list[float]]:
    return [[1.0 + text.count("a"), float(len(text) % 7), float(text.count("b"))] for text in texts]


@pytest.mark.thorough
@pytest.mark.parametrize("size", [len, utf8_bytes, words], ids=["characters", "bytes", "words"])
@law()
@given(
    text=texts,
    limits=st.sets(st.integers(4, 400), min_size=1, max_size=3),
    cut=st.sampled_from(CUTS),
    trim=st.booleans(),
)
def test_every_level_keeps_its_limit(size: object, text: str, limits: set[int], cut: object, trim: bool) -> None:
    largest = sorted(limits, reverse=True)
    hierarchy = Hierarchy(tuple((Limits(most), cut) for most in largest), size, at_stops, trim=trim)  # type: ignore[arg-type, misc]
    nested = hierarchy.split(text, rows)
    for most, chunks in zip(largest, nested.chunks(), strict=True):
        assert all(size(chunk.text) <= most for chunk in chunks)  # type: ignore[operator]
        assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())


@pytest.mark.parametrize("indent", [20, 120, 400, 1000])
def test_indented_lines_keep_the_default_limits(indent: int) -> None:
    splitter = SemanticHierarchySplitter()
    text = "\n".join(" " * indent + f"Item {number} costs {number} pounds." for number in range(120))
    assert max(map(len, splitter.split_text(text))) <= max(splitter.chunk_sizes)
