"""A report of 40 pages as it is printed: running lines, and what runs on over the ends of its pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from caesura.text.sentences import units
from caesura_retrieval.words import terms

COUNT = 40
BLANK, TABLE, HYPHEN, SENTENCE = 12, 20, 30, 5
"""Numbers of pages, from 1: one without text; those over whose ends a table, a word and a sentence run on."""
HEADER, FOOTER = "Harbour Authority: Annual Report 2026", "Confidential"
WORDS = "ferry crane quay pilot lock buoy mast cargo tide storm anchor wharf hull deck light chart rope sail keel dock"
ROWS = [f"Crane {number} {number * 7} tons" for number in range(1, 9)]


def body(page: int) -> list[str]:
    """The lines of a page's own text."""
    if page == BLANK:
        return []
    words = WORDS.split()
    lines = [
        f"The {words[(page + 3 * line) % 20]} of the {words[(page * 7 + line) % 20]} was looked at on day {page * line}"
        f" of {words[(page * 3 + line) % 20]}, and was found to be fit."
        for line in range(1, 6)
    ]
    if page == SENTENCE:
        lines.append("The inspectors of the northern basin, who had waited for the water to fall,")
    if page == SENTENCE + 1:
        lines.insert(0, "measured the gates twice before they closed them.")
    if page == HYPHEN:
        lines.append("What the divers brought up from the bottom of the harbour was a splendid exam-")
    if page == HYPHEN + 1:
        lines.insert(0, "ple of a bronze bell.")
    if page == TABLE:
        lines += ROWS[:4]
    if page == TABLE + 1:
        lines = ROWS[4:] + lines
    return lines


def printed_page(page: int) -> list[str]:
    """A page's lines in print: a header, on right and left pages otherwise, and a footer with the page's number."""
    if page == BLANK:
        return []
    top = f"{HEADER} {page}" if page % 2 else f"{page} {HEADER}"
    return [top, *body(page), FOOTER, f"Page {page} of {COUNT}"]


PAGES = [printed_page(page) for page in range(1, COUNT + 1)]


def check_joined(text: str, layout: Sequence[Mapping[str, Any]], pages: Mapping[Any, str]) -> None:
    """Holds that the text is that of the report without its running lines, and the layout true of each page.

    pages: what each is called by its loader -> its text.
    """
    assert [entry["page"] for entry in layout] == list(pages)
    ends = [*(entry["start"] for entry in layout[1:]), len(text)]
    for number, (entry, end) in enumerate(zip(layout, ends, strict=True), 1):
        own = text[entry["start"] : end].rstrip()
        assert own == "\n".join(body(number))
        assert pages[entry["page"]][entry["offset"] :].startswith(own)
    pieces = [text[start:end].strip() for start, end in pairwise(units(text).tolist())]
    assert "\n".join([body(SENTENCE)[-1], body(SENTENCE + 1)[0]]) in pieces
    assert "\n".join(ROWS) in text
    assert {*terms("example")} < {*terms("\n".join([body(HYPHEN)[-1], body(HYPHEN + 1)[0]]))}
    assert HEADER not in text
    assert FOOTER not in text
    assert f"of {COUNT}" not in text
