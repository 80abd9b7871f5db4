"""Columns are read one after the other, and what stands across them between those above and below."""

from __future__ import annotations

from time import process_time

from caesura_documents.printed.columns import split_columns
from caesura_documents.printed.page import LinePiece


def piece(text: str, left: float, base: float, width: float = 200) -> LinePiece:
    return LinePiece(text, left, base - 8, left + width, base + 2, base, 10)


def column(name: str, left: float, first: int, count: int, width: float = 200) -> list[LinePiece]:
    return [piece(f"{name} has a line of text, {n}", left, 100 + 12 * n, width) for n in range(first, first + count)]


def names(regions: list[list[LinePiece]]) -> list[str]:
    """The first word of each region's lines, each once."""
    return [" ".join(dict.fromkeys(piece.text.split()[0] for piece in region)) for region in regions]


def test_two_and_three_columns_are_read_one_after_the_other() -> None:
    assert names(split_columns([*column("right", 320, 0, 20), *column("left", 72, 0, 20)])) == ["left", "right"]
    three = [*column("b", 230, 0, 20, 130), *column("c", 388, 0, 20, 130), *column("a", 72, 0, 20, 130)]
    assert names(split_columns(three)) == ["a", "b", "c"]


def test_what_stands_across_parts_the_columns_above_from_those_below() -> None:
    pieces = [
        piece("title across the columns", 150, 80, 300),
        *column("a", 72, 0, 10),
        *column("b", 320, 0, 10),
        piece("figure across the columns", 100, 100 + 12 * 11, 400),
        *column("c", 72, 13, 10),
        *column("d", 320, 13, 10),
        piece("end across the columns", 100, 100 + 12 * 25, 400),
    ]
    assert names(split_columns(pieces)) == ["title", "a", "b", "figure", "c", "d", "end"]


def test_one_column_and_cells_of_a_table_are_one_region() -> None:
    assert names(split_columns(column("a", 72, 0, 30, 400))) == ["a"]
    cells = [piece(f"{n}.5", left, 100 + 12 * n, 20) for n in range(20) for left in (72, 200, 330)]
    assert len(split_columns(cells)) == 1
    terms = [piece("--size", 72, 100 + 36 * n, 40) for n in range(6)]
    assert len(split_columns([*terms, *column("meaning", 150, 0, 18, 330)])) == 1
    assert split_columns([]) == []


def test_many_pieces_take_linear_time() -> None:
    pieces = [*column("a", 72, 0, 20_000), *column("b", 320, 0, 20_000)]
    start = process_time()
    assert names(split_columns(pieces)) == ["a", "b"]
    assert process_time() - start < 5
