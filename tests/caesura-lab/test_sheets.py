"""Which pages of a PDF are drawn, and where on them chunks stand."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fakes.documents.pdf import print_lines, printed_pdf
from fakes.lab import BREAD, TIDE
from PIL import Image

from caesura_lab import sheets, view
from caesura_lab.reading import Source, read_source
from caesura_lab.sheets import boxes_of, choose_pages, draw_pages

LAYOUT = [{"start": 10 * number, "page": number + 1, "box": [72, 80, 300, 90]} for number in range(40)]
LONG = Source("long.pdf", "x" * 400, LAYOUT)


def data(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_pages_with_what_was_found_are_drawn_and_then_the_first_ones() -> None:
    assert choose_pages(LONG, []) == [*range(1, sheets.MOST + 1)]
    found = choose_pages(LONG, [(305, 325), (200, 210)])
    assert len(found) == sheets.MOST
    assert {31, 32, 33, 21, 1, 2} <= {*found}
    assert choose_pages(LONG, [(0, 400)]) == [*range(1, sheets.MOST + 1)]
    assert choose_pages(Source("a.md", "x"), [(0, 1)]) == []


def test_boxes_of_a_slice_are_those_of_the_parts_that_it_lies_in() -> None:
    assert [box[0] for box in boxes_of(LONG, 15, 31)] == [2, 3, 4]
    assert boxes_of(Source("a.md", "x"), 0, 1) == []


def test_the_page_has_pictures_boxes_and_pages_of_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "tides.pdf"
    path.write_bytes(printed_pdf([print_lines([BREAD]), print_lines([TIDE])]))
    (document,) = data(view(path, ["fixed:size=60"]).html)["documents"]
    assert document["sheets"].keys() == {"1", "2"}
    sheet = document["sheets"]["1"]
    assert (sheet["width"], sheet["height"]) == (612, 792)
    picture = Image.open(BytesIO(b64decode(sheet["image"].removeprefix("data:image/webp;base64,"))))
    assert picture.size == pytest.approx((sheets.WIDTH, sheets.WIDTH * 792 / 612), abs=1)
    (one,) = document["views"]
    assert len(one["boxes"]) == len(one["pages"]) == len(one["chunks"])
    assert one["pages"][0] == [1, 1]
    assert one["pages"][-1] == [2, 2]
    assert all(0 < left < right <= 612 for boxes in one["boxes"] for _, left, _, right, _ in boxes)


def test_without_what_draws_there_are_no_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tides.pdf"
    path.write_bytes(printed_pdf([print_lines([BREAD])]))
    monkeypatch.setattr(sheets, "find_spec", lambda name: None)
    (document,) = data(view([read_source(str(path))], ["fixed:size=60"]).html)["documents"]
    assert "sheets" not in document
    assert document["views"][0]["pages"][0] == [1, 1]


def test_a_page_of_any_size_is_drawn() -> None:
    source = Source("a.pdf", "x", [], printed_pdf([print_lines(["Tea."])], rotate=90))
    assert draw_pages(source, [1])[1]["width"] == 792
