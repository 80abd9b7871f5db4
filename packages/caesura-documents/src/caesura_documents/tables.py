"""Tables of a text that have a header row: Markdown's, HTML's, and lines of values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caesura.text.blocks import detect_code_or_table
from caesura.text.markup import end_of
from caesura_documents.html import FAR, TAGS, bare_text, range_end

WIDEST = 1000
"""A table's header row has up to so many characters; a longer one is not repeated."""

LONE_CR = re.compile(r"\r(?!\n)")
ROWS = re.compile(r"(?:\n(?=[^\n|]*\|)[^\n]*)*")
PARAGRAPH = re.compile(r"[^\s][^\n]*(?:\n(?=[^\n]*\S)[^\n]*)*")
_CELL = re.compile(r"</?t[rhd]\b", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')


class HeadedTable(NamedTuple):
    """A table that has a header row: where it stands, where its header ends, and the header's text."""

    start: int
    end: int
    body: int
    header: str


def markdown_table(start: int, header: str, body: int, end: int) -> Iterator[HeadedTable]:
    """The table of Markdown whose second row begins at `body`, below a line that begins at `start`."""
    if "|" in header and len(header) <= WIDEST:
        yield HeadedTable(start, end, body, header.strip())


def html_tables(text: str, tags: Sequence[re.Match[str]]) -> Iterator[HeadedTable]:
    """Those tables in HTML whose first row has header cells.

    One that lies in a cell of another belongs to it.
    """
    depth = start = body = 0
    cells: list[tuple[str, str]] = []  # of the first row: their tags, and what they say
    cell: re.Match[str] | None = None  # the one that is open
    for tag in tags:
        name, opens = tag["name"].lower(), not tag["close"]
        if depth == 1 and not body:
            if cell:
                cells.append((cell["name"].lower(), bare_text(text[cell.end() : min(tag.start(), cell.end() + FAR)])))
            cell = tag if opens and name in ("td", "th") else None
            if cells and (name == "tr" or (name == "table" and not opens)):
                body = tag.start()
        if name != "table":
            continue
        if opens:
            depth += depth != 1 or bool(cells)
            if depth == 1:
                start, body, cells, cell = tag.start(), 0, [], None
        elif depth:
            depth -= 1
            if not depth and (header := _header(cells)):
                yield HeadedTable(start, tag.end(), body, header)
    if body and depth and (header := _header(cells)):  # one that never closes goes on to the end
        yield HeadedTable(start, len(text), body, header)


def _header(cells: Sequence[tuple[str, str]]) -> str:
    """The header of a first row's cells; "" where it has no header cells, or too much in them."""
    header = " | ".join(said for _, said in cells)
    return header if any(kind == "th" for kind, _ in cells) and len(header) <= WIDEST else ""


def rows_end(text: str) -> int:
    """Where the rows end that a text begins with."""
    text = LONE_CR.sub("\n", text)
    lines = end_of(PARAGRAPH, text, 0)
    if not _CELL.search(text, 0, lines):
        stop = text.find("\n", 0, lines)
        return end_of(ROWS, text, stop) if stop > 0 and "|" in text[:lines] else lines
    depth = 1
    for tag in TAGS.finditer(text):
        if (tag["name"] or "").lower() == "table":
            depth += -1 if tag["close"] else 1
            if not depth:
                return tag.end()
    return len(text)


def value_tables(text: str, skipped: Sequence[tuple[int, int]]) -> Iterator[HeadedTable]:
    """Lines of values: as many commas, semicolons or tabs in each as in the first, which is the header."""
    for found in PARAGRAPH.finditer(text):
        stop = text.find("\n", *found.span())
        if stop < 0:
            continue
        first = text[found.start() : stop]
        if "\t" not in first and '"' not in first and not (_parts(first, ",") or _parts(first, ";")):
            continue
        if (
            len(first) <= WIDEST
            and _is_even(first, text[stop + 1 : found.end()].partition("\n")[0])
            and detect_code_or_table(text, *found.span()) == "table"
            and not range_end(skipped, found.start())
        ):
            yield HeadedTable(found.start(), found.end(), stop + 1, first.strip())


def _parts(line: str, mark: str) -> bool:
    """Whether a mark may stand between values: no blank follows it."""
    return mark in line and f"{mark} " not in line


def _is_even(first: str, second: str) -> bool:
    """Whether two lines have as many commas, semicolons or tabs outside of quotes."""
    first, second = _QUOTED.sub("", first), _QUOTED.sub("", second)
    return any(0 < first.count(mark) == second.count(mark) for mark in ",;\t")
