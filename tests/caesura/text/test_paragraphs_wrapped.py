"""Sentences go on across lines and pages: plain text that is wrapped, and text out of a PDF."""

from __future__ import annotations

import re

import pytest
from fakes.texts.document_kinds import bare, read


@pytest.mark.parametrize(
    "sentence",
    [
        (
            "Rev. P. J.\nHollis had it looked at in 1953 by a Mr. Tull of Tull &\nSons Ltd., "
            "who tapped it for an hour and charged £4 10s."
        ),
        "The nearest foundry, how-\never, closed in 1987.",
        "Visitors from the U.S. have asked whether\nit could be recast.",
    ],
)
def test_sentences_of_plain_prose_go_on_across_lines(sentence: str) -> None:
    assert sentence in bare(read("sample.txt"))


@pytest.mark.parametrize(
    "sentence",
    [
        (
            "Because the lower shelves stand\nonly 10 cm above the floor, "
            "the boxes on them had begun to draw in mois-\nture."
        ),
        "Dr. Sabatier of the regional laboratory took samples from\ntwelve boxes, and found live spores in two.",
        (
            "Each load\nstayed in the chamber for about three weeks "
            "(the registers, which are bound\nin leather, for five)."
        ),
        "The costs came to € 18,400 in all, i.e. some € 190\nper wet box.1",
    ],
)
def test_sentences_of_a_pdf_go_on_across_lines(sentence: str) -> None:
    assert sentence in bare(read("pdf.txt"))


def test_the_header_of_a_page_is_joined_to_no_sentence() -> None:
    found = bare(read("pdf.txt"))
    headers = [unit for unit in found if "Municipal Archive" in unit]
    assert len(headers) == 2
    assert all(
        re.fullmatch(r"Municipal Archive of Tarn +Report on the Water Damage of 2019\n +[45]", unit) for unit in headers
    )
    at = found.index(headers[1])
    assert found[at - 1].endswith("and we were able to")
    assert found[at + 1] == "stop the mould before it had spread beyond the parish registers."


@pytest.mark.parametrize("page", ["\f", "\n\f", "\f\n", "\n\f\n"])
def test_a_sentence_goes_on_across_a_page_without_a_header(page: str) -> None:
    sentence = (
        f"The dairy lent us a cold room, and we were able to{page}stop the mould before it had spread to the registers."
    )
    assert bare(f"Freezing began at once. {sentence} Nothing was lost.") == [
        "Freezing began at once.",
        sentence,
        "Nothing was lost.",
    ]


@pytest.mark.parametrize("page", ["\f", "\n\f", "\f\n"])
def test_a_page_that_ends_with_a_sentence_ends_a_unit(page: str) -> None:
    assert bare(f"Freezing began at once.{page}Nothing was lost.") == ["Freezing began at once.", "Nothing was lost."]
