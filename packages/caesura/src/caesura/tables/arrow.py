"""A ``pyarrow.Table`` or ``RecordBatch`` -> its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from caesura.tables.new_columns import New, Rows


class Arrow:
    """`Columns` of a table. arrow: the package, which whoever has a table has loaded."""

    shaped = False

    def __init__(self, rows: Any, arrow: Any) -> None:
        self._table, self._arrow, self._batch = rows, arrow, isinstance(rows, arrow.RecordBatch)
        self.names: list[Any] = list(rows.schema.names)

    def values(self, name: str) -> list[Any]:
        return self._table.column(name).to_pylist()  # type: ignore[no-any-return]

    def rebuilt(self, rows: Rows, new: New, order: Sequence[Any]) -> Any:
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
