"""Rows of named values -> Markdown to read and plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura_lab import Interval

Value = str | int | float | Interval | None
Row = dict[str, Value]


@dataclass(slots=True)
class Table:
    """A title, rows of values by column, and what a reader has to know. A column is there if a row has it."""

    title: str
    notes: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """The columns in the order in which rows first have them."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def markdown(self) -> str:
        """The title as a heading, the table, its notes."""
        columns = self.columns
        lines = [columns, ["---"] * len(columns), *([shown(row.get(name)) for name in columns] for row in self.rows)]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"## {self.title}\n\n{table}\n\n" + "".join(f"- {note}\n" for note in self.notes)

    def plain(self) -> dict[str, Any]:
        """What JSON can hold; an interval is an object of its three numbers."""
        rows = [{name: _plain(value) for name, value in row.items()} for row in self.rows]
        return {"title": self.title, "notes": self.notes, "rows": rows}


def shown(value: Value) -> str:
    """A value as a cell: a difference with its interval, bold where 0 is outside."""
    if isinstance(value, Interval):
        text = f"{value.difference:+.1f} [{value.low:+.1f}, {value.high:+.1f}]"
        return f"**{text}**" if value.clear else text
    if value is None:
        return "–"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def scaled(interval: Interval, factor: float = 100) -> Interval:
    """A difference of shares as one of percentage points."""
    return Interval(*(factor * value for value in interval))


def report(tables: Sequence[Table], heading: str) -> str:
    """The Markdown page of all tables."""
    return f"# {heading}\n\n" + "\n".join(table.markdown() for table in tables)


def _plain(value: Value) -> Any:
    return value._asdict() if isinstance(value, Interval) else value
