"""The number and the label of a page, of what loaders say today."""

from __future__ import annotations

from typing import Any

import pytest

from caesura_documents.page_numbers import is_noise, page_of, pages_of, roman_number

MADE = {"producer": "p", "creator": "c", "creationdate": "2026-01-02", "moddate": "2026-01-02"}
PDFIUM = {"creationdate": "D:20260102", "source": "a.pdf", "total_pages": 3}
LOADED = {
    "PyPDFLoader": [
        {**MADE, "source": "a.pdf", "total_pages": 3, "page": n, "page_label": str(n + 1)} for n in range(3)
    ],
    "PyMuPDFLoader": [
        {**MADE, "modDate": "D:2026", "format": "PDF 1.7", "total_pages": 3, "page": n} for n in range(3)
    ],
    "PyPDFium2Loader": [{**PDFIUM, "page": n} for n in range(3)],
    "PDFReader": [{"file_name": "a.pdf", "page_label": str(n)} for n in (1, 2, 3)],
    "PDFReader of a file with other labels": [
        {"file_name": "a.pdf", "page_label": label} for label in ("ii", "1", "2")
    ],
    "PyMuPDF4LLM": [{"page": n, "total_pages": 3, "file_path": "a.pdf"} for n in (1, 2, 3)],
    "pypdf by hand": [{"source": "a.pdf", "page": n} for n in (1, 2, 3)],
}


@pytest.mark.parametrize("pages", LOADED.values(), ids=LOADED)
def test_pages_of_loaders_are_counted_from_1(pages: list[dict[str, Any]]) -> None:
    assert [one.page for one in pages_of(pages, ["page", "page_label"])] == [1, 2, 3]
    assert [one.label for one in pages_of(pages, ["page", "page_label"])] == [one.get("page_label") for one in pages]


@pytest.mark.parametrize("loader", ["PyPDFLoader", "PyMuPDFLoader", "PyPDFium2Loader"])
def test_a_single_page_of_langchains_loaders_is_counted_from_1(loader: str) -> None:
    assert [page_of(page).page for page in LOADED[loader]] == [1, 2, 3]
    assert [one.page for one in pages_of(LOADED[loader][1:], ["page"])] == [2, 3]


def test_a_label_that_is_the_next_number_says_that_the_count_begins_at_0() -> None:
    assert page_of({"page": 2, "page_label": "3"}) == (3, "3")
    assert page_of({"page": 3, "page_label": "3"}) == (3, "3")
    assert page_of({"page": 3, "page_label": "iii"}) == (3, "iii")


@pytest.mark.parametrize(
    "metadata", [{}, {"page": None}, {"page": [1]}, {"page": True}, {"page": 1.5}, {"page": {"a": 1}}, {"other": 7}]
)
def test_what_is_no_page_has_no_number(metadata: dict[str, Any]) -> None:
    assert not isinstance(page_of(metadata).page, (int, str)) or metadata == {"page": True}


def test_keys_of_how_a_file_was_made_are_known_in_any_spelling() -> None:
    assert all(map(is_noise, ["producer", "modDate", "ModDate", "trapped", "total_pages", "ptex.fullbanner"]))
    assert not any(map(is_noise, ["title", "author", "subject", "source", "page", 7, None]))


def test_roman_numbers_are_read_as_they_are_written() -> None:
    ones = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
    tens = [one.translate(str.maketrans("ivx", "xlc")) for one in ones]
    written = [f"{'c' * (number // 100)}{tens[number // 10 % 10]}{ones[number % 10]}" for number in range(200)]
    assert [*map(roman_number, written)] == [None, *range(1, 200)]
    assert not any(map(roman_number, ["iiii", "iix", "vv", "xxxx", "ic", "14", "XIV", "xiv "]))
