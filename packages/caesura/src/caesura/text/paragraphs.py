"""Paragraphs: where a single line end inside one is an edge, and where it is not.

A blank line ends a paragraph, and so do the lines that open a heading, list, fence, table, formula, quotation, tag or
speaker's turn.
"""

from __future__ import annotations

import re

from caesura.text.marks import BULLETS, ENDED, HANGING, ROLES
from caesura.text.markup import BLANKS, NEWLINE, NL, OPENER, SPACE, UNDERLINES, end_of, underline_end

_SHORT = 40  # a line up to here was not broken for lack of room
_NARROW = 56  # a line up to here may have been
_FLOW = re.compile(  # the lines of a paragraph up to the last one that by its first word can open nothing
    rf"(?:[^{NL}]*+\r?\n{SPACE}*+(?=[a-z](?![.)])(?!{'|'.join(ROLES)})"
    r"|[A-Z](?![\w.'’-]*+(?: [\w.'’-]++){0,3}+:)))*+"
)
_PLAIN_FLOW = re.compile(_FLOW.pattern.replace(f"[^{NL}]", r"[^\n]", 1))  # where lines end in one way
_STOP = re.compile(r"[.!?…;。！？｡।॥។؟۔։]")


def paragraph(text: str, at: int, found: re.Match[str] | None, newline: re.Pattern[str]) -> tuple[list[int], int, bool]:
    """Returns where the runs of a paragraph start, where what follows it starts, and whether it is a heading.

    at: the paragraph's first position. newline: how the lines of the text end, see `line_ends`.
    """
    starts, line, narrow = [at], at, True
    while True:
        line = line if narrow else end_of(_FLOW if newline is NEWLINE else _PLAIN_FLOW, text, line)
        gap = newline.search(text, line)
        stop, after = gap.span() if gap else (len(text), len(text))
        narrow = narrow and stop - line <= _SHORT
        if gap is None or after == len(text) or (gap[1] is not None and not _turns_page(text, stop, after)):
            break
        if line == at and text[after] in UNDERLINES and (marks := underline_end(text, after, stop - at)) > 0:
            return [at], end_of(BLANKS, text, marks), True
        following = OPENER.match(text, after)
        if following is not None and _opens(text, following, line, stop, found):
            break
        starts.append(after)
        line = after
    if found is not None and found.lastgroup in ("item", "bullet"):
        return _items(text, at, stop, found), after, False
    if len(starts) > 1 and narrow and (found is None or found.lastgroup == "speaker") and _is_list(text, starts, stop):
        return starts, after, False
    return [at], after, False


def _opens(text: str, following: re.Match[str], line: int, stop: int, found: re.Match[str] | None) -> bool:
    """Whether an opener inside a paragraph is meant as one, and does not begin a line by chance."""
    kind = following.lastgroup
    if kind == "quote" and found is not None and found.lastgroup == "quote":
        return False
    if kind not in ("item", "speaker", "dash", "comment"):
        return True
    if kind in ("speaker", "dash"):
        first = following.start() if kind == "speaker" else end_of(BLANKS, text, following.end())
        if text[first : first + 1].islower() and not text.startswith(ROLES, first):
            return False
    if kind == "item" and found is not None and found.lastgroup == "item" and following["value"] == _succ(found):
        return True
    before = text[max(line, stop - 16) : stop].rstrip()
    return stop - line <= _NARROW or before[-1:] in ENDED


def _turns_page(text: str, stop: int, after: int) -> bool:
    """Whether a paragraph goes on after a form feed: it has no end yet, and what follows begins in lower case."""
    return "\x0c" in text[stop:after] and text[after].islower() and text[stop - 1 : stop] not in ENDED


def _items(text: str, at: int, stop: int, found: re.Match[str]) -> list[int]:
    """Returns the starts of a run that opens with an item, and of the items that follow on the same line."""
    starts = [at]
    numbered = found.lastgroup == "item"
    if not numbered and found[0] not in BULLETS:
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
    """Whether lines are an address or a list: short, without a stop or comma at their ends."""
    if _STOP.search(text, starts[0], stop):
        return False
    ends = [text[max(0, start - 8) : start].rstrip()[-1:] for start in starts[1:]]
    if any(end in HANGING or end >= "\u0e00" for end in ends):
        return False
    return len(starts) > 2 or text[starts[1]].isupper()
