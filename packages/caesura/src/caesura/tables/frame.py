"""A ``pandas.DataFrame`` -> its columns; the index is repeated as `explode` repeats it: Dask's divisions still hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.tables.new_columns import New, Rows, objects


class Frame:
    """`Columns` of a frame. pandas: the package, which whoever has a frame has loaded."""

    shaped = False

    def __init__(self, rows: Any, pandas: Any) -> None:
        self._frame, self._pandas = rows, pandas
        self.names: list[Any] = list(rows.columns)

    def values(self, name: str) -> list[Any]:
        return self._frame[name].tolist()  # type: ignore[no-any-return]

    def rebuilt(self, rows: Rows, new: New, order: Sequence[Any]) -> Any:
        taken, own = self._frame.take(rows), self._frame[new.like].dtype
        kind = own if self._pandas.api.types.is_string_dtype(own) else object
        made: dict[str, Any] = dict(new.numbers)
        for name, values in new.strings.items():
            made[name] = self._pandas.Series(objects(values), taken.index, kind)
        for name, vectors in new.vectors.items():
            made[name] = self._pandas.Series(list(vectors), taken.index, object)
        return taken.assign(**made)[list(order)]
