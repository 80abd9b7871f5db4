"""Lenient JSON parser: a text -> its values and what was open where it ends, or a fault, in one pass."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

DEEPEST = 40
"""The most lists and objects inside each other."""

_NEXT_KEY = r"""(?:"\w{1,40}"|'\w{1,40}'|[A-Za-z_]\w{0,40})\s*:"""
_ENDS = {
    "member": re.compile(rf"\s*(?:\}}|,\s*(?:\}}|{_NEXT_KEY}))"),
    "element": re.compile(r"\s*(?:\]|,\s*(?:[\"'\[\]{]|-?\d|true\b|false\b|null\b))"),
}
_TEXT_END = re.compile(r"\s*+(?:,\s*+)?+\Z")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U00(0[0-9a-fA-F]{5}|10[0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_PLAIN = {'"': re.compile(r'[^"\\]*'), "'": re.compile(r"[^'\\]*")}
_BLANK = re.compile(r"\s*")
_SCALAR = re.compile(r"(-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?|[A-Za-z]{1,5})(?![\w.])")
_NAMES = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_KEY = re.compile(r"""(?:"(\w{1,40})"|'(\w{1,40})'|([A-Za-z_]\w{0,40}))(\s*+:)?""")
_CUT_KEY = re.compile(r"""["']?\w{0,40}\Z""")


class Truncated(Exception):  # noqa: N818 - no error: the reader notes it
    """The text ends here."""


class JSONFault(Exception):  # noqa: N818 - `replies.py` makes a ReplyError of it
    """A fault: what cannot be read, and where."""

    at: int
    why: str

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


class LenientReader:
    """One pass over the text from `at`. Containers are hung in before they are filled, so that a cut leaves them."""

    text: str
    at: int
    cut: bool

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.cut = text, at, False
        self.roots: list[Any] = []
        self.open: list[Any] = []

    def read(self) -> None:
        """Values one after another, as long as objects follow."""
        try:
            self._value("element", self.roots)
            while self._follows(",") or self._follows("{", take=False):
                if not self._follows("{", take=False):
                    break
                self._value("element", self.roots)
        except Truncated:
            self.cut = True

    def _value(self, place: str, holder: list[Any]) -> None:
        self._skip()
        if self.at == len(self.text):
            raise Truncated
        mark = self.text[self.at]
        if mark in "{[":
            if len(self.open) == DEEPEST:
                self._fail("it is nested too deep")
            inner: Any = {} if mark == "{" else []
            holder.append(inner)
            self.open.append(inner)
            self.at += 1
            self._members(inner) if mark == "{" else self._elements(inner)
            self.open.pop()
        elif mark in "\"'":
            value, self.at = read_string(self.text, self.at, place)
            holder.append(value)
        else:
            holder.append(self._scalar())

    def _members(self, inner: dict[str, Any]) -> None:
        while not self._follows("}"):
            key = _KEY.match(self.text, self.at)
            if _CUT_KEY.match(self.text, self.at):
                raise Truncated
            if key is None:
                self._fail("a name must stand here")
            self.at = key.end()
            if not key[4]:
                self._follows(":")  # a cut, or:
                self._fail("a colon must stand here")
            self._value("member", _Member(inner, key[1] or key[2] or key[3]))
            if not self._follows(",") and not self._follows("}", take=False):
                self._fail("a comma or } must stand here")

    def _elements(self, inner: list[Any]) -> None:
        while not self._follows("]"):
            self._value("element", inner)
            if not self._follows(",") and not self._follows("]", take=False):
                if self.text[self.at] == "{" and isinstance(inner[-1], dict):
                    continue  # a comma left out between two objects
                self._fail("a comma or ] must stand here")

    def _scalar(self) -> Any:
        scalar = _SCALAR.match(self.text, self.at)
        if scalar is None:
            self._fail("a value must stand here")
        if scalar.end() == len(self.text):
            raise Truncated
        if scalar[0][0].isalpha():
            if scalar[0] not in _NAMES:
                self._fail("a value must stand here")
            value: Any = _NAMES[scalar[0]]
        else:
            value = json.loads(scalar[0])
        self.at = scalar.end()
        return value

    def _skip(self) -> None:
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]

    def _follows(self, mark: str, take: bool = True) -> bool:
        self._skip()
        if self.at == len(self.text):
            if not self.open:
                return False
            raise Truncated
        if self.text[self.at] != mark:
            return False
        self.at += take
        return True

    def _fail(self, why: str) -> NoReturn:
        raise JSONFault(self.at, why)


class _Member(list[Any]):
    """A place under a key, filled as a list is: so that a container is hung in before it is filled."""

    def __init__(self, holder: dict[str, Any], key: str) -> None:
        super().__init__()
        self.holder, self.key = holder, key

    def append(self, value: Any) -> None:
        self.holder[self.key] = value


def read_string(text: str, at: int, place: str) -> tuple[str, int]:
    """Reads the string that begins with the quotation mark at `at` -> its value, and the place after it.

    place: "member" or "element", which says what can follow. Raises `Truncated` where the text ends in it, or
    `JSONFault`.
    """
    quote, start, inner = text[at], at + 1, 0
    plain, ends = _PLAIN[quote], _ENDS[place]
    mark = start
    while True:
        mark = plain.match(text, mark).end()  # type: ignore[union-attr]
        if mark >= len(text) - 1:
            raise Truncated
        if text[mark] == "\\":
            mark += 2
            continue
        if ends.match(text, mark + 1):
            break
        if _TEXT_END.match(text, mark + 1):
            raise Truncated
        inner += quote == '"' or not (text[mark - 1].isalpha() and text[mark + 1].isalpha())
        mark += 1
    if inner % 2:
        raise JSONFault(at, "a quotation mark inside a string is not escaped")
    return _unescape(text[start:mark]), mark + 1


def _unescape(body: str) -> str:
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_character, body)
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[4], escape[0])
