"""Words become pieces of lines, and pieces rows."""

from __future__ import annotations

import pytest

from caesura_documents.printed.page import (
    PrintedPage,
    Word,
    divide_word,
    drop_leaders,
    is_bold,
    is_mono,
    join_words,
    make_rows,
    row_text,
    runs_left,
    turn_word,
)


def word(text: str, left: float, base: float = 100, size: float = 10, mono: bool = False) -> Word:
    return Word(
        text, left, base - 0.8 * size, left + 0.5 * size * len(text), base + 0.2 * size, base, size, False, mono
    )


def test_words_side_by_side_are_a_piece_and_wide_gaps_and_lines_part_them() -> None:
    words = [word("tide", 0), word("tables", 23), word("1846", 100), word("next", 0, 112)]
    assert [piece.text for piece in join_words(words)] == ["tide tables", "1846", "next"]
    assert join_words([]) == []


def test_a_raised_mark_stays_in_its_line_and_letters_of_one_width_keep_their_gaps() -> None:
    assert [piece.text for piece in join_words([word("sea", 0), word("1", 15.2, 96, 6), word("is", 22)])] == ["sea1 is"]
    assert join_words([word("a", 0, mono=True), word("b", 11, mono=True)])[0].text == "a b"


def test_the_mark_before_the_rest_of_a_broken_line_of_code_is_left_out() -> None:
    words = [word("install", 0), word("\\", 40), word("˓→", 0, 112, 6), word("--user", 10, 112)]
    assert [piece.text for piece in join_words(words)] == ["install \\", "--user"]
    words = [word("(cs),␣", 0), word("˓→Danish", 0, 112), word("␣", 0, 124), word("˓→␣ →", 0, 136)]
    assert [piece.text for piece in join_words(words)] == ["(cs),", "Danish", "␣", "␣ →"]
    assert [piece.text for piece in join_words([word("a", 0), word("→", 10), word("b", 20)])] == ["a → b"]


def test_a_mark_that_the_file_has_after_its_line_stands_where_it_is_printed() -> None:
    line = [word("in", 0), word("stable", 18), word("it", 51)]
    assert [piece.text for piece in join_words([*line, word("`", 13, 98)])] == ["in `stable it"]
    assert [piece.text for piece in join_words([word("stable", 5), word("it", 38), word("`", 0, 98)])] == ["`stable it"]
    over = [word("o", 20, 98), word("in", 13, 106), word("1", -14, 96)]  # a letter's accent, other lines, the margin
    assert [[piece.text for piece in join_words([*line, other])] for other in over] == [
        ["in stable it", other.text] for other in over
    ]
    hebrew = [word("\u05e9\u05dc\u05d5\u05dd", 100), word("5", 90)]
    assert [piece.text for piece in join_words(hebrew)] == [each.text for each in hebrew]


def test_words_that_run_from_right_to_left_are_a_piece() -> None:
    words = [word("\u05e9\u05dc\u05d5\u05dd", 100), word("\u05e2\u05d5\u05dc\u05dd", 77)]
    assert [piece.text for piece in join_words(words)] == ["\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"]
    (row,) = make_rows(join_words([words[0], word("\u05d0\u05d7\u05ea", 20)]))
    assert row_text(row) == "\u05e9\u05dc\u05d5\u05dd  \u05d0\u05d7\u05ea"
    assert runs_left("\u05d0\u05d7\u05ea 12")
    assert not runs_left("one \u05d0")


def test_rows_are_from_the_top_down_and_close_pieces_of_a_row_are_one() -> None:
    pieces = join_words([word("low", 0, 130), word("b", 200), word("a", 100), word("c", 212)])
    assert [row_text(row) for row in make_rows(pieces)] == ["a  b c", "low"]


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_the_box_of_a_turned_word_is_where_it_was(turn: int) -> None:
    page = PrintedPage(1, None, 612, 792, turn=turn)
    given = word("tide", 30, 40)
    assert page.box(join_words([turn_word(given, turn)])) == [30.0, 32.0, 50.0, 42.0]


def test_fonts_and_leaders() -> None:
    assert all(map(is_bold, ["CMBX12", "CMB10", "SFBX1095", "Arial-Bold", "Lato-Black", "NimbusSanL-DemiBold"]))
    assert all(map(is_mono, ["Courier", "CMTT10", "DejaVuSansMono", "Consolas"]))
    assert not any(is_bold(name) or is_mono(name) for name in ["CMR10", "Helvetica", ""])
    assert drop_leaders("2.1 Tides .......... 12") == "2.1 Tides 12"
    assert drop_leaders("Tides  and so on...") == "Tides  and so on..."
    assert len(drop_leaders(". " * 100_000)) < 200_000


def divide(text: str, gaps: dict[int, float], wide: float = 5) -> list[str]:
    """The words of a text whose characters follow each other without a gap, but before some."""
    lefts, rights, at = list[float](), list[float](), 0.0
    for number in range(len(text)):
        lefts.append(at + gaps.get(number, 0))
        at = lefts[-1] + wide
        rights.append(at)
    return [word for _, _, word in divide_word(text, lefts, rights, 10)]


@pytest.mark.parametrize(
    ("text", "gaps", "words"),
    [
        ("anyremaining", {3: 2.9}, ["any", "remaining"]),
        ("string.Ifthere", {7: 5.7, 9: 2.7}, ["string.", "If", "there"]),
        ("kerned", {1: -0.8, 3: 0.9, 4: 1.4}, ["kerned"]),
        ("SPACED", dict.fromkeys(range(6), 3.0), ["SPACED"]),
        ("\u6f6e\u6c50\u8868\u6f6e\u6c50", {3: 3.0}, ["\u6f6e\u6c50\u8868\u6f6e\u6c50"]),
        ("\u02dc/.bashrc", {}, ["~/.bashrc"]),
        ("\u02c6Z,Control", {}, ["^Z,Control"]),
        ("don\u00b4t", {}, ["don\u00b4t"]),
        ("P\u00b4eter", {2: -5.0}, ["P\u00e9ter"]),
        ("\u00a8x\u00a8", {1: -4.0}, ["\u1e8d\u00a8"]),
        ("\u0300stable'", {}, ["`stable'"]),
        ("x", {}, ["x"]),
        ("\u02dc", {}, ["~"]),
    ],
)
def test_characters_are_words_by_where_they_stand(text: str, gaps: dict[int, float], words: list[str]) -> None:
    assert divide(text, gaps) == words
