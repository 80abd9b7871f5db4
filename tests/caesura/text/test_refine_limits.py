"""What `refine` leaves alone, what it holds to by any sizer, and what is too large for it."""

from itertools import pairwise

import numpy as np
import pytest
from fakes.splitters.sizers import odd_tokens
from naive.chunks import units

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


def test_a_piece_fits_trimmed_too_where_that_measures_more() -> None:
    assert odd_tokens(" internationally") == 3
    assert odd_tokens("internationally") == 5
    assert [odd_tokens(piece.strip()) for piece in pieces(" internationally", odd_tokens, 4)] == [0, 4, 1]


def test_edges_that_were_given_stay() -> None:
    assert pieces("abcdefgh", len, 4, 1, 3) == ["a", "bc", "defg", "h"]


def test_only_the_unit_that_is_too_large_is_cut() -> None:
    assert pieces("abcdefgh ij", len, 5, 9) == ["abcde", "fgh", " ", "ij"]


@pytest.mark.parametrize(("size", "max_size", "measures"), [(utf8_bytes, 3, 4), (odd_tokens, 3, 4)])
def test_a_code_point_over_the_limit_is_an_error_that_names_it(size: object, max_size: int, measures: int) -> None:
    with pytest.raises(SettingError) as caught:
        pieces("ab\U0001f642", size, max_size)
    assert str(caught.value) == (
        f"max_size=3 is too small for a single character: '\U0001f642' at 2 measures {measures}; "
        "raise max_size (chunk_size in the plugins, size in the lab), or measure otherwise"
    )


@pytest.mark.parametrize("seed", ["\n* ", "\t..."])
def test_parts_within_parts_have_an_end(seed: str) -> None:
    text = seed * 4000
    edges = refine(text, sentences(text), lambda part: len(part) + 2, 300)
    assert is_tiling(edges, len(text))
    assert max(b - a for a, b in pairwise(edges.tolist())) <= 298
