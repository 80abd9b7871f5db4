"""Transcripts with times, as WebVTT and SRT -> one text of sentences and paragraphs, and its layout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise
from typing import NamedTuple

from caesura.errors import SettingError
from caesura.text.marks import ENDED
from caesura_documents.conversations.messages import Export, clean, decode_text, read_export
from caesura_documents.parsed_text import Entry, ParsedDocument

_STAMP = r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)[.,](\d{1,3})"
_TIMES = re.compile(rf"^[ \t]*+{_STAMP}[ \t]*+-->[ \t]*+{_STAMP}[^\n]*+", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^\s<>.]{1,60}+)*+[ \t]([^<>\n]{1,80}+)>")
_TAG = re.compile(r"</?[A-Za-z0-9.:_-]{1,60}+(?:[ \t][^<>\n]{0,200}+)?+>|\{\\[^{}\n]{1,40}+\}")
_NAME = re.compile(r"(?:>>+[ \t]*)?(?P<name>[^\W\d_][^\n:：<>\[\]()?!,;]{0,40}+(?:\([^()\n]{1,40}\))?)[:：](?=\s|$)\s*")
_CHANGE = re.compile(r">>+[ \t]*")
_DASH = re.compile(r"[-–—][ \t]?(?=\S)")
"""Of what another says, where at least two lines of a cue begin so."""
_NUMBER = re.compile(r"\d{1,9}\Z")
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff9f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Scripts that write no space between sentences."""
_WANTED = "transcript must be WebVTT or SRT: the path of the file, or what is in it"
_STOPS = frozenset(ENDED) - frozenset(":：;")
_LONG = 500
"""A paragraph of so many characters ends with its sentence; with none, at twice that."""
_PAUSE = 2.0
"""So many seconds of silence end a paragraph."""
_ROLLING = 4
"""Where one cue of so many begins with what the one before said, cues roll."""
_SHOWN = 8  # lines at a time, at most
_OTHER = "-"
"""Somebody else, who has no name."""


class _Cue(NamedTuple):
    """What is shown at a time: from and to in seconds, who speaks, if that is said, and its lines."""

    start: float
    end: float
    speaker: str
    lines: tuple[str, ...]


def from_transcript(transcript: Export) -> ParsedDocument:
    """A transcript or subtitles, in WebVTT or SRT -> text, layout, source.

    What is shown piece by piece reads as prose: pieces are joined to sentences, and these to paragraphs, which end
    where another speaks, after a pause, and near 500 characters. A paragraph in which another speaker begins opens with
    the name. What rolling captions repeat stands once. Notes, styles and marks of colour are left out. An entry of the
    layout is a piece, with its `speaker` and its `time`, as HH:MM:SS.mmm from the beginning.

    transcript: the path of the file, or what is in it: bytes, or a str of several lines. Raises
    `SettingError` where nothing in it has times.

    >>> vtt = "WEBVTT\\n\\n00:01.000 --> 00:02.000\\n<v Ada>The tide\\n\\n00:02.000 --> 00:04.000\\n<v Ada>is high."
    >>> parsed = from_transcript(vtt)
    >>> parsed.text, parsed.layout[1]
    ('Ada: The tide is high.', {'start': 14, 'speaker': 'Ada', 'time': '00:00:02.000'})
    """
    data, path = read_export(transcript, _WANTED)
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    cues = list(_cues(text))
    if not cues:
        raise SettingError(f"{_WANTED}, in which lines as 00:01.000 --> 00:02.000 stand, got {path or data!r:.80}")
    out = _Paragraphs()
    for cue in _unrolled(_with_speakers(cues)):
        out.add(cue)
    return ParsedDocument("".join(out.parts), out.layout, path)


# -- cues --------------------------------------------------------------------------------------------------------------


def _cues(text: str) -> Iterator[_Cue]:
    """The text of a file -> its cues that say something. A cue ends at a blank line, or at the next one's number."""
    found = list(_TIMES.finditer(text))
    for each, end in zip(found, [*(after.start() for after in found), len(text)][1:], strict=True):
        gap = text.find("\n\n", each.end() + 1, end)
        lines = text[each.end() : gap if gap >= 0 else end].strip("\n").split("\n")
        if gap < 0 and end < len(text) and _NUMBER.match(lines[-1].strip()):
            del lines[-1]
        voices = _VOICE.findall("\n".join(lines))
        shown = [clean(unescape(_TAG.sub("", _VOICE.sub("\n", line)))) for line in lines]
        times = _seconds(*each.groups()[:4]), _seconds(*each.groups()[4:])
        if len(voices) > 1:
            yield from _several(times, "\n".join(lines))
        elif any(shown):
            yield _Cue(*times, clean(unescape(voices[0])) if voices else "", tuple(filter(None, shown)))


def _several(times: tuple[float, float], text: str) -> Iterator[_Cue]:
    """A cue in which several speak -> one for each."""
    parts = _VOICE.split(text)
    for speaker, said in zip(["", *parts[1::2]], parts[::2], strict=True):
        lines = [clean(unescape(_TAG.sub("", line))) for line in said.split("\n")]
        if any(lines):
            yield _Cue(*times, clean(unescape(speaker)), tuple(filter(None, lines)))


def _seconds(hours: str | None, minutes: str, seconds: str, parts: str) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(parts.ljust(3, "0")) / 1000


def _with_speakers(cues: list[_Cue]) -> Iterator[_Cue]:
    """Cues -> with the speakers that their text names, "ADA: So.", in capitals or several times; one for each."""
    names = Counter(found["name"].strip() for cue in cues for line in cue.lines if (found := _NAME.match(line)))
    kept = {
        name
        for name, count in names.items()
        if len(name.split()) < 5 and (name.isupper() or (count > 1 and not name[0].islower()))
    }
    for cue in cues:
        if cue.speaker:
            yield cue
            continue
        speaker, lines = "", list[str]()
        dashes = sum(_DASH.match(line) is not None for line in cue.lines) > 1
        for line in cue.lines:
            found = _NAME.match(line)
            change = None if found else _CHANGE.match(line) or (_DASH.match(line) if dashes else None)
            if found and found["name"].strip() in kept:
                if lines:
                    yield cue._replace(speaker=speaker, lines=tuple(lines))
                speaker, lines = found["name"].strip(), [clean(line[found.end() :])]
            elif change and line[change.end() :]:
                if lines:
                    yield cue._replace(speaker=speaker, lines=tuple(lines))
                speaker, lines = _OTHER, [line[change.end() :]]
            else:
                lines.append(line)
        if any(lines):
            yield cue._replace(speaker=speaker, lines=tuple(filter(None, lines)))
        elif speaker:
            yield cue._replace(speaker=speaker, lines=())


def _unrolled(cues: Iterable[_Cue]) -> Iterator[_Cue]:
    """Cues -> without what each repeats of the one before, where that is how they are shown."""
    given = list(cues)
    rests = [_new_lines(before, after) for before, after in pairwise(given)]
    rolls = sum(rest != cue.lines for rest, cue in zip(rests, given[1:], strict=True)) * _ROLLING > len(given) > 2
    for cue, rest in zip(given, [given[0].lines, *rests] if given else [], strict=True):
        lines = rest if rolls else cue.lines
        if lines or cue.speaker:
            yield cue._replace(lines=lines)


def _new_lines(before: _Cue, after: _Cue) -> tuple[str, ...]:
    """The lines of a cue that the one before did not show at its end, or not in whole."""
    if after.start > before.end + 1 or not before.lines or not after.lines:
        return after.lines
    most = min(len(before.lines), len(after.lines), _SHOWN)
    for count in range(most, 0, -1):
        if before.lines[-count:] == after.lines[:count]:
            return after.lines[count:]
    if after.lines[0].startswith(before.lines[-1] + " ") and len(before.lines) == 1:
        return (after.lines[0][len(before.lines[-1]) :].strip(), *after.lines[1:])
    return after.lines


# -- paragraphs --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Paragraphs:
    """A text that grows by cues, and its layout."""

    parts: list[str] = field(default_factory=list)
    layout: list[Entry] = field(default_factory=list)
    _end: int = 0
    _speaker: str = ""
    _named: bool = False
    """Whether the speaker's name is still to be said."""
    _length: int = 0
    """Of the last paragraph."""
    _stopped: float = 0.0

    def add(self, cue: _Cue) -> None:
        """The next cue; without a speaker, the one before goes on."""
        opens = cue.speaker not in ("", self._speaker) or cue.speaker == _OTHER
        if opens:
            self._speaker = cue.speaker
            self._named = cue.speaker != _OTHER
        text = " ".join(cue.lines)
        if not text:
            return
        between = self._between(cue, text, opens)
        named = f"{self._speaker}: " if self._named else ""
        self._named = False
        start = self._end + len(between)
        self.parts.append(f"{between}{named}{text}")
        self._end = start + len(named) + len(text)
        self._length = len(named) + len(text) if between.startswith("\n") else self._length + len(between) + len(text)
        self._stopped = max(cue.end, cue.start)
        speaker = {} if self._speaker in ("", _OTHER) else {"speaker": self._speaker}
        self.layout.append({"start": start, **speaker, "time": _clock(cue.start)})

    def _between(self, cue: _Cue, text: str, opens: bool) -> str:
        """What stands between what was said and what is said next."""
        if not self.parts:
            return ""
        last = self.parts[-1]
        ended = last[-1] in _STOPS
        full = self._length > _LONG and (ended or self._length > 2 * _LONG)
        if opens or self._named or full or (cue.start - self._stopped > _PAUSE and (ended or self._length > _LONG)):
            return "\n\n"
        return "" if _UNSPACED.match(last[-1]) and _UNSPACED.match(text[0]) else " "


def _clock(seconds: float) -> str:
    """Seconds from the beginning -> HH:MM:SS.mmm."""
    whole, parts = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{parts:03}"
