"""A full stop and what follows it -> whether it ends the sentence, by the words around it."""

from __future__ import annotations

import re

from caesura.text import abbreviations as data
from caesura.text.words import CONSONANTS, LEFT, is_common, opens_sentence, token_before, word_before

_MARKER = re.compile(r"[\W_]{0,4}(?:\d{1,3}|[IVXLC]{1,4}|[ivx]{1,4}|[^\W\d_])")
_ROMAN = re.compile("[IVXLC]{2,5}|[ivx]{2,4}|V|X")
_COMPOUND = re.compile("(?:[^\\W\\d_]{1,3}\\.[ \u00a0]?)+[^\\W\\d_]{1,4}$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_FRONTED = re.compile(r"(?:[^\W\d_]+\s+)?\d[\d:.]*\s*(?:[AaPp]\.?\s?[Mm]|[^\W\d_]{1,2})")  # "At 5 a.m", "1968 ж"
_DEGREES = ("°", "degree", "degrees", "circ$")


def full_stop_ends(text: str, last: int, at: int, found: re.Match[str] | None, word: str) -> bool:
    """Whether a single full stop ends the sentence, by the words around it. The next one is not in lower case."""
    token = token_before(text, last, at)
    low, digit = token.lower(), word[:1].isdigit()
    if not token or is_common(token):
        return True
    if at - last <= 8 and _MARKER.fullmatch(text, last, at):
        return False
    if token.isdigit() or (_ROMAN.fullmatch(token) and low not in data.SHORTENED):
        return _ends_ordinal(text, last, at, token, word)
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


def _ends_ordinal(text: str, last: int, at: int, token: str, word: str) -> bool:
    """Whether the stop after a number ends the sentence: "in 1999. The"; not "am 12. Juni", "der 2. Band"."""
    if token.isdigit() and len(token) < 4 and (word[:1].isdigit() or word.lower() in data.MONTHS):
        return False
    return len(token) > 3 or word_before(text, last, at - len(token)).lower() not in data.ORDINAL_AFTER
