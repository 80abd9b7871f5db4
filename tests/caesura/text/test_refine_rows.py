"""Rows are never torn: a table over the limit is cut between rows, and a row only where it alone is over it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from caesura import Limits, Splitter
from caesura.cuts.cluster import ClusterCut
from caesura.cuts.double_pass import DoublePassCut
from caesura.cuts.optimal import OptimalCut
from caesura.cuts.percentile import PercentileCut
from caesura.text.refine import refine
from caesura.types import Cut
from caesura_documents.outline import outline

WORDS = "Nobody waits. A cart, in winter, is late; so it stays (as it must). "
CELLS = [(f"port {number}", f"{number * 3}", WORDS[: number * 5 % 60].strip()) for number in range(60)]
BEFORE, AFTER = (
    "The ferry leaves at dawn. Nobody waits for a late cart.\n\n",
    "\n\nIn winter it sails once. Then it rests.",
)
MARKDOWN = ["| port | coins | what |", "|---|--:|---|", *(f"| {a} | {b} | {c} |" for a, b, c in CELLS)]
OPEN_MARKDOWN = ["port | coins | what", "---|---|---", *(f"{a} | {b} | {c}" for a, b, c in CELLS)]
VALUES = ["port,coins,what", *(f'{a},{b},"{c}"' for a, b, c in CELLS)]
SEMICOLONS = ["port;coins;what", *(f"{a};{b};{c.replace(';', '')}" for a, b, c in CELLS)]
TABS = ["port\tcoins\twhat", *(f"{a}\t{b}\t{c or '-'}" for a, b, c in CELLS)]
HTML = [
    "<table>",
    "<tr><th>port</th><th>coins</th></tr>",
    *(f"<tr><td>{a}</td><td>{b}. {c}</td></tr>" for a, b, c in CELLS),
    "</table>",
]
LONG_HTML = [
    "<table>",
    "<thead><tr><th>port</th><th>coins</th></tr></thead>",
    *(f"<tr>\n  <td>{a}</td>\n  <td>\n{b}. {c}</td>\n</tr>" for a, b, c in CELLS * 14),
    "</table>",
]
TABLES = {
    "Markdown": (MARKDOWN, "\n"),
    "Markdown without outer bars": (OPEN_MARKDOWN, "\n"),
    "Markdown with CR LF": (MARKDOWN, "\r\n"),
    "commas": (VALUES, "\n"),
    "semicolons": (SEMICOLONS, "\n"),
    "tabs": (TABS, "\n"),
    "HTML": (HTML, "\n"),
    "HTML in one line": (HTML, ""),
    "HTML of over 50,000 characters": (LONG_HTML, "\n"),
}
CUTS: dict[str, Callable[[], Cut]] = {
    "double pass": DoublePassCut,
    "percentile": PercentileCut,
    "optimal": OptimalCut,
    "cluster": ClusterCut,
}


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0 + text.count(letter) for letter in "aeiou"] for text in texts]


def row_spans(text: str, rows: list[str]) -> list[tuple[int, int]]:
    spans, at = [], 0
    for row in rows:
        at = text.index(row, at)
        spans.append((at, at + len(row)))
        at += len(row)
    return spans


@pytest.mark.parametrize("target", [None, 150])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("table", TABLES)
def test_no_row_is_torn_and_what_continues_a_table_knows_its_header(table: str, cut: str, target: int | None) -> None:
    rows, end = TABLES[table]
    text = BEFORE + end.join(rows) + AFTER
    limits = Limits(220, target_size=target)
    chunks = Splitter(limits, cut=CUTS[cut]()).split(text, embed)
    assert len(chunks) > 8
    spans, found = row_spans(text, rows), outline(text)
    starts = {chunk.start for chunk in chunks}
    assert [text[start:stop] for start, stop in spans if any(start < at < stop for at in starts)] == []
    first, last = spans[2][0], spans[-1][1]
    within = [chunk for chunk in chunks if first <= chunk.start < last]
    assert len(within) > 5
    assert {found.table_words(text, chunk.start, chunk.end).header for chunk in within} == {found.tables[0].header}


@pytest.mark.parametrize("table", ["Markdown", "commas", "HTML"])
def test_a_row_that_alone_is_over_the_limit_is_the_only_one_that_is_cut(table: str) -> None:
    rows, end = TABLES[table]
    long = rows[30].replace("port", "port" + " and on" * 70)
    rows = [*rows[:30], long, *rows[31:]]
    text = BEFORE + end.join(rows) + AFTER
    chunks = Splitter(Limits(220)).split(text, embed)
    spans = row_spans(text, rows)
    torn = [text[start:stop] for start, stop in spans if any(start < chunk.start < stop for chunk in chunks)]
    assert torn == [long]
    header = outline(text).tables[0].header
    assert all(
        outline(text).table_words(text, chunk.start, chunk.end).header == header
        for chunk in chunks
        if spans[30][0] < chunk.start < spans[31][0]
    )


@pytest.mark.parametrize("above", ["", "# Ports\n\n"])
def test_the_first_row_is_with_the_header_of_a_table(above: str) -> None:
    rows = "".join(f"| Port {n}{' ' * 60}| {n}{' ' * 20}|\n" for n in range(5))
    text = f"{above}| Port{' ' * 62}| Ferries{' ' * 14}|\n|{'-' * 67}|{'-' * 22}|\n{rows}"
    edges = refine(text, np.array([0, len(text)]), len, 400, 200).tolist()
    assert "| Port 0 " in text[: edges[1]]
    assert all(text[edge - 1] == "\n" for edge in edges[1:-2])
