"""Rows of numbers without rules or wide gaps are a table: found, kept apart from prose, and never torn."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import Limits, Splitter, units
from caesura.text.number_rows import number_tables
from caesura.text.refine import refine

PROSE = "The statement is presented by liquidity. Amounts of the prior year were\nrestated for the change of a policy."
ROWS = [
    f"{name} {number * 37 % 911:,}.5 ({number * 53 % 89})" for number, name in enumerate(["Cash", "Debt, net"] * 20)
]
AFTER = "The figures have been checked."
TABLE = "\n".join(["Table 4: Balance sheet", "(in thousands of USD)", "2024 2023", *ROWS])
TALL = "\n".join(["Name", "Sales", "Staff", *(f"Port {n}\n{n * 7 % 13}\n{n * 1171 % 3001:,}" for n in range(10, 40))])


def parts(text: str) -> list[tuple[str, str, str, int]]:
    return [
        (
            text[table.start : table.header],
            text[table.header : table.body],
            text[table.body : table.end].split("\n")[0],
            len(table.starts),
        )
        for table in number_tables(text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            f"{PROSE}\n{TABLE}\n{AFTER}",
            [("Table 4: Balance sheet\n(in thousands of USD)\n", "2024 2023\n", ROWS[0], 40)],
        ),
        (
            "Sales\n(in millions)\nYear ended\nMay 31, 2018 May 31, 2017\nA 1 2\nB 3 4\nLosses:\nC - 3\nD (1) 4",
            [("Sales\n(in millions)\n", "Year ended\nMay 31, 2018 May 31, 2017\n", "A 1 2", 4)],
        ),
        ("Country 2021 2022\nA $ 1 $ 2\nB 3% 4%\nC — 7\n", [("", "Country 2021 2022\n", "A $ 1 $ 2", 3)]),
        ("One.\nA 1 2\nB 3 4\nC 5 6", [("", "", "A 1 2", 3)]),
        (TALL, [("", "Name\nSales\nStaff\n", "Port 10", 30)]),
        ("2024\n2023\nCash\n1\n2\nDebt\n3\n4\nAll\n4\n6\n", [("", "2024\n2023\n", "Cash", 3)]),
    ],
)
def test_a_table_is_found_with_its_header_and_what_names_it(text: str, found: list[tuple[str, str, str, int]]) -> None:
    assert parts(text) == found


def test_rows_on_the_next_page_go_on_with_the_table() -> None:
    first, second = ROWS[:20], ROWS[20:22]
    page = "\n".join([PROSE, "2024 2023", *first, "Annual Report 12\n\nAnnual Report", *second])
    assert [(own, len(page)) for *_, own in parts(page)] == [(20, len(page)), (2, len(page))]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We had 12 boats in 2018 and 14\nof them sailed. In 2019 there were 16 15\nboats, then 14 13\n.",
        "Introduction 3\nMethods 7\nResults 12\nDiscussion 20",
        "Smith J A paper Science 2002 297 2270 2275 12351791\n" * 5,
        "| a | 1 | 2 |\n| b | 1 | 2 |\n| c | 1 | 2 |",
        "12\n13\n14\n15",
    ],
)
def test_what_is_no_table_is_none(text: str) -> None:
    assert number_tables(text) == []


@pytest.mark.parametrize(("table", "rows"), [(TABLE, ROWS), (TALL, TALL.split("Port ")[1:])])
@pytest.mark.parametrize("limit", [60, 150, 400])
def test_no_row_is_torn_and_prose_is_apart(table: str, rows: list[str], limit: int) -> None:
    text = f"{PROSE}\n{table}\n{AFTER}"
    assert text.index(table) in units(text).tolist()
    chunks = Splitter(Limits(limit)).split(text, lambda texts: [[1.0 + len(each) % 7, 1.0] for each in texts])
    starts, at = {chunk.start for chunk in chunks}, text.index(rows[0])
    for row in rows:
        at = text.index(row, at)
        assert not any(at < start < at + len(row) for start in starts)
        at += len(row)


LINES = st.sampled_from(
    ["Port", "12", "1,204", "(7)", "2024", "Port 3 4", "Tern 5 6.5", "2024 2023", "", "We sail.", "Total"]
)


@settings(max_examples=150)
@given(lines=st.lists(LINES, max_size=24), limit=st.integers(8, 60))
def test_units_tile_the_text_and_their_pieces_fit_and_stay(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    edges = units(text)
    pieces = refine(text, edges, len, limit)
    assert set(edges.tolist()) <= set(pieces.tolist())
    assert all(end - start <= limit for start, end in pairwise(pieces.tolist()))
    assert refine(text, pieces, len, limit).tolist() == pieces.tolist()
    tables = number_tables(text)
    assert all(table.start <= table.header <= table.body < table.end <= len(text) for table in tables)
    assert all(first.end <= second.start for first, second in pairwise(tables))


@pytest.mark.parametrize(
    "text",
    [
        "1\n" * 50_000,
        "a 1\n" * 50_000,
        "a 1 2\n" * 50_000,
        "a\n1\n2\n" * 30_000,
        "a 1 2\nb\n" * 30_000,
        "a\n1\n" * 40_000,
        "1 " * 100_000,
        "1\r\n" * 50_000,
        ("x" * 299 + "1\n") * 700,
        ("(in " + "a" * 190 + "\n") * 700,
        "(" * 200_000 + "1\n",
        "a 1 2\na 1 2\n\n" * 20_000,
    ],
)
def test_hostile_rows_take_linear_time(text: str) -> None:
    started = time.process_time()
    number_tables(text)
    assert time.process_time() - started < 2
