"""Stops and what follows them -> whether they end the sentence: by their kind, then by the words around them."""

from __future__ import annotations

import re

from caesura.text import abbreviations as data
from caesura.text.full_stops import full_stop_ends
from caesura.text.words import LEFT, NEXT, opens_sentence, token_before

_OPEN = re.escape(data.OPENERS)
_GLUED = re.compile(rf"(?:^|[\s{_OPEN}])([^\W\d_]{{2,}}|\d[\d,]*)$")
_ASIDE = re.compile(
    r"[，、,と]|って|[がはのをにもで]|[\u4e00-\u9fff]{1,4}(?:说|道|问|喊|說|問)[道着著完了，。：；！？,.]"
)
_ARMENIAN = re.compile("[\u0531-\u0587]")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def stops_end(text: str, last: int, at: int, stop: int, gap: int, end: int) -> bool:
    """Whether the stops at `text[at:stop]`, with `text[gap]` the next thing, end the sentence that began at `last`.

    end: where the paragraph does; what is beyond it has no say.
    """
    mark, following = text[at], text[gap]
    plain = mark == "." and stop - at == 1
    if mark in ":;":
        return (_ARMENIAN if mark == ":" else _GREEK).search(text, max(last, at - 8), at) is not None
    if not plain and (mark in data.FREE or text[at + 1] in data.FREE or text[stop - 1] in data.FREE):
        if text[stop - 1] in data.CLOSERS and _ASIDE.match(text, gap):
            return False
        return following not in "，、,：:;；" and not (mark == "؟" and following.islower())
    if gap == stop:
        return _ends_glued(text, last, at, stop, end)
    found = NEXT.match(text, gap, end)
    word = found[1] if found else ""
    if word[:1].islower() and not word[1:2].isupper() and not "\u10d0" <= word[0] <= "\u10ff":  # Georgian has no case
        return plain and _ends_before_lower(text, last, token_before(text, last, at))
    if plain:
        return full_stop_ends(text, last, at, found, word)
    if mark in "!?‼⁇⁈⁉‽\u037e":
        return mark != "!" or token_before(text, last, at).lower() not in data.SHOUTED or opens_sentence(text, found)
    if mark == "…" or text.startswith("...", at):
        return not ((at == 0 or text[at - 1].isspace()) and (word in ("I", "I'm", "I’m", "") or word[0].isdigit()))
    return text.startswith("..", at) or full_stop_ends(text, last, at, found, word)


def _ends_before_lower(text: str, last: int, token: str) -> bool:
    """Whether a full stop before a lower-case word may end a sentence: in Greek, and where nobody writes capitals."""
    if len(token) < 3 or not token.isalpha() or token.lower() in data.SHORTENED:
        return False
    return _GREEK.match(token) is not None or text[last].islower()


def _ends_glued(text: str, last: int, at: int, stop: int, end: int) -> bool:
    """Whether a stop that no space follows ends the sentence: "the end.The start", wide letters; not "a.Name"."""
    following = text[stop]
    if stop - at > 1 or text[at] != ".":
        return _WIDE.match(following) is not None and _WIDE.match(text, max(at - 1, 0)) is not None and text[at] in "!?"
    caseless = "\u0590" <= following < "\u0e00" and following.isalpha()
    left = _GLUED.search(text[max(last, at - LEFT) : at]) if caseless or following.isupper() else None
    right = NEXT.match(text, stop, end)
    if left is None or right is None or left[1].lower() in data.SHORTENED:
        return False
    if left[1][0] > "\u036f" or following > "\u036f":
        return len(left[1]) > 2 and (caseless or left[1][-1].islower())
    word, after = right[1].lower(), text[right.end() : right.end() + 1]
    return (word in data.STARTERS or word in data.SHORT_TITLES) and (not after or after not in "(_/@")
