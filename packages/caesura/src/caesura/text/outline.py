"""What stands above and around a place: headings, and the header rows of tables. One scan of the text, from the top."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from caesura.text.blocks import FRONT_MATTER, detect_code_or_table, is_title
from caesura.text.markup import end_of

LONGEST = 200
"""A heading has up to so many characters; a longer line is none."""
WIDEST = 1000
"""A table's header row has up to so many characters; a longer one is not repeated."""
_LATEX = {
    name: level
    for level, name in enumerate("part chapter section subsection subsubsection paragraph".split(), 1)  # noqa: SIM905
}
_OPENER = (  # what matters at the start of a line
    r"(?P<line>[ \t]*+)(?:(?P<level>#{1,6})[ \t]+(?P<title>\S.*)"
    r"|\\(?P<latex>part|chapter|(?:sub){0,2}section|paragraph)\*?(?:\[[^\]\n]*\])?\{"
    r"|\\begin\{(?P<verbatim>verbatim|lstlisting|minted)\*?\}|<(?P<tag>pre|script|style)\b|(?P<comment><!--)"
    r"|(?P<cells>(?=[^\n|]*\|)[|:-][ \t|:-]*-[ \t|:-]*\r?$)"
    r"|(?P<rule>(?P<mark>[=\-~`^\"'*+#])(?P=mark)+)[ \t]*\r?$"
    r"|(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}))"
)
_FIRST, _NEXT = (re.compile(mark + _OPENER, re.MULTILINE | re.IGNORECASE) for mark in ("", "\n"))
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+$")
_ROWS = re.compile(r"(?:\n(?=[^\n|]*\|)[^\n]*)*")
_BRACES = re.compile(r"\\.|[{}]|\n[ \t]*\n", re.DOTALL)
_HTML = re.compile(r"<h([1-6])\b[^>]{0,1000}>((?:(?!</?h[1-6]\b).){0,4000})</h\1\s*>", re.IGNORECASE | re.DOTALL)
_HTML_TABLE = re.compile(r"<(/?)table\b[^>]{0,1000}>", re.IGNORECASE)
_HTML_ROW = re.compile(r"<tr\b[^>]{0,1000}>((?:(?!</?t(?:r|able|body)\b).){0,8000})", re.IGNORECASE | re.DOTALL)
_HTML_CELL = re.compile(r"<(t[hd])\b[^>]{0,1000}>((?:(?!</?t[hdr]\b).){0,4000})", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_PARAGRAPH = re.compile(r"[^\s][^\n]*(?:\n(?=[^\n]*\S)[^\n]*)*")
_DIRECTIVE = re.compile(r"^\.\. [\w-]+::", re.MULTILINE)
_UNTITLED = re.compile(r"[|>]|[-*+][ \t]")  # what no underlined heading begins with
_OVERLINED = re.compile(r"((.)\2+)[ \t]*\r?\n[^\n]*\S[^\n]*\n\1[ \t]*\r?$", re.MULTILINE)
_NUMBER = re.compile(r"(?i:(part|book|act|teil)|(chapter|scene|kapitel|chapitre|capítulo))\b|(\d+(?:\.\d+)*)")


class Heading(NamedTuple):
    """A heading: where its lines stand, its level (a lower one is above), and its text. Without text it ends others."""

    start: int
    end: int
    level: int
    title: str


class Table(NamedTuple):
    """A table that has a header row: where it stands, where its header ends, and the header's text."""

    start: int
    end: int
    body: int
    header: str


class Path(NamedTuple):
    """The headings above a place, the outermost first, and their levels."""

    titles: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()

    def below(self, heading: Heading) -> Path:
        """The path of what follows a heading that stands under this one."""
        kept = next((at for at, level in enumerate(self.levels) if level >= heading.level), len(self.levels))
        title, level = ((heading.title,), (heading.level,)) if heading.title else ((), ())
        return Path(self.titles[:kept] + title, self.levels[:kept] + level)


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings and tables of a text, each in its order.

    >>> Outline((Heading(0, 3, 1, "A"), Heading(9, 13, 2, "B"))).path("# A\\ntext\\n## B\\nmore", 14, 18).titles
    ('A', 'B')
    """

    headings: Sequence[Heading] = ()
    tables: Sequence[Table] = ()
    above: Path = field(default_factory=Path)
    """The headings that the whole text stands under."""
    _starts: list[int] = field(init=False, repr=False, compare=False)
    paths: list[Path] = field(init=False, repr=False, compare=False)
    """That of what stands before the first heading, and of what follows each."""

    def __post_init__(self) -> None:
        paths = [self.above]
        for heading in self.headings:
            paths.append(paths[-1].below(heading))
        object.__setattr__(self, "_starts", [heading.start for heading in self.headings])
        object.__setattr__(self, "paths", paths)

    def path(self, text: str, start: int, end: int) -> Path:
        """A range of the text -> the headings above its first words; those that it begins with are among them."""
        number = bisect_right(self._starts, start)
        at = self.headings[number - 1].end if number else start
        while (
            number < len(self._starts)
            and self._starts[number] < end
            and not text[max(at, start) : self._starts[number]].strip()
        ):
            at = self.headings[number].end
            number += 1
        return self.paths[number]

    def table_header(self, start: int) -> str | None:
        """The header row of the table that goes on here; None where none does."""
        number = bisect_right(self.tables, start, key=lambda table: table.start)
        if not number or not self.tables[number - 1].body <= start < self.tables[number - 1].end:
            return None
        return self.tables[number - 1].header


def outline(text: str) -> Outline:
    """Text -> its headings, by level, and its tables that have a header row.

    Headings are those of Markdown (``#``, or a line of ``=`` or ``-`` below), HTML, LaTeX, and reStructuredText, whose
    marks have their levels in the order in which they come. Only where there are none of these, a line alone counts
    that is numbered ("2.1 Methods", "Chapter IV") or in capitals. What is longer than 200 characters is no heading, nor
    is what stands in code, comments or front matter. Tables are Markdown's, HTML's, and lines of values between commas,
    semicolons or tabs.

    >>> text = "# Ferries\\n\\nThey sail.\\n\\n## Fares\\n\\nTwo coins."
    >>> [(heading.title, heading.level) for heading in outline(text).headings]
    [('Ferries', 1), ('Fares', 2)]
    """
    matter = FRONT_MATTER.match(text)
    headings, tables, skipped = _marked(text, matter.end() if matter else 0)
    if "<h" in text or "<H" in text:
        headings = sorted({*headings, *(each for each in _html(text) if not _is_in(skipped, each.start))})
    tables += [each for each in [*_html_tables(text), *_values(text)] if not _is_in(skipped, each.start)]
    apart: list[Table] = []
    for table in sorted(tables):
        if not apart or table.start >= apart[-1].end:
            apart.append(table)
    return Outline(tuple(headings) or tuple(_plain(text)), tuple(apart))


def _marked(text: str, at: int) -> tuple[list[Heading], list[Table], list[tuple[int, int]]]:
    """Headings and tables that a mark at a line's start tells, and the ranges of code and comments."""
    found: list[tuple[str, Heading]] = []
    tables: list[Table] = []
    skipped: list[tuple[int, int]] = []
    missing: set[str] = set()
    begun, match = at, _FIRST.match(text, at) or _NEXT.search(text, at)
    while match:
        at, heading = match.end(), None
        if match["cells"] is not None:
            at = end_of(_ROWS, text, at)
            tables += _table(text, begun, match, at)
        elif match["level"] is not None or match["latex"] is not None:
            heading = _titled(text, match)
        elif match["rule"] is None or not (heading := _underlined(text, begun, match)):
            at = _skipped_end(text, match, missing)
            skipped.append((match.start("line"), at))
        if heading is not None:
            found.append(heading)
            at = max(at, heading[1].end)
        begun = begun if heading is None and at == match.end() else at
        match = _NEXT.search(text, at)
    return _levelled(text, found), tables, skipped


def _line_above(text: str, begun: int, start: int) -> tuple[int, str]:
    """The start of the line above one, and what it says, if it begins no earlier than `begun`."""
    above = text.rfind("\n", begun, max(start - 1, begun)) + 1 or begun
    return above, text[above : max(start - 1, above)].rstrip()


def _table(text: str, begun: int, match: re.Match[str], end: int) -> Iterator[Table]:
    """The table of Markdown whose second row this is."""
    start, header = _line_above(text, begun, match.start("line"))
    if "|" in header and len(header) <= WIDEST:
        yield Table(start, end, min(match.end() + 1, end), header.strip())


def rows_end(text: str, header: str) -> int:
    """Where the rows end that a text begins with, of a table whose header stands before it."""
    found = _ROWS.match("\n" + text) if "|" in header else _PARAGRAPH.match(text)
    return 0 if found is None else found.end() - ("|" in header)


def _titled(text: str, match: re.Match[str]) -> tuple[str, Heading] | None:
    """A heading of Markdown or LaTeX -> its mark, and it."""
    if match["level"] is not None:
        title, end, level = _CLOSING_MARKS.sub("", match["title"].rstrip()), match.end(), len(match["level"])
    else:
        end, level = _brace_end(text, match.end()), _LATEX[match["latex"].lower()]
        title = " ".join(text[match.end() : end - 1].split())
    return ("#", Heading(match.start("line"), end, level, title)) if 0 < len(title) <= LONGEST else None


def _brace_end(text: str, at: int) -> int:
    """Where the brace closes that is open here; here where it does not within a heading's length."""
    depth = 1
    for brace in _BRACES.finditer(text, at, at + 2 * LONGEST):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return brace.end()
    return at


def _underlined(text: str, begun: int, match: re.Match[str]) -> tuple[str, Heading] | None:
    """A line alone, and this one of marks below, or above and below -> its marks, and it, with a level yet to be known.

    begun: from where on lines are no part of anything yet.
    """
    rule, mark = match["rule"], match["mark"]
    start, title = _line_above(text, begun, match.start("line"))
    before, over = _line_above(text, begun, start)
    doubled = len(over) > 1 and not over.strip(mark)
    if doubled:
        start, (_, over) = before, _line_above(text, begun, before)
    long = len(rule) >= len(title) or (mark in "=-" and len(rule) > 2)
    if over or not long or not 0 < len(title) <= LONGEST or _UNTITLED.match(title):
        return None
    return mark * (1 + doubled), Heading(start, match.end(), 0, title.strip())


def _levelled(text: str, found: list[tuple[str, Heading]]) -> list[Heading]:
    """Headings and their marks -> headings with levels."""
    marks = list(dict.fromkeys(mark for mark, _ in found))
    if "#" in marks or (set(marks) <= {"=", "-"} and not _DIRECTIVE.search(text)):
        levels = {"=": 1, "-": 2}
    else:
        levels = {mark: level for level, mark in enumerate(marks, 1)}
    return [
        heading._replace(level=heading.level or levels[mark])
        for mark, heading in found
        if heading.level or mark in levels
    ]


def _skipped_end(text: str, match: re.Match[str], missing: set[str]) -> int:
    """Where the code or comment ends that opens here. missing: marks that close nothing any more."""
    rule, verbatim, tag = match["rule"], match["verbatim"], match["tag"]
    fence = match["fence"] or (rule if rule and rule[0] in "`~" and len(rule) > 2 else None)
    if fence and _OVERLINED.match(text, match.start("line")):
        fence = None
    if fence is None and rule is not None:
        return match.end()
    if fence is not None:
        mark = rf"^[ \t]*{fence}{fence[0]}*[ \t]*\r?$"
    else:
        mark = rf"\\end\{{{verbatim}\*?\}}" if verbatim else rf"</{tag}\s*>" if tag else "-->"
    closed = None if mark in missing else re.compile(mark, re.MULTILINE | re.IGNORECASE).search(text, match.end())
    if closed is None:
        missing.add(mark)
    return closed.end() if closed else len(text) if fence else match.end()


def _html(text: str) -> Iterator[Heading]:
    for found in _HTML.finditer(text):
        title = _bare(found[2])
        if 0 < len(title) <= LONGEST:
            yield Heading(found.start(), found.end(), int(found[1]), title)


def _bare(markup: str) -> str:
    """What HTML says, without tags."""
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def _html_tables(text: str) -> Iterator[Table]:
    """Tables in HTML whose first row has header cells; one that lies in another belongs to it."""
    if "<t" not in text and "<T" not in text:
        return
    depth, start = 0, 0
    for tag in _HTML_TABLE.finditer(text):
        if not tag[1]:
            start = start if depth else tag.end()
            depth += 1
        elif depth:
            depth -= 1
            row = None if depth else _HTML_ROW.search(text, start, tag.start())
            cells = [(cell[1].lower(), _bare(cell[2])) for cell in _HTML_CELL.finditer(row[1])] if row else []
            header = " | ".join(cell for _, cell in cells)
            if row and any(kind == "th" for kind, _ in cells) and 0 < len(header) <= WIDEST:
                yield Table(start, tag.end(), row.end(), header)


def _values(text: str) -> Iterator[Table]:
    """Lines of values: as many commas, semicolons or tabs in each as in the first, which is the header."""
    for found in _PARAGRAPH.finditer(text):
        stop = text.find("\n", *found.span())
        if stop < 0:
            continue
        first, second = text[found.start() : stop], text[stop + 1 : found.end()].partition("\n")[0]
        many = any(0 < first.count(mark) == second.count(mark) for mark in ",;\t")
        if many and len(first) <= WIDEST and detect_code_or_table(text, found.start(), found.end()) == "table":
            yield Table(found.start(), found.end(), found.start() + len(first) + 1, first.strip())


def _plain(text: str) -> Iterator[Heading]:
    """Lines alone that are numbered or in capitals."""
    for found in _PARAGRAPH.finditer(text):
        start, end = found.span()
        if end - start <= LONGEST and is_title(text, start, end):
            number = _NUMBER.match(text, start)
            level = 3
            if number and not number[3]:
                level = 1 if number[1] else 2
            elif number:
                level += number[3].count(".")
            yield Heading(start, end, level, text[start:end].strip())


def _is_in(ranges: Sequence[tuple[int, int]], place: int) -> bool:
    number = bisect_right(ranges, place, key=lambda each: each[0])
    return number > 0 and place < ranges[number - 1][1]
