"""Sentences of any script, by rule: str -> Edges.

Inside a block of prose (`blocks.py`) one scan stops at every mark that could end a sentence, and passes over what short
quotes and brackets hold. Around a mark it reads within a bounded distance: the time is linear in the text's length.
"""

from __future__ import annotations

import re

import numpy as np

from caesura.text import abbreviations as data
from caesura.text.blocks import blocks
from caesura.text.graphemes import past_marks
from caesura.text.sentence_ends import NEXT, inner_stop, stops_end, surely_ends
from caesura.types import Edges

_QUOTE = 240  # the longest quotation or parenthesis that is kept in one piece
_STOP, _CLOSE = re.escape(data.STOPS), re.escape(data.CLOSERS)
_SCAN_ASCII = re.compile(r'[.!?("\[`]')
_SCAN = re.compile(rf"[{_STOP};:(\"\[`“„«»‹「『《〈（【]")
_TAIL = re.compile(
    rf"(?:[{_STOP}]+|[:;](?=\s|$))(?:(?:[{_CLOSE}]|[{re.escape(data.EITHER)}](?!\w))+[{_STOP}]*)?(?:\[\d{{1,3}}\]|</(?:{data.INLINE_TAGS})>)*"
)
_CAPITAL = re.compile(" [A-Z]")
_GAP = re.compile(r"\s*(?:[།༎]\s*)*")
_DOTS = re.compile("\\.(?:[ \u00a0]\\.)++")
_THAI_LETTER = re.compile("[\u0e01-\u0e45]")
_THAI = re.compile("(?<=[\u0e01-\u0e45\u0e47-\u0e59]{20})[ \u00a0]+(?=[\u0e01-\u0e59]{20})")
_PAIRS = {
    mark: re.compile(f"{opening}[^{re.escape(inside)}]{{0,{_QUOTE}}}{closing}")
    for mark, opening, inside, closing in data.PAIRS
}


def sentences(text: str) -> Edges:
    """Text -> the edges of its sentences, such that no unit is blank unless the whole text is.

    Whitespace after a sentence belongs to it, leading whitespace to the first, a heading to the next. Code, tables and
    formulas are whole. Never raises on a str.

    >>> text = "Dr. Wu left at 5 p.m. She was tired!  Was it late?"
    >>> edges = sentences(text)
    >>> [text[a:b] for a, b in zip(edges, edges[1:])]
    ['Dr. Wu left at 5 p.m. ', 'She was tired!  ', 'Was it late?']
    """
    return _edges(text, lists=False)


def units(text: str) -> Edges:
    """`sentences`, but a list with its items, or a quotation after ">", is whole if it has up to 2,000 characters."""
    return _edges(text, lists=True)


def _edges(text: str, lists: bool) -> Edges:
    edges: list[int] = []
    scan = _SCAN_ASCII if text.isascii() else _SCAN
    thai = scan is _SCAN and _THAI_LETTER.search(text) is not None
    headed = False
    for start, end, kind in blocks(text, lists):
        if kind == "closing":
            continue
        edges += [] if headed else [start]
        headed = kind == "heading"  # it opens a unit with what follows it
        if not kind:
            _cut(text, start, end, scan, edges)
            edges.extend([gap.end() for gap in _THAI.finditer(text, start, end)] if thai else [])
    edges[:1] = [0]  # leading whitespace is no unit
    if text:
        edges.append(len(text))
    return np.array(sorted(set(edges)) if thai else edges, dtype=np.intp)


def _cut(text: str, start: int, end: int, scan: re.Pattern[str], edges: list[int]) -> None:
    """Append the edges inside one run."""
    last = resume = start
    for found in scan.finditer(text, start, end):
        at = found.start()
        if at < resume:
            continue
        if end - at < 4 and text[at + 1 : end].isspace():  # the last mark of a paragraph, most of all
            return
        mark = text[at]
        if mark in _PAIRS:
            at, resume = _stop_in_pair(text, last, at, resume, end)
            if at < 0:
                continue
        elif mark == "." and _CAPITAL.match(text, at + 1, end) and surely_ends(text, last, at):
            edges.append(at + 2)  # the commonest of all, at a tenth of the cost
            last = resume = at + 2
            continue
        elif mark == "." and text[at + 2 : at + 3] == "." and (dots := _DOTS.match(text, at, end)):
            resume = dots.end()
            cut = _spaced_dots(text, at, resume, end)
            if cut > 0:
                edges.append(cut)
                last, resume = cut, max(cut, resume)
            continue
        tail = _TAIL.match(text, at, end)
        if tail is None:
            continue
        stop = past_marks(text, max(resume, tail.end()), end)
        gap = _skip(text, stop, end)
        gap = _past_late_mark(text, gap, end) if gap < end and text[gap] in data.LATE else gap
        if gap >= end:
            return
        resume = gap
        if stops_end(text, last, at, stop, gap, end):
            edges.append(gap)
            last = gap


def _stop_in_pair(text: str, last: int, at: int, resume: int, end: int) -> tuple[int, int]:
    """A quotation or bracket that opens here -> where the stops begin that end its content, or -1, and its own end."""
    group = _PAIRS[text[at]].match(text, at, end)
    if group is None:
        return -1, resume
    aside = text[at] in "([（" and text[max(last, at - 4) : at].strip()  # not a sentence in brackets
    return (-1 if aside else inner_stop(text, at, group.end())), group.end()


def _past_late_mark(text: str, gap: int, end: int) -> int:
    """Where the text goes on after a mark that belongs to the stops before it, if a space follows that too."""
    return _skip(text, gap + 1, end) if text[gap + 1 : gap + 2].isspace() else gap


def _skip(text: str, at: int, end: int) -> int:
    found = _GAP.match(text, at, end)
    return found.end() if found else at


def _spaced_dots(text: str, at: int, stop: int, end: int) -> int:
    """An ellipsis of spaced dots -> the edge it makes, or -1. After a word the first of four is the full stop."""
    tail = _TAIL.match(text, stop - 1, end)
    gap = _skip(text, tail.end() if tail else stop, end)
    word = NEXT.match(text, gap, end)
    if gap >= end or gap == stop or word is None or not word[1] or word[1][0].islower():
        return -1
    attached, many = at > 0 and not text[at - 1].isspace(), stop - at >= 7
    return at + 2 if attached and many else gap if attached or many else -1
