"""str -> runs (start, end, kind): what the lines of a text settle before any sentence is looked for.

A blank line ends a run, and so do the lines that open a heading, list item, fence, table, formula or speaker's turn.
A single line end inside a paragraph does not. Runs of a kind are not cut further, "heading" and "whole" (a fence, a
table, a formula); those of kind "" are prose. This is all that is known here about blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SHORT = 40  # a line up to here was not broken for lack of room
_NARROW = 56  # a line up to here may have been
_FORMULA = 4000  # the longest display formula

_NL = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_SPACE = rf"[^\S{_NL}]"
_NEWLINE = re.compile(rf"[{_NL}](?:(?<=\r)\n)?({_SPACE}*+[{_NL}]|(?<=[\x0c\u2029]))?\s*")
_TABLE = re.compile(rf"(?:\|[^{_NL}]*+(?:(?:\r\n|[{_NL}]){_SPACE}*+(?=\|))?+)++")
_BLANKS = re.compile(r"\s*")
_BULLETS = "•⁃‣◦▪▫●○■□◆◇➢➤✓✔∙"
_OPENER = re.compile(
    rf"(?P<fence>```(?![^`{_NL}]*`)|~~~)|(?P<table>\|)|(?P<formula>\$\$)|(?P<heading>\#{{1,6}}(?={_SPACE}))"
    rf"|(?P<rule>(?:_{{3,}}+|\*{{3,}}+|-{{3,}}+|={{3,}}+)(?={_SPACE}*+(?:[{_NL}]|\Z)))"
    rf"|(?P<bullet>[{_BULLETS}]|[-*+](?={_SPACE}))"
    rf"|(?P<item>\(?(?P<value>\d{{1,3}}|[a-z])(?P<mark>\.\)|[.)])(?={_SPACE}))"
    r"|(?P<speaker>[^\W\d_][\w.'’-]{0,20}(?: [\w.'’-]{1,20}){0,3}:(?=\s)|[\u4e00-\u9fff]{1,6}：)"
    r"|(?P<dash>[—–](?=\s))"
)
_CLOSING = {
    "`": re.compile(rf"[{_NL}][ \t]*+```+[ \t]*+(?=[{_NL}]|\Z)"),
    "~": re.compile(rf"[{_NL}][ \t]*+~~~+[ \t]*+(?=[{_NL}]|\Z)"),
}
_STOP = re.compile(r"[.!?…;。！？｡।॥។؟۔։]")
_HANGING = ",;-–—，、&+/"
_ENDED = '.!?…:。！？：؟۔।։;"”»’)'


def runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Text -> its runs, such that they tile it from its first character that is not blank and none begins blank."""
    at = _end(_BLANKS, text, 0)
    while at < len(text):
        found = _OPENER.match(text, at)
        kind = found.lastgroup if found else None
        stop = -1
        if kind == "fence":
            closing = _CLOSING[text[at]].search(text, at)
            stop = closing.end() if closing else len(text)
        elif kind == "formula":
            closed = text.find("$$", at + 2, at + _FORMULA)
            stop = _line_end(text, closed) if closed >= 0 else -1
        elif kind == "table":
            stop = _end(_TABLE, text, at)
        elif kind in ("heading", "rule"):
            stop = _line_end(text, at)
        if stop >= 0:
            stop = _end(_BLANKS, text, stop)
            yield at, stop, "heading" if kind == "heading" else "whole"
        else:
            starts, stop, underlined = _paragraph(text, at, found)
            for start, end in zip(starts, [*starts[1:], stop], strict=True):
                yield start, end, "heading" if underlined else ""
        at = stop


def _paragraph(text: str, at: int, found: re.Match[str] | None) -> tuple[list[int], int, bool]:
    """A paragraph's first position -> the starts of its runs, the start of what follows, whether it is a heading."""
    starts, line, narrow = [at], at, True
    while True:
        gap = _NEWLINE.search(text, line)
        stop, after = gap.span() if gap else (len(text), len(text))
        narrow = narrow and stop - line <= _SHORT
        if gap is None or gap[1] is not None or after == len(text):
            break
        following = _OPENER.match(text, after)
        if following is not None and _opens(text, following, line, stop, found):
            if following.lastgroup == "rule" and text[after] in "=-" and line == at:  # an underlined heading
                return [at], _end(_BLANKS, text, _line_end(text, after)), True
            break
        starts.append(after)
        line = after
    if found is not None and found.lastgroup in ("item", "bullet"):
        return _items(text, at, stop, found), after, False
    if len(starts) > 1 and narrow and (found is None or found.lastgroup == "speaker") and _is_list(text, starts, stop):
        return starts, after, False
    return [at], after, False


def _opens(text: str, following: re.Match[str], line: int, stop: int, found: re.Match[str] | None) -> bool:
    """Whether an opener inside a paragraph is one, and no chance of where a line was broken."""
    kind = following.lastgroup
    if kind not in ("item", "speaker", "dash"):
        return True
    if kind != "item":
        first = following.start() if kind == "speaker" else _end(_BLANKS, text, following.end())
        if text[first : first + 1].islower():
            return False
    if kind == "item" and found is not None and found.lastgroup == "item" and following["value"] == _succ(found):
        return True
    before = text[max(line, stop - 16) : stop].rstrip()
    return stop - line <= _NARROW or before[-1:] in _ENDED


def _items(text: str, at: int, stop: int, found: re.Match[str]) -> list[int]:
    """A run that opens with an item -> the starts of this one and of those that follow on the same line."""
    starts = [at]
    numbered = found.lastgroup == "item"
    if not numbered and found[0] not in _BULLETS:
        return starts
    count = 0
    position = found.end()
    while True:
        mark = _succ(found, count) + found["mark"] + " " if numbered else found[0]
        position = text.find(" " + mark, position, stop)
        if position < 0:
            return starts
        position += 1
        start, position = position, position + len(mark)
        if not numbered or (position < stop and not text[position].islower() and text[position].isalpha()):
            starts.append(start)
            count += 1


def _succ(found: re.Match[str], count: int = 0) -> str:
    value = found["value"]
    return str(int(value) + 1 + count) if value.isdigit() else chr(ord(value) + 1 + count)


def _is_list(text: str, starts: list[int], stop: int) -> bool:
    """Short lines without a stop or comma at an end: lines of an address or a list, not a paragraph broken in two."""
    if _STOP.search(text, starts[0], stop):
        return False
    ends = [text[max(0, start - 8) : start].rstrip()[-1:] for start in starts[1:]]
    if any(end in _HANGING or end >= "\u0e00" for end in ends):
        return False
    return len(starts) > 2 or text[starts[1]].isupper()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _line_end(text: str, at: int) -> int:
    found = _NEWLINE.search(text, at)
    return found.start() if found else len(text)
