"""Rows, each a dict with the same keys -> a table for the screen, a notebook, a data frame, JSON, CSV or HTML."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from caesura_lab.tables.html import fragment, page

Value: TypeAlias = "str | int | float | None"
Row: TypeAlias = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that all have the same columns, a title, and notes to be read with them.

    Numbers are as they were measured: shares are 0 to 1, times are seconds. What is shown is rounded, shares in
    percent. parts: the columns that belong together; on a screen each part begins with the first column.
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
        held = {"title": self.title, "notes": list(self.notes), "rows": list(self.rows)}
        return json.dumps(held, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """A line of names and a line per row, the numbers as they were measured."""
        out = io.StringIO()
        writer = csv.DictWriter(out, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()

    def to_html(self) -> str:
        """A page of its own that asks nothing of any network."""
        return page(self)

    def label(self, column: str) -> str:
        """The name of a column as people read it."""
        return column.replace("_", " ")

    def shown(self, column: str, value: Value) -> str:
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
        if column == "seconds":
            return f"{value:.3f}"
        if column == "cost":  # of a millionth, so that a column compares at a glance
            return f"{value:,.6f}"
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"

    def _repr_html_(self) -> str:
        return fragment(self)

    def __rich__(self) -> Any:
        from caesura_lab.tables.screen import Screen

        return Screen(self)
