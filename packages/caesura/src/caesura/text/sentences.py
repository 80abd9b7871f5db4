"""str -> Edges: sentences of any script, by rule.

Inside a run of lines (`lines.py`) one scan stops at every mark that could end a sentence, and at every opening quote
or bracket, whose short, balanced content is passed over in one piece. What stands around a mark is read within a
bounded distance, so that the time is linear in the length of the text.
"""

from __future__ import annotations

import re

import numpy as np

from caesura.text import abbreviations as data
from caesura.text.lines import runs
from caesura.types import Edges

_LEFT = 32  # how far before a mark is read
_QUOTE = 240  # the longest quotation or parenthesis that is kept in one piece

_FREE = "。！？｡؟۔।॥။։፧።፨᠃᠉។៕༎།܀܁܂꓿𑁇𑁈"  # no space needs to follow
_STOPS = ".!?…‼⁇⁈⁉‽．\u037e" + _FREE
_CLOSERS = "”’»›)]}」』）】》〉］｝＂＇`\"'“«‹*_"
_LATE = '"”’»)]}」』）'  # close a quotation even after a space
_OPENERS = "\"'“”„‘’«»‹›([{¿¡*_`#,—–-"
_STOP, _CLOSE, _OPEN = (re.escape(marks) for marks in (_STOPS, _CLOSERS, _OPENERS))
_SHUT = rf"[{re.escape(_CLOSERS[:-7])}]|[{re.escape(_CLOSERS[-7:])}](?!\w)"  # the last seven also open

_SCAN_ASCII = re.compile(r'[.!?("\[`]')
_SCAN = re.compile(rf"[{_STOP};:(\"\[`“„«»‹「『《〈（【]")
_TAIL = re.compile(rf"(?:[{_STOP}]+|[:;](?=\s|$))(?:(?:{_SHUT})+[{_STOP}]*)?(?:\[\d{{1,3}}\])*")
_GAP = re.compile(r"\s*(?:[།༎]\s*)*")
_NEXT = re.compile(rf"[{_OPEN}\s]{{0,8}}(\w[\w'’]{{0,31}})?")
_DOTS = re.compile("\\.(?:[ \u00a0]\\.)+")
_COMPOUND = re.compile("(?:[^\\W\\d_]{1,3}\\.[ \u00a0]?)+[^\\W\\d_]{1,4}$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_CONSONANTS = re.compile("[bcdfghjklmnpqrstvwxz]{2,3}", re.I)
_MARKER = re.compile(r"[\W_]{0,4}(?:\d{1,3}|[IVXLC]{1,4}|[^\W\d_])")
_ROMAN = re.compile("[IVXLC]{2,5}|[ivx]{2,4}")
_FRONTED = re.compile(r"(?:[^\W\d_]+\s+)?\d[\d:.]*\s*(?:[AaPp]\.?\s?[Mm]|[^\W\d_]{1,2})")  # "At 5 a.m", "1968 ж"
_GLUED = re.compile(rf"(?:^|[\s{_OPEN}])([^\W\d_]{{2,}}|\d[\d,]*)$")
_ASIDE = re.compile(r"[，、,と]|って|[がはのをにもで]|[\u4e00-\u9fff]{1,4}(?:说|道|问|喊|說|問)")
_ARMENIAN = re.compile("[\u0531-\u0587]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_THAI = re.compile("(?<=[\u0e01-\u0e45\u0e47-\u0e59]{20})[ \u00a0]+(?=[\u0e01-\u0e59]{20})")


def _pair(opening: str, inside: str, closing: str) -> re.Pattern[str]:
    return re.compile(f"{opening}[^{inside}]{{0,{_QUOTE}}}{closing}")


_PAIRS = {
    '"': _pair(r'(?<![^\s(\[{—–:-])"(?=\S)', '"', r'(?<=\S)"(?!\w)'),
    "“": _pair("“", "“”", "”"),
    "„": _pair("„", "„“”", "[“”]"),
    "»": _pair(r"»(?=\w)", "«»", "«"),
    "(": _pair(r"\(", "()", r"\)"),
    "[": _pair(r"\[", r"\[\]", r"\]"),
    "`": _pair("`", "`\n\r", "`"),
} | {pair[0]: _pair(pair[0], pair, pair[1]) for pair in ("«»", "‹›", "「」", "『』", "《》", "〈〉", "（）", "【】")}


def sentences(text: str) -> Edges:
    """Text -> the edges of its sentences, such that no unit is blank unless the whole text is.

    Whitespace after a sentence belongs to it, leading whitespace to the first one. Never raises on a str.

    >>> text = "Dr. Wu left at 5 p.m. She was tired!  Was it late?"
    >>> edges = sentences(text)
    >>> [text[a:b] for a, b in zip(edges, edges[1:])]
    ['Dr. Wu left at 5 p.m. ', 'She was tired!  ', 'Was it late?']
    """
    edges = [0]
    scan = _SCAN_ASCII if text.isascii() else _SCAN
    thai = not text.isascii() and _THAI.search(text) is not None
    for start, end, whole in runs(text):
        edges.append(start)
        if not whole:
            _cut(text, start, end, scan, edges)
    if thai:
        edges = sorted({*edges, *(gap.end() for gap in _THAI.finditer(text))})
    if text:
        edges[1:2] = []  # the first run's start: leading whitespace is no unit
        edges.append(len(text))
    return np.array(edges, dtype=np.intp)


def _cut(text: str, start: int, end: int, scan: re.Pattern[str], edges: list[int]) -> None:
    """Append the edges inside one run."""
    last = resume = start
    for found in scan.finditer(text, start, end):
        at = found.start()
        if at < resume:
            continue
        mark = text[at]
        if mark in _PAIRS:
            group = _PAIRS[mark].match(text, at, end)
            if group is None:
                continue
            opened, resume = at, group.end()
            at = _inner_stop(text, opened, resume)
            if at < 0 or (mark in "([（" and not _opens(text, last, opened)):
                continue
        elif mark == "." and text[at + 1 : at + 3] in (" .", "\u00a0."):
            dots = _DOTS.match(text, at, end)
            if dots is not None:
                resume = dots.end()
                cut = _spaced_dots(text, dots, end)
                if last < cut < end:
                    edges.append(cut)
                    last = cut
                continue
        tail = _TAIL.match(text, at, end)
        if tail is None:
            continue
        stop = resume = max(resume, tail.end())
        gap = _GAP.match(text, stop, end).end()  # type: ignore[union-attr]
        if gap < end and text[gap] in _LATE and text[gap + 1 : gap + 2].isspace():
            gap = _GAP.match(text, gap + 1, end).end()  # type: ignore[union-attr]
        if gap >= end:
            return
        if _ends(text, last, at, stop, gap):
            edges.append(gap)
            last = resume = gap


def _inner_stop(text: str, opened: int, closed: int) -> int:
    """A quotation's span -> where the stop that ends its content begins, or -1."""
    at = closed - 2
    while at > opened and (text[at] in _CLOSERS or text[at].isspace()):
        at -= 1
    if text[at] not in _STOPS:
        return -1
    while at > opened and text[at - 1] in _STOPS:
        at -= 1
    return at if at > opened + 1 and text[at - 1] not in "[(" else -1


def _opens(text: str, last: int, opened: int) -> bool:
    """Whether a parenthesis opens a sentence of its own."""
    return not text[max(last, opened - 4) : opened].strip()


def _spaced_dots(text: str, dots: re.Match[str], end: int) -> int:
    """An ellipsis of spaced dots -> the edge it makes, or -1. After a word the first of four is the full stop."""
    at, stop = dots.span()
    tail = _TAIL.match(text, stop - 1, end)
    gap = _GAP.match(text, tail.end() if tail else stop, end).end()  # type: ignore[union-attr]
    word = _NEXT.match(text, gap, end)
    if gap >= end or gap == stop or word is None or not word[1] or word[1][0].islower():
        return -1
    attached = at > 0 and not text[at - 1].isspace()
    many = stop - at >= 7
    if attached:
        return at + 2 if many else gap
    return gap if many else -1


def _ends(text: str, last: int, at: int, stop: int, gap: int) -> bool:
    """Whether the stops at `text[at:stop]`, with `text[gap]` the next thing, end the sentence that began at `last`."""
    mark, following = text[at], text[gap]
    if mark in ":;":
        left = text[max(last, at - 8) : at]
        return (_ARMENIAN if mark == ":" else _GREEK).search(left) is not None
    if any(sign in _FREE for sign in text[at : min(stop, at + 3)]):
        if text[stop - 1] in _CLOSERS and _ASIDE.match(text, gap):
            return False
        return following not in "，、,：:;；" and not (mark in "؟" and following.islower())
    if gap == stop:
        return _ends_glued(text, last, at, stop)
    found = _NEXT.match(text, gap)
    word = (found[1] if found else None) or ""
    lower = word[:1].islower() and not word[1:2].isupper()
    plain = stop - at == 1 and mark == "."
    if lower and not (plain and _ends_before_lower(text, last, at)):
        return False
    closers = text[at:stop].lstrip(_STOPS)
    dots = text[at:stop].rstrip(_CLOSERS)
    if mark in "!?‼⁇⁈⁉‽\u037e":
        return mark != "!" or _token(text, last, at).lower() not in data.SHOUTED or _starter(text, found)
    if mark == "…" or dots.startswith("..."):
        alone = at > last and text[at - 1].isspace()
        return not (alone and (word in ("I", "I'm", "I’m") or not word))
    if len(dots) > 1 and not closers:
        return True
    return _full_stop(text, last, at, found, word, lower)


def _full_stop(text: str, last: int, at: int, found: re.Match[str] | None, word: str, lower: bool) -> bool:
    """Whether a single full stop at `at` ends the sentence, by the words before and after it."""
    token = _token(text, last, at)
    if not token:
        return True
    digit = word[:1].isdigit()
    low = token.lower()
    if len(low) > 4 and low.isalpha():
        return not (low in data.INNER or (digit and (low in data.NUMBERS or low in data.MAYBE))) and not (
            low in data.MAYBE and not _starter(text, found)
        )
    if at - last <= 8 and _MARKER.fullmatch(text, last, at):
        return False
    if token.isdigit() or _ROMAN.fullmatch(token):
        return _ends_ordinal(text, last, at, token, word)
    if len(token) <= 4 and token.isalpha():
        compound = _COMPOUND.search(text[max(last, at - _LEFT) : at])
        joined = compound[0].replace(" ", "").replace("\u00a0", "").lower() if compound else low
        if joined in data.INNER or joined in data.ENDS or joined in data.MAYBE or len(token) == 1:
            low = joined
    if low in data.INNER or (token[0].isupper() and low in data.TITLES):
        return False
    if low in data.ENDS:
        if low in ("a.m", "p.m", "am", "pm") and (word.isupper() and 1 < len(word) < 5 or word in data.AFTER_TIME):
            return False
        if _FRONTED.fullmatch(text, last, at) and word.lower() not in data.STARTERS:
            return False
        return not digit
    if low in data.DATES and (digit or word[:3].lower() in data.DATES):
        return False
    if low in data.NUMBERS and (digit or (_ROMAN.fullmatch(word) and word != "I")):
        return False
    if len(low) == 1 and low.isalpha():
        return _ends_letter(text, last, at, token, found, digit)
    if low in data.MAYBE or _DOTTED.fullmatch(low) or (_CONSONANTS.fullmatch(token) and not token.isupper()):
        if digit:
            return False
        counted = token.islower() and text[max(last, at - len(token) - 2) : at - len(token)].strip().isdigit()
        return (counted and not word.isupper()) or _starter(text, found)
    return True


def _ends_letter(text: str, last: int, at: int, letter: str, found: re.Match[str] | None, digit: bool) -> bool:
    """Whether the stop after a single letter ends the sentence: "J. Smith", "plan B. The", "p. 5", "5 m. Then"."""
    if digit:
        return False
    before = text[max(last, at - _LEFT) : at - 1].split()[-1:] or [""]
    if letter.islower():
        counted = before[0][-1:].isdigit() and not _FRONTED.fullmatch(text, last, at)
        return counted or _starter(text, found)
    if not letter.isupper():
        return False
    return before[0][:1].islower() and _starter(text, found)


def _ends_ordinal(text: str, last: int, at: int, token: str, word: str) -> bool:
    """Whether the stop after a number ends the sentence: "in 1999. The", "am 12. Juni", "Ludwig XIV. The"."""
    if token.isdigit() and len(token) < 4 and (word[:1].isdigit() or word.lower() in data.MONTHS):
        return False
    if len(token) > 5 or (token.isdigit() and len(token) > 3):
        return True
    before = text[max(last, at - _LEFT) : at - len(token)].split()[-1:] or [""]
    return before[0].lower() not in data.ORDINAL_AFTER


def _ends_before_lower(text: str, last: int, at: int) -> bool:
    """Whether a full stop before a lower-case word may end a sentence: in Greek, and where nobody writes capitals."""
    token = _token(text, last, at)
    if len(token) < 4 or not token.isalpha() or token.lower() in data.INNER | data.MAYBE | data.NUMBERS | data.ENDS:
        return False
    return _GREEK.match(token) is not None or text[last].islower()


def _ends_glued(text: str, last: int, at: int, stop: int) -> bool:
    """Whether a stop that no space follows ends the sentence: "the end.The start", wide characters; not "a.Name"."""
    following = text[stop]
    if _WIDE.match(following):
        return text[at] in "!?" and at > 0 and _WIDE.match(text[at - 1]) is not None and following not in "，、：；"
    caseless = "\u0590" <= following < "\u0e00" and following.isalpha()
    if stop - at != 1 or not (following.isupper() or caseless):
        return False
    left = _GLUED.search(text[max(last, at - _LEFT) : at])
    right = _NEXT.match(text, stop)
    if left is None or right is None or right[1] is None or left[1].lower() in data.INNER | data.MAYBE | data.NUMBERS:
        return False
    if left[1][0] > "\u036f" or following > "\u036f":
        return (left[1][-1].islower() or caseless) and len(left[1]) > 2
    if text[right.end() : right.end() + 1] in ("(", "_", "/", "@"):
        return False
    return right[1].lower() in data.STARTERS or right[1].lower() in ("mr", "mrs", "ms", "dr", "prof")


def _token(text: str, last: int, at: int) -> str:
    """What stands directly before `at`, without opening marks and elided articles ("l'Ing" -> "Ing")."""
    left = text[max(last, at - _LEFT) : at]
    if not left or left[-1].isspace():
        return ""
    token = left.split()[-1].lstrip(_OPENERS)
    for sign in "'’":
        if sign in token:
            token = token.rpartition(sign)[2] or token
    return token


def _starter(text: str, found: re.Match[str] | None) -> bool:
    """Whether the next word opens sentences far more often than it goes on a name."""
    if found is None or not found[1]:
        return False
    word = found[1].replace("’", "'").lower()
    if len(word) < 3 and word != "mr" and word != "ms" and word != "dr" and text.startswith(".", found.end()):
        return False
    return word in data.STARTERS or (word in ("mr", "mrs", "ms", "dr") and text.startswith(".", found.end()))
