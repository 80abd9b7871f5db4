"""Rows of numbers that no rule and no wide gap shows to be a table."""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from typing import NamedTuple

_ENDS = re.compile(
    r"\n(?:(?<=[\d)%*]\n)|(?<=[\d)%*]\r\n)|(?<=[\d)%*] \n)|(?<=[—–-]\n))(?<![^\d%*)\s]\)\n)"
    r"(?=[^\n|\"\t]{0,300}[\d)%*—–-] ?\r?(?:\n|\Z))"
)
"""The end of a line that may be a row, below which there is another. It begins with a letter, which is looked for many
times faster than a kind of letters. A bracket that closes behind a word, as that of a link, ends no number."""
NUMBER = re.compile(
    r"[($€£¥+−–-]{0,3}(?:\d[\d,.'’:/]{0,30}(?<![,:/'’])|(?<=[(–−-])\d)%?\)?[%*†‡]{0,2}|[—–-]{1,2}|n/?a", re.I
)
_YEAR = re.compile(r"(?:FY|CY)?(?:19|20)\d\d[EAe]?\*?")
_SIGNS = frozenset("$ € £ ¥ % ) (".split())  # noqa: SIM905
_STOPS = frozenset(".;:!?。")
_PERIOD = re.compile(
    r"(?i)\b(?:(?:19|20)\d\d|ended|as (?:of|at)|fiscal|years?|quarters?|months|weeks|jan\w*|feb\w*|mar(?:ch)?|apr\w*"
    r"|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)\b"
)
UNITS = re.compile(
    r"(?i)\s*+[*_(\[]{0,3}(?:(?:(?:all )?(?:amounts?|figures|values|numbers|dollars|euros|data|prices|us\$|\$)\s?,? ?"
    r"(?:and [a-z]{1,20} )?(?:are |is |were )?)?in (?=[^\W\d_]|[$€£¥%])|units?\b|(?:usd|eur|gbp)\b|[$€£¥]|%|percent"
    r"|per )[^\n]{0,100}|\s*+[*_]{0,2}[(\[](?:[^()\[\]\n]|\([^()\n]{0,40}\)){1,80}[)\]][*_]{0,2}\s*+"
)
"""A line that says in what units a table is."""
CAPTION = re.compile(
    r"(?i)\W{0,4}(?:table|tab\.|exhibit|schedule|tabelle|tableau|tabla|tabela|tabella|таблица|tablo|表)\s?"
    r"(?:[A-Z]{0,2}[.-]?\d{1,3}(?:[.-]\d{1,3}){0,3}|[IVXLC]{1,6}|[A-Z])(?![\w-])(?:[^\w\n]|\Z)"
)
"""How a table's caption begins."""
_RULE = re.compile(r"\s*+[-=+ \t]+")
_REFERENCE = re.compile(r"(?:19|20)\d\d(?: +\d{1,9}){3,5}\s*\Z|(?:19|20)\d\d .{0,60} \d{6,9}\s*\Z")
"""What a reference to a paper ends with: year, volume, places and a number of it."""
_LONGEST = 300  # a longer line is no row
_NAME = 100  # nor a row's name, where cells stand in lines of their own
_SHORT = 60  # a line up to here was not broken for lack of room
_HEADER = 200  # no header's line is longer
LEAST = 3
"""So many rows make a table; one is enough for a table that goes on after a few lines of something else."""
NEAR = 300
"""So many characters may stand between rows of a table and more rows of it."""


class NumberTable(NamedTuple):
    """A run of rows: where what names it begins, where its header does and where its rows do, and where they end.

    starts: of the rows. columns: how many numbers a row has. is_tall: whether each cell stands in a line of its own.
    """

    start: int
    header: int
    body: int
    end: int
    starts: tuple[int, ...]
    columns: int
    is_tall: bool


class NumberTables:
    """The tables of a text, for one who reads it from the top."""

    def __init__(self, text: str) -> None:
        self._left = number_tables(text)[::-1]

    def end(self, at: int) -> int:
        """Where the table ends that begins here; -1 where none does. at: rises from call to call."""
        while self._left and self._left[-1].start < at:
            self._left.pop()
        return self._left[-1].end if self._left and self._left[-1].start == at else -1

    def shorten(self, starts: list[int], stop: int) -> tuple[list[int], int]:
        """The starts of a paragraph's runs, and its end -> those above the table that begins in it, if one does."""
        if not self._left or self._left[-1].start >= stop:
            return starts, stop
        stop = self._left[-1].start
        return [start for start in starts if start < stop], stop


def number_tables(text: str) -> list[NumberTable]:
    """Returns the runs of at least three rows that have a name and two or more numbers, in their order.

    >>> text = "Sales grew.\\n2018 2017\\nFerries 1,234 1,100\\nTrains 80 (7)\\nTotal 1,314 1,093\\nWe like that."
    >>> [(text[table.header : table.body], text[table.body : table.end]) for table in number_tables(text)]
    [('2018 2017\\n', 'Ferries 1,234 1,100\\nTrains 80 (7)\\nTotal 1,314 1,093')]
    """
    tables: list[NumberTable] = []
    done, at = 0, 0
    while found := _ENDS.search(text, at):
        at = found.end()
        start = text.rfind("\n", done, found.start()) + 1 or done
        if at - start > _LONGEST:
            continue
        if text.find(" ", start, at) < 0 and not _is_number(text[start:at]):  # values between commas, and so all below
            blank = text.find("\n\n", at)
            at = blank if blank >= 0 else len(text)
            continue
        table, end = _run(text, start, done, tables[-1] if tables and start - done < NEAR else None)
        at = max(at, end)
        if table is not None:
            tables.append(table)
            at = done = table.end
        if at >= len(text):
            break
    return tables


def tall_rows(text: str) -> list[int]:
    """A table -> the starts of its rows but the first, if each of its cells stands in a line of its own; else none."""
    tables = number_tables(text)
    return [*tables[0].starts[1:]] if len(tables) == 1 and tables[0].is_tall else []


def _line(text: str, start: int) -> tuple[str, int]:
    """The line that begins at a place, and where the next one does."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return text[start : min(end, start + _LONGEST + 1)], end + 1


def _count(line: str) -> tuple[int, bool]:
    """How many numbers a line ends with, and whether all of them are years. Without a name before them: 0."""
    if len(line) > _LONGEST or "|" in line or "\t" in line or '"' in line:
        return 0, False
    parts = [part for part in line.split() if part not in _SIGNS]
    numbers = 0
    while numbers < len(parts) and NUMBER.fullmatch(parts[-1 - numbers]):
        numbers += 1
    if not any(map(str.isalpha, "".join(parts[: len(parts) - numbers]))):
        return 0, False
    return numbers, numbers > 0 and all(_YEAR.fullmatch(part) for part in parts[-numbers:])


def _is_number(line: str) -> bool:
    parts = [part for part in line[:_NAME].split() if part not in _SIGNS]
    return len(parts) == 1 and NUMBER.fullmatch(parts[0]) is not None


def _run(text: str, start: int, done: int, before: NumberTable | None) -> tuple[NumberTable | None, int]:
    """The table whose first row, or the first number of it, is the line that begins here, and up to where there is no
    other. before: one near above.
    """
    line, after = _line(text, start)
    if _is_number(line):
        return _tall(text, start, done, before)
    count, years = _count(line)
    if count < 2:
        return None, after
    starts, end = [start], after - 1
    first = int(years)
    at, loose, references = after, False, int(_REFERENCE.search(line) is not None)
    while at < len(text):
        line, after = _line(text, at)
        own, _ = _count(line)
        if own >= 2:
            starts.append(at)
            end, loose = after - 1, False
            references += _REFERENCE.search(line) is not None
        elif not line.strip() or loose or len(line) > 60 or line.rstrip()[-1:] in ".;!?":
            break
        else:
            loose = True  # the first line of a long name, or a name over rows
        at = after
    goes_on = before is not None and not before.is_tall and abs(before.columns - count) < 2
    if len(starts) - first < (1 if goes_on else LEAST) or 2 * references > len(starts):
        return None, starts[-1]
    header, starts = (start, starts[1:]) if first else (start, starts)
    return _headed(text, done, header, tuple(starts), min(end, len(text)), count, False, goes_on), at


def _tall(text: str, start: int, done: int, before: NumberTable | None) -> tuple[NumberTable | None, int]:
    """The table that has each cell in a line, and whose first number is the line that begins here; and where what
    follows the lines that were looked at begins.
    """
    lines, at = list[tuple[int, bool]](), start
    above, name = _above(text, done, start)
    if name.strip():
        lines.append((above, False))
    while at < len(text):
        line, after = _line(text, at)
        numeric = _is_number(line)
        if not line.strip() or len(line) > _NAME or not (numeric or not lines or lines[-1][1]):
            break
        lines.append((at, numeric))
        at = after
    names = [number for number, (_, numeric) in enumerate([*lines, (at, False)]) if not numeric]
    widths = [last - first - 1 for first, last in pairwise(names)]
    first = 0
    for width, same in groupby(widths):
        rows = len([*same])
        goes_on = before is not None and before.is_tall and before.columns == width
        if width > 1 and rows >= (1 if goes_on else LEAST):
            starts = [lines[names[first + row]][0] for row in range(rows)]
            cells = text[starts[0] : starts[1]].split("\n")[1:-1] if rows > LEAST else []
            header = starts[0]
            if cells and all(_YEAR.fullmatch(cell.strip()) for cell in cells):
                del starts[0]
            end = _line(text, lines[names[first] + rows * (width + 1) - 1][0])[1] - 1
            return _headed(text, done, header, tuple(starts), min(end, len(text)), width, True, goes_on), end
        first += rows
    return None, at if lines[-1][1] else lines[-1][0]


def _headed(
    text: str, done: int, header: int, starts: tuple[int, ...], end: int, columns: int, is_tall: bool, goes_on: bool
) -> NumberTable:
    """A table with the lines above it that are its header, and those that say its units and its name.

    goes_on: whether it may be more of a table above: what has few words is no header then.
    """
    body, at, lines = starts[0], header, 0
    while lines < (columns + 1 if is_tall else 3):
        above, line = _above(text, done, at)
        if len(line) > 2 and _RULE.fullmatch(line):
            at = above
            continue
        bare = line.strip()
        if not bare or len(line) > _HEADER or bare[-1] in _STOPS or UNITS.fullmatch(line) or CAPTION.match(line):
            break
        first = header == body and not lines
        if is_tall:
            if len(bare) > 40:
                break
        elif not _heads(bare, columns, first, goes_on):
            break
        at, lines = above, lines + 1
    return NumberTable(_named(text, done, at), at, body, end, starts, columns, is_tall)


def _heads(line: str, columns: int, is_first: bool, goes_on: bool) -> bool:
    """Whether a line above rows heads columns, and is not the end of a sentence. is_first: it touches the rows."""
    words = line.split()
    if _PERIOD.search(line):
        return len(words) >= columns if is_first else len(words) <= 20
    plain = sum(word[0].islower() for word in words)
    return is_first and len(words) >= columns + goes_on and (len(words) <= columns + 2 or 2 * plain < len(words))


def _named(text: str, done: int, header: int) -> int:
    """Where the lines begin that name a table whose header begins here: its caption, and its units below that."""
    start, line = _above(text, done, header)
    if CAPTION.match(line) and len(line) <= _HEADER:
        return start
    if not UNITS.fullmatch(line):
        return header
    above, line = _above(text, done, start)
    bare = line.strip()
    if not bare or len(line) > _HEADER or bare[-1] in _STOPS:
        return start
    before = _above(text, done, above)[1].strip()
    return above if CAPTION.match(line) or len(before) < _SHORT or before[-1] in _STOPS else start


def _above(text: str, done: int, start: int) -> tuple[int, str]:
    """The line above one that begins at a place, and where it begins."""
    if start <= done:
        return start, ""
    above = text.rfind("\n", done, start - 1) + 1 or done
    return above, text[max(above, start - 1 - 2 * _HEADER) : start - 1]
