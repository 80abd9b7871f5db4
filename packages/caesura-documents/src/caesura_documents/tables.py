"""Tables of a text that have a header or a title: Markdown's, HTML's, lines of values, columns and numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from caesura.text.blocks import detect_code_or_table
from caesura.text.markup import end_of
from caesura.text.number_rows import CAPTION, NEAR, NUMBER, number_tables
from caesura_documents.html import FAR, SPAN, TAGS, bare_text, range_end
from caesura_documents.table_titles import html_caption, title_above, title_below

WIDEST = 1000
"""A table's header row has up to so many characters; a longer one is not repeated."""

LONE_CR = re.compile(r"\r(?!\n)")
ROWS = re.compile(r"(?:\n(?=[^\n|]*\|)[^\n]*)*")
PARAGRAPH = re.compile(r"\S[^\n]*+(?:\n(?=[^\S\n]*+\S)[^\n]*+)*+")
_CELL = re.compile(r"</?t[rhd]\b", re.IGNORECASE)
_RULE = re.compile(r"(?=[-=+| \t])(?=[^\n]*[-=]{2})[-=+| \t]+\r?")
_GAP = re.compile(r"\S(?: {2,}|\t+)(?=\S)")
_CELL_TEXT = re.compile(r"\S+(?: \S+)*")
_PAGE_END = re.compile(r"\f|(?:^|[^\S\n])\d{1,4}[ \t]*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?:][ \t]*$", re.MULTILINE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_BETWEEN = re.compile(r"\||\t| {2,}")
_DIGIT = re.compile(r"\d")
_HEADS = 3  # a header in HTML has up to so many rows
_SEEN = 9  # so many lines tell whether the first is a header
_ABOVE = 3  # of the first so many lines of a paragraph, some may name the table that follows
CONTINUES = -2
"""In the place of where a header begins: the rows go on with those above them."""
_QUOTED = re.compile(r'"[^"]*"')


class HeadedTable(NamedTuple):
    """A table: where it stands, where its rows begin, and the words that each of its rows is found by.

    header: what heads its columns. title: its caption, or the line that names it, with its units. Each is "" where
    nothing tells it. headed, named: where they begin; -1 where they stand nowhere in the text.
    """

    start: int
    end: int
    body: int
    header: str
    headed: int = -1
    title: str = ""
    named: int = -1


def find_tables(
    text: str,
    marked: Iterable[HeadedTable],
    tags: Sequence[re.Match[str]],
    skipped: Sequence[tuple[int, int]],
    heading_ends: Sequence[int],
) -> list[HeadedTable]:
    """Returns the tables of a text in their order, no two of which overlap.

    marked: those of Markdown. skipped: the ranges of code and comments. heading_ends: rising.
    """
    known = sorted([*marked, *html_tables(text, tags), *_number_tables(text, skipped)])
    apart: list[HeadedTable] = []
    for table in sorted([*known, *value_tables(text, skipped, [each[:2] for each in known])]):
        if not apart or table.start >= apart[-1].end:
            apart.append(table)
    named = [*_with_titles(text, apart, heading_ends)]
    return [table for table in named if table.header or table.title]


def _with_titles(text: str, tables: Sequence[HeadedTable], heading_ends: Sequence[int]) -> Iterator[HeadedTable]:
    """Tables in their order, each with its title. One that goes on with rows of the one above has that one's words."""
    last, end = None, 0
    for number, table in enumerate(tables):
        at = bisect_right(heading_ends, table.start)
        begun = max(end, heading_ends[at - 1] if at else 0)
        title, named = table.title, table.named
        if not title:
            title, named = html_caption(text, table.start, table.body)
        if not title:
            title, named = title_above(text, begun, table.start)
        if not title:
            stop = tables[number + 1].start if number + 1 < len(tables) else -1
            title, named = title_below(text, table.end, stop)
        between, first = text[end : table.start], text[table.body : table.body + WIDEST].partition("\n")[0]
        near = last is not None and begun == end and len(between) < NEAR
        if last is not None and near and _goes_on(last, table, title, between, first):
            title, named = last.title, last.named
            table = table if table.header else table._replace(header=last.header, headed=last.headed)
        last = table = table._replace(title=title, named=named)
        end = table.end
        yield table


def _goes_on(above: HeadedTable, table: HeadedTable, title: str, between: str, first: str) -> bool:
    """Whether a table near below another one is more of it: it has the same header, or none and as many cells, and no
    sentence stands between, nor a name but a page's running head. first: its first row.
    """
    if table.header:
        alike = above.header == table.header
    else:
        wide = abs(len(_cells(above.header)) - len(_cells(first))) < 2 or not {"|", "\t"} & {*above.header, *first}
        alike = table.headed == CONTINUES and wide
    turned = _PAGE_END.search(between) is not None and not CAPTION.match(title)
    return alike and (title == above.title or (not _SENTENCE_END.search(between) and (not title or turned)))


def _number_tables(text: str, skipped: Sequence[tuple[int, int]]) -> list[HeadedTable]:
    """Rows of numbers that no mark shows to be a table."""
    made, last = list[HeadedTable](), None
    for table in number_tables(text):
        if range_end(skipped, table.start):
            continue
        header = column_header(text[table.header : table.body].split("\n"), table.is_tall)
        alike = last is not None and last.is_tall == table.is_tall and abs(last.columns - table.columns) < 2
        headed = table.header if header else CONTINUES if alike else -1
        made.append(HeadedTable(table.header, table.end, table.body, header, headed))
        last = table
    return made


def markdown_table(start: int, header: str, body: int, end: int) -> Iterator[HeadedTable]:
    """The table of Markdown whose second row begins at `body`, below a line that begins at `start`."""
    if "|" in header and len(header) <= WIDEST:
        yield HeadedTable(start, end, body, header.strip(), start)


class _HeadCell(NamedTuple):
    """A cell of the first rows of a table in HTML: its tag, how many columns and rows it spans, and what it says."""

    kind: str
    wide: int
    tall: int
    text: str


def html_tables(text: str, tags: Sequence[re.Match[str]]) -> Iterator[HeadedTable]:
    """Those tables in HTML whose first row has header cells. Up to two more rows of nothing else are of the header.

    One that lies in a cell of another belongs to it.
    """
    depth = start = body = 0
    heads: list[list[_HeadCell]] = []  # the rows of the header, as far as they are known
    cells: list[_HeadCell] = []  # of the row that is open
    begun, more = False, True  # whether there is a cell; whether the next row may be of the header
    cell: re.Match[str] | None = None  # the one that is open
    for tag in tags:
        name, opens = tag["name"].lower(), not tag["close"]
        if depth == 1 and more:
            if cell:
                cells.append(_head_cell(text, cell, tag.start()))
            cell = tag if opens and name in ("td", "th") else None
            begun = begun or cell is not None
            if cells and (name == "tr" or (name == "table" and not opens)):
                more = _is_head(cells, heads)
                if more or not body:
                    heads.append(cells)
                    body = tag.start()
                cells = []
        if name != "table":
            continue
        if opens:
            depth += depth != 1 or begun
            if depth == 1:
                start, body, heads, cells, cell, begun, more = tag.start(), 0, [], [], None, False, True
        elif depth:
            depth -= 1
            if not depth and _has_heads(heads):
                yield HeadedTable(start, tag.end(), body, header := _html_header(heads), start if header else -1)
    if body and depth and _has_heads(heads):  # one that never closes goes on to the end
        yield HeadedTable(start, len(text), body, header := _html_header(heads), start if header else -1)


def _head_cell(text: str, cell: re.Match[str], end: int) -> _HeadCell:
    spans = {name.lower(): int(value) for name, value in SPAN.findall(cell[0])}
    said = bare_text(text[cell.end() : min(end, cell.end() + FAR)])
    return _HeadCell(cell["name"].lower(), max(spans.get("col", 1), 1), max(spans.get("row", 1), 1), said)


def _is_head(cells: Sequence[_HeadCell], above: Sequence[object]) -> bool:
    """Whether a row has nothing but header cells, and below another one more than one, so that it names no rows."""
    return all(cell.kind == "th" for cell in cells) and len(above) < _HEADS and (not above or len(cells) > 1)


def _has_heads(rows: Sequence[Sequence[_HeadCell]]) -> bool:
    """Whether a table's first row has header cells."""
    return bool(rows) and any(cell.kind == "th" for cell in rows[0])


def _html_header(rows: Sequence[Sequence[_HeadCell]]) -> str:
    """The header of a table's first rows; "" for more than a header can have."""
    columns: dict[int, list[str]] = {}
    taken: dict[int, int] = {}  # column -> the first row where it is free
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while taken.get(column, 0) > number:
                column += 1
            for at in range(column, min(column + cell.wide, WIDEST) if len(rows) > 1 else column + 1):
                columns.setdefault(at, []).append(cell.text)
                taken[at] = number + cell.tall
            column += cell.wide if len(rows) > 1 else 1
    header = " | ".join(" ".join(dict.fromkeys(filter(None, columns[at]))) for at in sorted(columns))
    return header if len(header) <= WIDEST else ""


def rows_end(text: str) -> int:
    """Where the rows end that a text begins with."""
    text = LONE_CR.sub("\n", text)
    lines = end_of(PARAGRAPH, text, 0)
    numbers = number_tables(text[:lines])
    if numbers and numbers[0].start == 0:
        return numbers[0].end
    if not _CELL.search(text, 0, lines):
        stop = text.find("\n", 0, lines)
        return end_of(ROWS, text, stop) if stop > 0 and "|" in text[:lines] else lines
    depth = 1
    for tag in TAGS.finditer(text):
        if (tag["name"] or "").lower() == "table":
            depth += -1 if tag["close"] else 1
            if not depth:
                return tag.end()
    return len(text)


def value_tables(
    text: str, skipped: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]
) -> Iterator[HeadedTable]:
    """Lines of values or columns: as many commas, semicolons, tabs or bars in each, or wide gaps between cells.

    The first line is the header, if it is not a row of numbers; of columns, all lines above a rule. others: ranges of
    tables that are known.
    """
    for found in PARAGRAPH.finditer(text):
        start, end = found.span()
        stop = text.find("\n", start, end)
        if stop < 0 or not _may_be_table(text, start, stop, end):
            continue
        lines = text[start : min(end, start + 4 * WIDEST)].split("\n")
        if len(lines) < 2:
            continue
        near = enumerate(lines[: min(_ABOVE, len(lines) - 1)])
        titled = next((at for at, line in near if _is_wide(line) or _RULE.fullmatch(line)), 0)
        start += sum(len(line) + 1 for line in lines[:titled])
        lines = lines[titled:]
        first = lines[0]
        if first.lstrip().startswith("<") or not _may_head(first, lines[1]) or len(first) > WIDEST:
            continue
        if (
            detect_code_or_table(text, start, end) == "table"
            and not range_end(skipped, start)
            and not _overlaps(others, start, end)
        ):
            yield _value_table(start, end, lines)


def _may_be_table(text: str, start: int, stop: int, end: int) -> bool:
    """Whether a paragraph, whose first line ends at `stop`, has a mark of values or columns near its start."""
    first, near = text[start : min(stop, start + WIDEST)], min(end, start + WIDEST)
    if text.find("  ", start, near) >= 0 or text.find("\t", start, near) >= 0 or text.find(" | ", start, near) >= 0:
        return True
    return '"' in first or _parts(first, ",") or _parts(first, ";")


def _value_table(start: int, end: int, lines: Sequence[str]) -> HeadedTable:
    """The table of values or columns whose first lines these are."""
    first = lines[0]
    if _is_even(first, lines[1]) and not first.rstrip().endswith((",", ";")) and not ("|" in first and _is_data(first)):
        return HeadedTable(start, end, start + len(first) + 1, first.strip(), start)
    ruled = next((number for number in range(1, min(len(lines), _ABOVE + 2)) if _RULE.fullmatch(lines[number])), 0)
    if all(map(_RULE.fullmatch, lines[ruled + 1 :])):  # what is below the last rule is no row
        ruled = 0
    if not ruled and any(map(_RULE.fullmatch, (first, lines[1]))):
        return HeadedTable(start, end, start, "")
    header = [line for line in lines[: ruled or 1] if not _RULE.fullmatch(line)]
    if not ruled and not _heads(first, lines[1:_SEEN]):
        return HeadedTable(start, end, start, "", CONTINUES)
    body = start + sum(len(line) + 1 for line in lines[: ruled + 1 if ruled else 1])
    shown = column_header(header, False)
    return HeadedTable(start, end, min(body, end), shown, start if shown else -1)


def column_header(lines: Sequence[str], is_tall: bool) -> str:
    """The lines that head columns -> one header, what stands over a column joined with what stands below it.

    is_tall: whether each cell stands in a line of its own. Returns "" for more than a header can have.

    >>> column_header(["        Year ended  Year ended", "Port          2018        2017"], False)
    'Port | Year ended 2018 | Year ended 2017'
    """
    lines = [line.expandtabs() for line in lines if line.strip() and not _RULE.fullmatch(line)]
    if is_tall:
        made = " | ".join(line.strip() for line in lines)
    elif lines and all(_GAP.search(line.strip()) for line in lines):
        cells = [[(found.start(), found.end(), found[0]) for found in _CELL_TEXT.finditer(line)] for line in lines]
        over = [[_over(above, cell, at) for above in cells[:-1]] for at, cell in enumerate(cells[-1])]
        made = " | ".join(" ".join([*above, cell[2]]).strip() for above, cell in zip(over, cells[-1], strict=True))
    else:
        made = " ".join(" ".join(line.split()) for line in lines)
    return made if len(made) <= WIDEST else ""


def _over(cells: Sequence[tuple[int, int, str]], below: tuple[int, int, str], column: int) -> str:
    """Which of the cells of a line stands over a cell, whose column it is; "" for none, as often over the first."""
    nearest = min(cells, key=lambda cell: abs(cell[0] + cell[1] - below[0] - below[1]))
    return "" if column == 0 and nearest[0] >= below[1] else nearest[2]


def _overlaps(ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a range meets one of others, which rise."""
    number = bisect_right(ranges, end - 1, key=lambda each: each[0])
    return number > 0 and ranges[number - 1][1] > start


def _is_wide(line: str) -> bool:
    return "\t" in line or " | " in line or "  " in line.strip()


def _may_head(first: str, second: str) -> bool:
    """Whether a line may be the first of a table of values or columns."""
    if _RULE.fullmatch(first):
        return _is_wide(second)
    values = "\t" in first or '"' in first or _parts(first, ",") or _parts(first, ";")
    return (values and _is_even(first, second)) or (
        _is_wide(first) and (_is_wide(second) or bool(_RULE.fullmatch(second)))
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _BETWEEN.split(line) if cell.strip()]


def _is_data(line: str) -> bool:
    """Whether more of a line's cells are numbers than not, years aside."""
    cells = _cells(line)[1:]
    numbers = [bool(NUMBER.fullmatch(cell.replace(" ", ""))) and not _YEAR.fullmatch(cell) for cell in cells]
    return 2 * sum(numbers) > len(numbers)


def _heads(first: str, rows: Sequence[str]) -> bool:
    """Whether a line that no rule follows heads the columns of rows: it has words where they have numbers, or capitals
    where they have none.
    """
    if _is_data(first):
        return False
    heads, below = _cells(first), [_cells(row) for row in rows if row.strip()]
    counted = sum(any(map(_DIGIT.search, cells[1:])) for cells in below)
    if 2 * counted >= len(below) and not any(_DIGIT.search(_YEAR.sub("", cell)) for cell in heads[1:]):
        return True
    small = sum(any(cell[0].islower() for cell in cells) for cells in below)
    return all(cell[0].isupper() for cell in heads) and 2 * small >= len(below)


def _parts(line: str, mark: str) -> bool:
    """Whether a mark may stand between values: no blank follows it."""
    return mark in line and f"{mark} " not in line


def _is_even(first: str, second: str) -> bool:
    """Whether two lines have as many commas, semicolons, tabs or bars outside of quotes, with no blank behind."""
    first, second = _QUOTED.sub("", first), _QUOTED.sub("", second)
    marks = (mark for mark in ",;\t|" if mark in "\t|" or f"{mark} " not in first)
    return any(0 < first.count(mark) == second.count(mark) for mark in marks)
