"""Mail: a mailbox or single mails -> a text and its layout for each thread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.header import decode_header
from email.message import Message as Part
from email.parser import BytesHeaderParser
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime

from caesura.errors import SettingError
from caesura_documents.conversations.mail_quotes import Quotable, own_words
from caesura_documents.conversations.messages import (
    Export,
    Utterance,
    clean,
    decode_text,
    folder_of,
    iso_time,
    read_bytes,
    read_export,
    write_conversation,
)
from caesura_documents.html import html_text
from caesura_documents.parsed_text import ParsedDocument

_WANTED = "mail must be a mailbox, a mail or a folder of mails: the path, or what is in the file"
_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]*\r?\n")
_FIELD = re.compile(rb"\s*[\x21-\x39\x3b-\x7e]{1,80}:")
_ESCAPED = re.compile(rb"^>(>*+From )", re.MULTILINE)
_REPLY = re.compile(
    r"\s*(?:(?:re|aw|antw|sv|vs|fw|fwd|wg|tr|rif|odp|ref|回复|答复|转发)(?:\[\d{1,3}\])?\s?[:：]\s*)++", re.IGNORECASE
)
_ID = re.compile(r"<([^<>\s]{1,500})>")
_SHOWN = ("text/plain", "text/html")
_NESTED = 50
"""Parts within parts."""
_FIELD_LENGTH = 20_000
_PARAMETERS_LENGTH = 2_000
"""Of a field whose parameters Python reads in quadratic time."""
_BOUNDARY = re.compile(rb"boundary[*\d]*+\s*+=", re.IGNORECASE)
_BOUNDARIES = 100
_PARTS = 1000
"""Parts of a mail that are looked at."""


_NEAREST = 4
"""Of so many mails that one answers, the last, quotations are looked for."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail, as it is read.

    id: its Message-ID. parents: those of the mails that it answers, the nearest last. text: its body.
    """

    id: str
    parents: tuple[str, ...]
    subject: str
    speaker: str
    address: str
    time: str
    text: str
    attached: tuple[str, ...] = ()


def from_mail(mail: Export) -> list[ParsedDocument]:
    """A mailbox (mbox), a mail (".eml") or a folder of mails -> text, layout and source of each thread.

    A thread begins with its subject as a heading; its mails follow in the order of their dates, which are in UTC.
    Quotations of a mail in the same thread are left out, as long as they are not a few words that the next line
    answers; so are signatures below "-- ". Of a mail in plain text and HTML the plain text is taken; a mail in a mail
    is a part of it, other attachments are named. Threads come in the order of their first mails in the file.

    mail: the path of the file or folder, or what is in the file: bytes, or a str of several lines. Raises
    `SettingError` where nothing is a mail.

    >>> mail = "From: Ada <a@b.org>\\nSubject: Tide\\nDate: Tue, 12 Mar 2024 09:12:00 +0100\\n\\nIt is high."
    >>> print(from_mail(mail)[0].text)
    # Tide
    <BLANKLINE>
    [2024-03-12 08:12] Ada: It is high.
    """
    found: list[Mail] = []
    paths: list[str | None] = []
    for data, path in _files(mail):
        for raw in _split(data):
            if (one := _read(raw)) is not None:
                found.append(one)
                paths.append(path)
    if not found:
        shown = mail if isinstance(mail, (str, bytes)) else str(mail)
        raise SettingError(f"{_WANTED}, which begins with fields as 'From: ada@example.org', got {shown!r:.80}")
    threads = [_thread([found[number] for number in numbers], paths[numbers[0]]) for numbers in _threads(found)]
    return [thread for thread in threads if thread.text]


def _files(mail: Export) -> Iterator[tuple[bytes, str | None]]:
    if (folder := folder_of(mail)) is not None:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and (path.suffix.lower() in (".eml", ".mbox") or path.parent.name in ("cur", "new")):
                yield read_bytes(path, _WANTED), str(path)
        return
    data, name = read_export(mail, _WANTED)
    yield data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data, name


def _split(data: bytes) -> Iterator[bytes]:
    """A file -> its mails. In a mailbox each has a line "From " above it."""
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    if not data.startswith(b"From "):
        yield data
        return
    found = [each for each in _FROM.finditer(data) if _FIELD.match(data, each.end())]
    for each, end in zip(found, [*(after.start() for after in found), len(data)][1:], strict=True):
        yield _ESCAPED.sub(rb"\1", data[each.end() : end])


# -- a mail ------------------------------------------------------------------------------------------------------------


def _read(raw: bytes) -> Mail | None:
    """The bytes of a mail -> what it says; None for what has none of a mail's fields."""
    try:
        deep = len(_BOUNDARY.findall(raw)) > _BOUNDARIES  # each would be looked for in each line
        part = _HEAD.parsebytes(raw) if deep else message_from_bytes(raw, policy=_POLICY)
    except (RecursionError, ValueError, LookupError, TypeError, AssertionError):
        part = _HEAD.parsebytes(raw)
    if not any(part.get(name) for name in ("From", "Date", "Subject", "Message-ID", "To")):
        return None
    body = _Body()
    body.read(part)
    speaker, address = _author(_header(part, "From") or _header(part, "Sender"))
    answered = [*_ID.findall(_header(part, "References")), *_ID.findall(_header(part, "In-Reply-To"))[:1]]
    own = _ID.findall(_header(part, "Message-ID"))
    return Mail(
        own[0] if own else "",
        tuple(dict.fromkeys(answered)),
        clean(_header(part, "Subject")),
        speaker,
        address,
        _time(_header(part, "Date")),
        body.text(),
        tuple(body.attached),
    )


class _Policy(Compat32):
    """How Python reads a mail, with fields of bounded length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: _PARAMETERS_LENGTH if name.lower().startswith("content-") else _FIELD_LENGTH]


_POLICY = _Policy()
_HEAD = BytesHeaderParser(policy=_POLICY)


def _header(part: Part, name: str) -> str:
    """A field of a mail, decoded as far as it can be."""
    values = (str(value) for own, value in part.raw_items() if own.lower() == name.lower())
    return _unencoded(next(values, ""))


def _unencoded(value: str) -> str:
    """A field as it is sent -> its characters."""
    try:
        pieces = decode_header(value) if "=?" in value else [(value, None)]
    except ValueError:
        return value
    return "".join(_decoded(piece, charset) for piece, charset in pieces)


def _decoded(data: bytes | str, charset: str | None) -> str:
    if isinstance(data, str):
        return data.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return data.decode(charset) if charset else decode_text(data)
    except (LookupError, ValueError):
        return decode_text(data)


def _author(field: str) -> tuple[str, str]:
    """The field of who wrote a mail -> name, and address; the address where he has no name."""
    try:
        name, address = next(iter(getaddresses([field])), ("", ""))
    except (ValueError, IndexError, TypeError, RecursionError):
        name, address = field, ""
    return clean(name) or clean(address) or clean(field), address


def _time(field: str) -> str:
    try:
        return iso_time(parsedate_to_datetime(field))
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


@dataclass(slots=True)
class _Body:
    """What the parts of a mail say, and the names of what is attached."""

    texts: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    _seen: int = 0

    def read(self, part: Part, depth: int = 0) -> None:
        """A part of a mail, and those in it."""
        self._seen += 1
        if depth > _NESTED or self._seen > _PARTS:
            return
        kind = part.get_content_type()
        name = _file_name(part)
        if kind == "message/rfc822":
            for inner in part.get_payload() if part.is_multipart() else ():
                self._forward(inner, depth)
        elif part.get_content_disposition() == "attachment" or (name and kind not in _SHOWN):
            self.attached += [name] if name else []
        elif part.is_multipart():
            parts = [each for each in part.get_payload() if isinstance(each, Part)]
            if kind == "multipart/alternative":
                plain = [each for each in parts if each.get_content_type() == "text/plain" and _text(each).strip()]
                parts = plain[:1] or parts[-1:]
            for each in parts:
                self.read(each, depth + 1)
        elif kind in _SHOWN:
            self.texts.append(html_text(_text(part)) if kind == "text/html" else _unflowed(part))

    def _forward(self, mail: object, depth: int) -> None:
        """A mail in a mail: who wrote it, its subject, and its parts."""
        if isinstance(mail, Part):
            author, _ = _author(_header(mail, "From"))
            self.texts.append(": ".join(filter(None, [author, clean(_header(mail, "Subject"))])))
            self.read(mail, depth + 1)

    def text(self) -> str:
        """The text of all parts."""
        return "\n\n".join(text.strip("\n") for text in self.texts if text.strip())


def _file_name(part: Part) -> str:
    try:
        return clean(_unencoded(part.get_filename() or ""))
    except (ValueError, LookupError, TypeError, IndexError):
        return ""


def _text(part: Part) -> str:
    """The text of a part without parts, in the encoding that it says, if it is that."""
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AssertionError):
        data = None
    if not isinstance(data, bytes):
        return ""
    try:
        charset = part.get_content_charset("utf-8")
        text = decode_text(data) if charset.startswith(("utf-8", "us-ascii", "utf8")) else data.decode(charset)
    except (LookupError, ValueError, AttributeError, TypeError):
        text = decode_text(data)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _unflowed(part: Part) -> str:
    """Plain text, whose lines are joined where it says that it flows (RFC 3676)."""
    text = _text(part)
    try:
        flowed = str(part.get_param("format", "")).lower() == "flowed"
    except (ValueError, LookupError, TypeError, IndexError):
        flowed = False
    if not flowed:
        return text
    return re.sub(r"(?<=[^\n ])(?<!\n--) \n(?=[^\n> -])", " ", text)


# -- threads -----------------------------------------------------------------------------------------------------------


def _threads(mails: Sequence[Mail]) -> list[list[int]]:
    """Mails -> the numbers of those of each thread: what answers another, or else has its subject, is of its thread."""
    roots = list(range(len(mails)))

    def root(number: int) -> int:
        while roots[number] != number:
            roots[number] = roots[roots[number]]
            number = roots[number]
        return number

    def join(first: int, second: int) -> None:
        low, high = sorted((root(first), root(second)))
        roots[high] = low

    places: dict[str, int] = {}  # of each Message-ID, also of one that is only referred to
    for number, mail in enumerate(mails):
        for name in filter(None, (mail.id, *mail.parents)):
            join(number, places.setdefault(name, number))
    subjects: dict[str, int] = {}
    for number, mail in enumerate(mails):
        subjects.setdefault(_base(mail.subject), number)
    for number, mail in enumerate(mails):
        if not mail.parents and _REPLY.match(mail.subject) and (base := _base(mail.subject)):
            join(number, subjects[base])
    threads: dict[int, list[int]] = {}
    for number in range(len(mails)):
        threads.setdefault(root(number), []).append(number)
    return list(threads.values())


def _base(subject: str) -> str:
    """A subject without "Re:", in small letters."""
    found = _REPLY.match(subject)
    return subject[found.end() if found else 0 :].strip().lower()


def _thread(mails: list[Mail], path: str | None) -> ParsedDocument:
    """The mails of a thread -> its text, layout and source."""
    ordered = _by_date(mails)
    first = ordered[0]
    found = _REPLY.match(first.subject)
    title = first.subject[found.end() :] if found else first.subject
    name = mails[0].id or mails[0].subject
    source = f"{path}#{name}" if path and name else path or name or None
    return write_conversation(_messages(ordered), title or first.subject, source)


def _by_date(mails: list[Mail]) -> list[Mail]:
    """Mails by their dates; one without is as old as the one before it."""
    times: list[tuple[str, int]] = []
    for number, mail in enumerate(mails):
        times.append((mail.time or (times[-1][0] if times else ""), number))
    return [mails[number] for _, number in sorted(times)]


def _messages(mails: Iterable[Mail]) -> Iterator[Utterance]:
    """The mails of a thread, in their order -> what each says itself."""
    known: dict[str, Quotable] = {}
    before: list[Quotable] = []
    for mail in mails:
        answered = [known[name] for name in mail.parents if name in known] or before
        text = own_words(mail.text, answered[-_NEAREST:]) or ("" if before else mail.subject)
        if mail.attached:
            text = f"{text}\n\nattached: {', '.join(mail.attached)}".strip()
        yield Utterance(text, mail.speaker, mail.time)
        before = [Quotable.of(mail.text, mail.speaker, mail.address)]
        if mail.id:
            known[mail.id] = before[0]
