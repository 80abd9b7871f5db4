"""Tables of results, for the screen, a notebook, a data frame, JSON, CSV or HTML."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any, TypeAlias

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from caesura_lab.reading import escape_controls

STYLE = """\
<style>
.caesura{color-scheme:light dark;background:Canvas;color:CanvasText;font:14px/1.5 system-ui,sans-serif}
.caesura div{overflow-x:auto}
.caesura table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.caesura caption{text-align:left;font-weight:600;padding:.3em .6em}
.caesura th,.caesura td{padding:.25em .6em;text-align:right;border-bottom:1px solid #8884;white-space:nowrap}
.caesura thead th{vertical-align:bottom;white-space:normal}
.caesura th:first-child,.caesura td.text{text-align:left}
.caesura td.text{white-space:normal;min-width:16em}
.caesura th:first-child{position:sticky;left:0;background:Canvas;white-space:normal;min-width:9.5em}
.caesura tbody th{font-weight:400}
.caesura p{margin:.3em .6em;opacity:.8}
</style>"""
CSP = "default-src 'none'; style-src 'unsafe-inline'"


Value: TypeAlias = "str | int | float | None"
Row: TypeAlias = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that all have the same columns, a title, and notes to be read with them.

    Numbers are as they were measured: shares are 0 to 1, times are seconds. What is shown is rounded, shares in
    percent. rows: the names of columns and their values. title: what stands above. notes: what stands below. percent:
    the columns that are shares. parts: the columns that belong together; on a screen each part begins with the first
    column.
    """

    rows: tuple[Row, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    percent: frozenset[str] = frozenset()
    parts: tuple[tuple[str, ...], ...] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self.rows[0]) if self.rows else []

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> Any:
        """The rows as a data frame. Raises `ImportError` where pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError('a data frame needs pandas: pip install "caesura-lab[pandas]"') from error
        return pandas.DataFrame(list(self.rows), columns=self.columns)

    def to_json(self) -> str:
        """``{"title", "notes", "rows"}`` with the numbers as they were measured."""
        data = {"title": self.title, "notes": list(self.notes), "rows": list(self.rows)}
        return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """A line of names and a line per row, the numbers as they were measured."""
        out = io.StringIO()
        writer = csv.DictWriter(out, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()

    def to_html(self) -> str:
        """A page of its own that asks nothing of any network."""
        return (
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{CSP}">\n'
            f'<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(self.title)}</title>\n{self._repr_html_()}\n</html>\n"
        )

    def label(self, column: str) -> str:
        """The name of a column as people read it."""
        return column.replace("_", " ")

    def format_value(self, column: str, value: Value) -> str:
        """A value as people read it."""
        if value is None:
            return "–"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return " ".join(value.split()) if column == "text" else value
        if column in self.percent:
            return f"{100 * value:.1f} %"
        if isinstance(value, int):
            return f"{value:,}"
        if column in ("seconds", "milliseconds"):
            return _format_time(value, 3 if column == "seconds" else 1)
        if column == "cost":  # of a millionth, so that a column compares at a glance
            return f"{value:,.6f}"
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escape(self.label(name))}</th>' for name in self.columns)
        region = f'role="region" tabindex="0" aria-label="{escape(self.title)}"'  # so that keys scroll it
        body = "\n".join(_render_row(self, row) for row in self)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f'{STYLE}\n<div class="caesura"><div {region}><table><caption>{escape(self.title)}</caption>\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{notes}</div>"
        )

    def __rich__(self) -> Any:
        return _Screen(self)


def _format_time(value: float, places: int) -> str:
    """A duration with so many decimals; of a shorter one, up to its first digit that is not 0."""
    if 0 < value < 10**-places:
        return np.format_float_positional(value, 1, fractional=False, trim="-")
    return f"{value:,.{places}f}"


def _render_row(table: Table, row: Row) -> str:
    (first, heading), *others = row.items()
    cells = [f'<th scope="row">{escape(table.format_value(first, heading))}</th>']
    for name, value in others:
        kind = ' class="text"' if isinstance(value, str) else ""
        cells.append(f"<td{kind}>{escape(table.format_value(name, value))}</td>")
    return f"<tr>{''.join(cells)}</tr>"


@dataclass(frozen=True, slots=True)
class _Screen:
    """A table, as rich wants what it draws."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        table = _with_legend(self.table, _first_room(options.max_width))
        yield Text(escape_controls(table.title), style="bold")
        for part in _Screen(table)._parts(options.max_width):
            grid = RichTable()
            for name, width in part.items():
                left = any(isinstance(row[name], str) for row in table.rows)
                grid.add_column(
                    Text(escape_controls(table.label(name))),
                    justify="left" if left else "right",
                    overflow="ellipsis" if name == "text" else "fold",
                    no_wrap=name == "text",
                    width=width,
                )
            for row in table.rows:
                grid.add_row(*(Text(self._cell(name, row)) for name in part))
            yield grid
        yield from (Text(escape_controls(note), style="dim") for note in table.notes)

    def _parts(self, room: int) -> Iterator[dict[str, int]]:
        """Columns and their widths, each part with the first column and no wider than `room`, if that can be."""
        first, *others = self.table.columns or [""]
        if not first:
            return
        part = start = {first: min(self._width(first), _first_room(room))}
        for name in others:
            width, begins = self._width(name), any(name == each[0] for each in self.table.parts)
            least = 14 if any(isinstance(row[name], str) for row in self.table) else width  # words wrap, or are cut off
            if part != start and (begins or min(width, least) > _room_left(part, room)):
                yield part
                part = start
            part = {**part, name: min(width, max(_room_left(part, room), 1))}
        yield part

    def _width(self, name: str) -> int:
        cells = (self._cell(name, row) for row in self.table.rows)
        return max(*map(len, self.table.label(name).split()), *map(len, cells), 1)

    def _cell(self, name: str, row: Row) -> str:
        return escape_controls(self.table.format_value(name, row[name]))


def _first_room(room: int) -> int:
    """How wide the first column may be."""
    return max(24, room // 3)


def _with_legend(table: Table, room: int) -> Table:
    """A table -> the same with numbers for the names in its first column that are wider than the room. Notes tell what
    they stand for."""
    rows, legend = list(table.rows), list[str]()
    for number, row in enumerate(rows):
        first = next(iter(row))
        if first != "text" and len(name := table.format_value(first, row[first])) > room:
            legend.append(f"[{len(legend) + 1}] {name}")
            rows[number] = {**row, first: f"[{len(legend)}]"}
    return replace(table, rows=tuple(rows), notes=(*legend, *table.notes))


def _room_left(part: dict[str, int], room: int) -> int:
    """What is left for one more column, lines and spaces between columns taken off."""
    return room - sum(part.values()) - 3 * len(part) - 4
