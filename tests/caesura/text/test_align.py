"""The pieces of an outside splitter as edges: whitespace may differ, and nothing else."""

from collections.abc import Iterable

import numpy as np
import pytest
from fakes.texts.drawn_texts import at_stops, documents
from hypothesis import given
from hypothesis import strategies as st

from caesura import aligned
from caesura.edges import is_tiling, spans


def edges(text: str, *pieces: str) -> list[int]:
    return aligned(lambda _: pieces)(text).tolist()


def test_whitespace_between_two_pieces_belongs_to_the_earlier_one() -> None:
    assert edges("one  two\n three ", "one", "two", "three") == [0, 5, 10, 16]


@pytest.mark.parametrize("kind", [np.str_, np.object_])
def test_an_array_of_str_is_pieces_and_one_of_int_is_edges(kind: type[np.generic]) -> None:
    text = "one  two three"
    assert aligned(lambda text: np.array(text.split(), kind))(text).tolist() == [0, 5, 9, 14]
    assert aligned(lambda _: np.array([0, 9, 14]))(text).tolist() == [0, 9, 14]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("one two", ["one two"]),
        ("one two", ["one\n\ntwo"]),
        ("one two", ["  one two  "]),
        ("onetwo", ["one two"]),
        ("one two", ["onetwo"]),
        ("one\r\ntwo", ["one two"]),
        ("  one two", ["one two"]),
    ],
    ids=repr,
)
def test_whitespace_may_be_missing_added_or_changed(text: str, pieces: list[str]) -> None:
    assert edges(text, *pieces) == [0, len(text)]


@pytest.mark.parametrize("text", ["I know I can.", "a b a", "- x - y -", "a a a"])
def test_a_word_that_comes_twice_in_a_piece_starts_no_second_piece(text: str) -> None:
    assert edges(text, text) == [0, len(text)]


def test_duplicate_pieces_are_found_each_in_its_own_place() -> None:
    assert edges("Yes. Yes. Yes.", "Yes.", "Yes.", "Yes.") == [0, 5, 10, 14]


def test_pieces_without_a_letter_are_passed_over() -> None:
    assert edges("a  b", "", "a", " ", "\n", "b") == [0, 3, 4]


@pytest.mark.parametrize(("text", "expected"), [("", [0]), (" ", [0, 1]), ("\n \n", [0, 3])])
def test_a_blank_text_needs_no_pieces(text: str, expected: list[int]) -> None:
    assert edges(text) == expected


@given(text=documents, strip=st.booleans())
def test_the_pieces_of_a_tiling_align_to_it(text: str, strip: bool) -> None:
    tiling = at_stops(text)

    def split(source: str) -> Iterable[str]:
        for start, end in spans(tiling):
            yield source[start:end].strip() if strip else source[start:end]

    made = aligned(split)(text)
    assert is_tiling(made, len(text))
    held = [(start, end) for start, end in spans(tiling) if text[start:end].strip()]
    firsts = [end - len(text[start:end].lstrip()) for start, end in held]
    assert made.tolist() == sorted({0, len(text), *firsts[1:]})
