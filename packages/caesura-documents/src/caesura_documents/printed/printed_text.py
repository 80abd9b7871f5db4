"""Printed pages -> one text and its layout: without running heads, with headings, whole paragraphs, notes apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from caesura.text.marks import ENDED
from caesura_documents.parsed_text import ElementPlace, GrowingText, Titles, heading_marker, path_under
from caesura_documents.printed.columns import split_columns
from caesura_documents.printed.headings import Bookmark, mark_headings, mark_title
from caesura_documents.printed.page import PrintedPage, make_rows
from caesura_documents.printed.printed_blocks import (
    HYPHENS,
    PrintedBlock,
    clean_text,
    join_line,
    join_lines,
    make_blocks,
    words_of,
)
from caesura_documents.printed.running_heads import drop_running

_NOTE = re.compile(r"(?:\d{1,3}|[\u00b9\u00b2\u00b3\u2070-\u2079]{1,3}|[*†‡§¶]{1,3}) ?(?=[^\W\d]|[\"“(])")
_GLUED = re.compile(r"^(\d{1,3}|[*\u2020\u2021§¶]{1,3})(?=[^\W\d])")
_SMALL = 0.93  # of the size of most text: type of a footnote
_JOINED = ("text", "list_item")
_FLOATING = ("caption", "table", "code")
_BULLET = re.compile(r"(?:[•▪◦‣●○■□➢✓·–—*\uf0b7\uf0a7-]) *")


@dataclass(slots=True)
class PrintedText:
    """What is made of printed pages: the growing text, the blocks by their order, and numbers of pages
    that are a picture without text."""

    text: GrowingText
    blocks: list[PrintedBlock]
    blank: list[int] = field(default_factory=list)


def print_text(pages: Sequence[PrintedPage], bookmarks: Sequence[Bookmark] = ()) -> PrintedText:
    """Pages and the file's own outline -> one text, what stands where in it, and which pages have no text."""
    rows = [make_rows(page.pieces) for page in pages]
    known = set[str]().union(*map(words_of, rows)) if rows else set()
    drop_running(pages, rows)
    regions: list[list[PrintedBlock]] = []
    for page in pages:
        for pieces in split_columns(page.pieces):
            regions.append(make_blocks(pieces, page.rules, page.number))
        regions += [
            [PrintedBlock("text", [piece.text], [piece], piece.size, piece.bold, page.number)] for piece in page.aside
        ]
    body = _body_size(regions)
    for region in regions:
        _mark_notes(region, body)
    blocks = [block for region in regions for block in region]
    mark_headings(blocks, bookmarks, body)
    mark_title(blocks, body)
    writer = _Writer(pages, known)
    for region in regions:
        writer.add_region(region)
    writer.finish()
    blank = [
        page.number for page, own in zip(pages, rows, strict=True) if page.has_picture and not own and not page.aside
    ]
    return PrintedText(writer.out, blocks, blank)


def _body_size(regions: Sequence[Sequence[PrintedBlock]]) -> float:
    """The size of most text."""
    sizes: Counter[float] = Counter()
    for region in regions:
        for block in region:
            if block.kind in ("text", "list_item"):
                sizes[round(2 * block.size) / 2] += sum(map(len, block.lines))
    return sizes.most_common(1)[0][0] if sizes else 10.0


# -- footnotes ---------------------------------------------------------------------------------------------------------


def _mark_notes(region: Sequence[PrintedBlock], body: float) -> None:
    """Blocks in small type at the foot of a region, which begin with a mark, are footnotes."""
    first = len(region)
    while first and region[first - 1].kind in ("text", "list_item") and region[first - 1].size <= _SMALL * body:
        first -= 1
    while first < len(region) and not _NOTE.match(region[first].first):
        first += 1
    for block in region[first:] if first else ():
        block.kind = "footnote"


# -- the text ----------------------------------------------------------------------------------------------------------


class _Writer:
    """Writes blocks one after the other, a paragraph that goes on over a column's or a page's end as one."""

    def __init__(self, pages: Sequence[PrintedPage], known: set[str]) -> None:
        self.out = GrowingText()
        self.pages = {page.number: page for page in pages}
        self.known = known
        self.path: Titles = ()
        self.text = ""  # of the block that may go on
        self.open: PrintedBlock | None = None
        self.places: list[ElementPlace] = []
        self.aside: list[PrintedBlock] = []  # which is written after the open block
        self.last = ""  # the kind of the last block written
        self.last_table: PrintedBlock | None = None

    def add_region(self, blocks: Sequence[PrintedBlock]) -> None:
        """The blocks of a column. The first paragraph may go on with one before; what stands between them, as a figure
        or a table at the page's edge, comes after it."""
        is_first = True
        for block in blocks:
            if block.kind == "footnote" or (block.kind in _FLOATING and self.open is not None and self._is_open()):
                self.aside.append(block)
            elif is_first and self.open is not None and self._goes_on(self.open, block):
                self._extend(self.open, block)
            else:
                self._close()
                self._start(block)
            is_first = is_first and block.kind in _FLOATING

    def finish(self) -> None:
        """Writes what is still open."""
        self._close()

    def _is_open(self) -> bool:
        """Whether the open block is a paragraph within a sentence."""
        end = self.text.rstrip()[-1:]
        return self.open is not None and self.open.kind in _JOINED and end not in ENDED and end != ":"

    def _goes_on(self, before: PrintedBlock, block: PrintedBlock) -> bool:
        if before.kind not in _JOINED or block.kind != "text" or abs(block.size - before.size) > 0.08 * before.size:
            return False
        end, begin = self.text.rstrip()[-1:], block.first.lstrip()[:1]
        if end in HYPHENS:
            return begin.islower()
        return self._is_open() and (begin.islower() or (before.full and not begin.isupper()))

    def _extend(self, before: PrintedBlock, block: PrintedBlock) -> None:
        joined = join_line(self.text, join_lines(block.lines, self.known), self.known)
        at = len(self.text) + (joined[len(self.text) : len(self.text) + 1] == " ")
        if len(joined) <= at or self.text[-1:] in HYPHENS:  # a word in two parts stands where it begins
            at = len(joined) - len(join_lines(block.lines, self.known))
        self.text = joined
        self.places.append(ElementPlace(at, block.page, self._box(block)))
        self.open = PrintedBlock(before.kind, before.lines, before.pieces, block.size, False, block.page, block.full)

    def _start(self, block: PrintedBlock) -> None:
        self.open, self.text = block, self._text(block)
        self.places = [self._place(block)]

    def _text(self, block: PrintedBlock) -> str:
        if block.kind in ("table", "code", "document_index"):
            return "\n".join(block.lines)
        text = join_lines(block.lines, self.known)
        return _GLUED.sub(r"\1 ", text, count=1) if block.kind == "footnote" else text

    def _place(self, block: PrintedBlock) -> ElementPlace:
        return ElementPlace(0, block.page, self._box(block))

    def _box(self, block: PrintedBlock) -> list[float]:
        return self.pages[block.page].box(block.pieces)

    def _close(self) -> None:
        """Writes the open block, and what stood between its parts."""
        if self.open is not None and self.text.strip():
            self._write(self.open, clean_text(self.text), self.places)
        self.open = None
        aside, self.aside = self.aside, []
        for block in sorted(aside, key=lambda one: one.kind == "footnote"):
            self._write(block, clean_text(self._text(block)), [self._place(block)])

    def _write(self, block: PrintedBlock, text: str, places: list[ElementPlace]) -> None:
        marker, between = "", "\n\n"
        if block.kind in ("title", "section_header"):
            self.path = path_under(self.path, block.level, text)
            marker = heading_marker(block.level)
        elif block.kind == "list_item":
            text, marker = self._item(text)
            between = "\n" if self.last == "list_item" else "\n\n"
        elif block.kind == "table" and self._goes_on_in_table(block):
            text = "\n".join(block.lines[2:] if block.header == self._header() else [block.lines[0], *block.lines[2:]])
            between = "\n"
            block.header = self._header()
        if text.strip():
            self.out.add(between, text, marker, block.kind, places, self.path)
            self.last = block.kind
            self.last_table = block if block.kind == "table" else None

    def _item(self, text: str) -> tuple[str, str]:
        found = _BULLET.match(text)
        return (text[found.end() :], "-") if found and found.end() < len(text) else (text, "")

    def _header(self) -> str:
        return self.last_table.header if self.last_table is not None else ""

    def _goes_on_in_table(self, block: PrintedBlock) -> bool:
        """Whether a table goes on with that of the page before: it has as many columns."""
        before = self.last_table
        return (
            before is not None
            and block.page == before.page + 1
            and block.header.count(" | ") == before.header.count(" | ")
            and len(block.lines) > 2
        )
