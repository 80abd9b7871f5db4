"""Messages of a conversation -> one text and its layout, which says of each message who wrote it and when.

A message opens with its time, so that it is one unit of the text whoever wrote it, and its further lines are indented.
A blank line stands where the conversation paused, and around a thread.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import ZipFile

from caesura.errors import SettingError
from caesura_documents.parsed_text import Entry, ParsedDocument

Export: TypeAlias = "str | bytes | os.PathLike[str]"
"""A file by its path, or what is in it: bytes, or a str of several lines."""
PAUSE = 3600
"""So many seconds without a message part a conversation."""
UNPACKED = 500_000_000
"""So many bytes are read from a ZIP archive at most."""
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d\d:?\d\d)?)?")
_BREAKS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n)++")
_BLOCK = re.compile(r"`{3}|~{3}|[-*+>|#] |\||>|\d{1,3}[.)] ")
"""How a block begins that needs a line of its own."""
_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
"""What programs write to say in which direction text runs."""
_DAY = 10  # characters of a date


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said at a time.

    text: what was said. speaker: who said it; "" for a notice of nobody. time: in ISO 8601, "" where it is not known.
    thread: a name that the messages of a thread share, which stand one after the other.
    """

    text: str
    speaker: str = ""
    time: str = ""
    thread: str = ""


def from_messages(
    messages: Iterable[Mapping[str, Any]],
    *,
    author: str = "author",
    time: str = "time",
    text: str = "text",
    title: str | None = None,
    source: str | None = None,
) -> ParsedDocument:
    """The messages of a conversation, or an issue and its comments, in their order -> text, layout, source.

    messages: a dict each. author, time, text: the keys of who wrote it, when, and what; one with dots leads to a dict
    in a dict, as "user.login" does. A time is in ISO 8601, a `datetime`, or in seconds since 1970. title: a heading
    above all messages. source: the name or address of the file, which the document is known by. Messages without text
    are left out. Raises `SettingError` for anything else.

    >>> issue = {"author": "ada", "time": "2024-03-12T09:12:00Z", "text": "The pump is loud."}
    >>> print(from_messages([issue], title="Pump").text)
    # Pump
    <BLANKLINE>
    ## 2024-03-12
    <BLANKLINE>
    [09:12] ada: The pump is loud.
    """
    wanted = "messages must be a list of dicts, got"
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        hint = ": pass [message]" if isinstance(messages, Mapping) else ""
        raise SettingError(f"{wanted} {type(messages).__name__} {messages!r:.80}{hint}")
    for name, key in (("author", author), ("time", time), ("text", text)):
        if not isinstance(key, str):
            raise SettingError(f"{name} must be the key of a message's {name}, a str, got {key!r:.80}")
    found: list[Utterance] = []
    seen = False
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise SettingError(f"{wanted} {type(message).__name__} {message!r:.80} at position {position}")
        said, when = _value(message, text), _value(message, time)
        seen = seen or said is not None
        speaker = _value(message, author)
        found.append(Utterance(said if isinstance(said, str) else "", str(speaker or ""), iso_time(when)))
    if found and not seen:
        keys = ", ".join(map(repr, list(next(iter(messages), ()))[:9])) if isinstance(messages, Sequence) else ""
        raise SettingError(
            f"no message has {text!r}{f', the first has {keys}' if keys else ''}: say text=, the key of it"
        )
    return write_conversation(found, title or "", source, by_day=True)


def _value(message: Mapping[str, Any], path: str) -> Any:
    if path in message:
        return message[path]
    value: Any = message
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def iso_time(value: object) -> str:
    """A time as files have it -> in ISO 8601, "" for what is none. What is said in a zone is in UTC, "Z".

    >>> iso_time(1710234740), iso_time("2024-03-12T10:12:20+01:00"), iso_time("2024-03-12 09:12"), iso_time("soon")
    ('2024-03-12T09:12:20Z', '2024-03-12T09:12:20Z', '2024-03-12T09:12:00', '')
    """
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
            value = datetime.fromtimestamp(int(value), UTC)
        elif isinstance(value, str):
            value = value.strip()
            value = date.fromisoformat(value) if len(value) == _DAY else datetime.fromisoformat(value)
        if isinstance(value, datetime):
            value = value if value.tzinfo is None else value.astimezone(UTC)
            return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""
    return value.isoformat() if isinstance(value, date) else ""


# -- the text ----------------------------------------------------------------------------------------------------------


def write_conversation(
    messages: Iterable[Utterance], title: str = "", source: str | None = None, by_day: bool = False
) -> ParsedDocument:
    """Messages in their order -> text, layout and source.

    Each message begins a line, with its time and its speaker: "[2024-03-12 09:12] Ada: Is it here?" Its other lines are
    indented by two spaces. An entry of the layout has `speaker`, `time`, and the headings.

    title: a heading of level 1 above all. by_day: whether each day has a heading, of level 2, and its messages say the
    hour alone.
    """
    out = _Conversation(" ".join(title.split()), by_day)
    for message in messages:
        if body := _body(message.text):
            out.add(message, body)
    return ParsedDocument("".join(out.parts), out.layout, source)


def clean(line: str) -> str:
    """A name, or what else is in one line -> without marks of direction at its ends, and single spaces in it."""
    return " ".join(line.split()).strip(_MARKS).strip()


def _body(text: str) -> str:
    """What somebody said -> its lines, all but the first indented, with one blank line where there are several."""
    text = _BREAKS.sub("\n", text) if _BREAKS.search(text) else text
    lines = text.strip().strip(_MARKS).strip()
    if "\n" not in lines:
        return lines
    lines = _BLANK_LINES.sub("\n\n", lines)
    body = "\n".join(f"  {line.rstrip()}" if line.strip() else "" for line in lines.split("\n"))
    return f"\n{body}" if _BLOCK.match(lines) else body.lstrip()


@dataclass(slots=True)
class _Conversation:
    """A text that messages are added to, and its layout."""

    title: str
    by_day: bool
    parts: list[str] = field(default_factory=list)
    layout: list[Entry] = field(default_factory=list)
    _end: int = 0
    _day: str = ""
    _last: Utterance | None = None

    def add(self, message: Utterance, body: str) -> None:
        """A message, and its text as the document has it."""
        iso = _ISO.fullmatch(message.time)
        day, clock = (iso[1], iso[2] or "") if iso else ("", "")
        heads = [f"# {self.title}"] if self.title and not self.layout else []
        follows = self._last is not None and message.thread != "" and message.thread == self._last.thread
        if self.by_day and day and day != self._day and not follows:
            heads.append(f"## {day}")
            self._day = day
        shown = clock if clock and day == self._day else f"{day} {clock}".strip() if clock else ""
        speaker = clean(message.speaker)
        opening = " ".join(filter(None, [f"[{shown}]" if shown else "", f"{speaker}:" if speaker else ""]))
        opening += body if body.startswith("\n") or not opening else f" {body}"
        between = "" if self._last is None else "\n\n" if heads or self._is_apart(message, follows) else "\n"
        start = self._end + len(between)
        self._write(between + "".join(f"{head}\n\n" for head in heads) + opening)
        self.layout.append(self._entry(start, speaker, message.time))
        self._last = message

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self._end += len(text)

    def _entry(self, start: int, speaker: str, time: str) -> Entry:
        path = [(1, self.title), (2, self._day)]
        headings = [(level, heading) for level, heading in path if heading]
        entry: Entry = {"start": start, "speaker": speaker, "time": time}
        entry |= {"headings": [heading for _, heading in headings], "heading_levels": [level for level, _ in headings]}
        return {key: value for key, value in entry.items() if value not in ("", [])}

    def _is_apart(self, message: Utterance, follows: bool) -> bool:
        """Whether a blank line is to stand before a message."""
        if self._last is None or follows:
            return False
        if message.thread or self._last.thread or not self.by_day:
            return True
        return _seconds(self._last.time, message.time) > PAUSE


def _seconds(before: str, after: str) -> float:
    try:
        return abs((datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds())
    except (ValueError, TypeError):
        return 0.0


# -- files -------------------------------------------------------------------------------------------------------------


def folder_of(given: object) -> Path | None:
    """The folder whose path a caller gives; None for anything else."""
    named = isinstance(given, os.PathLike) or (isinstance(given, str) and given != "" and "\n" not in given)
    return Path(given) if named and os.path.isdir(given) else None  # type: ignore[arg-type]


def read_export(given: object, wanted: str) -> tuple[str | bytes, str | None]:
    """What a caller gives as a file -> what is in it, and its path. Raises `SettingError`. wanted: how that begins.

    A str of one line is a path.
    """
    if isinstance(given, bytes) or (isinstance(given, str) and ("\n" in given or "\r" in given)):
        return given, None
    if not isinstance(given, (str, os.PathLike)):
        raise SettingError(f"{wanted}, got {type(given).__name__} {given!r:.80}")
    return read_bytes(Path(given), wanted), str(Path(given))


def read_bytes(path: Path, wanted: str) -> bytes:
    """A file -> what is in it. Raises `SettingError`. wanted: how that begins."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        said = (isinstance(error, OSError) and error.strerror) or error
        raise SettingError(f"{wanted}; {str(path)!r:.200} is no file that can be read: {said}") from error


def read_zip(data: bytes, wanted: str, choose: Callable[[list[str]], list[str]]) -> dict[str, bytes]:
    """The bytes of a ZIP archive -> what is in the files that are chosen of it, by their names.

    wanted: how an error begins. choose: the names of all files -> those to read. Raises `SettingError` where one cannot
    be read, or where more than `UNPACKED` bytes come out, whatever sizes the archive claims.
    """
    files: dict[str, bytes] = {}
    left = UNPACKED
    try:
        with ZipFile(BytesIO(data)) as archive:
            for name in choose(archive.namelist()):
                with archive.open(name) as file:
                    files[name] = file.read(left + 1)
                left -= len(files[name])
                if left < 0:
                    break
    except Exception as error:  # a decompressor may raise anything of a broken archive
        raise SettingError(f"{wanted}; the ZIP archive of {len(data):,} bytes cannot be read: {error}") from error
    if left < 0:
        raise SettingError(f"{wanted}; the ZIP archive unpacks to over {UNPACKED:,} bytes: unpack it and pass the path")
    return files


def decode_text(data: str | bytes) -> str:
    """What is in a file -> its text: UTF-8, also with its end cut off; UTF-16 and UTF-32 with a mark; else cp1252."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    for kind, marks in (
        ("utf-32", (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
        ("utf-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
    ):
        if data.startswith(marks):
            return data.decode(kind, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
