"""HTML: where headings and tables stand in a text, a table as Markdown, and a page as Markdown."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from typing import NamedTuple

from caesura_documents.main_content import find_main, has_extractor
from caesura_documents.parsed_text import Cell, GrowingText, heading_marker, pipe_table

LONGEST = 200
"""A heading has up to so many characters; a longer line is none."""
FAR = 4000
"""What a heading or a cell in HTML says ends within so many characters."""
TAGS = re.compile(
    r"<(?:(?P<comment>!--)|(?<!`<)(?P<close>/?)(?P<name>h[1-6]|table|tr|t[hd]|pre|script|style)\b[^>]{0,1000}>)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_MARKUP = re.compile(  # possessive, so that nothing is read twice, however odd it is
    r"""<(?:(?P<close>/?)(?P<tag>[a-z][^\s/>]*+)(?P<attributes>(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|))*+)"""
    r"""|!--(?:-?(?=>)|.*?(?:--!?(?=>)|\Z))|[!?/][^>]*+)(?P<end>>|\Z)""",
    re.IGNORECASE | re.DOTALL,
)
_RAW = {tag: re.compile(rf"</{tag}(?![^\s/>])", re.IGNORECASE) for tag in ("script", "style")}
SPAN = re.compile(r"(?<![\w-])(col|row)span\s*=\s*[\"']?\s*(\d{1,6})", re.IGNORECASE | re.ASCII)
_LONG_NUMBER = re.compile(r"&#\d{10,}+;?", re.ASCII)
_MOST_COLUMNS, _MOST_ROWS = 1000, 65534  # that HTML allows a cell to span
_LOOKS = 32  # for each cell of a table, at places that other cells may have taken: then spans count no more
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
_MAIN = re.compile(r"""(?i)(?<![\w-])(?:role\s{0,9}=\s{0,9}["']?main|id\s{0,9}=\s{0,9}["']?main-content)(?![\w-])""")
"""What an element says that is the main content of its page, if it is no `main`."""
_PERMALINK = "\u00b6 "
"""How Sphinx marks the link of a heading to itself."""
_SPACE = re.compile(r"[ \t\n\r\f]+")


# -- headings and tables in a text -----------------------------------------------------------------------------------


def bare_text(markup: str) -> str:
    """Returns the text of HTML without its tags."""
    return " ".join(_unescape(_TAG.sub(" ", markup)).split())


def _unescape(text: str) -> str:
    return unescape(_LONG_NUMBER.sub("\ufffd", text))  # which `int` refuses where it has thousands of digits


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
        if tag["close"] and opened and opened["name"].lower() == name and tag.start() - opened.end() <= FAR:
            title = bare_text(text[opened.end() : tag.start()])
            if 0 < len(title) <= LONGEST:
                yield opened.start(), tag.end(), int(name[1]), title
        opened = None if tag["close"] else tag


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


# -- tags and text ---------------------------------------------------------------------------------------------------


class _Token(NamedTuple):
    """A tag, whether it opens, and its attributes; or a text, whose tag is ""."""

    tag: str
    opens: bool
    text: str


def html_tokens(html: str) -> Iterator[_Token]:
    """HTML -> its tags and texts, without comments, scripts and styles. Markup that never ends is text."""
    at = 0
    while (mark := _MARKUP.search(html, at)) and mark["end"]:
        if mark.start() > at:
            yield _Token("", False, _unescape(html[at : mark.start()]))
        at = mark.end()
        tag, attributes = (mark["tag"] or "").lower(), mark["attributes"]
        if not tag:
            continue
        yield _Token(tag, not mark["close"], attributes)
        if mark["close"]:
            continue
        if attributes.endswith("/"):
            yield _Token(tag, False, "")
        elif tag in _RAW:
            closing = _RAW[tag].search(html, at)
            at = closing.start() if closing else len(html)
    if at < len(html):
        yield _Token("", False, _unescape(html[at:]))


# -- a table ---------------------------------------------------------------------------------------------------------


def html_table(html: str) -> str:
    """A table in HTML -> the same in Markdown, after what stands outside of its cells; "" where there is no text."""
    return _TableReader().read(html_tokens(html))


class _TableReader:
    """The cells of a table in HTML, whether or not they are closed. A table inside of a cell is text of that cell."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.plain: set[int] = set()  # rows of the body: not in a thead, with a td
        self.outside: list[str] = []
        self.tables, self.row, self.column, self.head = 0, -1, 0, False
        self.taken: dict[int, int] = {}  # column -> the first row where it is free
        self.looks = 0
        self.place: tuple[int, int, int, int] | None = None
        self.inside: list[str] = []

    def read(self, tokens: Iterable[_Token]) -> str:
        """The tags and texts of a table -> the table in Markdown."""
        for token in tokens:
            text = token.text if not token.tag else " " if token.tag in _PARTING else ""
            (self.inside if self.place else self.outside).append(text)
            if token.opens:
                self._open(token)
            elif token.tag:
                self._close(token.tag)
        self._end_cell()
        cells = [cell._replace(heads=cell.row not in self.plain) for cell in self.cells]
        return "\n\n".join(filter(None, (" ".join("".join(self.outside).split()), pipe_table(cells))))

    def _open(self, token: _Token) -> None:
        tag = token.tag
        self.tables += tag == "table"
        if self.tables > 1:
            return
        if tag in ("tr", "td", "th"):
            self._end_cell()
        if tag == "thead":
            self.head = True
        elif tag == "tr" or (tag in ("td", "th") and self.row < 0):
            self.row, self.column = self.row + 1, 0
        if tag in ("td", "th"):
            self._begin_cell({name.lower(): int(value) for name, value in SPAN.findall(token.text)})
            if tag == "td" and not self.head:
                self.plain.add(self.row)

    def _close(self, tag: str) -> None:
        if self.tables < 2 and tag in ("td", "th", "tr", "thead", "table"):
            self._end_cell()
            self.head = self.head and tag != "thead"
        self.tables -= tag == "table" and self.tables > 0

    def _begin_cell(self, spans: Mapping[str, int]) -> None:
        wide = tall = 1
        if self.looks < _LOOKS * (len(self.cells) + _MOST_COLUMNS):
            wide = min(max(spans.get("col", 1), 1), _MOST_COLUMNS)
            tall = min(spans.get("row", 1) or _MOST_ROWS, _MOST_ROWS)
            begun = self.column
            while self.taken.get(self.column, 0) > self.row:
                self.column += 1
            self.looks += self.column - begun + wide * (tall > 1)
        self.place = (self.row, self.row + tall, self.column, self.column + wide)
        if tall > 1:
            self.taken |= dict.fromkeys(range(self.column, self.column + wide), self.row + tall)
        self.column += wide

    def _end_cell(self) -> None:
        """What is open is a cell now."""
        if self.place:
            self.cells.append(Cell(*self.place, "".join(self.inside), False))
        self.place, self.inside = None, []


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


def html_text(html: str, main: bool | None = False) -> str:
    """HTML -> its text as Markdown: headings, lists, code and tables have their marks, all else is paragraphs.

    Scripts, styles, menus and forms are left out. main: whether headers, footers, side bars and the like are left out
    too, see `caesura_documents.main_content.find_main`; None: where trafilatura is installed. Raises `SettingError`
    where it is not, and `main` is True.

    >>> print(html_text("<title>x</title><h2>Tides</h2><p>Two\\n a day.<ul><li>high<li>low</ul>"))
    ## Tides
    <BLANKLINE>
    Two a day.
    <BLANKLINE>
    - high
    - low
    """
    blocks = _PageReader().read(_with_text(html_tokens(html)))
    if main or (main is None and has_extractor()):
        first, end = find_main(
            html, [("h1" if each.marker == "#" else each.kind, each.text, each.is_main) for each in blocks]
        )
        blocks = blocks[first:end]
    return _write(blocks)


def _with_text(tokens: Iterable[_Token]) -> Iterator[_Token]:
    """Tags and texts -> those outside of elements without text, each of which ends where it or one around it does."""
    skipped = ""  # the outermost element without text
    around, inside = Counter[str](), Counter[str]()  # elements that are open: those around it, and those in it
    for token in tokens:
        tag = token.tag
        if token.opens and (skipped or tag in _WITHOUT_TEXT):
            skipped = skipped or tag
            inside[tag] += 1
        elif not skipped or (tag and not inside[tag] and around[tag]):
            skipped = ""
            inside.clear()
            around[tag] += 1 if token.opens else -(around[tag] > 0)
            yield token
        elif tag:
            inside[tag] -= inside[tag] > 0
            skipped = skipped if inside[skipped] else ""


class _PageBlock(NamedTuple):
    """A block of a page: what it is, its text and its mark, in how many lists it stands, and whether the page says that
    it is of its main content."""

    kind: str
    text: str
    marker: str
    depth: int
    is_main: bool


class _PageReader:
    """The blocks of a page, one after the other. What is not closed ends where the next block begins."""

    def __init__(self) -> None:
        self._blocks: list[_PageBlock] = []
        self._inline: list[str] = []
        self._kind, self._marker = "text", ""
        self._lists: list[int | None] = []  # the lists that are open: the number of the last item, None without
        self._main, self._open = "", 0  # the element that is the main content, and how many of its name are open in it

    def read(self, tokens: Iterator[_Token]) -> list[_PageBlock]:
        """The tags and texts of a page -> its blocks."""
        for token in tokens:
            if token.tag == "table" and token.opens:
                self._add_table([*_table_tokens(tokens)])
            else:
                self._add(token)
        self._flush()
        return self._blocks

    def _add_table(self, tokens: list[_Token]) -> None:
        """A table of values is one in Markdown; of one that lays out a page, the cells are blocks of it."""
        self._flush()
        if any(token.opens and token.tag in _IN_LAYOUT for token in tokens):
            for token in tokens:
                self._add(_Token("div", False, "") if token.tag in _TABLE else token)
            self._flush()
        elif table := _TableReader().read(tokens):
            self._add_block("table", table, "")

    def _add(self, token: _Token) -> None:
        tag, opens, text = token
        if not tag:
            self._inline.append(text if self._kind == "code" else _SPACE.sub(" ", text))
        elif tag in _BLOCKS:
            self._flush()
            self._follow_main(token)
        if tag in ("ul", "ol"):
            if opens:
                self._lists.append(0 if tag == "ol" else None)
            elif self._lists:
                self._lists.pop()
        elif not opens:
            return
        elif tag == "br":
            self._inline.append("\n")
        elif tag == "li":
            number = self._lists[-1] if self._lists else None
            if number is not None:
                self._lists[-1] = number = number + 1
            self._kind, self._marker = "listitem", "-" if number is None else f"{number}."
        elif tag == "pre":
            self._kind = "code"
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._kind, self._marker = "title", heading_marker(int(tag[1]))

    def _follow_main(self, token: _Token) -> None:
        """Notes where the main content begins and ends, as the page says it."""
        if token.tag == self._main:
            self._open += 1 if token.opens else -1
            self._main = token.tag if self._open else ""
        elif token.opens and not self._main and (token.tag == "main" or _MAIN.search(token.text)):
            self._main, self._open = token.tag, 1

    def _flush(self) -> None:
        """What was said since the last block is one; an item that has said nothing yet keeps its mark."""
        text = "".join(self._inline)
        if self._kind != "code":
            text = "\n".join(_SPACE.sub(" ", line).strip() for line in text.split("\n")).strip()
            text = text.rstrip(_PERMALINK)
        self._inline = []
        if text.strip():
            self._add_block(self._kind, text, self._marker)
        elif self._kind == "listitem":
            return
        self._kind, self._marker = "text", ""

    def _add_block(self, kind: str, text: str, marker: str) -> None:
        depth = min(max(len(self._lists) - 1, 0), _INDENTED) * (kind == "listitem")
        self._blocks.append(_PageBlock(kind, text, marker, depth, bool(self._main)))


def _write(blocks: Iterable[_PageBlock]) -> str:
    """Blocks of a page -> their text."""
    out, last = GrowingText(), ""
    for kind, text, marker, depth, _ in blocks:
        between = ("\n" if last == kind == "listitem" else "\n\n") + "  " * depth
        out.add(between, text, marker, kind, [], ())
        last = kind
    return "".join(out.parts)


def _table_tokens(tokens: Iterator[_Token]) -> Iterator[_Token]:
    """What is left of a page -> the tags and texts of the table that is open, those of tables in it too."""
    depth = 1
    for token in tokens:
        depth += (1 if token.opens else -1) * (token.tag == "table")
        if not depth:
            return
        yield token
