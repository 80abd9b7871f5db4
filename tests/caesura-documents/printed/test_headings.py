"""Headings are those of the outline and those that their type shows; the title is the largest on the first page."""

from __future__ import annotations

import pytest

from caesura_documents.printed.headings import Bookmark, find_title, mark_headings, mark_title
from caesura_documents.printed.printed_blocks import PrintedBlock


def block(text: str, size: float = 10, bold: bool = False, page: int = 1, kind: str = "text") -> PrintedBlock:
    return PrintedBlock(kind, [text], [], size, bold, page)


def mark(blocks: list[PrintedBlock], bookmarks: list[Bookmark] | None = None) -> list[tuple[str, int]]:
    """The headings among blocks, and their levels."""
    mark_headings(blocks, bookmarks or [], 10)
    return [(one.first, one.level) for one in blocks if one.kind == "section_header"]


def test_larger_type_is_a_higher_level_and_bold_the_lowest() -> None:
    blocks = [block("Tides", 18, page=1), block("Heights", 14, page=1), block("Ports", bold=True), block("Text of it.")]
    assert mark(blocks) == [("Tides", 1), ("Heights", 2), ("Ports", 3)]


def test_a_number_before_a_heading_makes_no_item_of_it() -> None:
    blocks = [
        block("1. Tides", bold=True, kind="list_item"),
        block("2. Low water", kind="list_item"),
        block("Text of it."),
    ]
    assert mark(blocks) == [("1. Tides", 1)]


def test_bold_says_nothing_where_most_text_is_bold() -> None:
    assert (
        mark([block("Tides", bold=True), block("A line of text that is long enough to be most of it.", bold=True)])
        == []
    )


def test_sentences_items_and_text_in_bold_are_no_headings() -> None:
    blocks = [
        block("Note that it sinks.", bold=True),
        block("and so on", 14),
        block("x" * 300, 18),
        block("12", 18),
        block("a", 18, kind="code"),
    ]
    assert mark(blocks) == []


def test_entries_of_the_outline_are_found_on_their_page_whatever_their_type() -> None:
    blocks = [
        block("Tides 3", kind="document_index"),
        block("2.1. TIDES", page=3),
        block("Tides", page=4),
        block("Fees of the", page=5),
        block("3 {ebb,flood}", page=6, kind="code"),
    ]
    marks = [Bookmark(2, "Tides", 3), Bookmark(1, "Fees", 5), Bookmark(1, "", None), Bookmark(1, "{ebb,flood}", 6)]
    assert mark(blocks, marks) == [("2.1. TIDES", 2), ("3 {ebb,flood}", 1)]


@pytest.mark.parametrize("text", ["See also: FILL, ORG", "Siehe auch: FILL", "Voir aussi : FILL", "see: FILL"])
def test_a_line_that_points_elsewhere_is_no_heading(text: str) -> None:
    assert mark([block(text, bold=True), block("See also the ports", bold=True), block("Text. " * 20)]) == [
        ("See also the ports", 1)
    ]


def test_beside_an_outline_only_type_that_its_headings_have_makes_headings() -> None:
    named = [block(f"Part {name}", 14, page=n) for n, name in enumerate("abcdef")]
    others = [block("An unnamed part", 14, page=7), block("A warning", bold=True, page=8)]
    marks = [Bookmark(2, f"Part {name}", n) for n, name in enumerate("abcdef")]
    assert mark([*named, *others], marks)[-1] == ("An unnamed part", 2)


@pytest.mark.parametrize(
    ("blocks", "title"),
    [
        ([block("The tides", 24), block("Heights", 14), block("Ports", 14, page=2)], "The tides"),
        ([block("Contents", 14), block("Heights", 14, page=2)], "Heights"),
        ([block("Some text.")], ""),
        ([], ""),
        ([block("Tides 1.4", 17), block("Ann Lee", 12), block("Contents", 24, True), block("Ports", 20)], "Tides 1.4"),
        ([block("M L", 34), block("The tides", 18), block("Heights", 24, page=3)], "The tides"),
        ([block("Heights", 18), block("Text of it."), block("Ports", 18, page=2)], "Heights"),
    ],
)
def test_the_title_is_the_largest_heading_or_else_the_first(blocks: list[PrintedBlock], title: str) -> None:
    mark_headings(blocks, [], 10)
    mark_title(blocks, 10)
    assert find_title(blocks) == title
