"""str -> Edges: sentences of any script, by rule.

Inside a block of prose (`blocks.py`) one scan stops at every mark that could end a sentence, and passes over what short
quotes and brackets hold. Around a mark it reads within a bounded distance: the time is linear in the text's length.
"""

from __future__ import annotations

import re

import numpy as np

from caesura.text import abbreviations as data
from caesura.text.blocks import blocks
from caesura.text.graphemes import past_marks
from caesura.text.words import (
    CONSONANTS,
    LEFT,
    ends_ordinal,
    inner_stop,
    is_common,
    opens_sentence,
    surely_ends,
    token_before,
    word_before,
)
from caesura.types import Edges

_QUOTE = 240  # the longest quotation or parenthesis that is kept in one piece

_STOP, _CLOSE, _OPEN = (re.escape(marks) for marks in (data.STOPS, data.CLOSERS, data.OPENERS))

_SCAN_ASCII = re.compile(r'[.!?("\[`]')
_SCAN = re.compile(rf"[{_STOP};:(\"\[`“„«»‹「『《〈（【]")
_TAIL = re.compile(
    rf"(?:[{_STOP}]+|[:;](?=\s|$))(?:(?:[{_CLOSE}]|[{re.escape(data.EITHER)}](?!\w))+[{_STOP}]*)?(?:\[\d{{1,3}}\]|</(?:{data.INLINE_TAGS})>)*"
)
_CAPITAL = re.compile(" [A-Z]")
_GAP = re.compile(r"\s*(?:[།༎]\s*)*")
_NEXT = re.compile(rf"[{_OPEN}\s]{{0,8}}(\w[\w'’]{{0,31}}|)")
_DOTS = re.compile("\\.(?:[ \u00a0]\\.)++")
_COMPOUND = re.compile("(?:[^\\W\\d_]{1,3}\\.[ \u00a0]?)+[^\\W\\d_]{1,4}$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_MARKER = re.compile(r"[\W_]{0,4}(?:\d{1,3}|[IVXLC]{1,4}|[ivx]{1,4}|[^\W\d_])")
_ROMAN = re.compile("[IVXLC]{2,5}|[ivx]{2,4}|V|X")
_FRONTED = re.compile(r"(?:[^\W\d_]+\s+)?\d[\d:.]*\s*(?:[AaPp]\.?\s?[Mm]|[^\W\d_]{1,2})")  # "At 5 a.m", "1968 ж"
_GLUED = re.compile(rf"(?:^|[\s{_OPEN}])([^\W\d_]{{2,}}|\d[\d,]*)$")
_ASIDE = re.compile(
    r"[，、,と]|って|[がはのをにもで]|[\u4e00-\u9fff]{1,4}(?:说|道|问|喊|說|問)[道着著完了，。：；！？,.]"
)
_DEGREES = ("°", "degree", "degrees", "circ$")
_ARMENIAN = re.compile("[\u0531-\u0587]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
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
            group = _PAIRS[mark].match(text, at, end)
            if group is None:
                continue
            resume = group.end()
            own = mark not in "([（" or not text[max(last, at - 4) : at].strip()  # a sentence in brackets, not an aside
            at = inner_stop(text, at, resume) if own else -1
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
        if gap < end and text[gap] in data.LATE and text[gap + 1 : gap + 2].isspace():
            gap = _skip(text, gap + 1, end)
        if gap >= end:
            return
        resume = gap
        if _ends(text, last, at, stop, gap):
            edges.append(gap)
            last = gap


def _skip(text: str, at: int, end: int) -> int:
    found = _GAP.match(text, at, end)
    return found.end() if found else at


def _spaced_dots(text: str, at: int, stop: int, end: int) -> int:
    """An ellipsis of spaced dots -> the edge it makes, or -1. After a word the first of four is the full stop."""
    tail = _TAIL.match(text, stop - 1, end)
    gap = _skip(text, tail.end() if tail else stop, end)
    word = _NEXT.match(text, gap, end)
    if gap >= end or gap == stop or word is None or not word[1] or word[1][0].islower():
        return -1
    attached, many = at > 0 and not text[at - 1].isspace(), stop - at >= 7
    return at + 2 if attached and many else gap if attached or many else -1


def _ends(text: str, last: int, at: int, stop: int, gap: int) -> bool:
    """Whether the stops at `text[at:stop]`, with `text[gap]` the next thing, end the sentence that began at `last`."""
    mark, following = text[at], text[gap]
    plain = mark == "." and stop - at == 1
    if mark in ":;":
        return (_ARMENIAN if mark == ":" else _GREEK).search(text, max(last, at - 8), at) is not None
    if not plain and (mark in data.FREE or text[at + 1] in data.FREE or text[stop - 1] in data.FREE):
        if text[stop - 1] in data.CLOSERS and _ASIDE.match(text, gap):
            return False
        return following not in "，、,：:;；" and not (mark == "؟" and following.islower())
    if gap == stop:
        return _ends_glued(text, last, at, stop)
    found = _NEXT.match(text, gap)
    word = found[1] if found else ""
    if word[:1].islower() and not word[1:2].isupper() and not "\u10d0" <= word[0] <= "\u10ff":  # Georgian has no case
        return plain and _ends_before_lower(text, last, token_before(text, last, at))
    if plain:
        return _full_stop(text, last, at, found, word)
    if mark in "!?‼⁇⁈⁉‽\u037e":
        return mark != "!" or token_before(text, last, at).lower() not in data.SHOUTED or opens_sentence(text, found)
    if mark == "…" or text.startswith("...", at):
        return not (text[at - 1 : at].isspace() and (word in ("I", "I'm", "I’m", "") or word[0].isdigit()))
    return text.startswith("..", at) or _full_stop(text, last, at, found, word)


def _full_stop(text: str, last: int, at: int, found: re.Match[str] | None, word: str) -> bool:
    """Whether a single full stop ends the sentence, by the words around it. The next one is not in lower case."""
    token = token_before(text, last, at)
    low, digit = token.lower(), word[:1].isdigit()
    if not token or is_common(token):
        return True
    if at - last <= 8 and _MARKER.fullmatch(text, last, at):
        return False
    if token.isdigit() or (_ROMAN.fullmatch(token) and low not in data.SHORTENED):
        return ends_ordinal(text, last, at, token, word)
    dotted = len(token) <= 4 and token.isalpha() and text.rfind(".", max(last, at - LEFT), at) >= 0
    if dotted and (compound := _COMPOUND.search(text[max(last, at - LEFT) : at])):
        joined = compound[0].replace(" ", "").replace("\u00a0", "").lower()
        if joined in data.SHORTENED or len(token) == 1:
            low = joined
    if low in data.INNER or (token[0].isupper() and low in data.TITLES):
        return False
    if low in data.ENDS:
        if low in ("a.m", "p.m", "am", "pm") and ((word.isupper() and 1 < len(word) < 5) or word in data.AFTER_TIME):
            return False
        return not digit and (word.lower() in data.STARTERS or not _FRONTED.fullmatch(text, last, at))
    if digit and (low in data.NUMBERS or low in data.MAYBE or low in data.DATES):
        return False
    if low in data.DATES:
        return word[:3].lower() not in data.DATES
    if low in data.NUMBERS and _ROMAN.fullmatch(word):
        return False
    if len(low) == 1 and low.isalpha():  # "plan B. The", "it is 5 m. Then"; not "J. Smith"
        before = word_before(text, last, at - 1)
        if before.endswith(_DEGREES):
            return not digit
        counted = low == token and before[-1:].isdigit() and not _FRONTED.fullmatch(text, last, at)
        return not digit and (counted or ((low == token or before[:1].islower()) and opens_sentence(text, found)))
    if low in data.MAYBE or _DOTTED.fullmatch(low) or (CONSONANTS.fullmatch(token) and not token.isupper()):
        counted = token.islower() and text[max(last, at - len(token) - 2) : at - len(token)].strip().isdigit()
        return not digit and ((counted and not word.isupper()) or opens_sentence(text, found))
    return True


def _ends_before_lower(text: str, last: int, token: str) -> bool:
    """Whether a full stop before a lower-case word may end a sentence: in Greek, and where nobody writes capitals."""
    if len(token) < 3 or not token.isalpha() or token.lower() in data.SHORTENED:
        return False
    return _GREEK.match(token) is not None or text[last].islower()


def _ends_glued(text: str, last: int, at: int, stop: int) -> bool:
    """Whether a stop that no space follows ends the sentence: "the end.The start", wide letters; not "a.Name"."""
    following = text[stop]
    if stop - at > 1 or text[at] != ".":
        return _WIDE.match(following) is not None and _WIDE.match(text, max(at - 1, 0)) is not None and text[at] in "!?"
    caseless = "\u0590" <= following < "\u0e00" and following.isalpha()
    left = _GLUED.search(text[max(last, at - LEFT) : at]) if caseless or following.isupper() else None
    right = _NEXT.match(text, stop)
    if left is None or right is None or left[1].lower() in data.SHORTENED:
        return False
    if left[1][0] > "\u036f" or following > "\u036f":
        return len(left[1]) > 2 and (caseless or left[1][-1].islower())
    word, after = right[1].lower(), text[right.end() : right.end() + 1]
    return (word in data.STARTERS or word in data.SHORT_TITLES) and (not after or after not in "(_/@")
