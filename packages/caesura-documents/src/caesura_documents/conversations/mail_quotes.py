"""What a mail says itself: without quotations of mails that stand above it in its thread, and without its signature."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

_QUOTED = re.compile(r"[ \t]{0,3}>")
_MARKS = re.compile(r"(?:[ \t]{0,3}>)+")
_WORDS = re.compile(r"\w+")
_SEPARATOR = re.compile(r"[ \t]*(?:-{2,20}[ \t]*[^\W\d_][^\n-]{2,40}+-{2,20}|_{20,80})[ \t]*")
"""As "-----Original Message-----"."""
_FIELD = re.compile(r"[ \t]*\*?[^\W\d_][\w -]{1,20}:\*? \S")
"""As "From: Ada" where a mail is quoted with its fields."""
_DATED = re.compile(r"\d[^\n]*\S")
_FEW = 300
"""A quotation of so many characters stays, if something follows it that answers it."""
_LEAD = 300
"""What says who wrote what is quoted has at most so many characters."""
_MOST = 0.9
"""A paragraph is quoted from a text if so much of its rows of three words are in that."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A mail that others may quote.

    names: how others call who wrote it, in small letters. said: its words, and its rows of three of them.
    """

    names: tuple[str, ...]
    said: frozenset[str]

    @classmethod
    def of(cls, text: str, *names: str) -> Quotable:
        """The text of a mail, and the names and addresses of who wrote it."""
        words = _WORDS.findall(text.casefold())
        return cls(tuple(name.casefold() for name in names if len(name) > 2), frozenset([*words, *_rows(words)]))

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words stand in the mail, as far as can be told."""
        rows = _rows(words) or words
        return sum(row in self.said for row in rows) >= _MOST * len(rows)


def _rows(words: Sequence[str]) -> list[str]:
    return [" ".join(row) for row in zip(words, words[1:], words[2:], strict=False)]


def own_words(text: str, quoted: Sequence[Quotable] = ()) -> str:
    """The text of a mail -> what it says itself. quoted: the mails that it answers.

    A quotation that is not of these stays, since it stands nowhere else. So do at most 300 characters of one, if
    something follows that answers them.

    >>> first = Quotable.of("The tide is high. It turns at noon.", "Ada")
    >>> own_words("So it is.\\n\\nOn Tuesday Ada wrote:\\n> The tide is high.\\n> It turns at noon.", [first])
    'So it is.'
    >>> own_words("Ada wrote:\\n> The tide is high.\\n\\nSo it is.\\n-- \\nJonas", [first])
    '> The tide is high.\\n\\nSo it is.'
    """
    mail = _Reply(text.split("\n"), quoted)
    mail.leave_signature()
    if quoted:
        mail.leave_quotations()
        mail.leave_tail()
    return "\n".join(line for line, kept in zip(mail.lines, mail.kept, strict=True) if kept).strip()


@dataclass(slots=True)
class _Reply:
    """The lines of a mail, and which of them are kept."""

    lines: list[str]
    quoted: Sequence[Quotable]
    kept: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        self.kept = [True] * len(self.lines)

    def _leave(self, start: int, end: int) -> None:
        self.kept[start:end] = [False] * (end - start)

    def leave_signature(self) -> None:
        """Leave out what stands below "-- ", up to a quotation."""
        start = next((at for at, line in enumerate(self.lines) if line.rstrip("\r") in ("-- ", "--")), None)
        if start is not None:
            ends = (at for at in range(start, len(self.lines)) if _QUOTED.match(self.lines[at]))
            self._leave(start, self._before_lead(next(ends, len(self.lines)), start))

    def leave_quotations(self) -> None:
        """Leave out the paragraphs below ">" that the mails say which are quoted."""
        following = self._following()
        for start, end in list(self._quotations()):
            known = [part for part in self._paragraphs(start, end) if self._is_known(*part)]
            whole = sum(last - first for first, last in known) == sum(map(self._has_words, range(start, end)))
            if whole and self._is_answered(start, end, following[end]):
                self._leave(self._before_lead(start, 0), start)
                continue
            for first, last in known:
                after = (at for at in range(last, end) if self._has_words(at))
                self._leave(first, next(after, end))
            if whole:
                self._leave(self._before_lead(start, 0), end)

    def leave_tail(self) -> None:
        """Leave out what stands below a line that says who wrote it, or below the fields of a mail, and is known."""
        for at, line in enumerate(self.lines):
            if not self.kept[at] or _QUOTED.match(line) or not (body := self._opens_tail(at)):
                continue
            parts = [part for part in self._paragraphs(body, len(self.lines)) if self.kept[part[0]]]
            known = [part for part in parts if self._is_known(*part)]
            for first, last in known:
                self._leave(first, last)
            if known and len(known) == len(parts):
                self._leave(at, len(self.lines))
            return

    def _quotations(self) -> Iterator[tuple[int, int]]:
        start = 0
        for marked, lines in groupby(self.lines, lambda line: _QUOTED.match(line) is not None):
            end = start + sum(1 for _ in lines)
            if marked:
                yield start, end
            start = end

    def _paragraphs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The runs of lines with words in a range."""
        for filled, places in groupby(range(start, end), self._has_words):
            if filled:
                first, *others = places
                yield first, first + 1 + len(others)

    def _has_words(self, at: int) -> bool:
        return _WORDS.search(self.lines[at]) is not None

    def _is_known(self, start: int, end: int) -> bool:
        bare = " ".join(_MARKS.sub("", line, count=1) for line in self.lines[start:end])
        words = _WORDS.findall(bare.casefold())
        return any(mail.has(words) for mail in self.quoted)

    def _following(self) -> list[int | None]:
        """For each line, and for the end, the first one from there that is kept and has words."""
        found: list[int | None] = [None] * (len(self.lines) + 1)
        for at in reversed(range(len(self.lines))):
            found[at] = at if self.kept[at] and self._has_words(at) else found[at + 1]
        return found

    def _is_answered(self, start: int, end: int, after: int | None) -> bool:
        """Whether a quotation has few characters, and something of the mail's own follows it.

        after: the first line with words behind it.
        """
        few = sum(map(len, self.lines[start:end])) <= _FEW
        return few and after is not None and not _QUOTED.match(self.lines[after])

    def _before_lead(self, at: int, least: int) -> int:
        """Where what says who wrote the quotation begins that begins here; here if nothing says it."""
        last = at
        while last > least and not self.lines[last - 1].strip():
            last -= 1
        first = last - 1
        if first < least or not self._is_lead(self.lines[first]):
            first -= 1
            return first if first >= least and self._is_lead_of_two(first) else at
        return first - 1 if first > least and self._is_lead_of_two(first - 1) else first

    def _is_lead_of_two(self, at: int) -> bool:
        """Whether a line with a date, which goes on, and the next say together who wrote what follows."""
        line = self.lines[at].strip()
        goes_on = _DATED.search(line) is not None and line[-1] not in ".!?:" and not _QUOTED.match(line)
        return goes_on and self._is_lead(f"{line} {self.lines[at + 1]}")

    def _is_lead(self, text: str) -> bool:
        text = text.strip().casefold()
        named = any(name in text for mail in self.quoted for name in mail.names)
        return text.endswith((":", "：")) and len(text) <= _LEAD and named

    def _opens_tail(self, at: int) -> int:
        """Where what is quoted begins, if something on this line says that it is; else 0."""
        line, size = self.lines[at], len(self.lines)
        if self._is_lead(line):
            return at + 1
        if at + 1 < size and self._is_lead_of_two(at):
            return at + 2
        separated = _SEPARATOR.fullmatch(line) is not None
        body = at + separated
        while separated and body < size and body - at < 3 and not self.lines[body].strip():
            body += 1
        fields = body
        while fields < size and fields - body < 12 and _FIELD.match(self.lines[fields]):
            fields += 1
        return fields if fields - body > 2 or separated else 0
