"""PDF and HTML as text: the pages of a PDF joined, the blocks of HTML as Markdown."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from html import escape
from html.parser import HTMLParser
from importlib.util import find_spec
from io import BytesIO

from caesura_documents.join_pages import join_texts
from caesura_documents.parsed_text import GrowingText, heading_marker
from caesura_documents.unstructured import html_table

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
PDF_REMEDY = 'a PDF needs pip install "caesura-lab[pdf]"'

_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_HTML = re.compile(rb"\s*(?:<\?xml[^>]{0,200}>|<!--.{0,1000}?-->|\s)*<(?:!doctype\s+html|html)\b", re.I | re.S)
_CHARSET = re.compile(rb"""<(?:meta|\?xml)\b[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.I)
_HEAD = 1024
"""So many bytes may say what encoding they are in, as browsers have it."""
_WITHOUT_TEXT = set("button iframe nav noscript object script select style svg template title textarea".split())  # noqa: SIM905
_TABLE = set("caption table tbody td tfoot th thead tr".split())  # noqa: SIM905
_LAYOUT = set("h1 h2 h3 h4 h5 h6 li pre table".split())  # noqa: SIM905
"""What stands in the cells of a table that lays out a page, and in no table of values."""
_BLOCKS = _TABLE | _LAYOUT
_BLOCKS |= set("address article aside blockquote body dd details div dl dt fieldset figcaption figure".split())  # noqa: SIM905
_BLOCKS |= set("footer form header hr html legend main ol p section summary ul".split())  # noqa: SIM905
_DEEPEST = 9
"""Levels of lists in lists that are indented."""
_SPACE = re.compile(r"[ \t\n\r\f]+")


def has_pdf_reader() -> bool:
    """Whether pypdf is installed."""
    return find_spec("pypdf") is not None


def pdf_text(data: bytes) -> tuple[str, tuple[int, ...]]:
    """A PDF -> the text of its pages, joined as the plugins' `join_pages` does, and where in it each page begins.

    A sentence goes on over a page's end, headers and footers of pages are left out.

    Raises `ValueError` where it cannot be read, has no text, or pypdf is not installed.
    """
    try:
        import pypdf
        from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError
    except ImportError as error:
        raise ValueError(PDF_REMEDY) from error
    try:
        pages = [page.extract_text() for page in pypdf.PdfReader(BytesIO(data)).pages]
    except FileNotDecryptedError as error:
        raise ValueError("a PDF that asks for a password: save it without") from error
    except (DependencyError, PyPdfError, *_FAULTS) as error:  # the last are what a damaged file makes of it
        raise ValueError(f"a PDF that pypdf cannot read: {type(error).__name__}: {error}") from error
    text, layout = join_texts(pages, range(1, len(pages) + 1))
    if not text.strip():
        count = f"{len(pages)} page{'s' * (len(pages) > 1)}"
        raise ValueError(f"a PDF of {count} without text: if they are scanned, read them with OCR first")
    return text, tuple(entry["start"] for entry in layout)


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
    parser = _Page()
    parser.feed(html)
    parser.close()
    return parser.finish()


class _Page(HTMLParser):
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
            min(max(len(self._lists) - 1, 0), _DEEPEST) * listed
        )
        self._out.add(between, text, marker, kind, [], ())
        self._last = kind

    def _end_table(self) -> None:
        """A table of values is one in Markdown; of one that lays out a page, the cells are blocks of it."""
        parts, self._table, self._tables = self._table or [], None, 0
        if not any(tag in _LAYOUT and opens for tag, opens, _ in parts[1:]):
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
