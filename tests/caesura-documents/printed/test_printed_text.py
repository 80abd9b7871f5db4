"""Pages become one text: the order of its parts, and what running heads and notes do in it."""

from __future__ import annotations

from time import process_time

from fakes.documents import report

from caesura_documents.printed.page import LinePiece, PrintedPage
from caesura_documents.printed.printed_text import print_text


def page(number: int, lines: list[str], label: str | None = None) -> PrintedPage:
    pieces = [
        LinePiece(line, 72, 80 + 12 * n, 72 + 5 * len(line), 90 + 12 * n, 88 + 12 * n, 10)
        for n, line in enumerate(lines)
    ]
    return PrintedPage(number, label, 612, 792, pieces)


def test_a_report_of_40_pages_is_read_without_its_heads_and_with_whole_sentences() -> None:
    pages = [page(number, lines) for number, lines in enumerate(report.PAGES, 1)]
    found = print_text(pages)
    text = found.text.finish(None).text
    entries = found.text.layout
    assert found.blank == []
    assert {entry["page"] for entry in entries} == {number for number, lines in enumerate(report.PAGES, 1) if lines}
    assert "Annual Report 2026" not in text
    assert len(set(text.split()) & set(" ".join(report.PAGES[10]).split())) > 10
    assert [entry["start"] for entry in entries] == sorted({entry["start"] for entry in entries})


def test_a_page_number_that_is_the_label_goes_and_other_numbers_stay() -> None:
    pages = [
        page(1, ["ii", "The ferry leaves at nine.", "It comes back at noon."], "ii"),
        page(2, ["7", "Tides.", "Low."]),
    ]
    assert (
        print_text(pages).text.finish(None).text == "The ferry leaves at nine. It comes back at noon.\n\n7 Tides. Low."
    )


def test_no_pages_and_empty_pages_are_no_text() -> None:
    assert print_text([]).text.finish(None).text == ""
    empty = [page(1, []), page(2, [])]
    empty[1].has_picture = True
    found = print_text(empty)
    assert (found.text.finish(None).text, found.blank) == ("", [2])


def test_many_pages_and_many_lines_take_linear_time() -> None:
    start = process_time()
    print_text([page(number, [f"A line of page {number}, the {n}th." for n in range(40)]) for number in range(1, 301)])
    print_text([page(1, ["a b c d"] * 20_000)])
    assert process_time() - start < 12


def test_a_figure_at_a_pages_edge_comes_after_the_sentence_that_it_interrupts() -> None:
    first = page(
        1, ["The harbour has a crane that lifts as much as the", "ships of the island have brought in each of the"]
    )
    second = page(2, ["Figure 3: The crane", "years since the war."])
    second.pieces[1].base += 40
    assert print_text([first, second]).text.finish(None).text == (
        "The harbour has a crane that lifts as much as the ships of the island have brought in each of the years since "
        "the war.\n\nFigure 3: The crane"
    )


def test_page_numbers_in_other_figures_and_heads_of_other_parts_go() -> None:
    heads = ["ii  PREFACE", "2  TIDES", "3  TIDES", "4  FARES", "5  FARES", "6  FARES", "7  FARES"]
    pages = [page(number, [f"Of {name} and so on.", f"It ends {name}."]) for number, name in enumerate("abcdefg", 1)]
    for one, head in zip(pages, heads, strict=True):
        one.pieces.append(LinePiece(head, 72, 32, 200, 42, 40, 10))
        one.pieces.append(LinePiece("iv" if one.number == 1 else str(one.number), 300, 752, 310, 762, 760, 10))
    text = print_text(pages).text.finish(None).text
    assert text.split() == " ".join(f"Of {name} and so on. It ends {name}." for name in "abcdefg").split()
