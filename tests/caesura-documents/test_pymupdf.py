"""What PyMuPDF reads of a file becomes the same text as what we read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from caesura.errors import SettingError
from caesura_documents.pdf import from_pymupdf

LINES = ["The ferry leaves the har-", "bour at nine in the morn-", "ing, and comes back."]


class Span(dict[str, Any]):
    """A span of `rawdict`, ten points high, whose letters are five points wide."""

    def __init__(self, text: str, left: float, base: float, font: str = "Helvetica", flags: int = 0) -> None:
        chars = [
            {"c": mark, "bbox": (left + 5 * n, base - 8, left + 5 * n + 5, base + 2), "origin": (left + 5 * n, base)}
            for n, mark in enumerate(text)
        ]
        super().__init__(size=10.0, font=font, flags=flags, chars=chars)


class Page:
    """A page as PyMuPDF gives it."""

    def __init__(
        self, lines: list[list[Span]], rotation: int = 0, matrix: tuple[float, ...] = (1, 0, 0, 1, 0, 0)
    ) -> None:
        self.rect = SimpleNamespace(width=612.0, height=792.0)
        self.rotation = rotation
        self.rotation_matrix = SimpleNamespace(**dict(zip("abcdef", matrix, strict=True)))
        self.lines = lines

    def get_label(self) -> str:
        return ""

    def get_text(self, form: str) -> dict[str, Any]:
        assert form == "rawdict"
        return {"blocks": [{"type": 1}, {"lines": [{"dir": (1.0, 0.0), "spans": spans} for spans in self.lines]}]}

    def get_drawings(self) -> list[Any]:
        return [{"rect": (72, 100, 300, 100.5)}, {"rect": (0, 0, 600, 700)}]

    def get_images(self) -> list[Any]:
        return [] if self.lines else [1]


class Opened:
    """A document as PyMuPDF gives it."""

    def __init__(self, *pages: Page) -> None:
        self.pages = pages
        self.page_count = len(pages)
        self.metadata = {"title": "Ferries", "author": None, "format": "PDF 1.7"}
        self.name = "ferry.pdf"

    def load_page(self, number: int) -> Page:
        return self.pages[number]

    def get_toc(self) -> list[Any]:
        return [[1, "Hours", 1], [2, "Elsewhere", -1]]


def test_its_words_are_read_with_their_boxes_and_headings() -> None:
    lines = [[Span("Hours", 72, 90)], *([Span(line, 72, 120 + 12 * n)] for n, line in enumerate(LINES))]
    parsed = from_pymupdf(Opened(Page(lines)))
    assert parsed.text == "# Hours\n\nThe ferry leaves the harbour at nine in the morning, and comes back."
    assert parsed.layout[1]["box"] == [72.0, 112.0, 197.0, 146.0]
    assert parsed.layout[1]["headings"] == ["Hours"]
    assert (parsed.source, parsed.metadata) == ("ferry.pdf", {"title": "Ferries"})


def test_a_word_in_two_spans_is_one_and_type_is_known() -> None:
    parsed = from_pymupdf(
        Opened(
            Page([[Span("tide", 72, 90, "Courier"), Span("s", 92, 90, "Courier")], [Span("rise()", 72, 102, "x", 8)]])
        )
    )
    assert parsed.text == "```\ntides\nrise()\n```"


def test_boxes_of_a_turned_page_are_those_of_the_page_as_it_is_shown() -> None:
    lines = [[Span(line, 72, 120 + 12 * n)] for n, line in enumerate(LINES)]
    parsed = from_pymupdf(Opened(Page(lines, 90, (0, 1, -1, 0, 792, 0))))
    assert parsed.text.startswith("The ferry leaves the harbour")
    assert parsed.layout[0]["box"] == [792.0 - 146, 72.0, 792.0 - 112, 197.0]


def test_pages_that_are_pictures_are_named_and_other_things_refused() -> None:
    said: list[str] = []
    from_pymupdf(Opened(Page([[Span("Tea.", 72, 90)]]), Page([])), said.append)
    assert said == [
        "the PDF ferry.pdf has no text on page 2, which may be scanned: read the file with OCR first to have it"
    ]
    with pytest.raises(ValueError, match=r"the PDF ferry\.pdf has 1 page without text"):
        from_pymupdf(Opened(Page([])))
    with pytest.raises(SettingError, match=r"must be a Document of PyMuPDF, as pymupdf.open\(path\), got str"):
        from_pymupdf("ferry.pdf")
