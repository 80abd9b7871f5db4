"""Tables of three libraries by one interface: dicts of numpy arrays, pandas frames and Arrow tables.

Neither pandas nor pyarrow is imported: who passes a frame or a table has done so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SettingError

Rows = NDArray[np.intp]
"""(n,) for each row to be, the number of the row that it is made of."""


@dataclass(frozen=True, slots=True)
class NewColumns:
    """Columns to be, by name and kind. like: the column that strings have their type from. vectors: (n, d) float32."""

    like: str
    strings: dict[str, Sequence[str | None]]
    numbers: dict[str, NDArray[np.int64]]
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)


def object_array(values: Sequence[Any]) -> NDArray[np.object_]:
    """Values -> an array of them as they are, even where numpy would see rows in them."""
    return np.fromiter(values, object, len(values))


class Arrays:
    """`Columns` of a dict."""

    shaped = True

    def __init__(self, rows: Mapping[str, Any]) -> None:
        self._arrays = {name: _array(name, values) for name, values in rows.items()}
        self.names: list[Any] = list(self._arrays)
        lengths = {name: len(array) for name, array in self._arrays.items()}
        if len(set(lengths.values())) > 1:
            raise SettingError(f"columns must have one length, got {lengths}")

    def values(self, name: str) -> list[Any]:
        return self._arrays[name].tolist()  # type: ignore[no-any-return]

    def rebuilt(self, rows: Rows, new: NewColumns, order: Sequence[Any]) -> dict[Any, NDArray[Any]]:
        made: dict[Any, NDArray[Any]] = {**new.numbers, **new.vectors}
        made |= {name: object_array(values) for name, values in new.strings.items()}
        return {name: made[name] if name in made else self._arrays[name][rows] for name in order}


def _array(name: str, values: Any) -> NDArray[Any]:
    """A column of any kind -> an array: that of pandas, pyarrow or torch says itself what Python's own objects are."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values
    tell = getattr(values, "to_pylist", None) or getattr(values, "tolist", None)
    listed = tell() if tell else values
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        raise SettingError(
            f"columns must be arrays or lists, got {listed!r:.80} for {name!r}: one row? A table is wanted, as from "
            f"map_batches, not map"
        )
    return object_array(list(listed))


class Arrow:
    """`Columns` of a table. arrow: the package, which whoever has a table has loaded."""

    shaped = False

    def __init__(self, rows: Any, arrow: Any) -> None:
        self._table, self._arrow, self._batch = rows, arrow, isinstance(rows, arrow.RecordBatch)
        self.names: list[Any] = list(rows.schema.names)

    def values(self, name: str) -> list[Any]:
        return self._table.column(name).to_pylist()  # type: ignore[no-any-return]

    def rebuilt(self, rows: Rows, new: NewColumns, order: Sequence[Any]) -> Any:
        arrow, kind = self._arrow, self._strings(new.like)
        taken = arrow.array(rows, arrow.int64())
        made = {name: arrow.array(values, arrow.int64()) for name, values in new.numbers.items()}
        made |= {name: arrow.array(values, kind) for name, values in new.strings.items()}
        for name, vectors in new.vectors.items():
            ends = np.arange(len(vectors) + 1, dtype=np.int32) * np.int32(vectors.shape[1])
            made[name] = arrow.ListArray.from_arrays(ends, vectors.ravel(), type=arrow.list_(arrow.float32()))
        fields, arrays = [], []
        for name in order:
            own = name not in made
            array = self._taken(self._table.column(name), taken) if own else made[name]
            fields.append(self._table.schema.field(name) if own else arrow.field(name, array.type))
            arrays.append(array)
        made_table = arrow.Table.from_arrays(arrays, schema=arrow.schema(fields))
        return _one_batch(made_table, arrow) if self._batch else made_table

    def _taken(self, column: Any, rows: Any) -> Any:
        try:
            return column.take(rows)
        except self._arrow.ArrowNotImplementedError:  # views of strings and bytes
            values = column.to_pylist()
            return self._arrow.array([values[row] for row in rows.to_pylist()], column.type)

    def _strings(self, name: str) -> Any:
        """The type of a column that holds strings, of whatever kind, without the dictionary where it has one."""
        types, own = self._arrow.types, self._table.schema.field(name).type
        own = own.value_type if types.is_dictionary(own) else own
        return own if types.is_large_string(own) or types.is_string_view(own) else self._arrow.string()


def _one_batch(table: Any, arrow: Any) -> Any:
    arrays = [column.combine_chunks() for column in table.columns]
    return arrow.RecordBatch.from_arrays(arrays, schema=table.schema)


class Frame:
    """`Columns` of a frame. pandas: the package, which whoever has a frame has loaded."""

    shaped = False

    def __init__(self, rows: Any, pandas: Any) -> None:
        self._frame, self._pandas = rows, pandas
        self.names: list[Any] = list(rows.columns)

    def values(self, name: str) -> list[Any]:
        return self._frame[name].tolist()  # type: ignore[no-any-return]

    def rebuilt(self, rows: Rows, new: NewColumns, order: Sequence[Any]) -> Any:
        taken, own = self._frame.take(rows), self._frame[new.like].dtype
        kind = own if self._pandas.api.types.is_string_dtype(own) else object
        made: dict[str, Any] = dict(new.numbers)
        for name, values in new.strings.items():
            made[name] = self._pandas.Series(object_array(values), taken.index, kind)
        for name, vectors in new.vectors.items():
            made[name] = self._pandas.Series(list(vectors), taken.index, object)
        return taken.assign(**made)[list(order)]


class Columns(Protocol):
    """A table of any of the three forms."""

    names: list[Any]
    shaped: bool
    """Whether a column of vectors tells how long they are even where there is none."""

    def values(self, name: str) -> list[Any]:
        """A column -> its values, as Python's own objects."""
        ...

    def rebuilt(self, rows: Rows, new: NewColumns, order: Sequence[Any]) -> Any:
        """Row numbers, each any number of times, and new columns of that length -> a table in the form of this one.

        It has the columns of `order`: the new ones, and of the others what the rows have there. Types do not depend on
        how many rows there are.
        """
        ...


def read_columns(rows: Any) -> Columns:
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
