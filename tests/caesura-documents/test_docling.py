"""Documents of Docling -> one text and its layout."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from time import process_time
from types import SimpleNamespace
from typing import Any

import pytest
from docling_core.types.doc import DoclingDocument, TextItem
from fakes.documents.parsed_files import DOCLING, docling_dict, docling_table, drawn_docling
from fakes.growth import assert_time_grows
from naive.parsed import check, naive_docling

from caesura import SettingError
from caesura.text.sentences import units
from caesura_documents.docling import from_docling

PAPER = from_docling(DOCLING)


def entry_of(part: str) -> dict[str, Any]:
    """What the paper's layout says of where a part stands."""
    return [entry for entry in PAPER.layout if entry["start"] <= PAPER.text.index(part)][-1]


def test_the_paper_reads_as_it_was_written() -> None:
    assert PAPER.text.startswith("# Tides\n\n## Causes\n\nThe moon pulls at the sea.")
    assert (
        "\n\n### Kinds\n\n- Spring tides come at new moon.\n- Neap tides come at half moon:\n  1. first quarter\n"
        in PAPER.text
    )
    assert "| Port | Tide / high | Tide / low |\n| --- | --- | --- |\n| Brest | 6.9 | 1.1 |\n" in PAPER.text
    assert "\n\n$$h = a \\cos(\\omega t)$$\n\n```\ndef height(t):\n    return a * cos(w * t)\n```\n\n" in PAPER.text
    assert "\n\nSet w to the speed of the moon.\n\n- [x] Checked by the harbour master\n\nHeights are" in PAPER.text
    assert "almanac" not in PAPER.text
    assert PAPER.source == "tides.pdf"


def test_each_part_of_the_paper_says_where_it_stands() -> None:
    assert entry_of("The moon") == {
        "start": PAPER.text.index("The moon"),
        "page": 1,
        "type": "text",
        "box": [50.0, 90.0, 270.0, 390.0],  # from the upper left corner of a page that is 800 points high
        "headings": ["Tides", "Causes"],
        "heading_levels": [1, 2],
    }
    assert entry_of("6.9")["type"] == "table"
    assert entry_of("6.9")["headings"] == ["Tides", "Heights"]
    assert entry_of("Figure 1")["type"] == "caption"
    assert "page" not in entry_of("Set w")


def test_a_paragraph_over_a_pages_end_has_an_entry_for_each_page() -> None:
    assert (entry_of("on the open")["page"], entry_of("coast, for")["page"]) == (1, 2)
    assert entry_of("coast, for")["start"] == PAPER.text.index("coast, for")
    assert (entry_of("The sun")["box"][0], entry_of("one line")["box"][0]) == (50.0, 320.0)


def test_a_heading_and_what_follows_it_are_one_unit_and_blocks_stay_whole() -> None:
    found = unit_texts(PAPER.text)
    assert "# Tides\n\n## Causes\n\nThe moon pulls at the sea." in found
    whole = {"| Port": "0.5 |", "```": "```", "$$": "$$", "### Kinds": "2. last quarter"}
    for start, end in whole.items():
        assert any(unit.endswith(end) for unit in found if start in unit), start
    assert {"Tides", "Causes", "Kinds", "Heights"} <= {*unit_texts(PAPER.text.replace("#", ""))}  # why they are marked


def unit_texts(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in pairwise(units(text).tolist())]


def test_the_paper_is_what_the_real_docling_reads() -> None:
    document = DoclingDocument.model_validate_json(DOCLING)
    assert from_docling(document) == from_docling(document.export_to_dict()) == from_docling(document.model_dump())
    assert from_docling(document) == PAPER
    at = 0
    for item, _ in document.iterate_items(traverse_pictures=True):
        if isinstance(item, TextItem) and item.label != "caption":  # those come before what they name, here
            at = PAPER.text.index(item.text, at)


@pytest.mark.parametrize("seed", range(60))
def test_what_stands_at_every_position_is_what_the_twin_says(seed: int) -> None:
    data = drawn_docling(Random(seed), 40)
    parsed = from_docling(data)
    check(parsed.text, parsed.layout, naive_docling(data))
    assert json.loads(json.dumps(parsed.layout)) == parsed.layout


def test_what_the_twin_says_of_the_paper() -> None:
    check(PAPER.text, PAPER.layout, naive_docling(json.loads(DOCLING)))


SPANS = {
    "in the text": ([[0, 5], [6, 11]], [0, 6]),
    "past the end, as after a hyphen": ([[0, 5], [13, 20]], [0, 10]),
    "none": ([[0, 0], [0, 0]], [0, 10]),
    "falling": ([[0, 9], [6, 11], [2, 4]], [0, 6, 10]),
    "no numbers": ([None, "odd", []], [0, 9, 10]),
}


@pytest.mark.parametrize(("spans", "starts"), SPANS.values(), ids=SPANS.keys())
def test_every_provenance_has_an_entry_whatever_its_span(spans: list[Any], starts: list[int]) -> None:
    places = [{"page_no": page, "charspan": span} for page, span in enumerate(spans, 1)]
    layout = from_docling(docling_dict([{"label": "text", "text": "12345 78901", "prov": places}])).layout
    assert [entry["start"] for entry in layout] == starts
    assert [entry["page"] for entry in layout] == [*range(1, len(spans) + 1)]


@pytest.mark.parametrize("label", ["text", "section_header", "list_item", "code", "formula", "checkbox_selected"])
def test_a_span_counts_from_the_elements_own_text(label: str) -> None:
    places = [{"page_no": 1, "charspan": [0, 7]}, {"page_no": 2, "charspan": [8, 14]}]
    parsed = from_docling(docling_dict([{"label": label, "text": "\nfirst, second", "prov": places}]))
    assert [parsed.text[entry["start"] :][:6] == "second" for entry in parsed.layout] == [False, True]


def test_furniture_backgrounds_and_hidden_text_are_left_out_and_notes_are_not() -> None:
    layers = ("body", "furniture", "background", "invisible", "notes")
    texts = [{"label": "text", "text": f"In {layer}.", "content_layer": layer} for layer in layers]
    headers = [{"label": label, "text": label} for label in ("page_header", "page_footer")]
    assert from_docling(docling_dict([*texts, *headers])).text == "In body.\n\nIn notes."


def test_captions_come_before_and_footnotes_after_what_they_are_of() -> None:
    texts = [{"label": "footnote", "text": "Note."}, {"label": "caption", "text": "Caption."}]
    table = docling_table([["a"]], captions=[{"$ref": "#/texts/1"}], footnotes=[{"$ref": "#/texts/0"}])
    parsed = from_docling(docling_dict(texts, tables=[table]))
    assert parsed.text == "Caption.\n\n| a |\n| --- |\n\nNote."
    assert [entry["type"] for entry in parsed.layout] == ["caption", "table", "footnote"]


def test_the_source_is_the_address_else_the_name() -> None:
    for origin, source in (
        ({"filename": "a.html", "uri": "https://a.org/a"}, "https://a.org/a"),
        ({}, None),
        (None, None),
    ):
        assert from_docling(docling_dict() | {"origin": origin}).source == source


def test_what_nothing_refers_to_is_not_lost() -> None:
    data = docling_dict([{"label": "text", "text": "First."}, {"label": "text", "text": "Nobody's."}])
    del data["body"]["children"][1]
    assert from_docling(data).text == "First.\n\nNobody's."


def test_what_is_in_itself_or_in_two_is_said_once() -> None:
    ring = [{"label": "list", "children": [{"$ref": "#/groups/0"}, {"$ref": "#/texts/0"}, {"$ref": "#/texts/9"}]}]
    data = docling_dict([{"label": "list_item", "text": "one"}], groups=ring)
    data["body"]["children"] = [{"$ref": "#/groups/0"}, {"$ref": "#/texts/0"}]
    assert from_docling(data).text == "- one"


def test_furniture_of_older_documents_is_left_out() -> None:
    data = docling_dict([{"label": "text", "text": "Body."}, {"label": "text", "text": "12"}])
    data["furniture"] = {"children": [data["body"]["children"].pop()]}
    assert from_docling(data).text == "Body."


def test_runs_in_a_line_are_one_paragraph_item_or_heading() -> None:
    inline = {"label": "inline", "children": [{"$ref": "#/texts/1"}, {"$ref": "#/texts/2"}]}
    runs = [{"label": "text", "text": "Salt", "prov": [{"page_no": 3}]}, {"label": "code", "text": "NaCl"}]
    for label, text in (("section_header", "## Salt NaCl"), ("list_item", "- Salt NaCl"), ("text", "Salt NaCl")):
        owner = {"label": label, "text": "", "children": [{"$ref": "#/groups/0"}]}
        parsed = from_docling(docling_dict([owner, *runs], groups=[inline]))
        assert (parsed.text, [(entry["type"], entry["page"]) for entry in parsed.layout]) == (text, [(label, 3)])
        parsed = from_docling(docling_dict([owner | {"prov": [{"page_no": 2}]}, *runs], groups=[inline]))
        assert [entry["page"] for entry in parsed.layout] == [2]


def test_what_is_in_a_cell_is_said_once() -> None:
    table = docling_table([["Port"], [""], ["Brest"]])
    for cell, ref in zip(table["data"]["table_cells"][1:], ("#/texts/0", "#/texts/1"), strict=True):
        cell["ref"] = {"$ref": ref}
    texts = [{"label": "text", "text": "Kiel"}, {"label": "text", "text": "Brest"}, {"label": "text", "text": "Note."}]
    table["children"] = [{"$ref": f"#/texts/{number}"} for number in range(3)]
    assert from_docling(docling_dict(texts, tables=[table])).text == "| Port |\n| --- |\n| Kiel |\n| Brest |\n\nNote."
    texts[1]["text"] = "Lorient"  # what the cell does not say
    assert "| Brest |\n\nLorient\n\n" in from_docling(docling_dict(texts, tables=[table])).text


def test_a_form_and_a_picture_have_the_text_that_was_found_in_them() -> None:
    elsewhere = {"text": "Elsewhere", "item_ref": {"$ref": "#/texts/9"}}
    form = {
        "label": "form",
        "graph": {"cells": [{"text": "Name"}, {"text": "Wu"}, {"text": "", "orig": ""}, elsewhere]},
    }
    said = {"annotations": [{"kind": "description", "text": "A bay."}], "meta": {"description": {"text": "A bay."}}}
    data = docling_dict(form_items=[form], pictures=[{"label": "picture", **said}, {"label": "picture"}])
    assert from_docling(data).text == "Name\nWu\n\nA bay."


def test_a_title_that_was_not_decoded_is_what_was_seen() -> None:
    assert from_docling(docling_dict([{"label": "formula", "text": "", "orig": "a=b"}])).text == "$$a=b$$"


WRONG: dict[str, tuple[object, str]] = {
    "a number": (3, "must be a DoclingDocument, its dict .* got int 3"),
    "a list": ([], "got list"),
    "a file's name": ("paper.json", "'paper.json', which is no JSON .*: read the file first"),
    "a JSON of something else": ("[1]", "got list"),
    "a dict of something else": (
        {"main-text": [], "body": {}},
        r"without a list 'texts' .*: it has \['main-text', 'body'\]",
    ),
    "no body": ({"texts": []}, "a dict 'body'"),
    "the class": (DoclingDocument, "got ModelMetaclass"),
    "a result of a conversion": (SimpleNamespace(document=1), "pass its document"),
}


@pytest.mark.parametrize(("document", "said"), WRONG.values(), ids=WRONG.keys())
def test_anything_else_is_refused(document: object, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        from_docling(document)


def test_odd_values_lose_no_text() -> None:
    odd: list[Any] = [None, 3, "x", [], {}, [None], {"$ref": 3}]
    for value in odd:
        item = {"label": value, "level": value, "prov": value, "children": value, "captions": value, "marker": value}
        texts = [{**item, "text": "Kept."}, {**item, "text": value, "label": "section_header"}, value]
        cells = [{"text": "Cell", "start_row_offset_idx": value, "ref": value}, value]
        data = {"texts": texts, "tables": [{"data": {"table_cells": cells}}, {"data": value}], "groups": value}
        data |= {"body": {"children": value}, "origin": value, "pictures": value, "furniture": value}
        parsed = from_docling(data)
        assert "Kept." in parsed.text
        assert "| Cell |" in parsed.text


@pytest.mark.thorough
def test_time_is_linear_and_depth_without_a_limit() -> None:
    def seconds(count: int) -> float:
        groups = [
            {"label": "list", "children": [{"$ref": f"#/groups/{n + 1}"}, {"$ref": f"#/texts/{n}"}]}
            for n in range(count)
        ]
        texts = [{"label": "list_item", "text": f"item {n}", "prov": [{"page_no": 1}]} for n in range(count)]
        data = {"texts": texts, "groups": groups, "body": {"children": [{"$ref": "#/groups/0"}]}}
        start = process_time()
        assert len(from_docling(data).layout) == count
        return process_time() - start

    assert_time_grows(seconds, 2_500, 10_000, 10)
