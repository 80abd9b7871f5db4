"""Where `refine` cuts what is too large."""

from itertools import pairwise

import numpy as np
import pytest
from naive.chunks import units
from sizers import Recording, dear_ends, odd_tokens

from caesura import SettingError, utf8_bytes, words
from caesura.edges import is_tiling
from caesura.text.refine import refine
from caesura.text.sentences import sentences


def pieces(text: str, size: object, max_size: int, *inner: int) -> list[str]:
    return units(text, refine(text, np.array([0, *inner, len(text)]), size, max_size).tolist())


def test_what_fits_is_returned_as_it_came() -> None:
    edges = np.array([0, 5, 9])
    assert refine("One. Two.", edges, len, 5) is edges
    assert refine("One. Two.", edges, utf8_bytes, 5).tolist() == [0, 5, 9]


@pytest.mark.parametrize("size", [len, utf8_bytes, words, odd_tokens])
def test_the_empty_text_has_no_pieces(size: object) -> None:
    assert refine("", np.array([0]), size, 4).tolist() == [0]


def test_a_clause_end_in_the_second_half_comes_before_a_word_end() -> None:
    assert pieces("when it rains, we stay at home", len, 20) == ["when it rains, ", "we stay at home"]


def test_a_clause_end_in_the_first_half_does_not() -> None:
    assert pieces("so, we will all of us stay here", len, 20) == ["so, we will all of ", "us stay here"]


def test_a_word_end_comes_before_a_letter() -> None:
    assert pieces("alpha beta gamma", len, 12) == ["alpha beta ", "gamma"]


def test_chinese_commas_and_line_ends_part_clauses() -> None:
    assert pieces("天空是蓝色的，草是绿色的", len, 8) == ["天空是蓝色的，", "草是绿色的"]
    assert pieces("first item\nsecond", len, 14) == ["first item\n", "second"]


def test_a_long_word_is_cut_where_it_reaches() -> None:
    assert pieces("abcdefghij", len, 4) == ["abcd", "efgh", "ij"]
    assert pieces("中文中文", utf8_bytes, 7) == ["中文", "中文"]


def test_graphemes_stay_whole_while_they_fit() -> None:
    assert pieces("e\u0301" * 5, len, 3) == ["e\u0301"] * 5
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert pieces(family * 3, len, 6) == [family] * 3
    assert pieces("\U0001f1e9\U0001f1ea" * 3, len, 3) == ["\U0001f1e9\U0001f1ea"] * 3


def test_a_grapheme_that_does_not_fit_is_cut_between_code_points() -> None:
    assert pieces("e" + "\u0301" * 9, len, 4) == ["e\u0301\u0301\u0301", "\u0301" * 4, "\u0301" * 2]


def test_a_piece_fits_trimmed_too_where_that_measures_more() -> None:
    assert odd_tokens(" internationally") == 3
    assert odd_tokens("internationally") == 5
    assert [odd_tokens(piece.strip()) for piece in pieces(" internationally", odd_tokens, 4)] == [0, 4, 1]


def test_a_word_end_is_passed_over_where_the_piece_would_not_fit() -> None:
    assert pieces("alpha beta gamma", dear_ends, 12)[0] == "alpha "


def test_edges_that_were_given_stay() -> None:
    assert pieces("abcdefgh", len, 4, 1, 3) == ["a", "bc", "defg", "h"]


def test_only_the_unit_that_is_too_large_is_cut() -> None:
    assert pieces("abcdefgh ij", len, 5, 9) == ["abcde", "fgh", " ", "ij"]


def test_whitespace_alone_is_cut_too() -> None:
    assert [len(piece) for piece in pieces(" " * 25, len, 10)] == [10, 10, 5]


@pytest.mark.parametrize(("size", "max_size", "measures"), [(utf8_bytes, 3, 4), (odd_tokens, 3, 4)])
def test_a_code_point_over_the_limit_is_an_error_that_names_it(size: object, max_size: int, measures: int) -> None:
    with pytest.raises(SettingError) as caught:
        pieces("ab\U0001f642", size, max_size)
    assert str(caught.value) == (
        f"max_size=3 is too small for a single character: '\U0001f642' at 2 measures {measures}; "
        "raise max_size or change the sizer"
    )


def test_a_long_line_costs_a_few_measurements_a_piece() -> None:
    recorded = Recording()
    line = "x" * 100_000
    made = refine(line, np.array([0, len(line)]), recorded, 1000)
    assert len(made) == 101
    assert len(recorded.measured) < 25 * 100
    assert sum(len(text) for text, _ in recorded.measured) < 40 * len(line)


@pytest.mark.parametrize("seed", ["\n* ", "\t..."])
def test_parts_within_parts_have_an_end(seed: str) -> None:
    text = seed * 4000
    edges = refine(text, sentences(text), lambda part: len(part) + 2, 300)
    assert is_tiling(edges, len(text))
    assert max(b - a for a, b in pairwise(edges.tolist())) <= 298
