"""A dict of arrays or lists -> its columns: Ray's batch format "numpy"; strings are object arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import SettingError
from caesura.tables.new_columns import New, Rows, objects


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

    def rebuilt(self, rows: Rows, new: New, order: Sequence[Any]) -> dict[Any, NDArray[Any]]:
        made: dict[Any, NDArray[Any]] = {**new.numbers, **new.vectors}
        made |= {name: objects(values) for name, values in new.strings.items()}
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
    return objects(list(listed))
