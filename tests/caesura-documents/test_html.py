"""HTML: time and text grow with what is given, however hostile it is, and nothing of a page is lost."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from fakes.documents.hostile_html import MARKUP
from fakes.growth import assert_time_grows
from hypothesis import given
from hypothesis import strategies as st

from caesura_documents.docling import from_docling
from caesura_documents.html import html_table, html_text

TABLE_PARTS = [
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<th>",
    "<td\tcolspan=1000>",
    "<td\trowspan=0>",
    "</td>",
    "<thead>",
    "</thead>",
    "<p>",
    "x",
]


@pytest.mark.thorough
@pytest.mark.parametrize("read", [html_text, html_table])
@pytest.mark.parametrize("make", MARKUP.values(), ids=MARKUP.keys())
def test_eight_times_as_much_html_takes_about_eight_times_as_long(
    read: Callable[[str], object], make: Callable[[int], str]
) -> None:
    def seconds(count: int) -> float:
        html = make(count)
        begun = time.process_time()
        read(html)
        return time.process_time() - begun

    assert_time_grows(seconds, 300, 2400, 24, 0.0005)


def test_a_wide_row_and_short_ones_are_no_rectangle() -> None:
    html = f"<table><tr>{'<th>x' * 4000}</tr>{'<tr><td>y' * 4000}</table>"
    assert len(html_table(html)) < 2 * len(html)
    lines = html_table(html).splitlines()
    assert (lines[0].count("x"), lines[1].count("---"), lines[2:]) == (4000, 4000, ["| y |"] * 4000)


def test_a_table_of_a_usual_size_has_a_cell_for_each_row_and_column() -> None:
    html = "<table><tr><th>a<th>b<th>c<tr><td colspan=2>wide<td rowspan=2>tall<tr><td>short</table>"
    assert html_table(html).splitlines()[2:] == ["| wide | wide | tall |", "| short |  | tall |"]


def test_a_table_of_docling_is_bounded_too() -> None:
    wide = [{"start_row_offset_idx": 0, "start_col_offset_idx": n, "text": "x"} for n in range(3000)]
    tall = [{"start_row_offset_idx": n, "start_col_offset_idx": 0, "text": "y"} for n in range(1, 3000)]
    table = {"label": "table", "data": {"table_cells": wide + tall}}
    parsed = from_docling({"texts": [], "tables": [table], "body": {"children": [{"$ref": "#/tables/0"}]}})
    assert len(parsed.text) < 100_000


@given(st.lists(st.sampled_from(TABLE_PARTS), max_size=60), st.integers(1, 40))
def test_the_text_of_a_table_is_bounded_by_its_html(parts: list[str], times: int) -> None:
    html = "".join(parts) * times
    assert len(html_table(html)) <= 100_000 + 40 * len(html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("one <two", "one <two"),
        ("a <!-- b", "a <!-- b"),
        ("<p>a<!-->b<!-- > -->c<!-- d --!>e", "abce"),
        ("<p title='>'>a<p title=it's>b", "a\n\nb"),
        ("a < b && c > d</>e</ x>f<?php 1 ?>g", "a < b && c > defg"),
        ("<SCRIPT>if (a<b) '</scripts>'</Script >x", "x"),
        (f"&#{'9' * 5000};&#65;", "\ufffdA"),
        ("<pre>a<table><tr><td>b<nav>c", "```\na\n```\n\n| b |\n| --- |"),
        ("<p>a<table><tr><td><li>b<nav>c", "a\n\n- b"),
    ],
)
def test_markup_that_is_odd_is_read_as_a_browser_reads_it_and_what_never_ends_is_text(html: str, text: str) -> None:
    assert html_text(html) == text


def test_a_cell_says_nothing_of_scripts_and_styles() -> None:
    assert html_table("<table><tr><td>a<style>b</style><script>c</script></table>") == "| a |\n| --- |"
