"""Columns that are to be in a table: their values by name, before any library has given them a type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
"""(n,) for each row to be, the number of the row that it is made of."""


@dataclass(frozen=True, slots=True)
class New:
    """Columns to be, by name and kind. like: the column that strings have their type from. vectors: (n, d) float32."""

    like: str
    strings: dict[str, Sequence[str | None]]
    numbers: dict[str, NDArray[np.int64]]
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)


def objects(values: Sequence[Any]) -> NDArray[np.object_]:
    """Values -> an array of them as they are, even where numpy would see rows in them."""
    return np.fromiter(values, object, len(values))
