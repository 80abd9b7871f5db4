"""What PDFium reads of a page: words with their type, rules, pictures and bookmarks, in any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from fakes.documents.pdf import Printed, print_lines, printed_pdf

from caesura_documents.pdf import from_pdf
from caesura_documents.printed import pdfium
from caesura_documents.printed.pdfium import read_file, render_pages

LINES = ["The ferry leaves at nine.", "It comes back at noon."]


def test_words_have_their_places_and_type() -> None:
    page = [Printed("Tides", 72, 100, 14, "bold"), Printed("low()", 300, 100, 9, "mono"), *print_lines(LINES, base=130)]
    (found,) = read_file(printed_pdf([page], drawn="72 600 200 0.5 re f\n", pictures=[0])).pages
    title, code, first, _ = found.pieces
    assert (title.text, round(title.size), title.bold, title.mono) == ("Tides", 14, True, False)
    assert (code.text, round(code.size), code.bold, code.mono) == ("low()", 9, False, True)
    assert (first.left, first.base) == (pytest.approx(72, abs=1), pytest.approx(130, abs=1))
    assert found.rules == [(pytest.approx(72, abs=1), pytest.approx(191.75, abs=1), pytest.approx(272, abs=1))]
    assert found.has_picture


def test_bookmarks_and_metadata_are_those_of_the_file() -> None:
    found = read_file(printed_pdf([print_lines(LINES)] * 2, bookmarks=[("Fees", 1), ("Hours", 0)], info={"Title": "T"}))
    assert [(mark.level, mark.title, mark.page) for mark in found.bookmarks] == [(1, "Fees", 2), (1, "Hours", 1)]
    assert found.metadata == {"Title": "T"}


def test_a_page_that_cannot_be_read_is_named_and_the_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = pdfium.PrintedPage

    def fail(number: int, *rest: object) -> object:
        if number == 2 and rest[1:] != (0, 0):
            raise KeyError("broken")
        return read(number, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pdfium, "PrintedPage", fail)
    said: list[str] = []
    parsed = from_pdf(printed_pdf([print_lines([f"Page {name}."]) for name in "abc"]), said.append)
    assert parsed.text == "Page a.\n\nPage c."
    assert said == ["the PDF is damaged: page 2 could not be read: open it in a viewer, and save or print it anew"]


def test_threads_read_one_after_the_other() -> None:
    files = [printed_pdf([print_lines([f"File {number}."]) for _ in range(3)]) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        texts = [parsed.text for parsed in pool.map(from_pdf, files)]
    assert [text[:7] for text in texts] == [f"File {number}." for number in range(8)]


def test_pages_are_drawn_in_the_width_that_is_asked_for() -> None:
    data = printed_pdf([print_lines(LINES)] * 3)
    pictures = list(render_pages(data, [3, 1], 300))
    assert [(number, size) for number, size, _ in pictures] == [(3, (612, 792)), (1, (612, 792))]
    assert all(abs(picture.width - 300) <= 1 for _, _, picture in pictures)
