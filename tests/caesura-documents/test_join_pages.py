"""Pages become one text: what is left out, what stands between them, and where in each page a character was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import naive.pages
import pytest
from fakes.documents import report
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import SettingError
from caesura.text.sentences import sentences, units
from caesura.types import Chunk
from caesura_documents import join_pages as module
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.join_pages import LoadedPage, join_sources, join_texts, shared_metadata, warn_of_glued_pages
from caesura_documents.layout import LAYOUT
from caesura_documents.page_numbers import pages_of

WORDS = "ferry crane quay pilot lock buoy mast cargo".split()  # noqa: SIM905
LINES = ("Report", "Report 7", "ACME", "a tide", "  a tide", "", "-- 3 --", "| a | 1 |", "x  y", "____", "12", "\rb")


def body(number: int) -> str:
    """Text of a page that no other page has."""
    first, second = WORDS[number % 8], WORDS[number * 3 % 7]
    return f"{first} and {second} met in the {'old ' * (number % 5)}yard,\nwhere {second} number {number} sank."


def kept(pages: Sequence[str]) -> list[str]:
    """What is left of each page, by the layout."""
    text, layout = join_texts(pages, range(len(pages)))
    ends = [*(entry["start"] for entry in layout[1:]), len(text)]
    return [text[entry["start"] : end].rstrip() for entry, end in zip(layout, ends, strict=True)]


def pieces(text: str) -> list[str]:
    edges = units(text).tolist()
    return [text[start:end] for start, end in pairwise(edges)]


# -- where everything is ----------------------------------------------------------------------------------------------


drawn_lines = st.sampled_from(LINES) | st.sampled_from(WORDS)
drawn_pages = st.lists(
    st.builds(
        lambda top, lines, bottom: "\n".join([*top, *lines, *bottom]),
        st.sampled_from(([], ["Report 2026"], ["ACME", "Report"], ["Report 2026", "____"], ["Of tides"])),
        st.lists(drawn_lines, max_size=5),
        st.sampled_from(([], ["7"], ["secret", "Page 7 of 9"], ["ii"], ["iii"], ["- IV -"])),
    ),
    max_size=9,
)
counted_pages = st.lists(st.tuples(st.booleans(), st.lists(drawn_lines, max_size=4)), min_size=3, max_size=9).map(
    lambda given: [
        "\n".join([*(["ACME"] if has else []), *lines, f"Page {number}"]) for number, (has, lines) in enumerate(given)
    ]
)


@law(documents=2)
@given(pages=drawn_pages | counted_pages | st.lists(st.text(st.sampled_from("aB1 \n\r-|."), max_size=30), max_size=6))
def test_every_character_is_at_its_place_and_only_running_lines_are_left_out(pages: list[str]) -> None:
    names = [f"p{number}" for number in range(len(pages))]
    text, layout = join_texts(pages, names)
    assert [entry["page"] for entry in layout] == names
    assert [entry["start"] for entry in layout] == sorted(entry["start"] for entry in layout)
    assert not layout or layout[0]["start"] == 0
    ends = [*(entry["start"] for entry in layout[1:]), len(text)][: len(layout)]
    left = naive.pages.kept_lines(pages, module.may_run)
    for page, entry, end, lines in zip(pages, layout, ends, left, strict=True):
        own = text[entry["start"] : end].rstrip()
        assert own == page[entry["offset"] : entry["offset"] + len(own)]
        assert naive.pages.bare_lines(own) == lines
        assert bool(own) == bool(page.strip())
    assert text == text.rstrip()


@law()
@given(pages=st.lists(st.lists(drawn_lines, max_size=4).map("\n".join), max_size=2))
def test_under_3_pages_no_line_is_left_out(pages: list[str]) -> None:
    assert join_texts(pages, [1, 2][: len(pages)]).text.split() == " ".join(pages).split()


def test_no_pages_and_pages_without_text_are_a_text_without_text() -> None:
    assert join_texts([], []) == ("", [])
    assert join_texts(["", " \n"], [1, 2]).text == ""


def test_a_page_without_text_is_an_empty_stretch_and_the_sentence_runs_on_over_it() -> None:
    text, layout = join_texts(["The ferry", "", "\n \n", "left."], [1, 2, 3, 4])
    assert text == "The ferry\nleft."
    assert [(entry["page"], entry["start"]) for entry in layout] == [(1, 0), (2, 10), (3, 10), (4, 10)]


def test_chunks_are_told_their_pages_and_their_places_there() -> None:
    pages = {number: "\n".join(lines) for number, lines in enumerate(report.PAGES, 1)}
    text, layout = join_texts(list(pages.values()), list(pages))
    edges = sentences(text).tolist()
    chunks = [
        Chunk(text[start:end].strip(), start, start + len(text[start:end].rstrip())) for start, end in pairwise(edges)
    ]
    said = ChunkMetadata().describe(text, {LAYOUT: layout}, chunks, [""] * len(chunks))
    assert len(chunks) > report.COUNT
    for chunk, own in zip(chunks, said, strict=True):
        assert pages[own["page_start"]].startswith(chunk.text.split("\n")[0], own["page_offset"])
        assert chunk.text.split("\n")[-1] in pages[own["page_end"]]
    over = {own["page_start"] for own in said if own["page_start"] < own["page_end"]}
    assert {report.SENTENCE, report.HYPHEN} <= over


# -- running headers and footers --------------------------------------------------------------------------------------


RUNNING = {
    "the same on all": lambda number: (["Annual Report 2026"], ["Confidential"]),
    "page numbers": lambda number: ([], [str(number + 17)]),
    "page numbers in words": lambda number: ([f"Report 2026, page {number + 1} of 40"], [f"- {number + 1} -"]),
    "left and right": lambda number: ([f"{number} Harbours" if number % 2 else f"The Quay {number}"], []),
    "page numbers that stand twice, and apart": lambda number: ([f"{number}{' ' * (20 - number)}Quays {number}"], []),
    "three lines": lambda number: (["ACME", "Report", "____"], ["secret", f"{number}", "v1.2"]),
    "but the first": lambda number: ([], []) if number == 0 else (["Annual Report"], [f"{number}"]),
}


@pytest.mark.parametrize("around", RUNNING.values(), ids=RUNNING)
def test_running_lines_are_left_out(around: Any) -> None:
    pages = []
    for number in range(12):
        top, bottom = around(number)
        pages.append("\n".join([*top, "", body(number), "", *bottom]))
    assert kept(pages) == [body(number) for number in range(12)]


STAYS = {
    "a table's rows": lambda number: "| a | b |\n|---|---|\n| pier | 1 |\n" + body(number),
    "rows that count": lambda number: f"Crane {number} 7\nCrane {number + 1} 7\n{body(number)}",
    "the head of rows": lambda number: f"Name Tons\nCrane {number * 3} 7\nMast {number * 5} 8\n{body(number)}",
    "rows in columns": lambda number: f"pier   3\nquay   3\n{body(number)}",
    "pages that are all alike": lambda number: "The tide.\nThe quay.\nThe lock.\nThe mast.\nThe buoy.",
    "pages of one line": lambda number: "The tide.",
    "pages of three lines": lambda number: "The tide.\nThe quay.\nThe lock.",
    "forms that begin alike": lambda number: f"Name\nStreet\nTown\nAge\nHeight\n{body(number)}",
    "chapters that count": lambda number: f"Chapter {number + 1}\n{body(number)}",
    "code": lambda number: f"```python\nx{number} = {body(number)!r}\n```",
    "headings in markup": lambda number: f"# The quay\n{body(number)}",
    "rules": lambda number: f"----\n{body(number)}\n----",
    "a line that comes twice": lambda number: f"Yes.\n{body(number)}\nYes.\n{body(number + 1)}",
    "numbers that do not count": lambda number: f"{number * number}\n{body(number)}",
    "long lines": lambda number: "The quay is closed. " * 11 + f"\n{body(number)}",
    "what a few pages have": lambda number: f"Report\n{body(number)}" if number < 6 else body(number),
}


@pytest.mark.parametrize("page", STAYS.values(), ids=STAYS)
def test_what_may_be_text_stays(page: Any) -> None:
    pages = [page(number) for number in range(12)]
    assert kept(pages) == pages


ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv".split()  # noqa: SIM905


@pytest.mark.parametrize("sign", ["{}", "- {} -"])
def test_roman_page_numbers_of_the_front_matter_are_left_out(sign: str) -> None:
    labels = [*ROMAN, *map(str, range(1, 31))]
    pages = [f"{body(number)}\n{sign.format(label)}" for number, label in enumerate(labels)]
    pages[4] = body(4)  # a page without a number does not part the others
    assert kept(pages) == [body(number) for number in range(len(labels))]
    upper = [f"{sign.format(label.upper())}\n{body(number)}" for number, label in enumerate(ROMAN)]
    assert kept(upper) == [body(number) for number in range(len(ROMAN))]


@pytest.mark.parametrize("both_sides", [True, False])
@pytest.mark.parametrize("counted", [True, False])
def test_running_heads_of_chapters_are_left_out_but_for_the_first(both_sides: bool, counted: bool) -> None:
    chapters = ["Of the tide", "The quay, and who built it", "Locks & buoys"]
    pages = [
        "\n".join(
            [*([f"{chapters[n // 7]} {n}" if counted else chapters[n // 7]] if both_sides or n % 2 else []), body(n)]
        )
        for n in range(21)
    ]
    left = [text.removesuffix(body(n)).rstrip() for n, text in enumerate(kept(pages))]
    said = [text.rstrip(" 0123456789") for text in left if text]
    assert said == chapters, "each once"
    assert [text.endswith(body(n)) for n, text in enumerate(kept(pages))] == [True] * 21


OF_NO_CHAPTER = {
    "one word": lambda number: "Report",
    "a sentence": lambda number: "The tide is high.",
    "far apart": lambda number: "Of the tide" if number % 4 == 0 else f"Quay number {number * number}",
    "two pages": lambda number: "Of the tide" if number in (3, 4) else f"Quay number {number * number}",
    "Roman numbers that do not count": lambda number: ROMAN[number * 5 % 12],
    "letters in a list": lambda number: "cdim"[number % 4],
}


@pytest.mark.parametrize("line", OF_NO_CHAPTER.values(), ids=OF_NO_CHAPTER)
def test_what_may_be_text_of_a_chapter_stays(line: Any) -> None:
    pages = [f"{line(number)}\n{body(number)}" if number < 6 else body(number) for number in range(14)]
    assert kept(pages) == pages


def test_a_running_line_above_a_table_is_left_out_where_other_pages_tell_that_it_is_one() -> None:
    pages = [f"Report {number}\n{body(number)}" for number in range(6)]
    pages[2:4] = ["Report 2\nCrane 1 7\nCrane 2 9", "Report 3\nCrane 3 5\nCrane 4 8"]
    assert "Crane 2 9\nCrane 3 5" in join_texts(pages, range(6)).text


def test_a_page_of_running_lines_alone_stays_as_it_is() -> None:
    pages = [f"Report\n{body(number)}\n{number}" for number in range(6)]
    pages[3] = "Report\n3"
    assert kept(pages)[2:4] == [body(2), "Report\n3"]


# -- between pages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The inspectors, who had waited for the water to fall,", "measured the gates twice."),
        ("The inspectors had waited there for the arrival of", "Captain Mills, who never came."),
        ("What the divers brought up from the harbour was an exam-", "ple of a bronze bell."),
        ("The inspectors had waited all day for the arrival of Dr.", "Mills, who never came."),
        ("The cost of the new gates of the northern basin was", "3.5 million, as the report says."),
        ("The cost of the new gates was (as the report says)", "3 million."),
    ],
)
def test_a_sentence_over_a_page_end_is_one(before: str, after: str) -> None:
    text = join_texts([f"The yard was closed.\n{before}", f"{after} It rained."], [1, 2]).text
    assert f"{before}\n{after}" in [piece.strip() for piece in pieces(text)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The gates were measured.", "# The northern basin"),
        ("The gates of the", "## The northern basin"),
        ("## The northern basin", "The gates were measured twice."),
        ("The gates were measured.", "2.1 Northern basins\n\nThe gates were measured twice."),
        ("The gates were measured.", "    The northern basin was\nempty for years."),
        (
            "The gates of the northern basin were\nmeasured by the inspectors twice, and\nclosed.",
            "The southern one was.",
        ),
    ],
)
def test_a_paragraph_or_a_heading_that_is_known_to_begin_stands_after_a_blank_line(before: str, after: str) -> None:
    assert join_texts([before, after], [1, 2]).text == f"{before}\n\n{after}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| 3 | 4 |\n| 5 | 6 |"),
        ("name,tons\npier,3\nquay,4", "lock,5\nmast,6"),
        ("pier   3\nquay   4", "lock   5\nmast   6"),
    ],
)
def test_a_table_over_a_page_end_is_one_unit(before: str, after: str) -> None:
    text = join_texts([before, after], [1, 2]).text
    assert text == f"{before}\n{after}"
    assert len(sentences(text)) == 2


# -- sources ----------------------------------------------------------------------------------------------------------


def joined(*rows: tuple[str | None, Any, str], page: str = "page") -> list[tuple[list[int], str | None]]:
    given = [LoadedPage(source, {} if name is None else {"page": name}, text) for source, name, text in rows]
    return [(numbers, found and found.text) for numbers, found in join_sources(given, page, print)]


def test_pages_are_joined_by_source_in_the_order_given() -> None:
    rows = [("b", 2, "one"), ("a", 1, "x"), ("b", 1, "two"), (None, None, "alone"), ("a", 2, "y"), ("c", None, "own")]
    assert joined(*rows) == [([0, 2], "one\ntwo"), ([1, 4], "x\ny"), ([3], None), ([5], None)]


def test_pages_without_a_source_are_one_source() -> None:
    assert joined((None, 1, "x"), (None, None, "alone"), (None, 2, "y")) == [([0, 2], "x\ny"), ([1], None)]


def test_form_feeds_part_pages_from_1() -> None:
    ((_, found),) = join_sources([LoadedPage("a", {}, "one\n\f\ftwo\f")], "page", print)
    assert found is not None
    assert found.text == "one\ntwo"
    assert [(entry["page"], entry["start"], entry["offset"]) for entry in found.layout] == [
        (1, 0, 0),
        (2, 4, 0),
        (3, 4, 0),
    ]


def test_a_document_that_was_joined_stays_as_it_is() -> None:
    assert [found for _, found in join_sources([LoadedPage("a", {LAYOUT: []}, "one\ftwo")], "page", print)] == [None]


def test_a_page_that_was_given_twice_counts_once() -> None:
    assert joined(("a", 1, "x"), ("a", 1, "x"), ("a", 2, "y")) == [([0, 1, 2], "x\ny")]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [("a.pdf", 1, "x"), ("a.pdf", 2, "y"), ("a.pdf", 1, "z")],
            r"page 1 of the source 'a.pdf' came twice, .* 0 and 2: .* them apart, source=…; .* join before you split",
        ),
        (
            [("a.pdf", 1, "x"), ("a.pdf", None, "y")],
            r"all 2 documents of the source 'a.pdf' must have 'page' in .* at position 1 has \[\] only; if another key",
        ),
        ([("a.pdf", None, "x"), ("a.pdf", None, "y")], "must have 'page'"),
        ([("a.pdf", 1.5, "x")], "metadata 'page' must be a whole number or a str, got 1.5 in the source 'a.pdf'"),
        ([(None, True, "x")], "a str, got True in documents without a source"),
    ],
)
def test_what_cannot_be_joined_is_refused(rows: Any, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        joined(*rows)


def test_pages_whose_labels_begin_anew_are_counted_in_their_order() -> None:
    said: list[str] = []
    pages = [LoadedPage("a.pdf", {"page_label": label}, f"page {n}") for n, label in enumerate("12123")]
    ((_, found),) = join_sources(pages, None, said.append)
    assert found is not None
    assert [(entry["page"], entry["label"]) for entry in found.layout] == list(enumerate("12123", 1))
    (warning,) = said
    assert warning.startswith("labels begin anew in the source 'a.pdf', where a second page is 1: ")
    assert "source=…" in warning
    for source in ("/docs/a.pdf", "C:\\docs\\a.pdf"):  # one file, as a manual with a count for each part
        ((_, again),) = join_sources([LoadedPage(source, one.metadata, one.text) for one in pages], None, said.append)
        assert again == found
    assert said == [warning]
    parts = [LoadedPage("a.pdf", {"page_label": label}, f"part {n}") for n, label in enumerate("112")]
    with pytest.raises(SettingError, match="join before you split"):
        list(join_sources(parts, None, said.append))


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("DiesesDokumentbeschreibtdieGezeitenimHafen und so fort.", True),
        (
            "The Donaudampfschifffahrtsgesellschaftskapitän sails. " + "It is one of many words here. " * 30,
            False,
        ),
        ("GATTACAGATTACAGATTACAGATTACAGATTACA " * 9, False),
        ("港の潮の満ち引きについて説明する文書であり長い文がここに続くものとするのである。" * 3, False),
    ],
)
def test_words_that_run_together_are_told(text: str, is_told: bool) -> None:
    said: list[str] = []
    list(join_sources([LoadedPage("a.pdf", {"page": n}, f"{text} {n}") for n in (1, 2)], None, said.append))
    assert bool(said) == is_told
    assert all("in 'a.pdf', the loader has lost spaces" in one and "from_pdf" in one for one in said)


def test_pages_that_are_not_joined_are_told_of_by_their_sources() -> None:
    said: list[str] = []
    glued = "Theresultingprogrammustnotbeinstalled, asthepolicyofthedistributionforbidsit. "
    pages = [LoadedPage(source, {"page": n}, f"{glued}{n}") for n in (1, 2) for source in ("a.pdf", "b.pdf", None)]
    whole = [LoadedPage("c.pdf", {"page": 1, "caesura_layout": []}, glued), LoadedPage("d.txt", {}, glued)]
    right = [LoadedPage("e.pdf", {"total_pages": 9}, "The page is right.")]
    warn_of_glued_pages([*pages, *whole, *right], said.append)
    assert [one.partition(",")[0] for one in said] == ["in 'a.pdf'", "in 'b.pdf'", "in a file"]


def test_the_keys_that_there_are_are_named() -> None:
    pages = [LoadedPage("a", {"page_label": "1", "b": 2}, "x"), LoadedPage("a", {"page_label": "2", "b": 2}, "y")]
    with pytest.raises(SettingError, match=re.escape("has ['b', 'page_label'] only")):
        list(join_sources(pages, "page", print))


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ([{"page": 0, "page_label": "iv"}, {"page": 1, "page_label": "1"}], [(1, "iv"), (2, "1")]),
        ([{"page_label": "7"}, {"page_label": "A-8"}], [(1, "7"), (2, "A-8")]),
        ([{"page_label": "ii"}, {"page_label": "iii"}, {"page_label": "1"}], [(1, "ii"), (2, "iii"), (3, "1")]),
        ([{"page_label": "1"}, {"page_label": "3"}], [(1, "1"), (3, "3")]),  # of which one was left out
        ([{"page": 0, "page_label": "1"}, {"page": "1"}], [(0, "1"), ("1", None)]),
        ([{"page": 0, "page_label": "1"}, {"page": 1, "page_label": "1"}], [(1, "1"), (2, "1")]),  # which begin anew
        ([{"page": 5}, {"page": 6}], [(5, None), (6, None)]),
        ([{"page": 5, "total_pages": 6}, {"page": 6, "total_pages": 6}], [(5, None), (6, None)]),
        ([{"page": n, "total_pages": 9, "creationdate": ""} for n in (5, 6)], [(6, None), (7, None)]),
        ([{"page": "cover"}, {"page": "back"}], [("cover", None), ("back", None)]),
    ],
)
def test_a_page_has_its_number_from_1_and_its_printed_label(keys: Any, places: list[Any]) -> None:
    ((_, found),) = join_sources([LoadedPage("a", key, f"{number}") for number, key in enumerate(keys)], None, print)
    assert found is not None
    assert [(entry["page"], entry.get("label")) for entry in found.layout] == places


@law()
@given(first=st.integers(0, 1), count=st.integers(1, 6), total=st.booleans(), labels=st.booleans())
def test_pages_of_a_whole_file_are_counted_from_1(first: int, count: int, total: bool, labels: bool) -> None:
    pages = [{"page": first + n, **({"total_pages": count} if total else {})} for n in range(count)]
    pages = [{**page, **({"page_label": f"p. {n}"} if labels else {})} for n, page in enumerate(pages)]
    assert [one.page for one in pages_of(pages, ["page"])] == [*range(1, count + 1)]


def test_what_says_how_a_file_was_made_is_left_out() -> None:
    made = {"producer": "p", "creator": "c", "creationdate": "d", "modDate": "d", "total_pages": 2, "format": "PDF 1.5"}
    kept = {"title": "Tides", "author": "Ann", "subject": "sea", "language": "en"}
    pages = [LoadedPage("a", {**made, **kept, "trapped": "", "ptex.fullbanner": "x", "page": n}, "x") for n in (0, 1)]
    assert shared_metadata(pages, None) == kept


def test_a_single_page_by_either_key_is_joined_and_a_document_without_is_not() -> None:
    given = [
        LoadedPage("a", {"page": 3}, "x"),
        LoadedPage("b", {"page_label": "3"}, "y"),
        LoadedPage("c", {}, ""),
        LoadedPage(None, {}, ""),
    ]
    layouts = [found and found.layout[0]["page"] for _, found in join_sources(given, None, print)]
    assert layouts == [3, 3, None, None]


def test_sources_without_text_are_told_of_once() -> None:
    given = [
        LoadedPage("a.pdf", {"page": 1}, " \n"),
        LoadedPage("b.pdf", {"page": 1}, "x"),
        LoadedPage("c.pdf", {}, "\f \f"),
    ]
    told: list[str] = []
    assert len(list(join_sources(given, None, told.append))) == 3
    (message,) = told
    assert message.startswith("there is no text in 'a.pdf' (1 page), 'c.pdf' (2 pages), so that nothing")


def test_metadata_that_all_pages_have_alike_stays() -> None:
    pages = [LoadedPage("a", {"page": n, "page_label": "1", "title": "T", "size": n, "x": [1]}, "") for n in (1, 2)]
    assert shared_metadata(pages, "page") == {"title": "T", "x": [1]}
    assert shared_metadata([LoadedPage("a", {"leaf": 1, "title": "T"}, "")], "leaf") == {"title": "T"}
