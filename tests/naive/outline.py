"""The headings, tables and lines of a text, as plainly as they can be said: line by line, from the top."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from naive.html_outline import Html

from caesura.text.blocks import is_title

RST = "=-~`^\"'*+#"
LATEX = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph"]
CODE = re.compile(
    r"""\s*(((async\ def|def|class)\ \w+[(:])|(import|from)\ [\w.]+(,|\s*$|\ import|\ as)|@[\w.]+(\(|\s*$)
    |(if|for|while|with|elif|except)\b.*:\s*$|(try|else|finally):|return\b|[\w.\[\]"']+\s*[-+*/|]?=\s*[\w"'(\[{]
    |[\w.]+\([^()]*\)\s*$)""",
    re.VERBOSE,
)
OPENS_CODE = re.compile(r"((async def|def|class) \w+[(:])|(import|from) [\w.]+(,|\s*$| import| as)|@[\w.]+(\(|\s*$)")


@dataclass
class Line:
    """A line: where it begins and ends, without its line end, and whether it is part of something by now."""

    start: int
    end: int
    text: str
    taken: bool = False
    code: bool = False


@dataclass
class Found:
    """What stands in a text."""

    headings: list[tuple[int, int, int, str]] = field(default_factory=list)
    """Start, end, level and title of each, in order."""
    tables: list[tuple[int, int, int, str]] = field(default_factory=list)
    """Start, end, end of the header and the header of each, in order."""


def lines_of(text: str) -> list[Line]:
    """Lines end with LF, CR or both."""
    lines, start, at = [], 0, 0
    while at < len(text):
        if text[at] not in "\r\n":
            at += 1
            continue
        lines.append(Line(start, at, text[start:at]))
        at += 2 if text[at : at + 2] == "\r\n" else 1
        start = at
    return [*lines, Line(start, len(text), text[start:])]


def line_numbers(text: str, start: int, end: int) -> tuple[int, int]:
    """The numbers of the lines in which the first and the last character of a range stand."""
    lines = [number for number, line in enumerate(lines_of(text), 1) if line.start < max(end, start + 1)]
    first = [number for number, line in enumerate(lines_of(text), 1) if line.start <= start]
    return first[-1], lines[-1]


def skip_front_matter(lines: list[Line], text: str) -> None:
    """Marks what stands at the top between lines of --- or +++, or before a document of LaTeX begins."""
    first = next((at for at, line in enumerate(lines) if line.text.strip()), 0)
    mark = lines[first].text.strip()
    last = -1
    if mark in ("---", "+++"):
        last = next((at for at, line in enumerate(lines) if at > first and line.text.rstrip() == mark), -1)
    elif text.lstrip().startswith("\\documentclass"):
        last = next((at for at, line in enumerate(lines) if "\\begin{document}" in line.text), -1)
    for line in lines[: last + 1]:
        line.taken = line.code = True


def block_of_code(lines: list[Line], at: int) -> int:
    """The last line of the code or comment that opens in this line; -1 where none does."""
    line = lines[at].text.lstrip(" \t")
    fence = re.match(r"(`{3,9}(?!`)[^`]*|~{3,9}(?!~).*)$", line)
    if fence:
        mark = re.match("`+|~+", line)
        assert mark is not None
        for last in range(at + 1, len(lines)):
            bare = lines[last].text.strip()
            if set(bare) == {line[0]} and len(bare) >= len(mark[0]):
                return last
        return len(lines) - 1
    for opening, closing in (
        (r"<(pre|script|style)\b", r"</{}\s*>"),
        (r"<(!)--", "-->"),
        (r"\\begin\{(verbatim|lstlisting|minted)\*?\}", r"\\end{{{}\*?}}"),
    ):
        found = re.match(opening, line, re.IGNORECASE)
        if found:
            close = re.compile(closing.format(found[1]), re.IGNORECASE)
            rest = line[found.end() :]
            for last in range(at, len(lines)):
                if close.search(rest if last == at else lines[last].text):
                    return last
    return -1


def is_shallow(line: str) -> bool:
    blank = line[: len(line) - len(line.lstrip())]
    return len(blank) < 4 and "\t" not in blank


def blank(lines: list[Line], at: int) -> bool:
    """Whether a line has nothing to do with the one below: it is blank, part of something else, or not there."""
    return at < 0 or lines[at].taken or not lines[at].text.strip()


def is_underline(lines: list[Line], at: int) -> int:
    """How many lines above belong to the heading whose underline this is: 1, or 2 with an overline; else 0."""
    rule = lines[at].text.strip(" \t")
    if len(rule) < 2 or len(set(rule)) > 1 or rule[0] not in RST or not is_shallow(lines[at].text):
        return 0
    if blank(lines, at - 1):
        return 0
    title = lines[at - 1].text.strip()
    if len(title) > 200 or re.match(r"[|>]|[-*+][ \t]", title):
        return 0
    if len(rule) < len(title) and not (rule[0] in "=-" and len(rule) > 2):
        return 0
    if rule[0] == "`" and len(rule) < 4:
        return 0
    if blank(lines, at - 2):
        return 1 if is_shallow(lines[at - 1].text) else 0
    over = lines[at - 2].text.strip()
    return 2 if len(over) > 1 and set(over) == {rule[0]} and blank(lines, at - 3) else 0


def find(text: str) -> Found:
    """A text -> its headings and tables."""
    text = re.sub("^\ufeff", " ", text)
    lines = lines_of(text)
    skip_front_matter(lines, text)
    found = Found()
    marked: list[tuple[str, int, int, int, str]] = []  # mark, start, end, level, title
    directive = False
    for at, line in enumerate(lines):
        if line.taken:
            continue
        indent = len(line.text) - len(line.text.lstrip(" \t"))
        bare = line.text[indent:]
        above = is_underline(lines, at)
        if re.match(r"\.\. [\w-]+::", bare):
            directive = True
        elif found_here := re.match(r"(#{1,6}|={2,6}(?= \w))[ \t]+(\S.*)", bare):
            title = found_here[2].rstrip()
            if is_shallow(line.text) and len(title) <= 200 and not (indent and is_literal(lines[:at])):
                title = re.sub(r"(^|[ \t]+)(#+|={2,6})$", "", title)
                if title:
                    title = bare_title(title)
                    mark = "" if len(found_here[1]) == 1 and is_comment(lines, at) else "#"
                    marked.append((mark, line.start, line.end, len(found_here[1]), title))
                    line.taken = True
        elif found_here := re.match(rf"\\({'|'.join(LATEX)})\*?(\[[^\]]*\])?\{{", bare):
            start = line.start + indent + found_here.end()
            end = closing_brace(text, start)
            title = " ".join(text[start : end - 1].split()) if end else ""
            if 0 < len(title) <= 200:
                marked.append(("\\", line.start, end, LATEX.index(found_here[1]) + 1, title))
                for other in lines:
                    other.taken = other.taken or line.start <= other.start < end
        elif above:
            title = bare_title(lines[at - 1].text.strip())
            marked.append((bare[0] * above, lines[at - above].start, line.end, 0, title))
            for other in lines[at - above : at + 1]:
                other.taken = True
        elif is_delimiter(bare):
            table(lines, at, found)
        else:
            for other in lines[at : block_of_code(lines, at) + 1]:
                other.taken = other.code = True
    found.headings = with_levels(marked, directive)
    read_html(text, lines, found)
    values(lines, found)
    if not found.headings:
        numbered(text, lines, found)
    found.headings.sort()
    found.tables = apart(found.tables)
    return found


def is_literal(above: list[Line]) -> bool:
    """Whether the last line that is not indented ends with two colons, or is a directive."""
    sides = [line.text.rstrip() for line in above if line.text.strip() and not line.text[0].isspace()]
    return bool(sides) and (sides[-1].endswith("::") or sides[-1].startswith(".. "))


def bare_title(title: str) -> str:
    """A title without the backticks around code."""
    words = title.split("`")
    return "".join(words) if len(words) % 2 and all(words[1::2]) else title


def is_comment(lines: list[Line], at: int) -> bool:
    """Whether a line of one # touches code, or a definition follows it."""
    after = next((line.text.strip() for line in lines[at + 1 :] if line.text.strip()), "")
    near = [lines[at + 1].text] if at + 1 < len(lines) else []
    near += [lines[at - 1].text] if at and not lines[at - 1].taken else []
    return bool(OPENS_CODE.match(after)) or any(CODE.match(line) for line in near)


def closing_brace(text: str, at: int) -> int:
    """The end of the brace that closes the one that is open here, in the same paragraph; 0 where none does."""
    depth, first = 1, at
    while at < len(text) and at < first + 400:
        if re.compile(r"\n[ \t]*\n").match(text, at):
            return 0
        if text[at] == "\\":
            at += 1
        elif text[at] in "{}":
            depth += 1 if text[at] == "{" else -1
        at += 1
        if depth == 0:
            return at
    return 0


def with_levels(marked: list[tuple[str, int, int, int, str]], directive: bool) -> list[tuple[int, int, int, str]]:
    ones = [mark for mark, _, _, level, _ in marked if level == 1 and mark in ("", "#")]
    all_comments = 2 * ones.count("") > len(ones)
    under: list[str] = []
    for mark, _, _, level, _ in marked:
        if level == 0 and mark not in under:
            under.append(mark)
    if under and directive:
        marked = [each for each in marked if each[0] != "#" or not each[3]]
    marked = [each for each in marked if each[0] and not (all_comments and each[0] == "#" and each[3] == 1)]
    given = [each for each in marked if each[3]]
    if directive or (not given and not set(under) <= {"=", "-"}):
        levels = {}
        for order, mark in enumerate(under, 1):
            levels[mark] = 32 * order + RST.index(mark[0]) + (10 if len(mark) == 2 else 0)
    else:
        levels = {"=": 1, "-": 2}
    headings = []
    for mark, start, end, level, title in marked:
        if level or mark in levels:
            headings.append((start, end, level or levels[mark], title))
    return headings


def is_delimiter(line: str) -> bool:
    """Whether this is the second row of a table of Markdown."""
    line = line.rstrip()
    return set(line) <= set("|:- \t") and line[:1] in ("|", ":", "-") and "-" in line and "|" in line


def table(lines: list[Line], at: int, found: Found) -> None:
    last = at
    while last + 1 < len(lines) and "|" in lines[last + 1].text:
        last += 1
    header = lines[at - 1]
    if not blank(lines, at - 1) and "|" in header.text and len(header.text.rstrip()) <= 1000:
        found.tables.append((header.start, lines[last].end, lines[at].start, header.text.strip()))
    for line in lines[at : last + 1]:
        line.taken = True


def read_html(text: str, lines: list[Line], found: Found) -> None:
    """The headings and tables of Python's own parser, which sees no code, nor a tag after a backtick."""
    seen = list(re.sub("\r(?!\n)", "\n", text))
    for line in lines:
        if line.code:
            seen[line.start : line.end] = " " * (line.end - line.start)
    html = Html(re.sub("`(<[^<>]*>)", lambda tag: "`" + " " * len(tag[1]), "".join(seen)))
    found.headings += html.headings
    found.tables += html.tables


def paragraphs(lines: list[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = [[]]
    for line in lines:
        if line.text.strip():
            groups[-1].append(line)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def is_wide(line: str) -> bool:
    """Whether a line has cells with a bar, a tab or a wide gap between them, or is a rule."""
    rule = set(line.strip()) <= set("-=+| \t") and re.search("[-=]{2}", line)
    return "\t" in line or " | " in line or bool(rule) or re.search(r"\S {2,}\S", line) is not None


def values(lines: list[Line], found: Found) -> None:
    """Paragraphs in whose lines there are as many commas, semicolons, tabs or bars, outside of quotes."""
    for group in paragraphs(lines):
        near = enumerate(group[: min(3, len(group) - 1)])
        group = group[next((at for at, line in near if is_wide(line.text)), 0) :]  # below lines that name it
        rows = [re.sub('"[^"]*"', "", line.text) for line in group]
        for mark in ",;\t|":
            if mark == "|" and not all(" | " in row for row in rows):
                continue
            counts = [row.count(mark) for row in rows]
            most = max(counts, key=counts.count)
            odd = sum(count != most for count in counts)
            spaced = sum(f"{mark} " in row for row in rows) if mark in ",;" else 0
            few = len(rows) // 16 if mark in ",;" else 0
            if len(rows) > 1 and most and max(odd, spaced) <= few and not group[0].code:
                start = group[0].start + len(group[0].text) - len(group[0].text.lstrip())
                found.tables.append((start, group[-1].end, group[1].start, group[0].text.strip()))
                break


def numbered(text: str, lines: list[Line], found: Found) -> None:
    """Lines alone that are numbered, or in capitals: those that the rules for sentences take for headings."""
    for group in paragraphs(lines):
        line = group[0]
        title = line.text.strip()
        start = line.start + line.text.index(title)
        if len(group) > 1 or line.code or not is_title(text, start, line.end):
            continue
        level = 9
        if number := re.match(r"[\d.]*\d", title):
            level += number[0].count(".")
        elif re.match(r"(part|book|act|teil)\b", title, re.IGNORECASE):
            level = 7
        elif re.match(r"(chapter|scene|kapitel|chapitre|capítulo)\b", title, re.IGNORECASE):
            level = 8
        found.headings.append((start, line.end, level, title))


def apart(tables: list[tuple[int, int, int, str]]) -> list[tuple[int, int, int, str]]:
    """Those that lie in no other."""
    kept: list[tuple[int, int, int, str]] = []
    for one in sorted(tables):
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
    return kept


def path(text: str, found: Found, start: int, end: int) -> tuple[list[str], list[int]]:
    """The headings above the first words of a range: of all that stand before, each that nothing higher or as high
    follows."""
    first, inside = start, True
    while inside:  # past the headings that the range begins with
        inside = False
        for one in found.headings:
            gap = text[first : max(one[0], first)]
            if first < one[1] and one[0] < end and not re.sub("<[^<>]*>", "", gap).strip("\ufeff \t\r\n"):
                first, inside = one[1], True
    stack: list[tuple[int, str]] = []
    for one_start, _, level, title in found.headings:
        if one_start < first or one_start <= start:
            stack = [each for each in stack if each[0] < level] + [(level, title)]
    return [title for _, title in stack], [level for level, _ in stack]


def table_header(text: str, found: Found, start: int, end: int) -> str | None:
    """The header of the first table that has rows in a range in which its header does not begin."""
    for first, last, body, header in found.tables:
        rows = text[max(start, body) : max(min(end, last), start, body)].strip()
        if rows and not start <= first < end:
            return header
    return None
