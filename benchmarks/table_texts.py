"""Twenty tables of our own, each written in five forms, and sixty questions about their rows.

The numbers are made from the names of table, row and column, so that they are the same on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from corpora import Asked, Sought

FOLDER = Path(__file__).parent / "tables_set"
FORMS = ("Markdown", "HTML", "values", "columns", "PDF")
HALVES = ("chosen on", "kept")
"""The tables are by turns of one half or of the other: settings were chosen on the first."""
PAGE = 42
"""So many lines are on a page of a PDF."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as it is to be written: where it stands, what is said before it, and its cells as text.

    way: which of four ways says its title and units.
    """

    id: str
    document: str
    section: str
    title: str
    units: str
    before: str
    head: list[str]
    rows: list[list[str]]
    number: int
    way: int

    @property
    def said(self) -> str:
        """The title with its units."""
        return f"{self.title} ({self.units})" if self.units else self.title


def read_tables() -> list[ShownTable]:
    """The tables of the set, with their cells."""
    given = [json.loads(line) for line in (FOLDER / "tables.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        ShownTable(
            each["id"],
            each["doc"],
            each["section"],
            each["title"],
            each["units"],
            each["before"],
            [each["first"], *each["columns"]],
            [_row(each, row) for row in each["rows"]],
            number + 1,
            number // 2 % 4,
        )
        for number, each in enumerate(given)
    ]


def _row(table: dict[str, Any], row: str | list[str]) -> list[str]:
    if isinstance(row, list):
        more = [f"{2 + 60 * _draw(row[0]):.0f}", "5", f"{2 + 90 * _draw(row[1]):.2f}"]
        return [*row, *(more if table["numbers"] == "parts" else ())]
    cells = []
    for at, column in enumerate(table["columns"]):
        drawn = _draw(f"{table['id']}/{row}/{column}")
        if table["numbers"] == "times":
            cells.append(f"{(5, 8, 12, 18, 22)[at]}:{int(60 * drawn):02}")
            continue
        low, high, digits = table["numbers"]
        value = low + (high - low) * drawn**2
        cells.append(f"({-value:,.{digits}f})" if value < 0 and at % 2 else f"{value:,.{digits}f}")
    return [row, *cells]


def _draw(name: str) -> float:
    """A number from 0 to 1 that is the same for a name on any machine."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big") / 2**32


def asked_tables(form: str, half: str) -> Asked:
    """A form and a half of the tables -> the texts of all tables in that form, and the questions about that half."""
    tables = read_tables()
    texts, places = WRITERS[form](tables)
    halves = {table.id: HALVES[at % 2] for at, table in enumerate(tables)}
    sought = []
    for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        own = json.loads(line)
        if halves[own["table"]] == half:
            found = places[own["table"]]
            name, rows = found
            spans = [rows[own["row"]]] if own["row"] else rows.values()
            sought.append(Sought(own["question"], tuple((name, start, end) for start, end in spans)))
    return Asked(texts, sought)


Places = dict[str, tuple[str, dict[str, tuple[int, int]]]]
"""By the table's id: the name of its text, and by a row's first cell where the row stands."""


class _Page:
    """A text that grows, and remembers where rows are."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0

    def add(self, text: str) -> tuple[int, int]:
        """Appends a text; returns where it stands without the blanks around it."""
        start = self.length + len(text) - len(text.lstrip())
        self.parts.append(text)
        self.length += len(text)
        return start, start + len(text.strip())


def _written(tables: Sequence[ShownTable], ending: str, write: Callable[[_Page, ShownTable], Any]) -> Any:
    pages: dict[str, _Page] = {}
    places: Places = {}
    for table in tables:
        page = pages.setdefault(table.document, _Page())
        places[table.id] = (f"tables/{table.document}.{ending}", write(page, table))
    return {f"tables/{name}.{ending}": "".join(page.parts) for name, page in pages.items()}, places


def _lines(page: _Page, rows: Iterable[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    return {name: page.add(line) for name, line in rows}


def _markdown(tables: Sequence[ShownTable]) -> Any:
    def write(page: _Page, table: ShownTable) -> dict[str, tuple[int, int]]:
        ways = (
            ("", f"Table {table.number}: {table.said}\n\n", ""),
            ("", f"**{table.title}**\n{f'({table.units})' if table.units else ''}\n\n", ""),
            ("", "", f"\nTable {table.number}. {table.said}\n"),
            (f"### {table.title}\n\n", f"*{table.units}*\n\n" if table.units else "", ""),
        )
        heading, above, below = ways[table.way]
        page.add(f"## {table.section}\n\n{heading}{table.before}\n\n{above}")
        page.add(f"| {' | '.join(table.head)} |\n|{'---|' * len(table.head)}\n")
        found = _lines(page, ((row[0], f"| {' | '.join(row)} |\n") for row in table.rows))
        page.add(f"{below}\nThe figures above have been checked twice.\n\n")
        return found

    return _written(tables, "md", write)


def _html(tables: Sequence[ShownTable]) -> Any:
    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(f"<{tag}>{cell}</{tag}>" for cell in row)

    def write(page: _Page, table: ShownTable) -> dict[str, tuple[int, int]]:
        ways = (
            ("", f"<caption>{table.said}</caption>\n"),
            (f"<p><b>Table {table.number}.</b> {table.said}</p>\n", ""),
            ("", f"<caption>Table {table.number}: {table.said}</caption>\n"),
            (f"<h3>{table.title}</h3>\n<p>({table.units})</p>\n" if table.units else f"<h3>{table.title}</h3>\n", ""),
        )
        above, caption = ways[table.way]
        page.add(f"<h2>{table.section}</h2>\n<p>{table.before}</p>\n{above}<table>\n{caption}")
        page.add(f"<thead>\n<tr>{cells('th', table.head)}</tr>\n</thead>\n<tbody>\n")
        found = _lines(page, ((row[0], f"<tr>{cells('td', row)}</tr>\n") for row in table.rows))
        page.add("</tbody>\n</table>\n<p>The figures above have been checked twice.</p>\n")
        return found

    return _written(tables, "html", write)


def _values(tables: Sequence[ShownTable]) -> Any:
    """A file each; every other one has its title in a line above, as spreadsheets are exported."""
    texts, places = dict[str, str](), Places()
    for table in tables:
        page, mark = _Page(), ",\t;"[table.number % 3]

        def joined(row: Sequence[str], mark: str = mark) -> str:
            return mark.join(f'"{cell}"' if mark in cell or "," in cell else cell for cell in row) + "\n"

        if table.way % 2:
            page.add(f"{table.said}\n\n")
            page.add(joined(table.head))
        else:
            page.add(joined([*table.head[:-1], f"{table.head[-1]} ({table.units})" if table.units else table.head[-1]]))
        name = f"tables/{'-'.join(table.title.lower().replace(',', '').split())}.{'tsv' if mark == chr(9) else 'csv'}"
        places[table.id] = name, _lines(page, ((row[0], joined(row)) for row in table.rows))
        texts[name] = "".join(page.parts)
    return texts, places


def _columns(tables: Sequence[ShownTable]) -> Any:
    def write(page: _Page, table: ShownTable) -> dict[str, tuple[int, int]]:
        widths = [max(map(len, column)) + 2 for column in zip(table.head, *table.rows, strict=True)]

        def line(row: Sequence[str]) -> str:
            first, *rest = [
                cell.ljust(width)
                if at == 0 or table.head[at] in ("Name", "Meaning", "Description", "Type")
                else cell.rjust(width - 2) + "  "
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            return (first + "".join(rest)).rstrip() + "\n"

        ways = (
            f"Table {table.number}: {table.said}\n\n",
            f"{table.title}\n{f'({table.units})' if table.units else ''}\n",
            f"Table {table.number}. {table.said}\n",
            f"{table.title.upper()}\n\n{table.units}\n\n" if table.units else f"{table.title.upper()}\n\n",
        )
        page.add(f"{table.number}. {table.section.upper()}\n\n{table.before}\n\n{ways[table.way]}")
        rule = "-" * sum(widths) + "\n"
        page.add(line(table.head) + (rule if table.way % 2 else ""))
        found = _lines(page, ((row[0], line(row)) for row in table.rows))
        page.add("\nThe figures above have been checked twice.\n\n")
        return found

    return _written(tables, "txt", write)


def _pdf(tables: Sequence[ShownTable]) -> Any:
    """As readers of PDFs leave pages: one blank between cells, or each cell in a line; running heads and numbers."""

    def write(page: _Page, table: ShownTable) -> dict[str, tuple[int, int]]:
        alone = table.number % 7 == 3
        joint, found, used = "\n" if alone else " ", dict[str, tuple[int, int]](), 0

        def wrapped(text: str) -> str:
            lines, line = list[str](), ""
            for word in text.split():
                if len(line) + len(word) > 88:
                    lines.append(line)
                    line = ""
                line = f"{line} {word}".strip()
            return "\n".join([*lines, line]) + "\n"

        title = table.document.replace("-", " ").title()
        page.add(f"{table.section}\n{wrapped(table.before)}")
        units = f"({table.units})\n" if table.units else ""
        ways = (f"Table {table.number}: {table.title}\n{units}", f"{table.title}\n{units}")
        page.add(ways[table.way % 2])
        header = joint.join(cell for cell in table.head if cell) + "\n"
        page.add(header)
        for row in table.rows:
            found[row[0]] = page.add(joint.join(row) + "\n")
            used += len(row) if alone else 1
            if used >= PAGE:
                used = 0
                page.add(f"{title} {table.number}\n\n{title}\n{header * (table.way < 2)}")
        page.add(f"{wrapped('The figures above have been checked twice by people who had not written them down.')}")
        return found

    return _written(tables, "pdf", write)


WRITERS: dict[str, Callable[[Sequence[ShownTable]], Any]] = {
    "Markdown": _markdown,
    "HTML": _html,
    "values": _values,
    "columns": _columns,
    "PDF": _pdf,
}
