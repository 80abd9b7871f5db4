"""Headings and tables in HTML: one scan over their tags."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import unescape

LONGEST = 200
"""A heading has up to so many characters; a longer line is none."""
WIDEST = 1000
"""A table's header row has up to so many characters; a longer one is not repeated."""
_FAR = 4000
"""What a heading or a cell in HTML says ends within so many characters."""
TAGS = re.compile(
    r"(?P<comment><!--)|(?<!`)<(?P<close>/?)(?P<name>h[1-6]|table|tr|t[hd]|pre|script|style)\b[^>]{0,1000}>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,1000}>")


def bare_text(markup: str) -> str:
    """What HTML says, without tags."""
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def tags_of(text: str, skipped: Sequence[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """The tags of headings and tables, those aside that stand in code or comments."""
    missing: set[str] = set()
    tag = TAGS.search(text)
    while tag:
        at, name = tag.end(), (tag["name"] or "").lower()
        if stop := range_end(skipped, tag.start()):
            at = max(stop, at)
        elif name in ("", "pre", "script", "style"):
            if not tag["close"]:
                at = closing_end(text, at, rf"(?i:</{name}\s{{0,9}}>)" if name else "-->", missing) or at
        else:
            yield tag
        tag = TAGS.search(text, at)


def html_headings(text: str, tags: Sequence[re.Match[str]]) -> Iterator[tuple[int, int, int, str]]:
    """Their starts, ends, levels and titles."""
    opened = None
    for tag in tags:
        name = tag["name"].lower()
        if name[0] != "h":
            continue
        if tag["close"] and opened and opened["name"].lower() == name and tag.start() - opened.end() <= _FAR:
            title = bare_text(text[opened.end() : tag.start()])
            if 0 < len(title) <= LONGEST:
                yield opened.start(), tag.end(), int(name[1]), title
        opened = None if tag["close"] else tag


def html_tables(text: str, tags: Sequence[re.Match[str]]) -> Iterator[tuple[int, int, int, str]]:
    """The starts, ends, and headers with their ends, of tables whose first row has header cells.

    One that lies in a cell of another belongs to it.
    """
    depth = start = body = 0
    cells: list[tuple[str, str]] = []  # of the first row: their tags, and what they say
    cell: re.Match[str] | None = None  # the one that is open
    for tag in tags:
        name, opens = tag["name"].lower(), not tag["close"]
        if depth == 1 and not body:
            if cell:
                cells.append((cell["name"].lower(), bare_text(text[cell.end() : min(tag.start(), cell.end() + _FAR)])))
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
                yield start, tag.end(), body, header
    if body and depth and (header := _header(cells)):  # one that never closes goes on to the end
        yield start, len(text), body, header


def _header(cells: Sequence[tuple[str, str]]) -> str:
    """The header of a first row's cells; "" where it has no header cells, or too much in them."""
    header = " | ".join(said for _, said in cells)
    return header if any(kind == "th" for kind, _ in cells) and len(header) <= WIDEST else ""


def closing_end(text: str, at: int, mark: str, missing: set[str]) -> int | None:
    """Where the first match of a pattern ends; None where there is none."""
    closed = None if mark in missing else re.compile(mark, re.MULTILINE).search(text, at)
    if closed is None:
        missing.add(mark)
        return None
    return closed.end()


def range_end(ranges: Sequence[tuple[int, int]], place: int) -> int:
    """Where the range ends that a place lies in; 0 where it lies in none."""
    number = bisect_right(ranges, place, key=lambda each: each[0])
    return ranges[number - 1][1] if number and place < ranges[number - 1][1] else 0
