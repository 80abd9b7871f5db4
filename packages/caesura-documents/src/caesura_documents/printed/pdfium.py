"""The pages of a PDF as PDFium reads them: words with boxes, labels, bookmarks. Imported when a PDF is read."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import hypot, pi
from threading import Lock
from typing import Any

from caesura_documents.printed import PDF_REMEDY
from caesura_documents.printed.headings import Bookmark
from caesura_documents.printed.page import (
    SOFT_HYPHENS,
    PrintedPage,
    Word,
    divide_word,
    is_bold,
    is_mono,
    join_words,
    turn_word,
)

try:
    import pypdfium2
    import pypdfium2.raw as raw
except ImportError as _error:
    raise ImportError(PDF_REMEDY) from _error

LOCK = Lock()
"""Held while PDFium works, which cannot do so in two threads."""
PASSWORD = raw.FPDF_ERR_PASSWORD
PdfiumError = pypdfium2.PdfiumError
_MOST_PATHS = 3_000  # drawings of a page that are looked at for rules
_SCALE = 1_000
_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))


@dataclass(slots=True)
class PrintedFile:
    """What a PDF says of itself, its bookmarks and its pages. unread: numbers of pages that could not be read."""

    metadata: dict[str, str]
    bookmarks: list[Bookmark]
    pages: list[PrintedPage] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)


def read_file(data: str | bytes) -> PrintedFile:
    """The path of a PDF or its bytes -> what is printed in it. Raises whatever PDFium raises."""
    with LOCK:
        document = pypdfium2.PdfDocument(data)
        try:
            found = PrintedFile(document.get_metadata_dict(skip_empty=True), _bookmarks(document))
            for number in range(len(document)):
                try:
                    found.pages.append(_read_page(document, number))
                except Exception:  # one damaged page is no reason to lose the others
                    found.unread.append(number + 1)
                    found.pages.append(PrintedPage(number + 1, None, 0, 0))
        finally:
            document.close()
    return found


def render_pages(data: bytes, numbers: Iterable[int], width: int) -> Iterator[tuple[int, tuple[float, float], Any]]:
    """A PDF and numbers of its pages -> of each its number, its width and height in points, and a picture of Pillow.

    width: of the pictures, in pixels; a page that is higher than two widths is drawn smaller. Raises whatever PDFium
    raises, and `ImportError` without Pillow.
    """
    with LOCK:
        document = pypdfium2.PdfDocument(data)
    try:
        for number in numbers:
            with LOCK:  # not while the caller has the picture: it may read another file
                page = document[number - 1]
                size = page.get_size()
                scale = min(width / max(size[0], 1), 2 * width / max(size[1], 1))
                picture = page.render(scale=scale).to_pil()
                page.close()
            yield number, size, picture
    finally:
        with LOCK:
            document.close()


def _bookmarks(document: Any) -> list[Bookmark]:
    found = []
    try:
        for entry in document.get_toc(max_depth=12):
            at = entry.get_dest()
            index = None if at is None else at.get_index()
            title = " ".join(entry.get_title().split())
            found.append(Bookmark(entry.level + 1, title, None if index is None else index + 1))
    except Exception:  # a broken outline says nothing
        return found
    return found


def _read_page(document: Any, number: int) -> PrintedPage:
    page = document[number]
    try:
        width, height = page.get_size()
        label = document.get_page_label(number) or None
        found = PrintedPage(number + 1, label, width, height)
        shape = _Shape(page, width, height)
        text = page.get_textpage()
        try:
            words, aside, found.turn = _words(text, shape)
        finally:
            text.close()
        found.pieces, found.aside = join_words(words), join_words(aside)
        found.rules, found.has_picture = _drawings(page, shape)
        return found
    finally:
        page.close()


class _Shape:
    """How a place in a page's own system is found on the page as it is shown, turned and cut as it may be."""

    def __init__(self, page: Any, width: float, height: float) -> None:
        self.turn = page.get_rotation()
        wide, high = max(1, int(width * _SCALE)), max(1, int(height * _SCALE))
        across, down = ctypes.c_int(), ctypes.c_int()

        def place(x: float, y: float) -> tuple[float, float]:
            raw.FPDF_PageToDevice(page.raw, 0, 0, wide, high, 0, x, y, across, down)
            return across.value / _SCALE, down.value / _SCALE

        (self.x, self.y), (x_end, y_end), (x_up, y_up) = place(0, 0), place(100, 0), place(0, 100)
        self.xx, self.yx = (x_end - self.x) / 100, (y_end - self.y) / 100
        self.xy, self.yy = (x_up - self.x) / 100, (y_up - self.y) / 100

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """A box in the page's system -> left, top, right and bottom as it is shown."""
        xs = [self.x + self.xx * x + self.xy * y for x, y in ((left, bottom), (right, top))]
        ys = [self.y + self.yx * x + self.yy * y for x, y in ((left, bottom), (right, top))]
        return min(xs), min(ys), max(xs), max(ys)

    def height(self, x: float, y: float) -> float:
        """A place -> how far below the page's top it is shown."""
        return self.y + self.yx * x + self.yy * y


class _Type:
    """The type of a word: its size, whether it is bold, of one width, and how far it is turned, in quarters."""

    __slots__ = ("bold", "mono", "quarters", "size")

    def __init__(self, text: Any, at: int, turn: int) -> None:
        name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
        raw.FPDFText_GetFontInfo(text.raw, at, name, 128, flags)
        font = name.value.decode("utf-8", "replace")
        self.bold = is_bold(font) or bool(flags.value & 1 << 18)
        self.mono = is_mono(font) or bool(flags.value & 1 and not flags.value & 4)
        matrix = raw.FS_MATRIX()
        scaled = raw.FPDFText_GetMatrix(text.raw, at, matrix)
        self.size = raw.FPDFText_GetFontSize(text.raw, at) * (hypot(matrix.c, matrix.d) if scaled else 1)
        angle = raw.FPDFText_GetCharAngle(text.raw, at) * 2 / pi
        self.quarters = round(angle * 4) / 4 + turn / 90  # clockwise on the page as it is shown; a half is a slant


def _words(text: Any, shape: _Shape) -> tuple[list[Word], list[Word], int]:
    """The text of a page -> its words, those that run in another direction than most, and how far most are turned."""
    ways: dict[float, list[Word]] = {}
    rect, count = raw.FS_RECTF(), text.count_chars()
    x, y = ctypes.c_double(), ctypes.c_double()
    types: dict[int | None, _Type] = {}
    handle = text.raw
    unicode_at, box_at, origin_at, object_at = (
        raw.FPDFText_GetUnicode,
        raw.FPDFText_GetLooseCharBox,
        raw.FPDFText_GetCharOrigin,
        raw.FPDFText_GetTextObject,
    )
    marks: list[str] = []
    lefts: list[float] = []
    rights: list[float] = []
    at = 0
    top = bottom = middle = wide = 0.0

    def type_at(number: int) -> _Type:
        own = ctypes.cast(object_at(handle, number), ctypes.c_void_p).value
        return types.get(own) or types.setdefault(own, _Type(text, number, shape.turn))

    def finish() -> None:
        if not marks:
            return
        origin_at(handle, at, x, y)
        kind = type_at(at)
        box = shape.box(min(lefts), bottom, max(rights), top)
        base = shape.height(x.value, y.value)
        tall = box[2] - box[0] if kind.quarters % 2 == 1 else box[3] - box[1]
        size = kind.size if 0.5 < kind.size / (tall or 1) < 1.6 else max(tall, 1.0)
        words = ways.setdefault(kind.quarters % 4, [])
        for start, end, shown in divide_word(marks, lefts, rights, size):
            if end - start < len(marks):
                box = shape.box(min(lefts[start:end]), bottom, max(rights[start:end]), top)
            own = kind if start == 0 else type_at(at + start)
            words.append(Word(shown, *box, base, size, own.bold, own.mono))
        for each in (marks, lefts, rights):
            each.clear()

    for number in range(count):
        mark = chr(unicode_at(handle, number))
        if mark.isspace() or mark == "\0":
            finish()
            continue
        box_at(handle, number, rect)
        if marks:
            large = max(rect.top - rect.bottom, rect.right - rect.left, wide, 1.0)
            far = abs(rect.left - lefts[-1]) > 1.5 * large and abs((rect.bottom + rect.top) / 2 - middle) > 0.6 * large
            if marks[-1] in SOFT_HYPHENS or far:
                finish()
        if not marks:
            at, top, bottom = number, rect.top, rect.bottom
        else:
            top, bottom = max(top, rect.top), min(bottom, rect.bottom)
        middle, wide = (rect.bottom + rect.top) / 2, rect.right - rect.left
        lefts.append(rect.left)
        rights.append(rect.right)
        marks.append(_LIGATURES.get(mark, mark))
    finish()
    return _upright(ways)


def _upright(ways: dict[float, list[Word]]) -> tuple[list[Word], list[Word], int]:
    main = max((0.0, 1.0, 2.0, 3.0), key=lambda way: len(ways.get(way, ())))
    aside = [word for way, own in ways.items() if way != main for word in own]
    words = ways.get(main, [])
    return (words if main == 0.0 else [turn_word(word, int(main)) for word in words]), aside, int(main)


def _drawings(page: Any, shape: _Shape) -> tuple[list[tuple[float, float, float]], bool]:
    """A page -> the horizontal lines on it, thin boxes among them, and whether there is a picture or a form."""
    edges = [ctypes.c_float() for _ in range(4)]
    rules, has_picture = [], False
    for number in range(min(raw.FPDFPage_CountObjects(page.raw), _MOST_PATHS)):
        item = raw.FPDFPage_GetObject(page.raw, number)
        kind = raw.FPDFPageObj_GetType(item)
        has_picture |= kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM)
        if kind == raw.FPDF_PAGEOBJ_PATH and raw.FPDFPageObj_GetBounds(item, *edges):
            left, top, right, bottom = shape.box(*(edge.value for edge in edges))
            if bottom - top <= 3 and right - left >= 20:
                rules.append((left, (top + bottom) / 2, right))
    return rules, has_picture
