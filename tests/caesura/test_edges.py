"""The algebra of tilings."""

import numpy as np
import pytest
from fakes.texts.drawn_texts import documents, tilings
from hypothesis import given
from hypothesis import strategies as st

from caesura import SettingError, Span, joined
from caesura.edges import is_tiling, merge, spans, trim


def test_spans_lie_between_the_edges() -> None:
    assert spans(np.array([0, 2, 5])) == [Span(0, 2), Span(2, 5)]
    assert spans(np.array([0])) == []


@pytest.mark.parametrize(("breaks", "merged"), [([], [0, 9]), ([1], [0, 2, 9]), ([1, 2], [0, 2, 5, 9])])
def test_merging_keeps_the_edges_at_the_breaks(breaks: list[int], merged: list[int]) -> None:
    assert merge(np.array([0, 2, 5, 9]), np.array(breaks, np.intp)).tolist() == merged


def test_merging_nothing_is_nothing() -> None:
    assert merge(np.array([0]), np.zeros(0, np.intp)).tolist() == [0]


@pytest.mark.parametrize(("edges", "length"), [([0], 0), ([0, 3], 3), ([0, 1, 2, 3], 3)])
def test_edges_that_rise_from_0_to_the_end_are_a_tiling(edges: list[int], length: int) -> None:
    for kind in (np.intp, np.int32, np.uint8):
        assert is_tiling(np.array(edges, kind), length)


@pytest.mark.parametrize(
    "edges",
    [
        [0, 3], (0, 3), None, "03", np.array([0.0, 3.0]), np.array([[0, 3]]), np.array([], np.intp), np.array(3),
        np.array([1, 3]),
        np.array([0, 2]), np.array([0, 4]), np.array([0, 2, 2, 3]), np.array([0, 2, 1, 3]), np.array([False, True]),
        np.array([0, 2, 1, 3], np.uint8),
    ],
    ids=repr,
)  # fmt: skip
def test_anything_else_is_no_tiling(edges: object) -> None:
    assert not is_tiling(edges, 3)


@pytest.mark.parametrize(
    ("text", "span"), [("a  bc ", (3, 5)), ("      ", (6, 6)), ("abcdef", (1, 6)), ("\u3000\x1c\nab\u2028", (3, 5))]
)
def test_trimming_takes_whitespace_from_both_ends(text: str, span: tuple[int, int]) -> None:
    assert trim(text, 1, 6) == span


@given(text=documents, data=st.data())
def test_trimming_a_span_is_stripping_its_text(text: str, data: st.DataObject) -> None:
    edges = data.draw(tilings(text))
    for start, end in spans(edges):
        core = trim(text, start, end)
        assert text[core.start : core.end] == text[start:end].strip()
        assert start <= core.start <= core.end <= end


def test_joined_shows_a_unit_with_its_neighbours() -> None:
    text, edges = "One. Two.\nThree. Four.", np.array([0, 5, 10, 17, 22])
    assert joined(0)(text, edges) == ["One.", "Two.", "Three.", "Four."]
    assert joined(1)(text, edges) == ["One. Two.", "One. Two. Three.", "Two. Three. Four.", "Three. Four."]
    assert joined(9)(text, edges) == ["One. Two. Three. Four."] * 4


def test_joined_passes_over_blank_units() -> None:
    assert joined(1)("a \n b", np.array([0, 2, 3, 5])) == ["a b", "", "a b"]


@pytest.mark.parametrize("value", [-1, True, 1.0, None])
def test_joined_refuses_a_buffer_that_is_no_whole_number(value: object) -> None:
    with pytest.raises(SettingError, match=rf"^buffer_size must be a whole number of at least 0, got {value}$"):
        joined(value)  # type: ignore[arg-type]
