"""Running heads go, whatever they say; titles of slides, tables and the text of pages stay."""

from __future__ import annotations

from caesura_documents.printed.page import LinePiece, PrintedPage, make_rows
from caesura_documents.printed.running_heads import drop_running

WORDS = ["ferry", "crane", "quay", "pilot", "lock", "buoy", "mast", "cargo", "anchor", "keel"]


def line(text: str, base: float, size: float = 10) -> LinePiece:
    return LinePiece(text, 72, base - 8, 72 + 5 * len(text), base + 2, base, size)


def left(heads: list[str], size: float = 10, gap: float = 40) -> list[list[str]]:
    """What is left of pages with these heads."""
    pages = [
        PrintedPage(number + 20, None, 612, 792, [line(head, 40, size), *text(number, 40 + gap)])
        for number, head in enumerate(heads)
    ]
    drop_running(pages, [make_rows(page.pieces) for page in pages])
    return [[piece.text for piece in page.pieces] for page in pages]


def text(number: int, base: float) -> list[LinePiece]:
    first, second = WORDS[number % 10], WORDS[(number * 3 + number // 10) % 10]
    return [line(f"The {first} of the {second} lies there,", base), line(f"and no {second} is seen.", base + 12)]


TITLES = [f"{word.title()} and its {use}" for use in ("uses", "fees") for word in WORDS][:14]
BODIES = [[piece.text for piece in text(number, 80)] for number in range(14)]


def test_heads_that_say_the_same_or_count_go() -> None:
    assert left(["Harbour report"] * 14) == BODIES
    assert left([f"Tides {number + 3}" for number in range(14)]) == BODIES
    assert left([f"{number + 3} {WORDS[number // 3]}" for number in range(14)]) == BODIES
    assert left([*["Tides"] * 4, *["Fares"] * 10]) == BODIES


def test_a_small_line_apart_at_one_place_goes_whatever_it_says() -> None:
    assert left(TITLES) == BODIES


def test_a_head_of_every_second_page_that_is_elsewhere_a_chapters_title_goes() -> None:
    pages = []
    for number in range(24):
        begins = number % 2 == 1 and number % 8 != 5  # a chapter, whose title is in other type and lower
        head = line(f"The {chr(97 + number)} and its u\u2026", 90 if begins else 40, 20 if begins else 10)
        said = [line(f"{chr(97 + (number + n * n) % 23)} is {WORDS[n]}", 140 + 12 * n + number % 7) for n in range(10)]
        pages.append(PrintedPage(number + 1, None, 612, 792, [head, *said]))
    drop_running(pages, [make_rows(page.pieces) for page in pages])
    assert [len(page.pieces) for page in pages] == [11 if n % 2 == 1 and n % 8 != 5 else 10 for n in range(24)]


def test_titles_in_large_type_and_lines_of_the_text_stay() -> None:
    assert [own[0] for own in left(TITLES, size=20)] == TITLES
    assert [own[0] for own in left(TITLES, gap=12)] == TITLES
    assert left(["Harbour report"] * 2) == [["Harbour report", *body] for body in BODIES[:2]]


def test_no_page_loses_all_that_it_has() -> None:
    pages = [PrintedPage(number, None, 612, 792, [line("Harbour report", 40)]) for number in range(1, 9)]
    drop_running(pages, [make_rows(page.pieces) for page in pages])
    assert all(page.pieces for page in pages)


def test_forms_that_are_alike_keep_their_lines() -> None:
    def form(number: int) -> PrintedPage:
        said = [f"Bill {number + 7}", "Berth fees", "Payable in coins", f"Sum: {number + 40}", WORDS[number]]
        return PrintedPage(number + 1, None, 612, 792, [line(text, 40 + 14 * at) for at, text in enumerate(said)])

    pages = [form(number) for number in range(10)]
    drop_running(pages, [make_rows(page.pieces) for page in pages])
    assert [piece.text for piece in pages[3].pieces] == [
        "Bill 10", "Berth fees", "Payable in coins", "Sum: 43", "pilot"
    ]  # fmt: skip


def test_an_empty_page_loses_its_number_where_most_pages_have_one() -> None:
    def left_of(numbers: range) -> list[int]:
        pages = [
            PrintedPage(
                n,
                None,
                612,
                792,
                [*(text(n, 80) if n % 4 else []), *([line(str(n), 740)] if n in numbers or n == 4 else [])],
            )
            for n in range(1, 13)
        ]
        drop_running(pages, [make_rows(page.pieces) for page in pages])
        return [len(page.pieces) for page in pages][:5]

    assert left_of(range(1, 13)) == [2, 2, 2, 0, 2]
    assert left_of(range(0)) == [2, 2, 2, 1, 2]


def test_a_page_that_has_heads_of_other_pages_alone_loses_them() -> None:
    def left_of(head: str) -> list[str]:
        pages = [
            PrintedPage(n, None, 612, 792, [line("Harbour report", 40), *text(n, 80), line(f"{n}  Tides", 740)])
            for n in range(1, 13)
        ]
        pages[5].pieces = [line(head, 40), line("6  Tides", 740)]
        drop_running(pages, [make_rows(page.pieces) for page in pages])
        return [piece.text for piece in pages[5].pieces]

    assert left_of("Harbour report") == []
    assert left_of("The end of the tides") != []


def test_a_page_without_text_loses_the_head_of_its_chapter_though_no_other_page_has_it() -> None:
    def left_of(foot: str) -> list[str]:
        pages = [
            PrintedPage(n, None, 612, 792, [line("Harbour report", 40), *text(n, 80), line(f"{n}  Tides", 740)])
            for n in range(1, 13)
        ]
        pages[5].pieces = [line("Harbour report", 40), line(foot, 740)]
        drop_running(pages, [make_rows(page.pieces) for page in pages])
        return [piece.text for piece in pages[5].pieces]

    assert left_of("6  Chapter 2. The pump") == left_of("Chapter 2. The pump  6") == []
    for said in ("Chapter 2. The 6 pumps", "60 pumps"):
        assert left_of(said)[-1:] == [said]


def test_the_title_of_a_chapter_that_its_heads_repeat_stays() -> None:
    pages = []
    for number in range(1, 17):
        name, is_first = f"Chapter {(number + 3) // 4}", number % 4 == 1
        said = [line(name, 300, 24)] if is_first else [line(name, 40), *text(number, 80)]
        pages.append(PrintedPage(number, None, 612, 792, [*said, line(str(number), 740)]))
    drop_running(pages, [make_rows(page.pieces) for page in pages])
    assert [pages[first].pieces[0].text for first in (0, 4, 8, 12)] == [f"Chapter {n}" for n in range(1, 5)]
    assert [len(page.pieces) for page in pages[1:4]] == [2, 2, 2]
