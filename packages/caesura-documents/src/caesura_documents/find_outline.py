"""Scan of a text for its headings, and for its tables that have a header row: once, from the top."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caesura.text.blocks import FRONT_MATTER, is_title
from caesura.text.marks import INLINE_TAGS
from caesura.text.markup import ATTRIBUTES, end_of, line_end
from caesura_documents.html import LONGEST, closing_end, html_headings, range_end, tags_of
from caesura_documents.tables import LONE_CR, PARAGRAPH, ROWS, HeadedTable, find_tables, markdown_table

_LATEX = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6}
_RST = "=-~`^\"'*+#"
PLAIN = 7
"""The level of the highest heading that no mark tells of: below those of Markdown, HTML and LaTeX."""
BY_MARK = 32
"""Levels of reStructuredText are from here on: the mark's place in the text times this, and which mark it is."""
_OPENER = (  # what matters at the start of a line
    r"(?P<line>[ \t]*+)(?=[#\\<{|:=\-~`^\"'*+.\d])(?:(?P<level>#{1,6}|={2,6}+(?= \w))[ \t]+(?P<title>\S.*)"
    r"|\\(?P<latex>part|chapter|(?:sub){0,2}section|paragraph)\*?(?:\[[^\]\n]*\])?\{"
    r"|\\begin\{(?P<verbatim>verbatim|lstlisting|minted)\*?\}|<(?P<tag>(?i:pre|script|style))\b|(?P<comment><!--|\{/\*)"
    r"|(?P<cells>(?=[|:-])(?=[^\n|]*\|)(?=[^\n-]*-)[|:-][ \t|:-]*+\r?$)"
    r"|(?P<rule>(?P<mark>[=\-~`^\"'*+#])(?P=mark)+)[ \t]*+\r?$"
    r"|(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?P<fence>`{3,9}(?!`)(?=[^`\n]*$)|~{3,9}(?!~))|(?P<directive>\.\. [\w-]+::))"
)
_FIRST, _NEXT = (re.compile(mark + _OPENER, re.MULTILINE) for mark in ("", "\n"))
BOM = "\ufeff"  # what some editors put before a text
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)(?:#+|={2,6})$")
_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*+)\](?:\([^()\s]*+(?:\([^()]*+\)[^()\s]*+)?(?:\s[^()]*+)?\)|\[[^\[\]]*+\])"
)
_ROLE = re.compile(r"(?<!\w):[\w:.+-]{1,40}:(?=`)(`[^`]*`)")
_MARKED = re.compile(r"[*_`\[<\\]")
_KEPT = re.compile(r"(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)|\\([^\w\s])")  # spans of code, and signs that are meant as such
_STRESSED = re.compile(
    r"(\*{1,3})(?=[^\s*])([^*]+)(?<=[^\s*])\1|(?<!\w)(_{1,3})(?=[^\s_])([^_]+)(?<=[^\s_])\3(?![\w.(])"
)
_INLINE = re.compile(rf"</?(?:{INLINE_TAGS}|br|img|kbd|mark)(?:\s[^<>]*)?/?>")
_BRACES = re.compile(r"\\.|[{}]|\n[ \t]*\n", re.DOTALL)
_COLUMNED = re.compile(r"\S(?: {2,}|\t)[ \t]*\S")
_UNTITLED = re.compile(r"[|>]|[-*+][ \t]")  # what no underlined heading begins with
_NUMBER = re.compile(r"(?i:(part|book|act|teil)|(chapter|scene|kapitel|chapitre|capítulo))\b|(\d+(?:\.\d+)*)")
_OPENS_CODE = (
    r"(?:(?:async def|def|class) \w+[(:]|@[\w.]+(?:\(|[ \t\r]*$)"
    r"|(?:import|from) [\w.]+(?:,|[ \t\r]*$| (?:import|as)\b))"
)
_CODE = re.compile(
    rf"[ \t]*(?:{_OPENS_CODE}|(?:if|for|while|with|elif|except)\b[^\n]*:[ \t\r]*$|(?:try|else|finally):|return\b"
    r"|[\w.\[\]\"']+[ \t]*[-+*/|]?=[ \t]*[\w\"'(\[{]|[\w.]+\([^()\n]*\)[ \t\r]*$)",
    re.MULTILINE,
)
_CODE_BELOW = re.compile(rf"\s*(?:{_OPENS_CODE})", re.MULTILINE)


class Heading(NamedTuple):
    """A heading: where its lines stand, its level (a lower one is above), and its text. Without text it ends others."""

    start: int
    end: int
    level: int
    title: str


def bare_title(title: str) -> str:
    """The title of a heading as Markdown or reStructuredText writes it -> its words, without attributes, emphasis,
    links and tags. What stands in a span of code is kept as it is.

    >>> bare_title("**Using** `read(*args)` with [a gauge](https://example.org) {#using .wide}")
    'Using read(*args) with a gauge'
    """
    title = ATTRIBUTES.sub("", title)
    if not _MARKED.search(title):
        return title
    spans: list[str] = []

    def keep(found: re.Match[str]) -> str:
        spans.append((found[2] or found[3]).strip())
        return "\ufdd0"  # no character

    plain = _KEPT.sub(keep, _ROLE.sub(r"\1", _LINK.sub(r"\1", title.replace("\ufdd0", ""))))
    for pattern, words in ((_INLINE, ""), (_STRESSED, r"\2\4"), (_STRESSED, r"\2\4")):
        plain = pattern.sub(words, plain)
    bare = re.sub("\ufdd0", lambda _: spans.pop(0), plain)
    return " ".join(bare.split()) or title


def find_headings(text: str, with_tables: bool = True) -> tuple[tuple[Heading, ...], tuple[HeadedTable, ...]]:
    """Returns the headings and the tables of a text, each in its order. See `caesura_documents.outline.outline`.

    with_tables: whether tables are looked for; else there are none.
    """
    text = LONE_CR.sub("\n", text) if "\r" in text else text
    text = f" {text[1:]}" if text.startswith(BOM) else text
    matter = FRONT_MATTER.match(text)
    headings, tables, skipped = _marked(text, matter.end() if matter else 0)
    tags: list[re.Match[str]] = []
    if "</h" in text or "</H" in text or "</t" in text or "</T" in text:
        tags = [*tags_of(text, skipped)]
        headings = sorted({*headings, *(Heading(*found) for found in html_headings(text, tags))})
    headings = headings or [*_plain(text, skipped)]
    ends = [heading.end for heading in headings]
    return tuple(headings), tuple(find_tables(text, tables, tags, skipped, ends)) if with_tables else ()


def _marked(text: str, at: int) -> tuple[list[Heading], list[HeadedTable], list[tuple[int, int]]]:
    """Headings and tables that a mark at a line's start tells, and the ranges of code, comments and front matter."""
    found: list[tuple[str, Heading]] = []
    tables: list[HeadedTable] = []
    skipped = [(0, at)]
    missing: set[str] = set()
    directive, begun, match = False, at, _FIRST.match(text, at) or _NEXT.search(text, at)
    while match:
        at, heading = match.end(), None
        if match["cells"] is not None:
            at = end_of(ROWS, text, at)
            body = match.start("line")
            tables += markdown_table(*_line_above(text, begun, body), body, at)
        elif match["level"] is not None or match["latex"] is not None:
            heading = _titled(text, begun, match)
        elif match["directive"] is not None:
            directive = True
        elif match["rule"] is None or not (heading := _underlined(text, begun, match)):
            at = _skipped_end(text, match, missing)
            skipped.append((match.start("line"), at))
        if heading is not None:
            found.append(heading)
            at = max(at, heading[1].end)
        if heading is not None or at > match.end() or match["cells"] is not None:
            begun = at
        match = _NEXT.search(text, at)
    return _levelled(found, directive), tables, skipped


def _line_above(text: str, begun: int, start: int) -> tuple[int, str]:
    """The start of the line above one, and what it says, if nothing before `begun` is of it."""
    above = text.rfind("\n", begun, max(start - 1, begun)) + 1 or begun
    return above, text[above : max(start - 1, above)].rstrip() if text[above - 1 : above] in "\n" else ""


def _titled(text: str, begun: int, match: re.Match[str]) -> tuple[str, Heading] | None:
    """A heading of Markdown, AsciiDoc or LaTeX -> its mark, and it."""
    start, end = match.start("line"), match.end()
    if match["level"] is not None:
        title, mark = match["title"].rstrip(), "#"
        if len(title) > LONGEST or not _is_shallow(match["line"]) or _is_literal(text, begun, match):
            return None
        title, level = bare_title(_CLOSING_MARKS.sub("", ATTRIBUTES.sub("", title))), len(match["level"])
        if level == 1 and (
            _CODE_BELOW.match(text, end)
            or _CODE.match(text, end + 1)
            or _CODE.match(_line_above(text, begun, start)[1][:LONGEST])
        ):
            mark = ""
    else:
        end, mark, level = _brace_end(text, end), "\\", _LATEX[match["latex"]]
        title = " ".join(text[match.end() : end - 1].split())
    return (mark, Heading(start, end, level, title)) if 0 < len(title) <= LONGEST else None


def _is_shallow(blank: str) -> bool:
    """Whether what a line begins with is less than what Markdown takes for code."""
    return len(blank) < 4 and "\t" not in blank


def _is_literal(text: str, begun: int, match: re.Match[str]) -> bool:
    """Whether an indented line stands below a directive, or a line that ends with two colons, as code does in
    reStructuredText."""
    above = text[max(begun, match.start() - 4 * LONGEST) : match.start()].split("\n") if match["line"] else []
    line = next((line for line in reversed(above) if line.strip() and not line[0].isspace()), "")
    return line.rstrip().endswith("::") or line.startswith(".. ")


def _brace_end(text: str, at: int) -> int:
    """Where the brace closes that is open here; here where it does not within a heading's length."""
    depth = 1
    for brace in _BRACES.finditer(text, at, at + 2 * LONGEST):
        if brace[0][0] == "\n":
            break
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return brace.end()
    return at


def _underlined(text: str, begun: int, match: re.Match[str]) -> tuple[str, Heading] | None:
    """A line alone, and this one of marks below, or above and below -> its marks, and it, with a level yet to be known.

    begun: from where on lines are no part of anything yet.
    """
    rule, mark = match["rule"], match["mark"]
    start, line = _line_above(text, begun, match.start("line"))
    title = line.strip()
    if not 0 < len(title) <= LONGEST or _UNTITLED.match(title) or not _is_shallow(match["line"]):
        return None
    if _COLUMNED.search(title) and _COLUMNED.search(text, match.end() + 1, line_end(text, match.end() + 1)):
        return None  # the header of a table
    before, over = _line_above(text, begun, start)
    doubled = len(over.strip()) > 1 and not over.strip().strip(mark)
    if doubled:
        start, (_, over) = before, _line_above(text, begun, before)
    elif not _is_shallow(line[: len(line) - len(title)]):
        return None
    long = len(rule) >= len(title) and (mark != "`" or len(rule) > 3)
    if over or not (long or (mark in "=-" and len(rule) > 2)):
        return None
    title = bare_title(title)
    return (mark * (1 + doubled), Heading(start, match.end(), 0, title)) if title else None


def _levelled(found: list[tuple[str, Heading]], directive: bool) -> list[Heading]:
    """Headings and their marks -> headings with levels, without comments.

    directive: whether one of reStructuredText is there.
    """
    under = list(dict.fromkeys(mark for mark, heading in found if not heading.level))
    ones = [mark for mark, heading in found if mark in ("", "#") and heading.level == 1]
    least = 7 if under and directive else 2 if 2 * ones.count("") > len(ones) else 1  # level of a # that is a heading
    found = [(mark, each) for mark, each in found if mark and (mark != "#" or not 0 < each.level < least)]
    if directive or (not any(heading.level for _, heading in found) and not set(under) <= {"=", "-"}):
        levels = {
            mark: n * BY_MARK + _RST.index(mark[0]) + len(_RST) * (len(mark) - 1) for n, mark in enumerate(under, 1)
        }
    else:
        levels = {"=": 1, "-": 2}
    return [
        heading._replace(level=heading.level or levels[mark])
        for mark, heading in found
        if heading.level or mark in levels
    ]


def _skipped_end(text: str, match: re.Match[str], missing: set[str]) -> int:
    """Where the code or comment ends that opens here. missing: marks that close nothing any more."""
    rule, verbatim, tag = match["rule"], match["verbatim"], match["tag"]
    fence = match["fence"] or (rule if rule and rule[0] in "`~" and 2 < len(rule) < 10 else None)
    if fence is None and rule is not None:
        return match.end()
    if fence is not None:
        column = (match.start("fence") if match["fence"] else match.end("line")) - match.start("line") + 3
        mark = rf"^[ \t]{{0,{min(column, 60)}}}+{fence}{fence[0]}*+[ \t]*+\r?$"
    else:
        mark = (
            rf"\\end\{{{verbatim}\*?\}}"
            if verbatim
            else rf"(?i:</{tag}\s{{0,9}}>)"
            if tag
            else "-->"
            if match["comment"] == "<!--"
            else r"\*/\}"
        )
    closed = closing_end(text, match.end(), mark, missing)
    return closed or (len(text) if fence else match.end())


def _plain(text: str, skipped: Sequence[tuple[int, int]]) -> Iterator[Heading]:
    """Lines alone that are numbered or in capitals."""
    for found in PARAGRAPH.finditer(text):
        start, end = found.span()
        if end - start <= LONGEST and is_title(text, start, end) and not range_end(skipped, start):
            number = _NUMBER.match(text, start)
            level = PLAIN + 2
            if number and not number[3]:
                level = PLAIN if number[1] else PLAIN + 1
            elif number:
                level += number[3].count(".")
            yield Heading(start, end, min(level, BY_MARK - 1), text[start:end].strip())
