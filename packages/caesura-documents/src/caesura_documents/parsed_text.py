"""One text of the elements that a parser found in a file, and what stands where in it: page, box, type and headings.

The text is Markdown, as far as our own units need it: a heading has its marks, so that
it stays with what follows it; items of a list stand in lines of their own; tables, code and formulas are marked, so
that they stay whole. All else is what the parser says, with blank lines between.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product, zip_longest
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from caesura.errors import SettingError

Entry: TypeAlias = dict[str, Any]
"""What is true of a text from "start" until the next entry's: "page", "type", "box", "headings", "heading_levels"."""
Titles: TypeAlias = tuple[tuple[int, str], ...]
"""The levels and titles of the headings above, outermost first."""
_LINE_ENDS = str.maketrans(dict.fromkeys("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))
_DEEPEST = 6  # Markdown has no more levels
_SMALL = 100_000  # characters that a table with empty and repeated cells may have; a larger one, 8 times its cells' own


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A text, the layout of it, the file that it is of, where the parser knows it, and what else the file says of
    itself: ``title``, ``author``, ``subject``."""

    text: str
    layout: list[Entry]
    source: str | None
    metadata: dict[str, str] = field(default_factory=dict)


class ElementPlace(NamedTuple):
    """Where a part of an element stands: its first character in the element's text, page and box, as far as known."""

    at: int | None
    page: int | str | None
    box: list[float] | None


class Cell(NamedTuple):
    """A cell of a table: its rows and columns, as half-open ranges, its text, and whether it heads columns."""

    row: int
    row_end: int
    column: int
    column_end: int
    text: str
    heads: bool


@dataclass(slots=True)
class GrowingText:
    """A text to which elements are added, one after the other, and its layout."""

    parts: list[str] = field(default_factory=list)
    layout: list[Entry] = field(default_factory=list)
    end: int = 0

    def add(self, between: str, text: str, marker: str, kind: str, places: list[ElementPlace], path: Titles) -> None:
        """An element that is not blank. between: what stands before it, if it is not the first; marker: such as "-"."""
        shown, shift = _mark(text, marker, kind)
        between = between if self.parts else ""
        start = self.end + len(between)
        for at, place in zip(_starts(len(shown), shift, places), places or [ElementPlace(0, None, None)], strict=False):
            entry: Entry = {"start": start + at, "page": place.page, "type": kind, "box": place.box}
            entry |= {"headings": [title for _, title in path], "heading_levels": [level for level, _ in path]}
            self.layout.append({key: value for key, value in entry.items() if value not in (None, "", [])})
        self.parts += [between, shown]
        self.end = start + len(shown)

    def finish(self, source: object) -> ParsedDocument:
        """What has grown, and the name or address of its file."""
        return ParsedDocument("".join(self.parts), self.layout, str(source) if source else None)


def heading_marker(level: int) -> str:
    """A level, from 1 -> the marks of a heading."""
    return "#" * min(level, _DEEPEST)


def path_under(path: Titles, level: int, title: str) -> Titles:
    """The headings above a heading, and the heading -> those above what follows it."""
    return (*(above for above in path if above[0] < level), (level, " ".join(title.split())))


def pipe_table(cells: list[Cell]) -> str:
    """Cells -> a table in Markdown, "" where no cell has text.

    A cell stands in each row and column that it spans. The rows at the top where a cell heads columns are one header;
    where there is none, or nothing else, the first row is it. Where a table would be many times as long as its cells,
    each cell stands once, and its row has no more cells than it has texts.

    >>> low = [Cell(1, 2, 0, 1, "low", False), Cell(1, 2, 1, 2, "2|3", False)]
    >>> print(pipe_table([Cell(0, 1, 0, 2, "Tide", True), *low]))
    | Tide | Tide |
    | --- | --- |
    | low | 2\\|3 |
    """
    if not any(cell.text.strip() for cell in cells):
        return ""
    rows, columns = sorted({cell.row for cell in cells}), sorted({cell.column for cell in cells})
    texts = [" ".join(cell.text.split()).replace("|", "\\|") for cell in cells]
    places = [
        (
            range(bisect_left(rows, cell.row), bisect_left(rows, cell.row_end)),
            range(bisect_left(columns, cell.column), bisect_left(columns, cell.column_end)),
        )
        for cell in cells
    ]
    length = sum(len(high) * len(wide) * len(text) for (high, wide), text in zip(places, texts, strict=True))
    if length + 3 * len(rows) * len(columns) > max(_SMALL, 8 * sum(len(text) + 3 for text in texts)):
        grid: list[list[str]] = [[] for _ in rows]
        for (high, _), text in zip(places, texts, strict=True):
            grid[high[0]].append(text)
    else:
        grid = [[""] * len(columns) for _ in rows]
        for (high, wide), text in zip(places, texts, strict=True):
            for row, column in product(high, wide):
                grid[row][column] = grid[row][column] or text
    heading = {cell.row for cell in cells if cell.heads}
    top = next((number for number, row in enumerate(rows) if row not in heading), 0) or 1
    header = [" / ".join(filter(None, dict.fromkeys(column))) for column in zip_longest(*grid[:top], fillvalue="")]
    lines = [header, ["---"] * len(header), *grid[top:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _mark(text: str, marker: str, kind: str) -> tuple[str, int]:
    """An element -> its text with its marks, and how much further right the text stands in it.

    A heading has one line. Whitespace around the text goes, in code blank lines alone.
    """
    if kind in ("code", "codesnippet"):
        body = text.lstrip("\r\n")
        fence = "```"
        while fence in body:
            fence += "`"
        return f"{fence}\n{body.rstrip()}\n{fence}", len(fence) + 1 - (len(text) - len(body))
    lead = len(text) - len(text.lstrip())
    body = text.strip()
    if kind == "formula" and "$$" not in body:
        return f"$${body}$$", 2 - lead
    if marker.startswith("#"):
        body = body.translate(_LINE_ENDS)
    return (f"{marker} {body}", len(marker) + 1 - lead) if marker else (body, -lead)


def _starts(length: int, shift: int, places: list[ElementPlace]) -> list[int]:
    """Where each place begins in a text, rising from 0. One that begins nowhere in it has the last characters."""
    starts = [0]
    for number, place in enumerate(places[1:], 1):
        last = length - (len(places) - number)  # a character at least for each that follows
        at = -1 if place.at is None else place.at + shift
        starts.append(at if starts[-1] < at <= last else max(last, starts[-1] + 1))
    return [at for at in starts if at < length]


def box_of(numbers: list[Any]) -> list[float] | None:
    """Four numbers -> the same, None where one of them is none."""
    return [float(number) for number in numbers] if all(map(is_number, numbers)) else None


def is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def label_of(value: object) -> str:
    """A parser's label, or none -> in small letters."""
    return value.lower() if isinstance(value, str) else ""


def as_int(value: object, default: int) -> int:
    """Returns a value that is a whole number, else the default."""
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def read_json(text: str, wanted: str) -> Any:
    """JSON -> what it holds. Raises `SettingError`. wanted: how that begins."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise SettingError(f"{wanted} {text!r:.80}, which is no JSON ({error}): read the file first") from error


class Loose:
    """A dict of a parser, whose entries may be missing or of another kind than they should be."""

    __slots__ = ("data",)

    def __init__(self, value: object) -> None:
        """Anything but a dict counts as an empty one."""
        self.data: Mapping[str, Any] = value if isinstance(value, Mapping) else {}

    def part(self, key: str) -> Loose:
        """Returns the dict under a key."""
        return Loose(self.data.get(key))

    def parts(self, key: str) -> list[Loose]:
        """Returns the dicts in the list under a key."""
        return [Loose(value) for value in self.values(key)]

    def values(self, key: str) -> list[Any]:
        """Returns the list under a key."""
        value = self.data.get(key)
        return list(value) if isinstance(value, (list, tuple)) else []

    def text(self, key: str) -> str:
        """Returns the str under a key."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str, default: int) -> int:
        """Returns the whole number under a key."""
        return as_int(self.data.get(key), default)
