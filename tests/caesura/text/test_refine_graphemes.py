"""`refine` leaves graphemes whole that fit, by `regex`'s \\X."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from fakes.laws import law
from fakes.splitters.sizers import SIZERS
from fakes.texts.grapheme_texts import SEQUENCES, grapheme_texts
from hypothesis import given
from hypothesis import strategies as st

from caesura import utf8_bytes
from caesura.edges import is_tiling
from caesura.text.graphemes import inside_grapheme
from caesura.text.refine import refine

regex = pytest.importorskip("regex")

every_sequence = pytest.mark.parametrize("grapheme", SEQUENCES.values(), ids=SEQUENCES)


def graphemes(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(r"\X", text)]


def whole(text: str, max_size: int, size: Callable[[str], int]) -> list[int]:
    """The edges that `refine` adds inside a grapheme that fits, where no whitespace is parted from a mark on it."""
    made = refine(text, np.array(sorted({0, len(text)})), size, max_size).tolist()
    return [
        at
        for start, end in graphemes(text)
        if size(text[start:end]) <= max_size
        for at in made
        if start < at < end and not text[at - 1].isspace()
    ]


@every_sequence
def test_the_oracle_knows_the_sequence(grapheme: str) -> None:
    assert graphemes(grapheme + "a") == [(0, len(grapheme)), (len(grapheme), len(grapheme) + 1)]


@every_sequence
def test_no_position_inside_a_sequence_is_a_place_to_cut(grapheme: str) -> None:
    text = f"x{grapheme}\n"
    assert [at for at in range(1, len(text)) if not inside_grapheme(text, at)] == [1, len(text) - 1]


@every_sequence
@pytest.mark.parametrize("size", [len, utf8_bytes])
def test_a_run_of_a_sequence_is_cut_between_them(grapheme: str, size: Callable[[str], int]) -> None:
    for room in (0, 1, 2, 3, 5, 11):
        text = grapheme * 9
        assert not whole(text, size(grapheme) + room, size)
        assert not whole(f"{'x' * room}{text}", size(grapheme) + room, size)


@every_sequence
def test_a_sequence_over_the_limit_is_cut_between_code_points(grapheme: str) -> None:
    text = f"a{grapheme}b"
    limit = len(grapheme) - 1
    made = refine(text, np.array([0, len(text)]), len, limit).tolist()
    assert max(end - start for start, end in pairwise(made)) <= limit


def test_a_grapheme_of_many_marks_that_fits_is_not_cut() -> None:
    assert not whole("x" * 30 + "e" + "\u0301" * 80, 100, len)
    assert not whole("x" * 300 + "e" + "\u0301" * 800, 1000, len)


@law()
@given(text=grapheme_texts, room=st.integers(0, 60), size=st.sampled_from((len, utf8_bytes)))
def test_no_grapheme_that_fits_is_cut(text: str, room: int, size: Callable[[str], int]) -> None:
    assert not whole(text, 4 + room, size)


@law()
@given(text=grapheme_texts, room=st.integers(0, 40), name=st.sampled_from(list(SIZERS)))
def test_pieces_of_graphemes_fit_whole_and_trimmed_and_stay_as_they_are(text: str, room: int, name: str) -> None:
    size, least = SIZERS[name]
    limit, given_edges = least + room, np.array(sorted({0, len(text) // 2, len(text)}))
    made = refine(text, given_edges, size, limit)
    assert is_tiling(made, len(text))
    assert np.isin(given_edges, made).all()
    for start, end in pairwise(made.tolist()):
        assert max(size(text[start:end]), size(text[start:end].strip())) <= limit
    assert refine(text, made, size, limit).tolist() == made.tolist()
