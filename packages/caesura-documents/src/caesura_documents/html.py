"""HTML: where headings and tables stand in a text, a table as Markdown, and a page as Markdown."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape
from html.parser import HTMLParser

from caesura_documents.parsed_text import Cell, GrowingText, heading_marker, pipe_table

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
_MOST_COLUMNS, _MOST_ROWS = 1000, 65534  # that HTML allows a cell to span
_PARTING = frozenset(("br", "caption", "div", "hr", "li", "p", "table", "td", "th", "tr"))  # tags that part words
_HTML = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>|<!--.{0,1000}?-->|\s)*<(?:!doctype\s+html|html)\b", re.I | re.S)
_CHARSET = re.compile(rb"""<(?:meta|\?xml)\b[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I)
_HEAD = 1024
"""So many bytes may say what encoding they are in, as browsers have it."""
_WITHOUT_TEXT = set("button iframe nav noscript object script select style svg template title textarea".split())  # noqa: SIM905
_TABLE = set("caption table tbody td tfoot th thead tr".split())  # noqa: SIM905
_IN_LAYOUT = set("h1 h2 h3 h4 h5 h6 li pre table".split())  # noqa: SIM905
"""What stands in the cells of a table that lays out a page, and in no table of values."""
_BLOCKS = _TABLE | _IN_LAYOUT
_BLOCKS |= set("address article aside blockquote body dd details div dl dt fieldset figcaption figure".split())  # noqa: SIM905
_BLOCKS |= set("footer form header hr html legend main ol p section summary ul".split())  # noqa: SIM905
_INDENTED = 9
"""Levels of lists in lists that are indented."""
_SPACE = re.compile(r"[ \t\n\r\f]+")


# -- headings and tables in a text -----------------------------------------------------------------------------------


def bare_text(markup: str) -> str:
    """Returns the text of HTML without its tags."""
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


# -- a table ---------------------------------------------------------------------------------------------------------


def html_table(html: str) -> str:
    """A table in HTML -> the same in Markdown, after what stands outside of its cells; "" where there is no text."""
    rows = _TableReader()
    rows.feed(html)
    rows.close()
    rows.end_cell()
    cells = [cell._replace(heads=cell.row not in rows.plain) for cell in rows.cells]
    return "\n\n".join(filter(None, (" ".join("".join(rows.outside).split()), pipe_table(cells))))


class _TableReader(HTMLParser):
    """The cells of a table in HTML, whether or not they are closed. A table inside of a cell is text of that cell."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[Cell] = []
        self.plain: set[int] = set()  # rows of the body: not in a thead, with a td
        self.outside: list[str] = []
        self.tables, self.row, self.column, self.head = 0, -1, 0, False
        self.taken: dict[int, int] = {}  # column -> the first row where it is free
        self.place: tuple[int, int, int, int] | None = None
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A row, a cell, or what parts words."""
        self.handle_data(" " if tag in _PARTING else "")
        self.tables += tag == "table"
        if self.tables > 1:
            return
        if tag in ("tr", "td", "th"):
            self.end_cell()
        if tag == "thead":
            self.head = True
        elif tag == "tr" or (tag in ("td", "th") and self.row < 0):
            self.row, self.column = self.row + 1, 0
        if tag in ("td", "th"):
            self._begin_cell(dict(attrs))
            if tag == "td" and not self.head:
                self.plain.add(self.row)

    def handle_endtag(self, tag: str) -> None:
        """The end of a cell, of a row or of the table."""
        self.handle_data(" " if tag in _PARTING else "")
        if self.tables < 2 and tag in ("td", "th", "tr", "thead", "table"):
            self.end_cell()
            self.head = self.head and tag != "thead"
        self.tables -= tag == "table" and self.tables > 0

    def handle_data(self, data: str) -> None:
        """Text."""
        (self.inside if self.place else self.outside).append(data)

    def _begin_cell(self, attributes: Mapping[str, str | None]) -> None:
        while self.taken.get(self.column, 0) > self.row:
            self.column += 1
        wide = min(max(_span(attributes.get("colspan")), 1), _MOST_COLUMNS)
        tall = min(_span(attributes.get("rowspan")) or _MOST_ROWS, _MOST_ROWS)
        self.place = (self.row, self.row + tall, self.column, self.column + wide)
        self.taken |= dict.fromkeys(range(self.column, self.column + wide), self.row + tall)
        self.column += wide

    def end_cell(self) -> None:
        """What is open is a cell now."""
        if self.place:
            self.cells.append(Cell(*self.place, "".join(self.inside), False))
        self.place, self.inside = None, []


def _span(value: str | None) -> int:
    return int(value[:6]) if value and value.isascii() and value.isdigit() else 1


# -- a page ----------------------------------------------------------------------------------------------------------


def is_html(data: bytes) -> bool:
    """Whether a file begins as HTML does."""
    return _HTML.match(data[: 2 * _HEAD]) is not None


def html_encoding(data: bytes) -> str | None:
    """The encoding that HTML says it is in, None for none that is known; Latin-1 is, as in browsers, cp1252."""
    found = _CHARSET.search(data[:_HEAD])
    name = found[1].decode("ascii", "replace").lower() if found else ""
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    if name.startswith("utf-16"):  # in which it would not be legible
        return None
    return "cp1252" if name in ("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii") else name


def html_text(html: str) -> str:
    """HTML -> its text as Markdown: headings, lists, code and tables have their marks, all else is paragraphs.

    Scripts, styles, menus and forms are left out.

    >>> print(html_text("<title>x</title><h2>Tides</h2><p>Two\\n a day.<ul><li>high<li>low</ul>"))
    ## Tides
    <BLANKLINE>
    Two a day.
    <BLANKLINE>
    - high
    - low
    """
    parser = _PageReader()
    parser.feed(html)
    parser.close()
    return parser.finish()


class _PageReader(HTMLParser):
    """The blocks of a page, one after the other. What is not closed ends where the next block begins."""

    def __init__(self) -> None:
        super().__init__()
        self._out = GrowingText()
        self._inline: list[str] = []
        self._skipped = ""  # the outermost element without text
        self._open, self._inside = Counter[str](), Counter[str]()  # elements: those around what is skipped, and in it
        self._kind, self._marker, self._last = "text", "", ""
        self._lists: list[int | None] = []  # the lists that are open: the number of the last item, None without
        self._table: list[tuple[str, bool, str]] | None = None  # of the open table: tag, whether it opens, the source
        self._tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins, or what has no text."""
        if self._skipped or tag in _WITHOUT_TEXT:
            self._skipped = self._skipped or tag
            self._inside[tag] += 1
            return
        self._open[tag] += 1
        if self._table is not None or tag == "table":
            self._table = [] if self._table is None else self._table
            self._table.append((tag, True, self.get_starttag_text() or f"<{tag}>"))
            self._tables += tag == "table"
        else:
            self._begin(tag)

    def handle_endtag(self, tag: str) -> None:
        """A block ends."""
        if self._skipped:
            is_inside = self._inside[tag] > 0
            self._inside[tag] -= is_inside
            if self._inside[self._skipped] and (is_inside or not self._open[tag]):
                return
            self._skipped = ""  # it is closed, or what is around it
            self._inside.clear()
            if is_inside:
                return
        self._open[tag] -= self._open[tag] > 0
        if self._table is not None:
            self._table.append((tag, False, f"</{tag}>"))
            self._tables -= tag == "table"
            if not self._tables:
                self._end_table()
        else:
            self._end(tag)

    def handle_data(self, data: str) -> None:
        """Text."""
        if self._skipped:
            return
        if self._table is not None:
            self._table.append(("", False, data))
        else:
            self._inline.append(data if self._kind == "code" else _SPACE.sub(" ", data))

    def finish(self) -> str:
        """All that there is."""
        if self._table is not None:
            self._end_table()
        self._flush()
        return "".join(self._out.parts)

    def _begin(self, tag: str) -> None:
        if tag == "br":
            self._inline.append("\n")
        elif tag in _BLOCKS:
            self._flush()
        if tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            number = self._lists[-1] if self._lists else None
            if number is not None:
                self._lists[-1] = number = number + 1
            self._kind, self._marker = "listitem", "-" if number is None else f"{number}."
        elif tag == "pre":
            self._kind = "code"
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._kind, self._marker = "title", heading_marker(int(tag[1]))

    def _end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._flush()
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()

    def _flush(self) -> None:
        """What was said since the last block is one; an item that has said nothing yet keeps its mark."""
        text = "".join(self._inline)
        if self._kind != "code":
            text = "\n".join(_SPACE.sub(" ", line).strip() for line in text.split("\n")).strip()
        self._inline = []
        if text.strip():
            self._add(text, self._marker, self._kind)
        elif self._kind == "listitem":
            return
        self._kind, self._marker = "text", ""

    def _add(self, text: str, marker: str, kind: str) -> None:
        listed = kind == "listitem"
        between = ("\n" if self._last == kind and listed else "\n\n") + "  " * (
            min(max(len(self._lists) - 1, 0), _INDENTED) * listed
        )
        self._out.add(between, text, marker, kind, [], ())
        self._last = kind

    def _end_table(self) -> None:
        """A table of values is one in Markdown; of one that lays out a page, the cells are blocks of it."""
        parts, self._table, self._tables = self._table or [], None, 0
        if not any(tag in _IN_LAYOUT and opens for tag, opens, _ in parts[1:]):
            self._flush()
            if table := html_table("".join(source if tag else escape(source, False) for tag, _, source in parts)):
                self._add(table, "", "table")
            return
        for tag, opens, source in parts:
            if not tag:
                self.handle_data(source)
            elif tag in _TABLE:
                self._flush()
            else:
                (self._begin if opens else self._end)(tag)
