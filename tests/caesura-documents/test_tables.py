"""Tables of each form: columns, bars, numbers of a PDF; their headers, their parts, and what rows are found by."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from caesura import Limits, Splitter
from caesura_documents.chunk_metadata import NAMES, ChunkMetadata
from caesura_documents.outline import outline
from caesura_documents.tables import WIDEST, column_header

PORTS = [(f"Port {n}", f"{n * 37 % 91:,}", f"({n * 53 % 89}.5)") for n in range(1, 60)]
WORDS = "We sail at nine and come back at noon."
TITLE = "Table 4: Ports of call (in thousands)"
HEADS = ("Port", "2024", "2023")


def columns(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"{a:<12}{b:>8}{c:>10}" for a, b, c in rows)


FORMS = {
    "Markdown": (
        "\n".join(["| Port | 2024 | 2023 |", "|---|--:|--:|", *(f"| {a} | {b} | {c} |" for a, b, c in PORTS)]),
        "| Port | 2024 | 2023 |",
    ),
    "bars without a rule": ("\n".join(" | ".join(row) for row in [HEADS, *PORTS]), "Port | 2024 | 2023"),
    "HTML": (
        "<table>\n<tr><th>Port</th><th>2024</th><th>2023</th></tr>\n"
        + "\n".join(f"<tr><td>{a}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in PORTS)
        + "\n</table>",
        "Port | 2024 | 2023",
    ),
    "semicolons": ("\n".join(";".join(row) for row in [HEADS, *PORTS]), "Port;2024;2023"),
    "tabs": ("\n".join("\t".join(row) for row in [HEADS, *PORTS]), "Port\t2024\t2023"),
    "columns": (columns([HEADS, *PORTS]), "Port | 2024 | 2023"),
    "columns with a rule": (f"{columns([HEADS])}\n{'-' * 30}\n{columns(PORTS)}", "Port | 2024 | 2023"),
    "numbers": ("\n".join(" ".join(row) for row in [HEADS, *PORTS]), "Port 2024 2023"),
    "cells in lines": ("\n".join("\n".join(row) for row in [HEADS, *PORTS]), "Port | 2024 | 2023"),
}


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0 + text.count(letter) for letter in "aeiou0123"] for text in texts]


@pytest.mark.parametrize("limit", [120, 400])
@pytest.mark.parametrize("form", FORMS)
def test_each_chunk_with_rows_has_the_header_and_the_title_in_its_text_or_its_metadata(form: str, limit: int) -> None:
    table, header = FORMS[form]
    text = f"{WORDS}\n\n{TITLE}\n\n{table}\n\n{WORDS}"
    chunks = Splitter(Limits(limit)).split(text, embed)
    said = ChunkMetadata.of(["table_header", "table_title"]).describe(text, {}, chunks, ())
    first, last = text.index("Port 1"), text.index("Port 59")
    begins = text.index(table)
    rows = [(chunk, own) for chunk, own in zip(chunks, said, strict=True) if chunk.end > first and chunk.start <= last]
    assert len(rows) > 2
    for chunk, own in rows:
        assert own.get("table_header") == (None if chunk.start <= begins else header)
        assert own.get("table_title") == (None if chunk.start <= text.index(TITLE) else TITLE)
    assert all(
        own == {} for chunk, own in zip(chunks, said, strict=True) if chunk.end <= first or chunk.start > last + 60
    )


@pytest.mark.parametrize("limits", [(600, 150), (400, 90)])
@pytest.mark.parametrize("form", FORMS)
def test_a_chunk_of_a_chunk_says_the_same(form: str, limits: tuple[int, int]) -> None:
    table, _ = FORMS[form]
    text = f"{WORDS}\n\n{TITLE}\n\n{table}\n"
    names = ChunkMetadata.of(["table_header", "table_title"])
    outer, inner = (Splitter(Limits(limit)) for limit in limits)
    chunks = outer.split(text, embed)
    whole, continued = outline(text), 0
    for chunk, said in zip(chunks, names.describe(text, {}, chunks, ()), strict=True):
        parts = inner.split(chunk.text, embed)
        for part, own in zip(parts, names.describe(chunk.text, said, parts, ()), strict=True):
            words = whole.table_words(text, chunk.start + part.start, chunk.start + part.end)
            assert (own.get("table_header"), own.get("table_title")) == words
            continued += words.header is not None
    assert continued > 5


def test_a_chunk_that_begins_with_prose_and_ends_in_rows_of_the_next_page_has_the_header() -> None:
    first, second = PORTS[:30], PORTS[30:]
    lines = [" ".join(row) for row in first], [" ".join(row) for row in second]
    text = "\n".join([WORDS, TITLE, " ".join(HEADS), *lines[0], "Harbour board 7\n\nHarbour board", *lines[1], WORDS])
    found = outline(text)
    assert [table.header for table in found.tables] == ["Port 2024 2023"] * 2
    start = text.index("Harbour board")
    assert found.table_words(text, start, len(text)) == ("Port 2024 2023", TITLE)
    assert found.table_words(text, 0, len(text)) == (None, None)


def test_a_header_that_is_repeated_on_the_next_page_goes_on_with_the_table() -> None:
    head = " ".join(HEADS)
    lines = [[" ".join(row) for row in rows] for rows in (PORTS[:30], PORTS[30:])]
    text = "\n".join([TITLE, head, *lines[0], "Harbour board 7\n\nHarbour board", head, *lines[1]])
    assert [(table.header, table.title) for table in outline(text).tables] == [(head, TITLE)] * 2


@pytest.mark.parametrize("form", ["Markdown", "bars without a rule", "columns", "numbers"])
def test_rows_below_the_end_of_a_page_have_the_header_and_the_title_of_those_above(form: str) -> None:
    table, header = FORMS[form]
    lines = table.split("\n")
    for between in ("\n\n", "\n\nHarbour board 7\n\n", "\n\n7\n\n"):
        text = f"{WORDS}\n\n{TITLE}\n\n" + "\n".join(lines[:30]) + between + "\n".join(lines[30:]) + f"\n\n{WORDS}"
        start = text.index(lines[30])
        assert outline(text).table_words(text, start, len(text)) == (header, TITLE)
    text = f"{TITLE}\n\n" + "\n".join(lines[:30]) + f"\n\n{WORDS}\n\n" + "\n".join(lines[30:])
    assert outline(text).table_words(text, text.index(lines[30]), len(text)) == (None, None)


def test_a_table_below_another_with_the_same_header_has_its_own_title() -> None:
    head, rows = " ".join(HEADS), "\n".join(" ".join(row) for row in PORTS[:9])
    text = f"Line 4\n(in tons)\n{head}\n{rows}\nTickets of line 4 are valid.\nLine 5\n(in tons)\n{head}\n{rows}\n"
    assert [table.title for table in outline(text).tables] == ["Line 4 (in tons)", "Line 5 (in tons)"]


def test_what_is_embedded_before_rows_is_the_title_and_the_header() -> None:
    names = ChunkMetadata.of(["headings", "table_header", "table_title"])
    said = {"headings": ["Fares"], "table_header": "a | b", "table_title": "In May"}
    assert names.headings_text(said, len, None) == "Fares\nIn May\na | b\n"
    assert names.headings_text(said, len, 15) == "In May\na | b\n"
    assert names.headings_text(said, len, 8) == "a | b\n"
    assert names.headings_text({"headings": ["Fares"], "table_title": "Fares"}, len, None) == "Fares\n"
    assert {"table_header", "table_title"} <= set(NAMES)


@pytest.mark.parametrize(
    ("text", "header", "row"),
    [
        ("===== =====\nport  fare\n===== =====\nGull  3\nTern  4\n===== =====", "port | fare", "Gull"),
        (
            "+------+------+\n| port | fare |\n+======+======+\n| Gull | 3    |\n+------+------+\n",
            "| port | fare |",
            "| Gull",
        ),
        ("port   fare\n----   ----\nGull   3\nTern   4", "port | fare", "Gull"),
        ("port | fare\n-----+-----\nGull | 3\nTern | 4", "port | fare", "Gull"),
    ],
)
def test_tables_with_rules_as_programs_print_them(text: str, header: str, row: str) -> None:
    (table,) = outline(f"{WORDS}\n\n{text}\n\n{WORDS}").tables
    assert table.header == header
    assert f"{WORDS}\n\n{text}"[table.body :].startswith(row)


@pytest.mark.parametrize("text", ["=== ===\na   b\n=== ===", "a  b\n----\n", "a | b\n", "12  13\n14  15\n"])
def test_what_has_no_rows_or_no_header_is_no_table(text: str) -> None:
    assert outline(text).tables == ()


HEADS_HTML = {
    "spans": (
        '<tr><th rowspan="2">Port</th><th colspan=2>Sales</th></tr>\n<tr><th>2024</th><th>2023</th></tr>',
        "Port | Sales 2024 | Sales 2023",
    ),
    "a title over all": (
        "<tr><th colspan=3>Fares</th></tr>\n<tr><th>Port</th><th>a</th><th>b</th></tr>",
        "Fares Port | Fares a | Fares b",
    ),
    "a name of rows below": (
        "<tr><th>Port</th><th>a</th><th>b</th></tr>\n<tr><th colspan=3>North</th></tr>",
        "Port | a | b",
    ),
    "names of rows": (
        "<tr><th>Port</th><th>a</th><th>b</th></tr>\n<tr><th>Brest</th><td>1</td><td>2</td></tr>",
        "Port | a | b",
    ),
    "far too wide": ('<tr><th colspan="999999">x</th></tr><tr><th>Port</th><th>a</th></tr>', ""),
}


@pytest.mark.parametrize("name", HEADS_HTML)
def test_several_rows_of_a_header_in_html_are_joined_by_column(name: str) -> None:
    rows, header = HEADS_HTML[name]
    text = f"<table>\n{rows}\n<tr><td>Gull</td><td>1</td><td>2</td></tr>\n</table>\n\nTable 1: Gulls\n"
    (table,) = outline(text).tables
    assert table.header == header
    assert table.body <= text.index("Gull")


def test_headers_in_several_lines_are_joined_by_column() -> None:
    lines = ["              Sales             Staff", "Port      2018    2017      2018    2017"]
    assert column_header(lines, False) == "Port | Sales 2018 | Sales 2017 | Staff 2018 | Staff 2017"
    assert column_header(["x" * 600, "y" * 600], False) == ""


@pytest.mark.parametrize(
    "text",
    [
        "a  b\n" * 10_000,
        "a | b\n" * 10_000,
        "a | b\n\n" * 10_000,
        "a\tb\n\n" * 10_000,
        "a  1\nb  2\n---\n\n" * 5_000,
        "a 1 2\nb 2 3\nc 3 4\n\n" * 5_000,
        "1\n2\n" * 10_000,
        ("a " + "1 " * 140 + "\n") * 800,
        "a  b\n" + "-" * 200_000,
        " " * 200_000 + "a  b\nc  d",
        ("a  " * 300 + "\n") * 300,
        "| " * 100_000 + "\n|---|",
    ],
)
def test_hostile_tables_take_linear_time_and_headers_are_short(text: str) -> None:
    started = time.process_time()
    found = outline(text)
    assert time.process_time() - started < 4
    assert all(len(table.header) <= WIDEST and len(table.title) <= 2 * WIDEST for table in found.tables)
