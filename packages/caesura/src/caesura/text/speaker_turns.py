"""Turns: where each speaker of a dialogue begins, the messages of a chat in JSON, and questions that a text answers.

A time opens a turn by itself. A name opens one only in a dialogue: several lines or paragraphs in a row open with
names, and at least one name comes again and there is another. "Note:", "Abstract:" and "Figure 3:" are no names.
Lines that are indented below a turn belong to it, whatever they open with, also after a blank line.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from caesura.text.marks import ANSWERS, ASKS, ROLES
from caesura.text.markup import BLANKS, GAP, LONG, NAME, NEWLINE, OPENER, end_of, line_end, line_start

_ASKED = 80  # the longest question that opens a unit
_FAQ = 240  # the same, after "Q:"
_STOP = re.compile(r"[.!?…。！？؟](?=\s)|[。！？؟](?=\w)")
_LABEL = re.compile(rf"(?i:{'|'.join(sorted(ASKS))})\s?\d{{0,3}}[:：]")
_STEP = re.compile(rf"[^\n]{{0,4000}}+(?:\n[ \t\r]*+){{1,9}}+(?P<name>{NAME}):(?=\s)")  # a line, and the next speaker
_ROLES = frozenset(role.rstrip(":") for role in ROLES)
_TIME = "[0123456789"
_NEAR = 1000  # where most line ends are
_FAR = 10_000  # a turn is no longer if it is one of many lines
_OPENS = ("speaker", "turn")
_OTHER = ("fence", "table", "formula", "heading", "rule", "environment", "container", "element", "opening", "closing")
_FIRST = r"[\"'](?:role|content|from|value)[\"']\s*+:"
_MESSAGE = re.compile(rf"(?:\{{\s*+[\"']\w{{1,20}}[\"']\s*+:\s*+)?(?:\[\s*+)?\{{\s*+{_FIRST}")  # and what wraps a list
_ROLE = re.compile(
    r"[\"'](?:role|from)[\"']\s*+:\s*+"
    r"[\"'](?:user|assistant|system|developer|tool|function|model|human|gpt|bot|agent|ai)[\"']"
)


class Turns:
    """The turns of one text, found a run of them at a time.

    first: where the text's first character is that is not blank. ends: first positions of those found -> where each
    ends, at another turn, another block, or what a blank line sets apart. Up to 2,000 characters of lines that are
    indented below its first belong to a turn in any case, but for turns below the first line of a text, whose own
    indentation may be cut off.
    """

    __slots__ = ("_first", "_messages", "_names", "_seen", "_text", "ends")

    def __init__(self, text: str, first: int) -> None:
        self._text = text
        self._first = first
        self.ends: dict[int, int] = {}
        self._names: set[str] = set()
        self._seen = self._messages = 0  # up to here turns, and messages, are all found

    def end(self, at: int, found: re.Match[str] | None = None) -> int:
        """Returns where the turn ends that begins here, with an opener, a time in brackets, or as a message in JSON; -1
        for none."""
        timed = self._text[at] == "[" and self._text[at + 1 : at + 2].isdecimal()
        if timed:
            found = OPENER.match(self._text, at)
        elif at >= self._messages and self._text[at] in "[{":
            self._find_messages(at)
        if at not in self.ends and found is not None and found.lastgroup in _OPENS and at >= self._seen:
            self._find(found)
        return self.ends.get(at, -1)

    def _find(self, found: re.Match[str] | None) -> None:
        """Find the turns from here on that nothing else is between."""
        starts: list[int] = []
        names: list[str] = []
        stop = found.start() if found else 0
        while found is not None and found.lastgroup in _OPENS:
            starts.append(stop)
            names.append(found[0].strip("*:："))
            while (step := _STEP.match(self._text, stop)) and not self._is_within(stop, step.start("name")):
                stop = step.start("name")
                starts.append(stop)
                names.append(step["name"])
            stop, found = _next_opener(self._text, stop if stop == self._first else _last_below(self._text, stop))
        if len(names) > 1:
            self._names |= _speakers([name for name in names if name[0] not in _TIME])
        kept = [at for at, name in zip(starts, names, strict=True) if name[0] in _TIME or name in self._names]
        self.ends.update(pairwise([*kept, stop]))
        self._seen = stop

    def _is_within(self, at: int, place: int) -> bool:
        """Whether a turn begins here such that a place on a line below stands within it."""
        indented = self._text[place - 1] in " \t" and at != self._first
        return indented and _last_below(self._text, at) >= line_start(self._text, place)

    def _find_messages(self, at: int) -> None:
        """Find the messages of a chat up to a blank line. What stands before the first belongs to it, and what stands
        after the last to that."""
        gap = GAP.search(self._text, at)
        self._messages = end = end_of(BLANKS, self._text, gap.start()) if gap else len(self._text)
        starts = [found.start() for found in _MESSAGE.finditer(self._text, at, end)]
        if starts and _ROLE.search(self._text, at, end):
            self.ends.update(pairwise([at, *starts[1:], end]))


def _last_below(text: str, at: int) -> int:
    """The first position of a turn -> the start of the last line that is indented below it; the same where none is, or
    where they have too many characters.
    """
    line = text.find("\n", at, at + LONG) + 1
    if not line or text[line : line + 1] not in (" ", "\t", "\n", "\r"):
        return at
    deeper = rf"[ \t]{{{at - line_start(text, at) + 1}}}[ \t]*+\S"
    found = re.compile(rf"(?:[^\n]*+\n(?:[ \t\r]*+\n)*+(?={deeper}))++").match(text, at, at + LONG)
    if found is None:
        return at
    stop = line_end(text, found.end())
    following = re.compile(rf"\s*\n{deeper}").match(text, stop, stop + LONG)
    return at if stop - at > LONG or following else found.end()


def _next_opener(text: str, at: int) -> tuple[int, re.Match[str] | None]:
    """The first position of a turn -> where it ends, and what opens there."""
    far = at + _FAR
    while True:
        gap = NEWLINE.search(text, max(at, text.find("\n", at, at + _NEAR) - 1))  # most line ends can be found faster
        at = gap.end() if gap else len(text)
        found = OPENER.match(text, at)
        kind = found.lastgroup if found else None
        if gap is None or gap[1] is not None or kind in _OPENS or kind in _OTHER or at > far:
            return at, found


def _speakers(names: list[str]) -> set[str]:
    """The names that open lines or paragraphs one after another -> those of speakers."""
    known = {name for name in names if name.lower() in _ROLES}
    if not 1 < len(set(names)) < len(names):
        return known
    lower = all(name[0].islower() for name in names)  # else a line that begins so was broken for lack of room
    found = {name for name, count in Counter(names).items() if lower or count > 1 or not name[0].islower()} | known
    bare = {name: name.rstrip("0123456789 ").lower() for name in found}
    faq = not ASKS.isdisjoint(bare.values())
    return {name for name in found if not faq or bare[name] not in ASKS | ANSWERS}


def asks(text: str, at: int, end: int) -> bool:
    """Whether a paragraph is a short question, or a term before a colon, in one line, that the next one answers."""
    bare = text[at:end].rstrip() if end - at <= _FAQ and end < len(text) else "."
    ends = ("?", "？", "؟", *((":", "：") if text[end : end + 1].isalpha() else ()))
    if not bare.rstrip("*_").endswith(ends) or len(bare.splitlines()) > 1:
        return False
    if not {":", "："}.isdisjoint(bare.rstrip("*_:：")):
        return _LABEL.match(bare) is not None
    return len(bare) <= _ASKED and not _STOP.search(bare) and GAP.search(text, at + len(bare), end) is not None
