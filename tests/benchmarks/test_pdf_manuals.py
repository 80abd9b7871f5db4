"""The questions about PDF manuals: enough of them, half kept by a fixed rule; and passages with their pages."""

from __future__ import annotations

from collections import Counter
from types import ModuleType

import pytest
from fakes.lab import measurement


@pytest.fixture(scope="module")
def pdf() -> ModuleType:
    return measurement("pdf_manuals")


def test_there_are_enough_questions_about_each_of_eighteen_manuals(pdf: ModuleType) -> None:
    asked, pages = pdf.questions(), {manual.name: manual.pages for manual in pdf.manuals()}
    assert len(pages) == 18
    assert len({each.id for each in asked}) == len({each.question for each in asked}) == 165
    assert Counter(each.kind for each in asked) == {"text": 146, "table": 19}
    assert min(Counter(each.document for each in asked).values()) >= 7
    assert all(1 <= page <= pages[each.document] for each in asked for page in each.pages)
    assert all(each.pages and pdf.squeeze(each.answer) for each in asked)


def test_every_second_question_by_its_hash_is_kept(pdf: ModuleType) -> None:
    asked = pdf.questions()
    assert {each.id: each.kept for each in asked} == pdf.is_kept([each.id for each in asked])
    assert sum(each.kept for each in asked) == 82


def test_a_text_is_squeezed_to_what_any_reader_of_its_page_gives(pdf: ModuleType) -> None:
    assert pdf.squeeze("The ﬁrst Proﬁle,\nhyphen-\nated | “cell”") == "thefirstprofilehyphenatedcell"


def test_passages_are_cut_at_the_budget_and_know_their_pages(pdf: ModuleType) -> None:
    layout = [{"start": 0, "page": "i"}, {"start": 10, "page": "ii"}, {"start": 20, "page": 1}]
    starts = {"a.pdf": pdf.page_starts(layout)}
    assert starts["a.pdf"] == [(0, 1), (10, 2), (20, 3)]
    passage = pdf.placed("a.pdf", "fghij" + "k" * 10 + "z", 5, starts)
    assert passage.pages == [(0, 1), (5, 2), (15, 3)]
    assert passage.sizes() == {1: 5, 2: 10, 3: 1}
    other = pdf.Passage("b.pdf", "o" * 4, [(0, 1)])
    (cut,) = pdf.within([other, passage, passage], 11, "a.pdf")
    assert (cut.text, cut.sizes()) == ("fghijkk", {1: 5, 2: 2})


def test_pages_of_our_reader_are_the_numbers_that_it_says(pdf: ModuleType) -> None:
    layout = [
        {"start": 0, "page": 2, "type": "text"},
        {"start": 7, "page": 2, "type": "table"},
        {"start": 9, "page": 4},
    ]
    assert pdf.page_starts(layout) == [(0, 2), (7, 2), (9, 4)]
    assert pdf.placed("a.pdf", "abcd", 7, {"a.pdf": pdf.page_starts(layout)}).sizes() == {2: 2, 4: 2}
