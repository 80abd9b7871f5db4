"""Pieces that are not the text are refused with a caret under the place; what is no splitter at once."""

import numpy as np
import pytest

from caesura import SegmentError, SettingError, aligned


def edges(text: str, *pieces: str) -> list[int]:
    return aligned(lambda _: pieces)(text).tolist()


def test_a_caret_shows_where_the_pieces_leave_the_text() -> None:
    with pytest.raises(SegmentError) as caught:
        edges("first line\nthe cat sat here", "first line", "the cat", "sits")
    what, line, caret = str(caught.value).split("\n")
    assert "at 20 piece 2 goes on 'its'" in what
    assert "must be the text in order, whitespace aside, without overlap" in what
    assert line[caret.index("^") :] == "at here"
    assert line.strip() == "the cat sat here"


def test_a_caret_shows_where_the_pieces_end_too_early() -> None:
    with pytest.raises(SegmentError) as caught:
        edges("one two three", "one")
    what, line, caret = str(caught.value).split("\n")
    assert "at 4 the text goes on after the last piece" in what
    assert line[caret.index("^") :] == "two three"


def test_a_long_line_is_shown_around_the_place_only() -> None:
    with pytest.raises(SegmentError) as caught:
        edges("x" * 5000 + " here " + "y" * 5000, "x" * 5000, "there")
    _what, line, caret = str(caught.value).split("\n")
    assert len(line) <= 80
    assert line[caret.index("^") :].startswith("here")


@pytest.mark.parametrize(
    "pieces", [["one two", "two three"], ["two three", "one"], ["one two three four"], ["One two three"], []], ids=repr
)
def test_overlap_disorder_additions_and_rewriting_are_refused(pieces: list[str]) -> None:
    with pytest.raises(SegmentError):
        edges("one two three", *pieces)


@pytest.mark.parametrize("text", ["aaa. bbb. ccc.", "aaa. aaa. aaa.", "a. a. a."])
def test_what_a_splitter_drops_between_pieces_is_not_taken_for_an_overlap(text: str) -> None:
    with pytest.raises(SegmentError, match=r"and '\.' before it is in no piece: let pieces keep") as caught:
        aligned(lambda text: text.split("."))(text)
    assert "chunk_overlap" not in str(caught.value)


@pytest.mark.parametrize("pieces", [["one two", "two three"], ["one two", "two"], ["one two three", "two three"]])
def test_an_overlap_is_called_one(pieces: list[str]) -> None:
    with pytest.raises(SegmentError, match="chunk_overlap=0"):
        edges("one two three", *pieces)


def test_what_cannot_be_called_is_refused_before_a_text_comes() -> None:
    with pytest.raises(
        SettingError, match=r"^a sentence_splitter must be callable, str -> list of str, got \['one two'\]$"
    ):
        aligned(["one two"])  # type: ignore[arg-type]


@pytest.mark.parametrize("piece", [5, None, b"two", ("two",)], ids=repr)
def test_a_piece_that_is_no_str_is_named(piece: object) -> None:
    with pytest.raises(
        SegmentError, match=r"^the splitter must return str pieces, or an array of int edges, got .* as piece 1$"
    ):
        edges("one two", "one", piece)  # type: ignore[arg-type]


def test_an_array_of_other_numbers_is_named() -> None:
    with pytest.raises(SegmentError, match=r"array of int edges, got 0\.0 as piece 0$"):
        aligned(lambda text: np.array([0.0, len(text)]))("one two")
