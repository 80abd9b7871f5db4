"""Which blocks of printed pages are headings, and of which level: by the file's own outline, and by their type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from caesura_documents.printed.printed_blocks import PrintedBlock

LONGEST = 200
"""Characters that a heading has at most."""
_LARGE = 1.13  # of the size of most text
_NUMBER = re.compile(r"(?:chapter|part|appendix|section|kapitel|teil|abschnitt|anhang|chapitre|partie|annexe)?\s*"
                     r"(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3})*[.:)]?\s+", re.I)  # fmt: skip
_DEPTH = re.compile(r"(?:\d{1,3}|[A-Z])((?:\.\d{1,3})+)\.?\s|(?:\d{1,3})\.?\s+(?=[^\W\d_])")
_HAS_LETTER = re.compile(r"[^\W\d_]{2}")
_HAS_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7af]{2}")
_ELSEWHERE = re.compile(
    r"(?:see|see also|siehe|siehe auch|voir|voir aussi|v\S{1,2}ase|vedi|zie ook|参照|関連項目)\s?[:\uff1a]", re.I
)
_PART = re.compile(
    r"(?:\W|\d)*(?:(?:table of |list of )?(?:contents|figures|tables)|abstract|summary|preface|foreword|introduction"
    r"|index|copyright.{0,80}|inhalt(?:sverzeichnis)?|vorwort|sommaire|table des mati\S+res|índice)\W*",
    re.I,
)
_SENTENCE_ENDS = (".", ",", ";", ":")


class Bookmark(NamedTuple):
    """An entry of a PDF's own outline: its depth from 1, its title, and its page from 1, if known."""

    level: int
    title: str
    page: int | None


def mark_headings(blocks: Sequence[PrintedBlock], bookmarks: Sequence[Bookmark], body: float) -> None:
    """Makes headings of blocks, with their levels. body: the size of most text, in points.

    A block is one if an entry of the outline has its text and its page. Others are, if they are short and in larger
    type, or in bold where most text is not. Where there is an outline, others are headings only in type that headings
    of the outline have.
    """
    given = [block for block in blocks if _may_be(block)]
    matched = _match(given, bookmarks)
    for block, level in matched:
        block.kind, block.level = "section_header", min(level, 6)
    styles: dict[tuple[float, bool], Counter[int]] = {}
    for block, level in matched:
        styles.setdefault(_style(block), Counter())[level] += 1
    texts = [(block.bold, sum(map(len, block.lines))) for block in blocks if block.kind in ("text", "list_item")]
    is_light = 2 * sum(count for bold, count in texts if bold) < sum(count for _, count in texts)
    others = [block for block in given if block.kind != "section_header" and _stands_out(block, body, is_light)]
    if len(matched) >= 5 and 2 * len(matched) >= len(bookmarks):
        for block in others:
            if _style(block) in styles and block.size >= _LARGE * body:
                block.kind, block.level = "section_header", min(styles[_style(block)].most_common(1)[0][0], 6)
    else:
        _rank(others, max((level for _, level in matched), default=0))


def mark_title(blocks: Sequence[PrintedBlock], body: float) -> None:
    """Makes the title of the block in the largest type on the first page with text, if it is short, has a word, and
    stands in type that is much larger than most text, and that no heading after it has."""
    first = [
        block
        for block in blocks
        if block.page == blocks[0].page and (block.level or _may_be(block)) and _HAS_WORD.search(" ".join(block.lines))
    ]
    largest = max(first, key=lambda block: block.size, default=None)
    if largest is None or largest.size < 1.3 * body:
        return
    if all(_style(block) != _style(largest) for block in blocks if block.level and block is not largest):
        largest.kind, largest.level = "title", 1


def find_title(blocks: Sequence[PrintedBlock]) -> str:
    """The title on the first page, or else the first heading on one of the first three that is no part's name, as
    "Contents" is; "" without one."""
    for kind in ("title", "section_header"):
        for block in blocks:
            title = " ".join(block.lines)
            if block.kind == kind and block.page <= 3 and not _PART.fullmatch(title):
                return title
    return ""


def _may_be(block: PrintedBlock) -> bool:
    return (
        (block.kind in ("text", "list_item", "document_index") or (block.kind == "code" and len(block.lines) == 1))
        and len(block.lines) <= 4
        and sum(map(len, block.lines)) <= LONGEST
        and _HAS_LETTER.search(block.first) is not None
    )


def _match(blocks: Sequence[PrintedBlock], bookmarks: Sequence[Bookmark]) -> list[tuple[PrintedBlock, int]]:
    """Blocks that entries of the outline name, and the level of each."""
    named: dict[str, list[Bookmark]] = {}
    for mark in bookmarks:
        for key in {_key(mark.title), _key(_NUMBER.sub("", mark.title, count=1))}:
            if key:
                named.setdefault(key, []).append(mark)
    found = []
    for block in blocks:
        text = " ".join(block.lines)
        entries = named.get(_key(text)) or named.get(_key(_NUMBER.sub("", text, count=1))) or ()
        levels = [mark.level for mark in entries if mark.page is None or abs(mark.page - block.page) <= 0]
        if levels and block.kind != "document_index":
            found.append((block, levels[0]))
    return found


def _key(title: str) -> str:
    return "".join(mark for mark in title.casefold() if mark.isalnum())


def _style(block: PrintedBlock) -> tuple[float, bool]:
    return round(2 * block.size) / 2, block.bold


def _stands_out(block: PrintedBlock, body: float, is_light: bool) -> bool:
    """is_light: whether most text is not in bold."""
    is_numbered = (
        block.kind == "list_item" and block.first[:1].isalnum() and (block.bold or block.size >= _LARGE * body)
    )
    if not (block.kind == "text" or is_numbered) or len(block.lines) > 3:
        return False
    last = block.lines[-1].rstrip()
    if _ELSEWHERE.match(block.first):
        return False
    if block.size >= _LARGE * body:
        return not (last.endswith((",", ";")) or block.first.lstrip()[:1].islower())
    return (
        is_light
        and block.bold
        and block.size >= 0.97 * body
        and len(block.lines) <= 2
        and not last.endswith(_SENTENCE_ENDS)
        and not block.first.lstrip()[:1].islower()
    )


def _rank(blocks: Sequence[PrintedBlock], above: int) -> None:
    """Levels by size of type: the largest is the first below `above`. Type that is on one page alone is a title's."""
    pages: dict[tuple[float, bool], set[int]] = {}
    for block in blocks:
        pages.setdefault(_style(block), set()).add(block.page)
    largest = max((style for style in pages), default=None)
    kept = [
        style for style in sorted(pages, reverse=True) if len(pages[style]) > 1 or style == largest or len(pages) <= 4
    ]
    for block in blocks:
        if _style(block) in kept:
            block.kind = "section_header"
            block.level = min(above + kept.index(_style(block)) + 1, 6)
