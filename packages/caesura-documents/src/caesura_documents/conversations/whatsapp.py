"""Exports of WhatsApp -> one text and its layout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.errors import SettingError
from caesura_documents.conversations.messages import (
    Export,
    Utterance,
    clean,
    decode_text,
    read_export,
    read_zip,
    write_conversation,
)
from caesura_documents.parsed_text import ParsedDocument

_MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_BLANK = r"[ \t\u00a0\u202f]"
_HALF = r"[AaPp]\.?[ \u00a0\u202f]?[Mm]\.?|[صم](?!\w)"
_OF_DATE = r"\u200f?[./年月년월-] ?"
"""What stands between the numbers of a date."""
_MORNING = ("上午", "凌晨", "清晨", "早上", "오전", "午前")
_AFTERNOON = ("下午", "中午", "晚上", "오후", "午後")
_LINE = re.compile(  # "12/03/2024, 09:12 - ", "3/12/24, 9:12 AM - ", "[12.03.24, 09:12:33] "
    rf"^[{_MARKS}]*+(?P<bracket>\[)?(?P<date>\d{{1,4}}{_OF_DATE}\d{{1,2}}{_OF_DATE}\d{{1,4}}[.日일]?)[,،]?{_BLANK}{{1,3}}+"
    rf"(?:(?:um|à|às|a las?|alle|kl\.?|at|klo|o){_BLANK})?(?P<before>{'|'.join(_MORNING + _AFTERNOON)})?{_BLANK}?"
    rf"(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?(?:{_BLANK}?(?P<half>{_HALF}))?"
    rf"(?:{_BLANK}Uhr)?(?(bracket)\]{_BLANK}?|{_BLANK}?[-–]{_BLANK})",
    re.MULTILINE,
)
_EDITED = re.compile(r"\u200e<[^<>\n.:]{1,60}>|<This message was edited>")
_OMITTED = re.compile(rf"[{_MARKS}]*<[^<>\n.:]{{1,40}}>|\u200e[^\W\d_]++(?: [^\W\d_]++){{1,3}}\Z")
"""What stands where a picture or a voice was: "<Media omitted>", and on iOS "image omitted" after a mark."""
_OMITTED_BARE = re.compile(
    r"(?:image|video|audio|sticker|gif|document|contact card|bild|dokument|imagen|vídeo|documento|vidéo|imagem|áudio"
    r"|figurinha|immagine) (?:omitted|weggelassen|omitid[oa]|omis|absente|manquant|ocultad[oa]|omess[oa])",
    re.IGNORECASE,
)
"""The same on iOS, where a program has taken all marks away."""
_ENCRYPTED = re.compile(
    r"[^\n]{0,90}(?:end-to-end encrypted|Ende-zu-Ende-verschlüsselt|de extremo a extremo|de bout en bout"
    r"|end-to-end|de ponta a ponta)"
)
"""The notice that a chat on iOS begins with, under the name of the group or of the other one."""
_WANTED = "export must be a chat that WhatsApp exported: the path of the file, or what is in it"
_LONGEST = 60  # a longer name is none
_BUDDHIST = 2400  # a later year is counted as in Thailand


class _Line(NamedTuple):
    """The opening of a message: three numbers of its date, the hour, minute and second, whether date and hour are
    written as in America, and the rest of the message."""

    numbers: tuple[int, int, int]
    clock: tuple[int, int, int]
    american: bool
    rest: str


def from_whatsapp(export: Export, *, day_first: bool | None = None) -> ParsedDocument:
    """A chat that WhatsApp exported, on Android or iOS -> text, layout, source.

    Placeholders of pictures and voices are left out, as are marks of edited messages. What nobody wrote, as "Ada added
    Jonas", has no speaker. Times are those of the phone. The title is the name of the file.

    export: the path of the ".txt", or of the ".zip" with it, or what is in it: bytes, or a str of several lines.
    day_first: whether dates are written with the day before the month. None: as the dates themselves tell, else by
    their form. Raises `SettingError` where no line opens a message.

    >>> print(from_whatsapp("12/03/2024, 09:12 - Mara: Is the ice here?\\n12/03/2024, 09:13 - Jonas: No.").text)
    ## 2024-03-12
    <BLANKLINE>
    [09:12] Mara: Is the ice here?
    [09:13] Jonas: No.
    """
    data, path = read_export(export, _WANTED)
    text = decode_text(_unzipped(data) if isinstance(data, bytes) and data.startswith(b"PK\x03\x04") else data)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = list(_lines(text))
    if not lines:
        raise SettingError(f"{_WANTED}, whose messages begin with date and time, got {path or data!r:.80}")
    stem = Path(path).stem if path else ""
    bare = text.lstrip("\ufeff \n").startswith("[") and "\u200e" not in text
    return write_conversation(_messages(lines, day_first, bare), "" if stem == "_chat" else stem, path, by_day=True)


def _unzipped(data: bytes) -> bytes:
    files = read_zip(data, _WANTED, _chat_of)
    if not files:
        raise SettingError(f"{_WANTED}; the ZIP archive has no .txt in it")
    return next(iter(files.values()))


def _chat_of(names: list[str]) -> list[str]:
    """The names of the files of an archive -> that of the chat, if one is there."""
    texts = sorted((name for name in names if name.endswith(".txt")), key=lambda name: (len(name), name))
    return [name for name in texts if name.endswith("_chat.txt")][:1] or texts[:1]


def _lines(text: str) -> Iterator[_Line]:
    """The text of an export -> its messages, as they open."""
    found = list(_LINE.finditer(text))
    for each, end in zip(found, [*(after.start() for after in found), len(text)][1:], strict=True):
        rest, numbers = text[each.end() : end], _numbers(each["date"])
        hour = int(each["hour"])
        late = (each["half"] or "")[:1] in ("p", "P", "م") or each["before"] in _AFTERNOON
        if each["half"] or each["before"]:
            hour = hour % 12 + 12 * late
        clock = hour, int(each["minute"]), int(each["second"] or 0)
        yield _Line(numbers, clock, "/" in each["date"] and each["half"] in ("AM", "PM"), rest.strip())


def _numbers(date: str) -> tuple[int, int, int]:
    first, second, third = (int(number) for number in re.findall(r"\d+", date))
    return first, second, third


def _messages(lines: list[_Line], day_first: bool | None, bare: bool) -> Iterator[Utterance]:
    """The messages of an export, as they open -> who says what when.

    bare: whether it is of iOS, without the marks that what the app says has there.
    """
    days = _is_day_first(lines) if day_first is None else day_first
    rests = [_without_mark(line.rest) for line in lines]
    longer = _longer_names(rests)
    for number, (line, rest) in enumerate(zip(lines, rests, strict=True)):
        speaker, text = _split_name(rest, longer)
        if _OMITTED.fullmatch(text) or (bare and _OMITTED_BARE.fullmatch(text)):
            continue
        if bare and not number and _ENCRYPTED.match(text):
            speaker = ""
        if speaker and text.startswith("\u200e") and "<" not in text[:20]:
            speaker = ""  # the app says it, under the name of the group or of who did it
        yield Utterance(text, speaker, _time(line, days))


def _without_mark(rest: str) -> str:
    """What follows the time of a message -> without the mark that it was edited."""
    if not rest.endswith(">"):
        return rest
    at = rest.rfind("<", -_LONGEST - 2)
    at -= rest[at - 1 : at] == "\u200e"
    return rest[:at].rstrip() if at > 0 and _EDITED.fullmatch(rest, at) else rest


def _time(line: _Line, day_first: bool) -> str:
    first, second, third = line.numbers
    year, month, day = (
        (first, second, third) if first > 99 else (third, second, first) if day_first else (third, first, second)
    )
    if year > _BUDDHIST:
        year -= 543
    try:
        return datetime(year + 2000 * (year < 100), month, day, *line.clock).isoformat()
    except ValueError:
        return ""


def _is_day_first(lines: list[_Line]) -> bool:
    """Whether dates have the day before the month.

    The month is the number that is never over 12. Where neither is, dates rise in the right order; else those with a
    slash and "AM" are taken as American.
    """
    dates = [line.numbers for line in lines]
    over = [any(date[place] > 12 for date in dates) for place in (0, 1)]
    if over[0] or over[1]:
        return over[0]
    falls = [0, 0]
    for (a, b, year), (c, d, later) in pairwise(dates):
        falls[0] += (later, d, c) < (year, b, a)
        falls[1] += (later, c, d) < (year, a, b)
    return falls[0] < falls[1] or (falls[0] == falls[1] and not lines[0].american)


def _split_name(rest: str, longer: dict[str, str]) -> tuple[str, str]:
    """What follows the time -> who wrote it, "" for a notice, and what."""
    line = rest.partition("\n")[0]
    name, colon, _ = line.partition(":")
    if not colon or (line[len(name) + 1 :][:1] not in ("", " ", "\u200e")) or not _is_name(name):
        return "", rest
    name = longer.get(name, name)
    return clean(name), rest[len(name) + 1 :].strip(" \t")


def _is_name(name: str) -> bool:
    return 0 < len(name.strip()) <= _LONGEST and not any(mark in name for mark in '"“”„«»')


def _longer_names(rests: list[str]) -> dict[str, str]:
    """Names that have a colon, by what stands before it: all messages that begin so go on in the same way."""
    whole: dict[str, Counter[str]] = {}
    for rest in rests:
        name, _, more = rest.partition("\n")[0].partition(": ")
        second, colon, _ = more.partition(": ")
        if _is_name(name):
            whole.setdefault(name, Counter())[f"{name}: {second}" if colon and len(second) < _LONGEST else ""] += 1
    return {
        name: next(iter(counts))
        for name, counts in whole.items()
        if len(counts) == 1 and min(counts.values()) > 2 and next(iter(counts))
    }
