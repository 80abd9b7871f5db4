"""Blocks that stay whole: code, tables, formulas, lists and quotations."""

from __future__ import annotations

import re
from collections import Counter

from caesura.edges import trim
from caesura.text.containers import Container, containers
from caesura.text.marks import ENDED, HANGING
from caesura.text.markup import (
    ATTRIBUTES,
    BLANKS,
    GAP,
    LONG,
    NEWLINE,
    NL,
    OPENER,
    SPACE,
    UNDERLINES,
    block_end,
    end_of,
    indent,
    line_end,
    line_ends,
    list_end,
    overlined_end,
    underline_end,
)
from caesura.text.number_rows import NumberTables
from caesura.text.paragraphs import paragraph
from caesura.text.speaker_turns import Turns, asks
from caesura.types import Span

_NAME = 200  # no speaker's name is longer
_ROW = 1000  # a longer line is prose, or nothing that a look at it could tell
_CODE = re.compile(
    r"\s*(?!\\)(?:(?:def|class|async|import|from|return|elif|else:|try:|except|raise|yield|with|if|for|while|const|let|var|function"
    r"|export|static|public|private|package|using|namespace)\b(?=.*(?:[:;(){}=]$|[=({]|import\b)|import\b)"
    r"|[@$%]\w|\#!|//|/\*|\*(?=[\s/]|$)|[)\]}]+[;,)]*\s*$|[\w.\[\]\"'-]+\s*[-+*/|&%:]?=(?:\s|$)|\"[^\"]*\"\s*:|[\w.]+\(.*\)[;,]?\s*$)"
)
_CODE_ENDS = (";", "{", "}", "(", "[", "):", "=>")
_SAID = re.compile(r"(?: [a-z]{1,20}){6}[ ;]")  # not even a line of code that ends with a semicolon has so many words
_PLAIN = re.compile(r"[a-z]{2}[\"')”’]*[.?!][\"')”’]*\s*$")
_TAIL = 40  # so far from its end a line shows that it is a sentence
_FIELD = re.compile(r"[,;](?<=[^\s,;][,;])(?=[^\s,;])(?![\"”’](?:\s|$))")  # but a comma before a closing quote
_QUOTED = re.compile(r'"(?<![^\s,;]")(?:[^"]|"")*+"(?![^\s,;:])')  # a value, or a name in JSON
_FEW = 16  # of so many rows of values one may be odd
_COLUMNS = re.compile(r"(?:  (?<![\s.?!:\"')]  ) *+|\t(?<![\s.?!:\"')]\t)\t*+|   (?<=\S   ) *+)(?=\S)")
_RULED = re.compile(r"\s*+(?=[^|]*\|)(?=[^-]*-)[|:-][\s|:-]*")  # the second row of a table of Markdown
_RULE = re.compile(r"[ \t]*+(?:[-=+]{2,}+[ \t]*+)++")  # between rows of columns
_TITLE_LENGTH = 80
_NEAR = 2000  # characters on either side of a place that its paragraph is looked for in
_UNTITLED = frozenset(ENDED + HANGING) - frozenset('"”»’)')  # a heading does not end so
_TITLE = re.compile(  # a heading by its number: "2.1 Methods", "3 Results", "Chapter IV"
    r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[^\W\d_a-zà-ÿ]|\d{1,2} +[^\W\d_a-zà-ÿ][\w-]*(?: [\w-]+){0,2}\Z"
    r"|(?i:Chapter|Part|Section|Appendix|Book|Act|Scene|Kapitel|Teil|Chapitre|Capítulo)"
    r" (?:\d{1,3}|[IVXLC]{1,7}|[A-Z])\b"
)
_NUMBERED = re.compile(r"(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.)]\s+(?=[^\W\d_a-zà-ÿ]{3})")
FRONT_MATTER = re.compile(
    rf"\s*(?:(---|\+\+\+){SPACE}*+[{NL}](?s:.{{0,20000}}?)[{NL}]\1{SPACE}*+(?=[{NL}]|\Z)"
    r"|\\documentclass(?s:.{0,20000}?)\\begin\{document\}(?:\s*\\maketitle)?)"
)
_PROSE = re.compile(  # a paragraph in one line that can be nothing else: most of them are decided by this alone
    rf"[\"“‘]?[^\W\d_](?![.)])[^{NL}]*+(?:(?<=[a-z][a-z][.!])|(?<=[a-z][a-z](?P<asks>\?))|(?<=[a-z][a-z][.?!][\")”’]))"
    r"(?:\r?\n[ \t]*+\r?\n\s*|\s*\Z)"
)
_HOLDS = re.compile(r"[`~]++\{|> ?\[!")  # a fence or a quotation that may be a container
MUCH = 8000  # a container is whole up to here; in a longer one, its opening line opens the unit of what follows
_CLEAR = ("code", "table", "formula", "matter", "rule", "closing", "list", "quote", "container")


def detect_code_or_table(text: str, at: int, end: int) -> str:
    """Returns "code" or "table" where the lines of a paragraph look like that, else "". For speed, one of its first
    two lines must.
    """
    head = text[at : min(end, at + _ROW)].split("\n", 2)[:2]
    if len(head[0]) >= _ROW:
        return ""
    if "|" in head[0] and len(head) > 1 and _RULED.fullmatch(head[1]):
        return "table"
    if not any(map(_hints, head)):
        return ""
    rows = [row for row in text[at:end].splitlines() if row.strip()]
    if len(rows) > 1:
        bare = _QUOTED.sub("", text[at:end])
        if any(bare.count(comma) * 2 > len(rows) and _are_values(bare.splitlines(), comma) for comma in ",;"):
            return "table"
        cells = [row for row in rows if not _RULE.fullmatch(row)]
        bars = {row.count("|") for row in cells}
        if len(bars) == 1 and bars != {0} and all(" | " in row for row in cells):
            return "table"
        gaps = [len(_COLUMNS.findall(row.strip())) if _wide(row) else 0 for row in cells]
        if min(gaps, default=0) > 0 and gaps.count(max(gaps)) * 4 >= len(gaps) * 3:
            return "table"
    return "code" if sum(map(_is_code, rows)) * 2 >= len(rows) else ""


def header_end(text: str) -> int:
    """A table -> where its first row begins, below its header and a rule as Markdown has them; 0 without these."""
    rule = end_of(NEWLINE, text, line_end(text, 0))
    stop = line_end(text, rule)
    return end_of(NEWLINE, text, stop) if _RULED.fullmatch(text, rule, stop) else 0


def _hints(row: str) -> bool:
    columns = _wide(row) and _COLUMNS.search(row.strip())
    return bool(columns) or " | " in row or _FIELD.search(row) is not None or _is_code(row)


def _are_values(rows: list[str], comma: str) -> bool:
    """Whether nearly all rows have as many commas, of which hardly one has a blank behind it. rows: without quotes."""
    commas, even = next(iter(Counter(row.count(comma) for row in rows).most_common(1)), (0, 0))
    spaced = sum(f"{comma} " in row for row in rows)
    return commas > 0 and max(len(rows) - even, spaced) * _FEW <= len(rows)


def _wide(row: str) -> bool:
    return "  " in row or "\t" in row


def _is_code(row: str) -> bool:
    if len(row) >= _ROW:
        return False
    if row.rstrip().endswith(_CODE_ENDS):
        return (
            not row.startswith("\\") and ATTRIBUTES.search(row) is None and not (row[-1] == ";" and _SAID.search(row))
        )
    return _CODE.match(row) is not None and _PLAIN.search(row, max(len(row) - _TAIL, 0)) is None


def is_title(text: str, at: int, end: int) -> bool:
    """Whether a paragraph is a heading: one line, numbered or in capitals. If the next line looks like one too, only
    the first number is.
    """
    if end - at > _TITLE_LENGTH:
        return False
    after = end_of(BLANKS, text, end)
    if text[after : after + 1] in "#" or "\x0c" in text[max(at - 2, 0) : at] + text[end:after]:
        return False
    below = text[after : line_end(text, after)][: _TITLE_LENGTH + 1]
    numbered = _NUMBERED.match(below) and not _NUMBERED.match(text, at)
    return _like_title(text[at:end]) and (bool(numbered) or not _like_title(below))


def _like_title(line: str) -> bool:
    bare = _NUMBERED.sub("", line.strip())
    if len(bare) > _TITLE_LENGTH or bare[-1] in _UNTITLED or len(bare.splitlines()) > 1:
        return False
    loud = bare.isupper() and sum(map(str.isalpha, bare)) > 2 and not any(map(str.isdigit, bare))
    return loud or _TITLE.match(bare) is not None


def blocks(text: str, lists: bool, whole: bool | None = None) -> list[tuple[int, int, str]]:
    """Returns the blocks of a text, (start, end, kind), such that they tile it from its first character that is not
    blank, and none begins blank.

    Kinds: "heading", "closing" (marks that belong to what precedes them), "code", "table", "formula", "matter", "rule",
    and "" for prose. With `lists`, also "list", "quote", "container" (see `containers`), "turn" and "question";
    without, these are prose, an item or a sentence at a time. whole: whether there are containers; None: with `lists`.
    """
    found: list[tuple[int, int, str]] = []
    at = first = end_of(BLANKS, text, 0)
    if matter := FRONT_MATTER.match(text):
        stop = end_of(BLANKS, text, matter.end())
        found.append((at, stop, "matter"))
        at = stop
    seen = 0  # up to here a paragraph does not look like code
    newline, gap = line_ends(text)
    turns, marks = Turns(text, first), _Marks(text, lists, lists if whole is None else whole)
    numbers = NumberTables(text)
    while at < len(text):
        if (stop := numbers.end(at)) > 0:
            stop = end_of(BLANKS, text, stop)
            found.append((at, stop, "table"))
            at = stop
            continue
        if lists and (at in turns.ends or text[at] in "[{") and (stop := turns.end(at)) > 0:
            found.append((at, stop, "turn"))
            at = stop
            continue
        prose = _PROSE.match(text, at)
        if prose and not (lists and text.find(": ", at, at + _NAME) > 0 and turns.end(at, OPENER.match(text, at)) > 0):
            found.append(
                (at, prose.end(), "question" if lists and prose["asks"] and asks(text, at, prose.end()) else "")
            )
            at = prose.end()
            continue
        opener = OPENER.match(text, at)
        stop, kind, inside = marks.block(at, opener) if opener is not None else (-1, "", False)
        item = stop < 0 and (kind == "list" or inside)  # alone: "2. TERM" is a heading
        if at >= seen and (item or kind not in _CLEAR):
            blank = gap.search(text, at)
            seen = blank.start() if blank else len(text)
            stop, kind = _look(text, at, seen, item, kind) or (stop, kind)
        if stop < 0 and lists and (stop := turns.end(at, opener)) > 0:
            kind = "turn"
        if stop >= 0:
            stop = end_of(BLANKS, text, stop)
            found.append((at, stop, kind))
        else:
            starts, stop, underlined = paragraph(text, at, opener, newline)
            starts, stop = numbers.shorten(starts, stop)  # rows may stand below prose without a blank line between
            asked = lists and len(starts) == 1 and asks(text, at, stop)
            for first, last in zip(starts, [*starts[1:], stop], strict=True):
                found.append((first, last, "heading" if underlined else "question" if asked else ""))
        at = stop
    return found


class _Marks:
    """The blocks of one text that open with a mark."""

    __slots__ = ("_boxes", "_closings", "_lists", "_loose", "_missing", "_text", "_whole")

    def __init__(self, text: str, lists: bool, whole: bool) -> None:
        self._text, self._lists, self._whole = text, lists, whole
        self._loose = 0  # up to here there are items of a list, or lines of a quotation, too long to be whole
        self._missing: dict[str, int] = {}
        self._boxes: dict[int, Container] | None = None
        self._closings: set[int] = set()  # where fences end whose opening lines alone are a block

    def block(self, at: int, opener: re.Match[str]) -> tuple[int, str, bool]:
        """Returns the end, -1 for prose, and the kind of the block that a mark opens, and whether it is an item."""
        text, opens = self._text, opener.lastgroup
        if at in self._closings:
            return line_end(text, at), "closing", False
        inside = opens in ("bullet", "item", "quote") and (at < self._loose or not self._lists)
        stop, kind = (-1, "") if inside else block_end(text, at, opener, self._missing)
        if kind in ("list", "quote") and stop - at > LONG:
            self._loose, stop, inside = stop, -1, True
        item = inside and opens != "quote"
        if item and self._lists:
            last, items = list_end(text, at, opener, self._missing, alone=True)
            stop, kind = (last, "list") if items > 1 and last - at <= LONG else (stop, kind)
        if text[at] in UNDERLINES and (over := overlined_end(text, at)) > 0:
            stop, kind = over, "heading"
        if opens == "container" or (opens in ("fence", "quote") and _HOLDS.match(text, at)):
            if self._boxes is None:
                self._boxes = {box.start: box for box in containers(text)}
            stop, kind = self._held(self._boxes[at]) if at in self._boxes else (stop, kind)
        return stop, kind, item

    def _held(self, box: Container) -> tuple[int, str]:
        """Returns the end and the kind of the block that a container is, or that its opening lines are."""
        if box.kind == "code":
            return box.end, "code"
        if self._whole and box.end - box.start <= (LONG if box.kind == "footnote" else MUCH):
            return box.end, "container"
        if self._text[box.start] in "`~":
            above = self._text[box.body : box.end].rstrip("`~ \t")
            self._closings.add(end_of(BLANKS, self._text, box.body + len(above)))
        return (box.body, "heading") if box.body > box.start else (-1, "")


def _look(text: str, at: int, end: int, item: bool, kind: str) -> tuple[int, str] | None:
    """Returns the end and the kind of a paragraph that looks like code, a table or a heading; None for prose."""
    looks = "" if item else detect_code_or_table(text, at, end)
    if looks == "code" and kind == "heading" and text[at] in "#/":  # by what stands below it alone
        below = end_of(BLANKS, text, line_end(text, at))
        looks = detect_code_or_table(text, below, end) if below < end else ""
    if looks:
        first = line_end(text, at)
        headed = looks == "table" and _COLUMNS.search(text, at, first)  # a rule may be below a table's header too
        if not headed and underline_end(text, end_of(NEWLINE, text, first), first - at) > 0:
            return None
        return (_deeper(text, end, indent(text, at)) if looks == "code" else end), looks
    return (end, "heading") if (item or kind == "") and is_title(text, at, end) else None


def _deeper(text: str, end: int, base: int) -> int:
    """Returns where what follows code begins: behind all that is indented deeper, or by 4 or more, or closes a
    bracket, up to a directive.
    """
    at, least = end_of(BLANKS, text, end), min(base + 1, 4)
    while at < len(text) and (indent(text, at) >= least or text[at] in ")]}") and not text.startswith(".. ", at):
        blank = GAP.search(text, at)
        at = end_of(BLANKS, text, blank.start() if blank else len(text))
    return at


def trim_chunk(text: str, start: int, end: int, is_code: bool = False) -> Span:
    """Returns a range of the text without whitespace at its ends, but with the indentation of code.

    Leading spaces and tabs stay where they begin a line of code: the segmenter says that all is code (`is_code`), or
    the paragraph around them looks like it. Prose, lists and tables are trimmed at both ends.

    >>> text = "def f(x):\\n    y = x + 1\\n    return (y)"
    >>> trim_chunk(text, 10, len(text)) == Span(10, len(text))
    True
    """
    span = trim(text, start, end)
    if start == span.start or start == end or text[start] not in " \t" or span.start == end:
        return span
    if (start and text[start - 1] not in "\n\r") or text[start : span.start].strip(" \t"):
        return span
    return Span(start, span.end) if is_code or _in_code(text, span.start) else span


def _in_code(text: str, at: int) -> bool:
    """Whether the paragraph around a place looks like code."""
    start = max(at - _NEAR, 0)
    for gap in GAP.finditer(text, start, at):
        start = gap.end()
    blank = GAP.search(text, at, at + _NEAR)
    return detect_code_or_table(text, start, blank.start() if blank else min(at + _NEAR, len(text))) == "code"
