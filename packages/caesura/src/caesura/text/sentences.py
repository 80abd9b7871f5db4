"""Sentences of any script, by rule: str -> Edges.

Inside a block of prose (`blocks.py`) one scan stops at every mark that could end a sentence, and passes over what short
quotes and brackets hold. Around a mark it reads within a bounded distance: the time is linear in the text's length.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from operator import itemgetter

import numpy as np

from caesura.text import marks
from caesura.text.blocks import blocks
from caesura.text.graphemes import past_marks
from caesura.text.markup import NEWLINE, OPENER, line_start
from caesura.text.sentence_ends import LATE, NEXT, ends_glued, inner_stop, past_late_mark, skip, stops_end, surely_ends
from caesura.text.unspaced_scripts import holds_unspaced, space_edges
from caesura.types import Edges

OPENS = frozenset(blank + chr(letter) for blank in (" ", "\n", "  ") for letter in range(ord("A"), ord("Z") + 1))
"""One or two blanks and the capital that opens a sentence."""
_QUOTE = 240  # the longest quotation or parenthesis that is kept in one piece
_STOP, _CLOSE = re.escape(marks.STOPS), re.escape(marks.CLOSERS)
_MARKS = np.zeros(0x11100, np.bool_)  # by code point, and so found many times faster than by a pattern
_MARKS[[*map(ord, marks.STOPS + ';:፡("[`“„«»‹「『《〈（【')]] = True
_LATIN_MARKS = bytes(int(_MARKS[code] and code not in b":;") for code in range(256))  # Greek and Armenian end at these
_SLICE = 2**16
_TAIL = re.compile(
    rf"(?:[{_STOP}]+|፡፡+|(?<=[ሀ-ፚ])::+|[:;](?=\s|$))(?:(?:[{_CLOSE}]|[{re.escape(marks.EITHER)}](?!\w))+[{_STOP}]*)?(?:(?=[<{re.escape(marks.NOTES)}])(?:{marks.NOTE}|\(\d{{1,3}}\)(?!\S)|</(?:{marks.INLINE_TAGS})>))*"
)
_NUMBER = re.compile(
    r"[\[(]?(?:\d{1,4}(?:\.\d{1,3}){0,4}|[a-zA-Z]|[ivx]{1,5}|[IVX]{1,5})[.)\]]{0,2}"
    rf"|[{marks.BULLETS}*+·–-]"
)
_SCRAP = 40  # no number with the space around it is longer
_LISTED = re.compile(r"\d{1,2}[.)]")
_ANSWERS = ("", "list")  # kinds of blocks
_DOTS = re.compile("\\.(?:[ \u00a0]\\.)++")
_PAIRS = {
    mark: re.compile(f"{opening}[^{re.escape(inside)}]{{0,{_QUOTE}}}{closing}")
    for mark, opening, inside, closing in marks.PAIRS
}


def sentences(text: str) -> Edges:
    """Text -> the edges of its sentences, such that no unit is blank unless the whole text is.

    Whitespace after a sentence belongs to it, leading whitespace to the first, a heading to the next. Code, tables and
    formulas are whole, and code begins with its indentation. Never raises on a str.

    >>> text = "Dr. Wu left at 5 p.m. She was tired!  Was it late?"
    >>> edges = sentences(text)
    >>> [text[a:b] for a, b in zip(edges, edges[1:])]
    ['Dr. Wu left at 5 p.m. ', 'She was tired!  ', 'Was it late?']
    """
    return _edges(text, lists=False)


def units(text: str) -> Edges:
    """Returns the edges of `sentences` without those inside of what belongs together.

    A list with its items, a quotation after ">" or a footnote is whole up to 2,000 characters; a container, such as
    "/// note" to "///", or "!!! note" with the lines indented below, up to 8,000. A speaker's turn, and a message of a
    chat in JSON, is always whole. A short question, or a term before a colon, opens the unit of what follows it. A part
    without letters belongs to what it numbers, or else to what precedes it.
    """
    return _edges(text, lists=True)


def _edges(text: str, lists: bool) -> Edges:
    edges: list[int] = []
    latin = is_latin(text)
    spaced = not latin and holds_unspaced(text)
    headed = asked = False
    prose: list[tuple[int, int]] = []
    for start, end, kind in blocks(text, lists):
        if kind == "closing" or (kind == "rule" and headed and not asked):
            continue
        if not headed or (asked and kind not in _ANSWERS):
            edges.append(line_start(text, start) if kind == "code" else start)
        asked = kind == "question"
        headed = asked or kind == "heading"  # it opens a unit with what follows it
        if not kind:
            prose.append((start, end))
    _cut(text, prose, _find(text, latin), edges)
    if spaced:
        for start, end in prose:
            edges += space_edges(text, start, end)
    edges.sort()
    edges[:1] = [0]  # leading whitespace is no unit
    if text:
        edges.append(len(text))
    if spaced:
        edges = sorted(set(edges))
    return np.array(_join_wordless(text, edges) if lists else edges, dtype=np.intp)


def is_latin(text: str) -> bool:
    """Whether no character is beyond Latin-1. It takes no longer than a copy."""
    return len(text.encode("latin-1", "ignore")) == len(text)


def _join_wordless(text: str, edges: list[int]) -> list[int]:
    """Returns edges such that no unit is without a letter, unless it is the only one.

    Such a part belongs to what precedes it. A number or a bullet alone in its line, or a number with a stop at a line's
    end, belongs to what follows, but not to a heading in markup.
    """
    if len(edges) < 3:
        return edges
    odd = [i for i, first in enumerate(itemgetter(*edges[:-1])(text)) if not first.isalpha()]
    bare = {
        i for i in odd if not any(map(str.isalpha, text[edges[i] : edges[i + 1]])) or _numbers(text, *edges[i : i + 2])
    }
    if not bare:
        return edges
    joined: list[int] = []
    waits = False  # whether the last unit is nothing but numbers yet, which what follows is to join
    for i, at in enumerate(edges[:-1]):
        numbers = i in bare and (not joined or _numbers(text, at, edges[i + 1]))
        if waits and i not in bare and len(joined) > 1 and _is_heading(text, at):
            joined[-1] = at
        elif not waits and (numbers or i not in bare):
            joined.append(at)
        waits = i in bare and (waits or numbers)
    return [*joined[: -1 if waits and len(joined) > 1 else None], len(text)]


def _numbers(text: str, at: int, stop: int) -> bool:
    """Whether a unit is a number or a bullet alone, at a line's start, or at its end with a stop."""
    if stop - at > _SCRAP:
        return False
    alone = text[at:stop].strip()
    if _NUMBER.fullmatch(alone) is None or NEWLINE.search(text, at + len(alone), stop) is None:
        return False
    before = text[max(0, at - _SCRAP) : at].rstrip(" \t\u00a0")
    return before[-1:].isspace() or not before or _LISTED.fullmatch(alone) is not None


def _is_heading(text: str, at: int) -> bool:
    found = OPENER.match(text, at)
    return found is not None and found.lastgroup == "heading"


def _find(text: str, latin: bool) -> list[int]:
    """The places of the marks that could end a sentence, or hold one that does."""
    places: list[int] = []
    for low in range(0, len(text), _SLICE):
        part = text[low : low + _SLICE]
        if latin:
            held = np.frombuffer(part.encode("latin-1").translate(_LATIN_MARKS), np.bool_)
        else:
            held = _MARKS.take(np.frombuffer(part.encode("utf-32-le", "surrogatepass"), "<u4"), mode="clip")
        places += [low + at for at in held.nonzero()[0].tolist()]
    return places


def _cut(text: str, prose: list[tuple[int, int]], places: list[int], edges: list[int]) -> None:
    """Appends the edges inside runs of prose. places: of marks."""
    for start, end in prose:
        last = resume = start
        for at in places[bisect_left(places, start) : bisect_left(places, end)]:
            mark = text[at]
            if at < resume or (mark in ":;" and text[max(last, at - 8) : at].isascii()):  # they end sentences in Greek
                continue
            if end - at < 4 and text[at + 1 : end].isspace():  # the last mark of a paragraph, most of all
                break
            gap = at + 2 if text[at + 1 : at + 3] in OPENS else at + 3 if text[at + 1 : at + 4] in OPENS else 0
            if gap and mark in ".?":  # the commonest of all, at a tenth of the cost
                ended = mark == "?" or surely_ends(text, last, at) or stops_end(text, last, at, at + 1, gap, end)
                resume = gap
            else:
                if mark in _PAIRS:
                    at, resume = _stop_in_pair(text, last, at, resume, end)
                elif mark == "." and (odd := _odd_stop(text, last, at, end)):
                    cut, resume = odd
                    if cut > 0:
                        edges.append(cut)
                        last, resume = cut, max(cut, resume)
                    continue
                tail = _TAIL.match(text, at, end) if at >= 0 else None
                if tail is None:
                    continue
                stop = max(resume, tail.end())
                stop, gap = _past_stop(text, start, last, at, stop, end)
                if gap >= end:
                    break
                ended = stops_end(text, last, at, stop, gap, end)
                resume = gap if ended or mark not in ":;" else stop  # a note's mark behind it may be that of a stop
            if ended:
                edges.append(gap)
                last = gap


def _past_stop(text: str, start: int, last: int, at: int, stop: int, end: int) -> tuple[int, int]:
    """Returns where a stop at `at` ends with what belongs to it, and where the text goes on.

    start: where the run of prose begins.
    """
    stop = past_marks(text, stop, end) if stop < end and text[stop] >= "\u0300" else stop
    gap = skip(text, stop, end)
    return stop, past_late_mark(text, start, last, at, gap, end) if gap < end and text[gap] in LATE else gap


def _stop_in_pair(text: str, last: int, at: int, resume: int, end: int) -> tuple[int, int]:
    """Returns where the stops begin that end what a quotation or bracket holds, or -1, and where it ends itself."""
    group = _PAIRS[text[at]].match(text, at, end)
    if group is None:
        return -1, resume
    closed = group.end()
    if text[at] in "([（" and text[max(last, at - 4) : at].strip():  # not a sentence in brackets
        return -1, closed
    return inner_stop(text, at, closed), closed


def _odd_stop(text: str, last: int, at: int, end: int) -> tuple[int, int] | None:
    """Returns the edge that a stop makes, or -1, and where the next mark may be: for spaced dots, and where a capital,
    a digit, or a letter of "a.org" follows at once.
    """
    if text[at + 2 : at + 3] == "." and (dots := _DOTS.match(text, at, end)):
        return _spaced_dots(text, at, dots.end(), end), dots.end()
    after, following = at + 1, text[at + 1 : min(at + 2, end)]
    if "A" <= following <= "Z":
        return after if ends_glued(text, last, at, after, end) else -1, after
    return (-1, after) if "a" <= following <= "z" or "0" <= following <= "9" else None


def _spaced_dots(text: str, at: int, stop: int, end: int) -> int:
    """Returns the edge that an ellipsis of spaced dots makes, or -1. After a word, the first of four dots is the full
    stop.
    """
    tail = _TAIL.match(text, stop - 1, end)
    gap = skip(text, tail.end() if tail else stop, end)
    word = NEXT.match(text, gap, end)
    if gap >= end or gap == stop or word is None or not word[1] or word[1][0].islower():
        return -1
    attached, many = at > 0 and not text[at - 1].isspace(), stop - at >= 7
    return at + 2 if attached and many else gap if attached or many else -1
