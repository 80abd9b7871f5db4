"""Who speaks when in a text that no parser of ours has made: a chat or a transcript as it was copied."""

from __future__ import annotations

import re

from caesura.text.blocks import blocks
from caesura.text.markup import OPENER
from caesura_documents.conversations.messages import clean, iso_time
from caesura_documents.parsed_text import Entry

_TIMED = re.compile(r"[ \t]*(?:[-–][ \t]+)?(?:(?P<name>[^\n:：]{1,60}+)[:：](?=\s))?")
"""What follows a time: "- Ada: "."""
_ROLE = re.compile(r"[\"'](?:role|from)[\"']\s*+:\s*+[\"'](?P<name>\w{1,20})[\"']")
_HEAD = 500  # characters at the start of a message in JSON in which it says whose it is


def spoken_turns(text: str) -> list[Entry]:
    """A text -> an entry of a layout for each turn that the core finds in it: `start`, `speaker` and `time`.

    A time is in ISO 8601 where a date is said with it, else as it is written. What follows a turn is said by the same
    speaker, up to a heading.

    >>> spoken_turns("[12:03] Ada: Is it here?\\n[12:05] Bob: It is.")[1]
    {'start': 25, 'speaker': 'Bob', 'time': '12:05'}
    """
    found: list[Entry] = []
    for start, end, kind in blocks(text, lists=True):
        if kind == "turn":
            found.append({"start": start, **_said(text, start, end)})
        elif kind == "heading" and found and len(found[-1]) > 1:
            found.append({"start": start})
    return found if any(len(entry) > 1 for entry in found) else []


def _said(text: str, start: int, end: int) -> dict[str, str]:
    """Who speaks in a turn, and when, as far as it says so."""
    opener = OPENER.match(text, start, end)
    name = time = ""
    if opener is not None and opener.lastgroup == "turn" and text[start] in "[0123456789":
        time = opener[0].strip("[] ")
        after = _TIMED.match(text, opener.end(), end)
        name = (after["name"] if after else "") or ""
    elif opener is not None and opener.lastgroup in ("turn", "speaker"):
        name = opener[0].strip("*<>:： \t\n")
    elif role := _ROLE.search(text, start, min(end, start + _HEAD)):
        name = role["name"]
    said = {"speaker": clean(name), "time": iso_time(time) or time}
    return {key: value for key, value in said.items() if value}
