"""A dict of numpy arrays, a pandas frame or an Arrow table -> its columns, and tables like it of other rows.

Neither pandas nor pyarrow is imported: who passes a frame or a table has done so.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from caesura.errors import SettingError
from caesura.tables.arrays import Arrays
from caesura.tables.arrow import Arrow
from caesura.tables.frame import Frame
from caesura.tables.new_columns import New, Rows


class Columns(Protocol):
    """A table of any of the three forms."""

    names: list[Any]
    shaped: bool
    """Whether a column of vectors tells how long they are even where there is none."""

    def values(self, name: str) -> list[Any]:
        """A column -> its values, as Python's own objects."""
        ...

    def rebuilt(self, rows: Rows, new: New, order: Sequence[Any]) -> Any:
        """Row numbers, each any number of times, and new columns of that length -> a table in the form of this one.

        It has the columns of `order`: the new ones, and of the others what the rows have there. Types do not depend on
        how many rows there are.
        """
        ...


def columns(rows: Any) -> Columns:
    """A dict of arrays or lists, a ``pandas.DataFrame``, a ``pyarrow.Table`` or ``RecordBatch`` -> its columns.

    Raises `SettingError` for anything else, and for columns of different lengths or of the same name.
    """
    pandas, arrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    found: Columns
    if arrow is not None and isinstance(rows, (arrow.Table, arrow.RecordBatch)):
        found = Arrow(rows, arrow)
    elif pandas is not None and isinstance(rows, pandas.DataFrame):
        found = Frame(rows, pandas)
    elif isinstance(rows, Mapping):
        found = Arrays(rows)
    else:
        raise SettingError(
            f"rows must be a dict of numpy arrays, a pandas.DataFrame, a pyarrow.Table or RecordBatch, "
            f"got {type(rows).__name__}; most libraries' tables turn into one, as polars' does by to_arrow()"
        )
    twice = sorted({str(name) for name in found.names if found.names.count(name) > 1})
    if twice:
        raise SettingError(f"columns must have names of their own, got twice: {twice}")
    return found
