"""Elements of Unstructured -> one text and its layout."""

from __future__ import annotations

import json
from random import Random
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.documents.parsed_files import DOCLING, UNSTRUCTURED, drawn_unstructured
from fakes.growth import assert_time_grows
from naive.parsed import check, naive_unstructured

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.docling import from_docling
from caesura_documents.html import html_table
from caesura_documents.unstructured import from_unstructured

PAPER = from_unstructured(UNSTRUCTURED)


def entry_of(part: str) -> dict[str, Any]:
    """What the paper's layout says of where a part stands."""
    return [entry for entry in PAPER.layout if entry["start"] <= PAPER.text.index(part)][-1]


def element(kind: str, text: str, **metadata: Any) -> dict[str, Any]:
    return {"type": kind, "element_id": text, "text": text, "metadata": metadata}


def test_the_paper_reads_as_it_was_written() -> None:
    assert PAPER.text.startswith("# Tides\n\n## Causes\n\nThe moon pulls at the sea.")
    assert (
        "\n\n### Kinds\n\n- Spring tides come at new moon.\n- Neap tides come at half moon:\n  - first q" in PAPER.text
    )
    assert "| Port | Tide / high | Tide / low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.1 |\n" in PAPER.text
    assert "\n\n```\ndef height(t):\n    return a * cos(w * t)\n```\n\nSet w" in PAPER.text
    assert "almanac" not in PAPER.text
    assert PAPER.source == "papers/tides.pdf"


def test_each_part_of_the_paper_says_where_it_stands() -> None:
    assert entry_of("The moon") == {
        "start": PAPER.text.index("The moon"),
        "page": 1,
        "type": "narrativetext",
        "box": [50.0, 90.0, 270.0, 390.0],
        "headings": ["Tides", "Causes"],
        "heading_levels": [1, 2],
    }
    assert (entry_of("6.9")["type"], entry_of("6.9")["page"]) == ("table", 2)
    assert entry_of("last quarter")["headings"] == ["Tides", "Causes", "Kinds"]
    assert entry_of("Set w")["headings"] == ["Tides", "Computing"]  # its parent is none of the elements


def test_prose_that_runs_on_over_a_page_or_a_column_is_one_sentence_with_an_entry_for_each() -> None:
    assert (entry_of("on the open")["page"], entry_of("coast, for")["page"]) == (1, 2)
    assert (entry_of("The sun")["box"][0], entry_of("one line")["box"][0]) == (50.0, 320.0)
    edges = units(PAPER.text).tolist()
    assert not {PAPER.text.index(part) for part in ("coast, for", "one line")} & {*edges}
    for before, after in (("It ends.", "so"), ("It goes", "So"), ("It goes", "3 on")):
        pair = [element("NarrativeText", before), element("NarrativeText", after)]
        assert from_unstructured(pair).text == f"{before}\n\n{after}"
    assert from_unstructured([element("NarrativeText", "It goes"), element("Address", "on")]).text == "It goes\n\non"


def test_both_parsers_say_the_same_of_one_paper() -> None:
    """But for the order of a caption, the marks of numbers, a box to check and a footnote."""
    theirs = from_docling(DOCLING).text.replace("\\cos(\\omega", "cos(w").splitlines()
    ours = PAPER.text.replace("open\ncoast", "open coast").replace("in\none", "in one").splitlines()
    assert {*ours} - {*theirs} == {"  - first quarter", "  - last quarter"}


@pytest.mark.parametrize("seed", range(60))
def test_what_stands_at_every_position_is_what_the_twin_says(seed: int) -> None:
    elements = drawn_unstructured(Random(seed), 40)
    parsed = from_unstructured(elements)
    check(parsed.text, parsed.layout, naive_unstructured(elements))
    assert json.loads(json.dumps(parsed.layout)) == parsed.layout


def test_elements_are_asked_for_their_dicts() -> None:
    elements = [SimpleNamespace(to_dict=lambda item=item: item) for item in json.loads(UNSTRUCTURED)]
    assert from_unstructured(elements) == from_unstructured(iter(elements)) == PAPER


def test_pages_may_have_names_and_boxes_grow_as_their_system_does() -> None:
    up = {"points": [[1, 90], [1, 70], [5, 70], [5, 90]], "system": "PointSpace"}
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"page_name": "Sheet 1"}, {"page": "Sheet 1"}),
        ({"page_number": 2, "page_name": "Sheet 1"}, {"page": 2}),
        ({"coordinates": up}, {"box": [1.0, 90.0, 5.0, 70.0]}),
        ({"coordinates": {"points": [[1, float("nan")], [2, 3]]}}, {}),
        ({"coordinates": {"points": [[1, 2, 3], [2, 3]]}}, {}),
        ({"coordinates": {"points": None}}, {}),
    ]
    for metadata, said in cases:
        assert from_unstructured([element("Text", "Hi.", **metadata)]).layout == [{"start": 0, "type": "text", **said}]


TABLES = {
    "spans": (
        "<table><tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        "| a | b |\n| --- | --- |\n| a | c |",
    ),
    "never closed": ("<table><tr><td>a<td>b<tr><td>c", "| a | b |\n| --- | --- |\n| c |  |"),
    "a head of two rows": (
        "<table><thead><tr><td>a<tr><td>b</thead><tr><td>c</table>",
        "| a / b |\n| --- |\n| c |",
    ),
    "first cells of rows": (
        "<table><tr><th>a</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>",
        "| a | 1 |\n| --- | --- |\n| b | 2 |",
    ),
    "a caption": ("<table><caption>T</caption><tr><td>a</table>", "T\n\n| a |\n| --- |"),
    "a table in a cell": (
        "<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>",
        "| a b c | d |\n| --- | --- |",
    ),
    "marks": ("<table><tr><td>wa<b>t</b>er<br>x &lt;|&gt;</td></tr></table>", "| water x <\\|> |\n| --- |"),
    "spans without end": (
        "<table><tr><td rowspan=0>a</td><td colspan=9999999999>b</td></tr><tr><td rowspan=-1>c</td></tr></table>",
        "| a | b |\n| --- | --- |\n| a | c |",
    ),
    "no cell": ("<table><tr></table>", ""),
    "no table": ("</table></td>text", "text"),
}


@pytest.mark.parametrize(("html", "text"), TABLES.values(), ids=TABLES.keys())
def test_a_table_in_html_is_one_in_markdown(html: str, text: str) -> None:
    assert html_table(html) == text


def test_a_table_without_html_is_its_text() -> None:
    for html in (None, "", "<table></table>"):
        assert from_unstructured([element("Table", "a b", text_as_html=html)]).text == "a b"


SOURCES: list[tuple[dict[str, Any], str | None]] = [
    ({"filename": "a.pdf"}, "a.pdf"),
    ({"filename": "a.pdf", "file_directory": "x/"}, "x/a.pdf"),
    ({"filename": "a.html", "url": "https://a.org/a"}, "https://a.org/a"),
    ({"filename": "a.pdf", "data_source": {"url": "s3://b/a.pdf"}}, "s3://b/a.pdf"),
    ({}, None),
]


@pytest.mark.parametrize(("metadata", "source"), SOURCES)
def test_the_source_is_what_is_known_of_the_file(metadata: dict[str, Any], source: str | None) -> None:
    attached = element("Text", "Attached.", filename="b.pdf", attached_to_filename="a.pdf")
    assert (
        from_unstructured([element("Text", "Hi.", **metadata), element("Text", "No file."), attached]).source == source
    )


WRONG: dict[str, tuple[object, str]] = {
    "a number": (3, "must be a list of Unstructured's elements.* got int 3"),
    "a dict": (element("Text", "Hi."), r"got dict .*: pass \[element\]"),
    "an element": (SimpleNamespace(to_dict=dict), r"got SimpleNamespace .*: pass \[element\]"),
    "a file's name": ("paper.json", "'paper.json', which is no JSON .*: read the file first"),
    "texts": (["Hi."], "'type', 'text' and 'metadata', got str 'Hi.' at position 0"),
    "dicts of something else": ([element("Text", "a"), {"page_content": "b"}], "got dict .* at position 1"),
    "two files": (
        [element("Text", "a", filename="a.pdf"), element("Text", "b", filename="b.pdf")],
        r"must be of one file, got those of 'a.pdf' \(from position 0\), 'b.pdf' \(from position 1\)",
    ),
}


@pytest.mark.parametrize(("elements", "said"), WRONG.values(), ids=WRONG.keys())
def test_anything_else_is_refused(elements: object, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        from_unstructured(elements)


def test_odd_values_lose_no_text() -> None:
    names = (
        "parent_id",
        "category_depth",
        "text_as_html",
        "coordinates",
        "page_number",
        "page_name",
        "filename",
        "url",
    )
    odd: list[Any] = [None, "", "odd", -3, 2.5, [], [[]], {}, {"points": 3}]
    for value in odd:
        metadata = dict.fromkeys(names, value)
        kinds = ["Title", "ListItem", "Table", "NarrativeText", "Odd", None]
        items = [{"type": kind, "element_id": value, "text": f"Kept {kind}.", "metadata": metadata} for kind in kinds]
        items += [{"type": "Text", "text": value, "metadata": value}, {"type": value}]
        text = from_unstructured(items).text
        assert all(f"Kept {kind}." in text or kind == "Table" for kind in kinds)
    assert from_unstructured([]).text == from_unstructured("[]").text == ""


@pytest.mark.thorough
def test_time_is_linear() -> None:
    def seconds(count: int) -> float:
        items = [element("ListItem", f"item {n}", parent_id=f"item {n - 1}", page_number=n) for n in range(count)]
        start = process_time()
        assert len(from_unstructured(items).layout) == count
        return process_time() - start

    assert_time_grows(seconds, 2_500, 10_000, 10)
