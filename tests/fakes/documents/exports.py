"""One conversation, as the programs export it in which people have it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parents[2] / "golden" / "conversations" / "festival.txt"


class Said(NamedTuple):
    """A message: when, by whom, which message it answers, by its number, and what."""

    time: datetime
    who: str
    answered: int | None
    text: str

    @property
    def iso(self) -> str:
        """The time without its zone."""
        return self.time.strftime("%Y-%m-%dT%H:%M:%S")


def read_festival() -> list[Said]:
    """The messages of the conversation, each at a second of its own."""
    found: list[Said] = []
    for number, line in enumerate(FILE.read_text("utf-8").splitlines()[1:]):
        when, who, above, text = line.split("|", 3)
        time = datetime.strptime(f"2024-{when}:{number % 60:02}", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        found.append(
            Said(time, who, number - int(above) if above else None, text.replace(" / / ", "\n\n").replace(" / ", "\n"))
        )
    return sorted(found, key=lambda said: said.time)


FESTIVAL = tuple(read_festival())


def root(said: Sequence[Said], number: int) -> int:
    """The number of the message that a thread begins with."""
    while (answered := said[number].answered) is not None and answered < number:
        number = answered
    return number


def whatsapp(said: Sequence[Said], form: str = "%d/%m/%Y, %H:%M - ", mark: str = "") -> str:
    """A chat as WhatsApp exports it on Android, or with brackets in the form on iOS. mark: before what the app says."""
    opening = said[0].time.strftime(form).replace(" AM", "\u202fAM").replace(" PM", "\u202fPM")
    lines = [f"{mark}{opening}{'Harbour: ' if mark else ''}{mark}Messages and calls are end-to-end encrypted."]
    for number, each in enumerate(said):
        opening = each.time.strftime(form).replace(" AM", "\u202fAM").replace(" PM", "\u202fPM")
        if number % 50 == 49:
            lines.append(f"{mark}{opening}{each.who}: {mark + 'image omitted' if mark else '<Media omitted>'}")
        lines.append(f"{opening}{each.who}: {each.text}")
    return "\n".join(lines) + "\n"


def slack(said: Sequence[Said]) -> dict[str, str]:
    """Files of an export of Slack, by their paths."""
    people = {who: f"U{number:03}" for number, who in enumerate(dict.fromkeys(each.who for each in said))}
    stamps = [f"{int(each.time.timestamp())}.{number:06}" for number, each in enumerate(said)]
    answered = {root(said, number) for number, each in enumerate(said) if each.answered is not None}
    days: dict[str, list[object]] = {}
    for number, each in enumerate(said):
        text = each.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        record = {"type": "message", "user": people[each.who], "ts": stamps[number], "text": text}
        if each.answered is not None or number in answered:
            record["thread_ts"] = stamps[root(said, number)]
        days.setdefault(f"harbour/{each.time.date()}.json", []).append(record)
    users = [{"id": name, "name": "x", "profile": {"real_name": who}} for who, name in people.items()]
    files: dict[str, object] = {"users.json": users, "channels.json": [{"id": "C1", "name": "harbour"}], **days}
    return {path: json.dumps(items) for path, items in files.items()}


def zipped(files: dict[str, str], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Files, by their paths -> an archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return out.getvalue()


def _clock(seconds: float, mark: str) -> str:
    whole, parts = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{parts:03}"


def cues(said: Sequence[Said], width: int = 42) -> list[tuple[float, float, str, str]]:
    """What is said, one after the other, in cues of a line: from and to in seconds, who, and the line."""
    found: list[tuple[float, float, str, str]] = []
    at = 0.0
    for each in said:
        words, line = each.text.split(), ""
        for number, word in enumerate(words):
            line = f"{line} {word}".strip()
            if len(line) > width or number == len(words) - 1:
                end = at + 0.06 * len(line)
                found.append((at, end, each.who, line))
                at, line = end, ""
        at += 0.5
    return found


def vtt(said: Sequence[Said]) -> str:
    """What is said, as a meeting's transcript in WebVTT."""
    blocks = ["WEBVTT\n\nNOTE made by a machine"]
    for start, end, who, line in cues(said):
        shown = line.replace("&", "&amp;").replace("<", "&lt;")
        blocks.append(f"{_clock(start, '.')} --> {_clock(end, '.')}\n<v {who}>{shown}</v>")
    return "\n\n".join(blocks) + "\n"


def srt(said: Sequence[Said]) -> str:
    """What is said, as subtitles in SRT; a name stands where another speaks."""
    blocks, last = list[str](), ""
    for number, (start, end, who, line) in enumerate(cues(said), 1):
        named = f"{who}: {line}" if who != last else line
        blocks.append(f"{number}\n{_clock(start, ',')} --> {_clock(end, ',')}\n{named}\n")
        last = who
    return "\n".join(blocks)


@cache
def mailbox(said: tuple[Said, ...]) -> bytes:
    """What is said, as mails; each answer quotes what it answers, above or below, and all have a signature."""
    out: list[bytes] = []
    bodies: list[str] = []
    for number, each in enumerate(said):
        first = root(said, number)
        mail = EmailMessage()
        mail["From"] = f'"{each.who}" <p{sum(map(ord, each.who))}@harbour.example>'
        mail["Subject"] = ("Re: " if number != first else "") + said[first].text.split("\n")[0][:40].strip()
        mail["Date"] = format_datetime(each.time.astimezone(UTC) + timedelta(0))
        mail["Message-ID"] = f"<{number}@harbour.example>"
        body = each.text
        if number != first and each.answered is not None:
            mail["In-Reply-To"] = f"<{each.answered}@harbour.example>"
            mail["References"] = f"<{first}@harbour.example> <{each.answered}@harbour.example>"
            quoted = "\n".join(f"> {line}".rstrip() for line in bodies[each.answered].split("\n"))
            lead = f"On {said[each.answered].time:%a, %d %b %Y}, {said[each.answered].who} wrote:\n{quoted}"
            body = f"{lead}\n\n{body}" if number % 2 and len(quoted) > 300 else f"{body}\n\n{lead}"
        bodies.append(body)
        mail.set_content(f"{body}\n\n-- \n{each.who}\nHarbour committee\n")
        if number % 5 == 0:
            mail.add_alternative(f"<p>{each.text}</p>", subtype="html")
        raw = mail.as_bytes().replace(b"\nFrom ", b"\n>From ")
        out.append(b"From someone Mon Jan  1 00:00:00 2024\n" + raw.rstrip(b"\n") + b"\n\n")
    return b"".join(out)


def issue(said: Sequence[Said]) -> list[dict[str, object]]:
    """What is said, as GitHub gives an issue and its comments."""
    return [
        {"user": {"login": each.who}, "created_at": f"{each.iso}Z", "body": each.text.replace("\n", "\r\n")}
        for each in said
    ]


WHATSAPP_FORMS: dict[str, Callable[[Sequence[Said]], str]] = {
    "Android, British": lambda said: whatsapp(said),
    "Android, American": lambda said: whatsapp(said, "%m/%d/%y, %I:%M %p - "),
    "Android, German": lambda said: whatsapp(said, "%d.%m.%y, %H:%M - "),
    "Android, Dutch": lambda said: whatsapp(said, "%d-%m-%Y %H:%M - "),
    "iOS, German": lambda said: whatsapp(said, "[%d.%m.%y, %H:%M:%S] ", "\u200e"),
    "iOS, American": lambda said: whatsapp(said, "[%m/%d/%y, %I:%M:%S %p] ", "\u200e"),
    "iOS, Swedish": lambda said: whatsapp(said, "[%Y-%m-%d, %H:%M:%S] ", "\u200e"),
}
"""How it writes dates."""
