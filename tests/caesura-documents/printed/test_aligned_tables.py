"""Cells under each other are tables, with their heads, and cells of several lines are whole."""

from __future__ import annotations

from caesura_documents.parsed_text import pipe_table
from caesura_documents.printed.aligned_tables import PrintedTable, find_printed_tables, join_markers
from caesura_documents.printed.page import LinePiece


def row(base: float, *cells: tuple[str, float], bold: bool = False, mono: bool = False) -> list[LinePiece]:
    return [
        LinePiece(text, left, base - 8, left + 5 * len(text), base + 2, base, 10, bold, mono) for text, left in cells
    ]


def tables(rows: list[list[LinePiece]], rules: list[tuple[float, float, float]] | None = None) -> list[str]:
    """The tables among rows, in Markdown."""
    return [pipe_table(one.cells) for one in find_printed_tables(rows, rules or []) if isinstance(one, PrintedTable)]


def test_numbers_that_end_at_one_place_are_a_column() -> None:
    rows = [
        row(100 + 14 * n, (name, 72), (number, 300 - 5 * len(number)))
        for n, (name, number) in enumerate([("Port", "Ships"), ("Brest", "7"), ("Cork", "1,204"), ("Dover", "88")])
    ]
    assert tables(rows) == ["| Port | Ships |\n| --- | --- |\n| Brest | 7 |\n| Cork | 1,204 |\n| Dover | 88 |"]


def test_rows_in_bold_and_those_above_a_line_are_heads() -> None:
    body = [row(128 + 14 * n, (f"Port {n}", 72), (f"{n}", 200), (f"{n}", 300)) for n in range(3)]
    heads = [
        row(100, ("Ships", 200), ("Ships", 300), bold=True),
        row(114, ("Name", 72), ("in", 200), ("out", 300), bold=True),
    ]
    assert tables([*heads, *body])[0].startswith("| Name | Ships / in | Ships / out |\n| --- |")
    plain = [row(one[0].base, *((cell.text, cell.left) for cell in one)) for one in heads]
    assert tables([*plain, *body], [(72, 119, 340)])[0].startswith("| Name | Ships / in | Ships / out |\n| --- |")


def test_two_rows_of_two_cells_are_a_table_below_a_head_in_bold() -> None:
    rows = [row(100, ("Name", 72), ("Use", 200), bold=True), row(114, ("bin", 72), ("programs", 200))]
    assert tables(rows) == ["| Name | Use |\n| --- | --- |\n| bin | programs |"]
    assert tables([row(100, ("Name", 72), ("Use", 200)), rows[1]]) == []
    assert tables(rows[:1]) == []


def test_text_lists_and_code_are_no_tables() -> None:
    prose = [row(100 + 12 * n, ("The ferry leaves the harbour at nine in the morning" + "." * n, 72)) for n in range(5)]
    assert tables(prose) == []
    items = [join_markers(row(100 + 12 * n, ("\u2022", 72), (f"item {n}", 95))) for n in range(5)]
    assert [len(one) for one in items] == [1] * 5
    assert tables(items) == []
    assert tables([row(100 + 12 * n, ("a", 72), ("b", 200), mono=True) for n in range(1, 5)]) == []
    assert (
        tables([row(100, ("left", 72), ("right", 300)), row(112, ("a line across all of the page, which is long", 72))])
        == []
    )


def test_rows_of_other_columns_and_far_rows_end_a_table() -> None:
    first = [row(100 + 14 * n, (f"a{n}", 72), (f"b{n}", 200)) for n in range(3)]
    second = [row(200 + 14 * n, (f"c{n}", 72), (f"d{n}", 200)) for n in range(3)]
    assert len(tables([*first, *second])) == 2
    assert len(tables([*first, row(142, ("a sentence that runs over all of the columns", 72)), *second])) == 2


def test_a_word_that_is_divided_within_a_cell_is_whole() -> None:
    rows = [row(100 + 24 * n, (f"-{n}", 72), ("Moves what is reloca\x02", 200)) for n in range(3)]
    below = [row(112 + 24 * n, ("tion of it", 200)) for n in range(3)]
    (found,) = tables([one for pair in zip(rows, below, strict=True) for one in pair])
    assert found.count("Moves what is relocation of it |") == 3
