"""The pages of a document that PyMuPDF has opened. PyMuPDF is not imported: see `pdf.from_pymupdf`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caesura_documents.printed.headings import Bookmark
from caesura_documents.printed.page import (
    PrintedPage,
    Word,
    divide_word,
    is_bold,
    is_mono,
    join_words,
    turn_word,
)

_MONO, _BOLD = 8, 16  # of a span's flags


def read_document(document: Any) -> tuple[list[PrintedPage], list[Bookmark]]:
    """A document of PyMuPDF -> its pages and its outline."""
    marks = [
        Bookmark(level, " ".join(title.split()), page if page > 0 else None)
        for level, title, page, *_ in document.get_toc()
    ]
    return [_read_page(document.load_page(number), number + 1) for number in range(document.page_count)], marks


def _read_page(page: Any, number: int) -> PrintedPage:
    found = PrintedPage(number, page.get_label() or None, page.rect.width, page.rect.height)
    ways: dict[int, list[Word]] = {}
    for way, word in _words(page):
        ways.setdefault(way, []).append(word)
    main = max((0, 1, 2, 3), key=lambda way: len(ways.get(way, ())))
    words = ways.get(main, [])
    found.turn = main
    found.pieces = join_words([turn_word(word, main) for word in words] if main else words)
    found.aside = join_words(word for way, own in ways.items() if way != main for word in own)
    found.rules = list(_rules(page))
    found.has_picture = bool(page.get_images())
    return found


def _words(page: Any) -> Iterator[tuple[int, Word]]:
    """Yields the words of a page, as it is shown, and by how many quarters, clockwise, each is turned."""
    matrix = page.rotation_matrix
    turned = (page.rotation // 90) % 4
    for block in page.get_text("rawdict").get("blocks", ()):
        for line in block.get("lines", ()):
            across, down = line.get("dir", (1.0, 0.0))
            way = ((0 if across > 0.9 else 1 if down > 0.9 else 3 if down < -0.9 else 2) + turned) % 4
            for text, box, base, span in _words_of(line.get("spans", ())):
                name, flags = span.get("font", ""), span.get("flags", 0)
                bold, mono = is_bold(name) or bool(flags & _BOLD), is_mono(name) or bool(flags & _MONO)
                place = _move(box, matrix) if turned else box
                level = base[0] * matrix.b + base[1] * matrix.d + matrix.f if turned else base[1]
                yield way, Word(text, *place, level, span.get("size", 10.0), bold, mono)


def _words_of(spans: Any) -> Iterator[tuple[str, tuple[float, float, float, float], tuple[float, float], Any]]:
    """The spans of a line -> its words, the box of each, where its baseline begins, and the span that it begins in."""
    chars: list[tuple[Any, Any]] = []
    for span in (*spans, {"chars": [{"c": " "}]}):
        for char in span.get("chars", ()):
            if not char["c"].isspace():
                chars.append((char, span))
            elif chars:
                lefts, tops, rights, bottoms = zip(*(own["bbox"] for own, _ in chars), strict=True)
                size = chars[0][1].get("size", 10.0)
                for start, end, text in divide_word([own["c"] for own, _ in chars], lefts, rights, size):
                    box = (min(lefts[start:end]), min(tops[start:end]), max(rights[start:end]), max(bottoms[start:end]))
                    yield text, box, chars[start][0]["origin"], chars[start][1]
                chars = []


def _move(box: tuple[float, float, float, float], matrix: Any) -> tuple[float, float, float, float]:
    xs = [x * matrix.a + y * matrix.c + matrix.e for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [x * matrix.b + y * matrix.d + matrix.f for x in (box[0], box[2]) for y in (box[1], box[3])]
    return min(xs), min(ys), max(xs), max(ys)


def _rules(page: Any) -> Iterator[tuple[float, float, float]]:
    """Yields the horizontal lines on a page that is not turned."""
    if page.rotation:
        return
    for drawing in page.get_drawings():
        left, top, right, bottom = drawing["rect"]
        if bottom - top <= 3 and right - left >= 20:
            yield left, (top + bottom) / 2, right
