"""A PDF is read as it is printed: in its order, whole, without running heads, and with the place of every part."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest
from fakes.documents.pdf import Printed, pdf_bytes, print_lines, printed_pdf
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import SettingError
from caesura_documents import pdf
from caesura_documents.layout import LAYOUT, DocumentLayout
from caesura_documents.parsed_text import ParsedDocument
from caesura_documents.pdf import from_pdf

FERRY = [
    "The ferry leaves the harbour at nine in the morning, and comes back at",
    "noon. In winter it does not sail on Sundays, nor when the wind is over",
    "force eight. Tickets are sold on the quay.",
]
TIDE = [
    "The moon pulls at the sea, which rises and falls twice a day. A narrow",
    "bay has the highest tides, since the water has nowhere else to go when",
    "it comes in from the wide sea.",
]


WORDS = "ferry crane quay pilot lock buoy mast cargo anchor".split()  # noqa: SIM905


def prose(number: int) -> list[str]:
    """Lines that no other number has."""
    first, second, third = (WORDS[number * step % 9] for step in (1, 2, 4))
    return [
        f"Once the {first} of the {second} had met the {third} on the way to",
        f"the {second}, where it was said that the {first} would not come.",
        f"The {third} went home.",
    ]


def read(pages: list[list[Printed]], **settings: Any) -> ParsedDocument:
    """A PDF, of which nothing is missing."""
    return from_pdf(printed_pdf(pages, **settings), pytest.fail)


def kinds(parsed: ParsedDocument) -> list[tuple[str, str]]:
    """The type and the text of each entry of a layout."""
    starts = [entry["start"] for entry in parsed.layout]
    ends = [*starts[1:], len(parsed.text)]
    return [
        (entry["type"], parsed.text[start:end].strip())
        for entry, start, end in zip(parsed.layout, starts, ends, strict=True)
    ]


# -- the text ----------------------------------------------------------------------------------------------------------


def test_lines_of_a_paragraph_are_one_and_a_gap_parts_paragraphs() -> None:
    parsed = read([[*print_lines(FERRY), *print_lines(TIDE, base=90 + 5 * 12)]])
    assert parsed.text == f"{' '.join(FERRY)}\n\n{' '.join(TIDE)}"
    assert [entry["page"] for entry in parsed.layout] == [1, 1]


def test_words_divided_at_the_end_of_a_line_are_whole() -> None:
    lines = [
        "The divers found an exam-",
        "ple of a well-",
        "known bell; the well-known bell of Bris-",
        "tol, made in 1720-",
        "1725 by the Anglo-",
        "Saxon smith.",
    ]
    parsed = read([print_lines(lines)])
    assert parsed.text == (
        "The divers found an example of a well-known bell; the well-known bell of Bristol, made in 1720-1725 by the "
        "Anglo-Saxon smith."
    )


def test_columns_are_read_one_after_the_other_and_a_paragraph_goes_on_over_them() -> None:
    left = [f"The left column has line {number} of its" for number in range(12)]
    right = [f"and the right one has line {number} of" for number in range(12)]
    title = [Printed("A title that stands across both of the columns of the page", 72, 70, 18, "bold")]
    page = [
        *title,
        *(line for pair in zip(print_lines(left, 72, 110), print_lines(right, 330, 110), strict=True) for line in pair),
    ]
    parsed = read([page])
    assert kinds(parsed)[0] == ("title", "# A title that stands across both of the columns of the page")
    assert parsed.text.endswith(" ".join([*left, *right]))
    assert [entry["box"][0] < 300 for entry in parsed.layout] == [True, True, False]


def test_cells_in_columns_are_no_columns_of_text_but_a_table_with_its_head() -> None:
    rows = [("Port", "Height", "Since"), ("Brest", "6.9", "1846"), ("Cork", "3.7", "1850"), ("Dover", "5.9", "1843")]
    page = [
        *print_lines(FERRY),
        *(
            Printed(cell, 72 + 150 * column, 150 + 14 * row, font="plain" if row else "bold")
            for row, cells in enumerate(rows)
            for column, cell in enumerate(cells)
        ),
        *print_lines(TIDE, base=240),
    ]
    parsed = read([page])
    assert [kind for kind, _ in kinds(parsed)] == ["text", "table", "text"]
    assert kinds(parsed)[1][1] == (
        "| Port | Height | Since |\n| --- | --- | --- |\n| Brest | 6.9 | 1846 |\n| Cork | 3.7 | 1850 |\n"
        "| Dover | 5.9 | 1843 |"
    )


def test_a_cell_of_several_lines_is_one_and_a_line_below_heads_parts_them() -> None:
    rows = [
        [Printed("Option", 72, 100), Printed("Meaning", 200, 100)],
        [Printed("--size", 72, 116), Printed("how long a chunk may be, in", 200, 116)],
        [Printed("characters or tokens", 200, 128)],
        [Printed("--overlap", 72, 146), Printed("how much is repeated", 200, 146)],
        [Printed("--unit", 72, 164), Printed("characters or tokens", 200, 164)],
    ]
    parsed = read([[line for row in rows for line in row]], drawn="72 686 300 0.5 re f\n")
    assert parsed.text == (
        "| Option | Meaning |\n| --- | --- |\n| --size | how long a chunk may be, in characters or tokens |\n"
        "| --overlap | how much is repeated |\n| --unit | characters or tokens |"
    )


def test_a_table_goes_on_over_a_page_with_its_head_once() -> None:
    def page(first: int) -> list[Printed]:
        rows = [("Port", "Height"), *((f"Port {number}", f"{number}.5") for number in range(first, first + 4))]
        return [
            Printed(cell, 72 + 150 * column, 90 + 14 * row)
            for row, cells in enumerate(rows)
            for column, cell in enumerate(cells)
        ]

    parsed = read([page(0), page(4)])
    assert parsed.text.count("| Port | Height |") == 1
    assert parsed.text.count("\n| Port ") == 8
    assert [(entry["type"], entry["page"]) for entry in parsed.layout] == [("table", 1), ("table", 2)]


def test_running_heads_and_page_numbers_are_left_out() -> None:
    chapters = ["Tides", "Tides", "Ferries", "Ferries", "Fares", "Fares", "Fares"]
    pages = [
        [
            Printed(chapter, 72, 40, 8),
            *print_lines(prose(number)),
            Printed(f"Handbook {number + 11}", 300, 760, 8),
        ]
        for number, chapter in enumerate(chapters)
    ]
    text = read(pages).text
    assert "Handbook" not in text
    assert text.split("\n\n") == [" ".join(prose(number)) for number in range(7)]


def test_a_paragraph_goes_on_over_a_page_and_its_footnote_comes_after_it() -> None:
    note = print_lines(["1Since 1846, when the first gauge was built."], base=700, size=7)
    pages = [[*print_lines(TIDE[:2]), *note], print_lines([*TIDE[2:], *FERRY])]
    parsed = read(pages)
    assert kinds(parsed) == [
        ("text", " ".join(TIDE[:2])),
        ("text", TIDE[2]),
        ("footnote", "1 Since 1846, when the first gauge was built."),
        ("text", " ".join(FERRY)),
    ]
    assert parsed.text.startswith(" ".join(TIDE))
    assert [entry["page"] for entry in parsed.layout] == [1, 2, 1, 2]
    said = DocumentLayout.of({LAYOUT: parsed.layout}).pages([chunk(parsed, 0, 200), chunk(parsed, 150, 240)])
    assert (said["page_start"], said["page_end"]) == ([1, 1], [2, 2])


def chunk(parsed: ParsedDocument, start: int, end: int) -> Any:
    from caesura.types import Chunk

    return Chunk(parsed.text[start:end], start, min(end, len(parsed.text)))


def test_lists_and_code_keep_their_lines() -> None:
    lines = [
        *print_lines(["These are sold on the quay:"]),
        *print_lines(["\x95 tickets for one day, which are good for", "any ferry", "\x95 tickets for a week"], 84, 114),
        *print_lines(["def tide(hour):", "    return height[hour]"], 72, 170, font="mono"),
    ]
    parsed = read([lines])
    assert kinds(parsed) == [
        ("text", "These are sold on the quay:"),
        ("list_item", "- tickets for one day, which are good for any ferry"),
        ("list_item", "- tickets for a week"),
        ("code", "```\ndef tide(hour):\n    return height[hour]\n```"),
    ]


# -- headings and titles -----------------------------------------------------------------------------------------------


def sections(font: str = "bold", size: float = 14) -> list[list[Printed]]:
    """Four pages with a heading each."""
    return [
        [Printed(f"{number} Harbour {name}", 72, 80, size, font), *print_lines(prose(number), base=110)]
        for number, name in enumerate(("fees", "hours", "lights", "rules"), 1)
    ]


@pytest.mark.parametrize(("font", "size"), [("bold", 14), ("plain", 16), ("bold", 10)])
def test_headings_are_known_by_their_type(font: str, size: float) -> None:
    parsed = read(sections(font, size))
    assert [text for kind, text in kinds(parsed) if kind == "section_header"] == [
        "# 1 Harbour fees", "# 2 Harbour hours", "# 3 Harbour lights", "# 4 Harbour rules"
    ]  # fmt: skip
    assert parsed.layout[-1]["headings"] == ["4 Harbour rules"]


def test_headings_and_levels_are_those_of_the_files_own_outline() -> None:
    marks = [("Harbour fees", 0), ("2 Harbour hours", 1), ("Harbour Lights", 2), ("Rules", 3)]
    parsed = read(sections("plain", 10), bookmarks=marks)
    assert [text for kind, text in kinds(parsed) if kind == "section_header"] == [
        "# 1 Harbour fees", "# 2 Harbour hours", "# 3 Harbour lights"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ({"Title": "Tide tables"}, "Tide tables"),
        ({"Title": "Microsoft Word - tides_v2.doc"}, "The tides of Brest"),
        ({"Title": "  "}, "The tides of Brest"),
        ({"Title": "untitled"}, "The tides of Brest"),
        ({}, "The tides of Brest"),
    ],
)
def test_the_title_is_that_of_the_file_or_the_first_large_heading(said: dict[str, str], title: str) -> None:
    page = [Printed("The tides of Brest", 72, 90, 24, "bold"), *print_lines(TIDE, base=130)]
    parsed = read([page, print_lines(FERRY)], info={**said, "Author": "Ann", "Producer": "x", "ModDate": "D:2020"})
    assert parsed.metadata == {"title": title, "author": "Ann"}


# -- places ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_boxes_are_points_from_the_upper_left_of_the_page_as_it_is_shown(rotate: int) -> None:
    parsed = read([print_lines(FERRY, left=100, base=200)], rotate=rotate)
    assert parsed.text == " ".join(FERRY)
    left, top, right, bottom = parsed.layout[0]["box"]
    wide, high = right - left, bottom - top
    assert (wide, high) == (pytest.approx(330, abs=40), pytest.approx(34, abs=4)) or rotate % 180
    near = {0: (100, 192), 90: (792 - 226, 100), 180: (612 - 100 - wide, 792 - 226), 270: (192, 612 - 100 - high)}
    assert (left, top) == pytest.approx(near[rotate], abs=4)


def test_text_that_is_turned_on_its_page_is_read_too() -> None:
    data = printed_pdf([[Printed("x", 0, 0)]])
    turned = "".join(f"BT /plain 10 Tf 0 1 -1 0 {100 + 12 * n} 100 Tm ({line}) Tj ET\n" for n, line in enumerate(FERRY))
    data = printed_pdf([[]], drawn=turned)
    parsed = from_pdf(data, pytest.fail)
    assert parsed.text == " ".join(FERRY)
    left, top, right, bottom = parsed.layout[0]["box"]
    assert right - left < 50 < 250 < bottom - top


def test_labels_are_kept_apart_from_numbers() -> None:
    pages = [print_lines([f"{line} ({number})" for line in FERRY]) for number in range(3)]
    parsed = read(pages, labels="0 << /S /r >> 2 << /S /D >>")
    assert [(entry["page"], entry["label"]) for entry in parsed.layout] == [(1, "i"), (2, "ii"), (3, "1")]
    assert "label" not in read(pages).layout[0]


@law()
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["tide", "quay", "ferry", "1846", "-", "Port"]), st.integers(0, 5), st.integers(0, 30)
            ),
            max_size=14,
        ),
        min_size=1,
        max_size=2,  # what stands on three pages may be a running head
    )
)
def test_every_word_is_in_the_text_and_every_entry_at_its_place(drawn: list[list[tuple[str, int, int]]]) -> None:
    pages = [
        [
            Printed(f"{word} {page}", 60 + 80 * x, 80 + 20 * y)
            for word, x, y in {(x, y): (word, x, y) for word, x, y in own}.values()
        ]
        for page, own in enumerate(drawn)
    ]
    if not any(pages):
        return
    parsed = from_pdf(printed_pdf(pages), pytest.fail)
    wanted = sorted(word for page in pages for line in page for word in line.text.split() if word.isalnum())
    found = sorted(word for word in parsed.text.replace("|", " ").split() if word.isalnum())
    assert found == wanted
    starts = [entry["start"] for entry in parsed.layout]
    assert starts == sorted(starts)
    assert starts[0] == 0
    for entry in parsed.layout:
        left, top, right, bottom = entry["box"]
        assert 0 <= left < right <= 612
        assert 0 <= top < bottom <= 792
        assert 1 <= entry["page"] <= len(pages)


# -- what cannot be read -----------------------------------------------------------------------------------------------


def test_pages_without_text_that_have_a_picture_are_named() -> None:
    said: list[str] = []
    pages = [print_lines(FERRY), [], print_lines(TIDE), [], []]
    from_pdf(printed_pdf(pages, pictures=[1, 3]), said.append)
    assert said == ["the PDF has no text on pages 2, 4, which may be scanned: read the file with OCR first to have it"]
    with pytest.warns(UserWarning, match="no text on pages 2, 4") as caught:
        from_pdf(printed_pdf(pages, pictures=[1, 3]))
    assert caught[0].filename == __file__


def locked(password: str) -> bytes:
    writer, out = pypdf.PdfWriter(clone_from=BytesIO(pdf_bytes([FERRY]))), BytesIO()
    writer.encrypt(password, algorithm="RC4-128")
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (printed_pdf([[], []]), "has 2 pages without text: if they are scanned, read them with OCR first"),
        (pdf_bytes([[]]), "has 1 page without text"),
        (locked("secret"), "asks for a password: save it without one"),
        (pdf_bytes([FERRY])[:60], "cannot be read"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "cannot be read"),
        (b"", "cannot be read, for it is empty: "),
        (b"Tea.", r"cannot be read, for it begins with b'Tea.': "),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_what_to_do(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file.pdf"
    path.write_bytes(data)
    for file in (data, path, str(path)):
        with pytest.raises(ValueError, match=said) as raised:
            from_pdf(file)
        assert str(raised.value).startswith("the PDF " if file is data else f"the PDF {path} ")


def test_a_file_that_is_not_there_and_what_is_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        from_pdf(tmp_path / "none.pdf")
    with pytest.raises(SettingError, match="must be the path of a PDF or its bytes, got int 7"):
        from_pdf(7)  # type: ignore[arg-type]


def test_an_owners_password_and_none_for_readers_is_no_hindrance() -> None:
    assert from_pdf(locked("")).text == " ".join(FERRY)


def test_without_the_reader_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r'pip install "caesura-documents\[pdf\]"'):
        from_pdf(b"%PDF-1.4")


@law()
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    whole = bytearray(printed_pdf([print_lines(FERRY), print_lines(TIDE)], bookmarks=[("Tides", 1)]))
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(whole)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parsed = from_pdf(bytes(whole[end:] if data.draw(st.booleans()) else whole))
        except ValueError:
            return
    assert parsed.text.strip()
