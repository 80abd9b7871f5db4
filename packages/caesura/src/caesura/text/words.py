"""(str, position) -> the words around it: all that the sentence rules read of a text, within a bounded distance."""

from __future__ import annotations

import re

from caesura.text import abbreviations as data

LEFT = 32  # how far before a mark is read
NEXT = re.compile(rf"[{re.escape(data.OPENERS)}\s]{{0,8}}(\w[\w'’]{{0,31}}|)")
CONSONANTS = re.compile("[b-df-hj-np-tv-xz]{2,3}", re.IGNORECASE)


def token_before(text: str, last: int, at: int) -> str:
    """What stands directly before `at`, without opening marks and elided articles ("l'Ing" -> "Ing")."""
    left = text[max(last, at - LEFT) : at]
    if not left or left[-1].isspace():
        return ""
    token = left.split()[-1].lstrip(data.OPENERS).replace("’", "'")
    return token.rpartition("'")[2] or token


def word_before(text: str, last: int, at: int) -> str:
    """The last stretch without blanks before `at`, or ""."""
    return (text[max(last, at - LEFT) : at].split()[-1:] or [""])[0]


def opens_sentence(text: str, found: re.Match[str] | None) -> bool:
    """Whether the next word opens sentences far more often than it goes on a name."""
    word = found[1].replace("’", "'").lower() if found else ""
    dotted = found is not None and text.startswith(".", found.end())
    return (dotted and word in data.SHORT_TITLES) or (word in data.STARTERS and not (dotted and len(word) < 3))


def is_common(token: str) -> bool:
    """Whether a full stop after it can only be a full stop: a word of five letters or more that is never shortened."""
    low = token.lower()
    return len(low) > 4 and low.isalpha() and low not in data.SHORTENED and low not in data.DATES


def surely_ends(text: str, last: int, at: int) -> bool:
    """Whether a full stop at `at`, with a blank and a capital after it, ends the sentence whatever else is near: after
    a word that is never shortened, or a shorter one in lower case that is no numeral and has no other stop near it."""
    left = text[max(last, at - LEFT) : at]
    token = left[left.rfind(" ") + 1 :]
    if not token.isalpha():
        return is_common(token_before(text, last, at))
    low = token.lower()
    if low in data.SHORTENED or low in data.DATES:
        return False
    if len(low) > 4:
        return True
    plain = len(low) > 1 and low == token and "." not in left
    return plain and CONSONANTS.fullmatch(low) is None and low.strip("ivx") != ""


def inner_stop(text: str, opened: int, closed: int) -> int:
    """A quotation's span -> where the stops begin that end its content, or -1."""
    at = closed - 2
    while at > opened and (text[at] in data.CLOSERS or text[at] in data.EITHER or text[at].isspace()):
        at -= 1
    if text[at] not in data.STOPS:
        return -1
    while at > opened and text[at - 1] in data.STOPS:
        at -= 1
    return at if at > opened + 1 and text[at - 1] not in "[(" else -1
