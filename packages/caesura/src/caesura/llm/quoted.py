"""A string of lenient JSON, in either quotes, in; its value and where it ends out, or what is wrong with it.

A quotation mark ends it where the JSON can go on after it; others come in pairs, apostrophes between letters aside.
"""

from __future__ import annotations

import re

_NEXT_KEY = r"""(?:"\w{1,40}"|'\w{1,40}'|[A-Za-z_]\w{0,40})\s*:"""
_ENDS = {
    "member": re.compile(rf"\s*(?:\}}|,\s*(?:\}}|{_NEXT_KEY}))"),
    "element": re.compile(r"\s*(?:\]|,\s*(?:[\"'\[\]{]|-?\d|true\b|false\b|null\b))"),
}
_CUT = re.compile(r"\s*+(?:,\s*+)?+\Z")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U00(0[0-9a-fA-F]{5}|10[0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_PLAIN = {'"': re.compile(r'[^"\\]*'), "'": re.compile(r"[^'\\]*")}


class Cut(Exception):  # noqa: N818 - no error: `lenient.py` notes it
    """The text ends here."""


class Fault(Exception):  # noqa: N818 - `replies.py` makes a ReplyError of it
    """What cannot be read, and where."""

    at: int
    why: str

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


def quoted(text: str, at: int, place: str) -> tuple[str, int]:
    """Reads the string that begins with the quotation mark at `at` -> its value, and the place after it.

    place: "member" or "element", which says what can follow. Raises `Cut` where the text ends in it, or `Fault`.
    """
    quote, start, inner = text[at], at + 1, 0
    plain, ends = _PLAIN[quote], _ENDS[place]
    mark = start
    while True:
        mark = plain.match(text, mark).end()  # type: ignore[union-attr]
        if mark >= len(text) - 1:
            raise Cut
        if text[mark] == "\\":
            mark += 2
            continue
        if ends.match(text, mark + 1):
            break
        if _CUT.match(text, mark + 1):
            raise Cut
        inner += quote == '"' or not (text[mark - 1].isalpha() and text[mark + 1].isalpha())
        mark += 1
    if inner % 2:
        raise Fault(at, "a quotation mark inside a string is not escaped")
    return _unescaped(text[start:mark]), mark + 1


def _unescaped(body: str) -> str:
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_character, body)
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[4], found[0])
