"""What PyMuPDF reads of a file becomes the same text as what we read."""

from __future__ import annotations

import pytest
from fakes.documents.opened import Opened, Page, Span

from caesura.errors import SettingError
from caesura_documents.pdf import from_pymupdf

LINES = ["The ferry leaves the har-", "bour at nine in the morn-", "ing, and comes back."]


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
