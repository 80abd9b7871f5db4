"""Exports of Slack -> a text and its layout for each channel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any

from caesura.errors import SettingError
from caesura_documents.conversations.messages import (
    Export,
    Utterance,
    decode_text,
    folder_of,
    iso_time,
    read_bytes,
    read_export,
    read_zip,
    write_conversation,
)
from caesura_documents.parsed_text import Loose, ParsedDocument

_WANTED = (
    "export must be what Slack exported: the path of a folder, of a ZIP archive or of a JSON file, or what is in it"
)
_ALONE = "messages.json"
"""What a file is called that is given alone."""
_JSON = re.compile(r"\s*+[\[{]\s*+[\"{\]]")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LINK = re.compile(r"<([^<>\n|]{1,4000})(?:\|([^<>\n]{0,4000}))?>")
_FENCED = re.compile(r" ?\n?```((?:[^`]|`(?!``))*+)``` ?\n?")
_NOTICES = frozenset(
    {
        *("channel_join", "channel_leave", "group_join", "group_leave", "bot_add", "bot_remove", "tombstone"),
        *("channel_archive", "channel_unarchive", "group_archive", "group_unarchive", "message_deleted"),
    }
)
"""Subtypes of what says nothing but that somebody came or went."""


def from_slack(export: Export) -> list[ParsedDocument]:
    """An export of Slack -> text, layout and source of each channel, in the order of their names.

    Messages of a thread stand together, where it begins. Names of users and channels take the place of their ids, a
    link is written as its words and its address, a file as its name. Who came and who went is left out. Times are in
    UTC.

    export: the path of the folder, of the ZIP archive, or of a JSON file with the messages of one channel, or what is
    in such a file: bytes or a str. A folder of one channel, with a file for each day, will do. Raises
    `SettingError` where nothing in it is a channel.
    """
    files, path = _read(export)
    name, names = path or "", _Names()
    days: dict[str, list[str]] = {}
    for file in sorted(files):
        place = PurePosixPath(file)
        if _DAY.fullmatch(place.stem) or file == _ALONE:
            days.setdefault(str(place.parent), []).append(file)
        elif place.name in ("users.json", "channels.json", "groups.json", "mpims.json", "dms.json"):
            names.add(place.stem, _items(files[file]))
    if not days:
        raise SettingError(f"{_WANTED}: no file in it is named by a day, as general/2024-03-12.json is")
    found: list[ParsedDocument] = []
    for folder, own in days.items():
        channel = PurePosixPath(folder).name or (Path(name).stem if name else "")
        source = name if folder == "." else f"{name}/{folder}" if name else folder
        records = [Loose(item) for file in own for item in _items(files[file])]
        for record in records:
            names.learn(record)
        found.append(write_conversation(_messages(records, names), names.channel(channel), source or None, by_day=True))
    return found


def _read(export: Export) -> tuple[dict[str, bytes], str | None]:
    """The JSON files of an export, by their paths from its root, and the path of the export."""
    if (folder := folder_of(export)) is not None:
        paths = (path for path in folder.rglob("*.json") if path.is_file())
        return {path.relative_to(folder).as_posix(): read_bytes(path, _WANTED) for path in paths}, str(folder)
    if isinstance(export, str) and _JSON.match(export):
        export = export.encode("utf-8", "surrogatepass")
    data, name = read_export(export, _WANTED)
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if data.lstrip()[:1] in (b"[", b"{"):
        return {_ALONE: data}, name
    if not data.startswith(b"PK"):
        raise SettingError(f"{_WANTED}, got {name or data!r:.80}")
    return read_zip(data, _WANTED, _json_of), name


def _json_of(names: list[str]) -> list[str]:
    return [each for each in names if each.endswith(".json") and not each.startswith("__MACOSX")]


def _items(data: bytes) -> list[Any]:
    """The list in a JSON file; what comes before the fault, where the file is cut off."""
    text = decode_text(data)
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return _whole_items(text)
    items = items.get("messages") if isinstance(items, dict) else items
    return items if isinstance(items, list) else []


def _whole_items(text: str) -> list[Any]:
    found: list[Any] = []
    reader, at = json.JSONDecoder(), text.find("{")
    try:
        while at >= 0:
            item, end = reader.raw_decode(text, at)
            found.append(item)
            gap = re.compile(r"\s*,\s*(?=\{)").match(text, end)
            at = gap.end() if gap else -1
    except (ValueError, RecursionError):
        pass
    return found


@dataclass(slots=True)
class _Names:
    """Names of users and channels, by their ids."""

    users: dict[str, str] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    """Of conversations without a name, by their ids."""

    def add(self, kind: str, items: Iterable[Any]) -> None:
        """What a file of users or channels says. kind: its name."""
        for item in map(Loose, items):
            if kind == "users":
                profile = item.part("profile")
                self._name_user(item.text("id"), profile, item.text("real_name"), item.text("name"))
            elif name := item.text("name"):
                self.channels[item.text("id")] = name
            else:
                self.members[item.text("id")] = [each for each in item.values("members") if isinstance(each, str)]

    def learn(self, record: Loose) -> None:
        """What a message says of who wrote it, where no file of users does."""
        user = record.text("user")
        if user and user not in self.users:
            self._name_user(user, record.part("user_profile"))

    def _name_user(self, user: str, profile: Loose, real: str = "", short: str = "") -> None:
        if name := profile.text("real_name") or real or profile.text("display_name") or profile.text("name") or short:
            self.users[user] = name

    def user(self, user: str) -> str:
        """The name of a user; the id where nobody says one."""
        return self.users.get(user, user)

    def channel(self, folder: str) -> str:
        """The title of the channel in a folder, which is named by the channel, or by its id."""
        if folder in self.members:
            return ", ".join(map(self.user, self.members[folder]))
        return self.channels.get(folder, folder)


def _messages(records: Iterable[Loose], names: _Names) -> list[Utterance]:
    """The records of a channel -> its messages, in their order, those of a thread together."""
    known: dict[tuple[str, str, str], Loose] = {}
    for record in records:
        if record.text("subtype") not in _NOTICES and record.text("type") in ("message", ""):
            known.setdefault((record.text("ts"), record.text("user"), record.text("text")), record)
    ordered = sorted(known.values(), key=lambda record: _moment(record.text("ts")))
    threads: dict[str, list[Loose]] = {}
    for record in ordered:
        threads.setdefault(record.text("thread_ts") or record.text("ts"), []).append(record)
    found: list[Utterance] = []
    for name, members in threads.items():
        members.sort(key=lambda each: each.text("ts") != name)  # the first one first, whenever it was written
        thread = name if len(members) > 1 else ""
        for each in members:
            found.append(Utterance(_text(each, names), _author(each, names), _time(each.text("ts")), thread))
    return found


def _moment(ts: str) -> tuple[int, int]:
    whole, _, part = ts.partition(".")
    return (int(whole), int(part or 0)) if whole.isdecimal() and (part or "0").isdecimal() and len(ts) < 40 else (0, 0)


def _time(ts: str) -> str:
    return iso_time(_moment(ts)[0]) if _moment(ts)[0] else ""


def _author(record: Loose, names: _Names) -> str:
    user = record.text("user")
    if user in names.users:
        return names.users[user]
    profile = record.part("bot_profile").text("name") or record.part("user_profile").text("real_name")
    return record.text("username") or profile or user or record.text("bot_id")


def _text(record: Loose, names: _Names) -> str:
    """What a message says, with the names of its files; what its attachments say, where it has no text itself."""
    parts = [_plain(record.text("text"), names)]
    if not parts[0].strip():
        for attached in record.parts("attachments"):
            own = [attached.text("pretext"), attached.text("title"), attached.text("text")]
            said = [each for each in own if each] or [attached.text("fallback")]
            parts += [_plain(each, names) for each in said]
    if not "".join(parts).strip():
        parts += [_plain(said, names) for block in record.parts("blocks") for said in _block_texts(block.data, 0)]
    files = [each.text("name") or each.text("title") for each in record.parts("files")]
    if shown := ", ".join(each for each in files if each):
        parts.append(f"attached: {shown}")
    return "\n".join(part for part in parts if part.strip())


def _block_texts(block: Mapping[str, Any], depth: int) -> Iterator[str]:
    text = block.get("text")
    if isinstance(text, str):
        yield text
    if depth < 20:
        inner = block.get("elements")
        for each in [text, *(inner if isinstance(inner, list) else [])]:
            if isinstance(each, Mapping):
                yield from _block_texts(each, depth + 1)


def _plain(text: str, names: _Names) -> str:
    """A text as Slack marks it -> with names in the place of ids, and links as their words and addresses."""

    def shown(found: re.Match[str]) -> str:
        target, words = found[1], found[2] or ""
        mark, name = target[0], target[1:]
        if mark == "@":
            return f"@{names.users.get(name) or words or name}"
        if mark == "#":
            return f"#{words or names.channels.get(name) or name}"
        if mark == "!":
            return words or f"@{name.partition('^')[0]}"
        address = target.removeprefix("mailto:")
        same = not words or words in address or words.rstrip("/") in address
        return address if same else f"{words} ({address})"

    text = _FENCED.sub(_fence, text) if "```" in text else text
    return unescape(_LINK.sub(shown, text)) if "<" in text or "&" in text else text


def _fence(found: re.Match[str]) -> str:
    """Code between three backticks -> the same, with the backticks in lines of their own."""
    body = found[1].strip("\n")
    return f"\n```\n{body}\n```\n" if body.strip() else found[0]
