"""What became of rows -> the columns that are made of it, and the row that each of their values is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.adapter import chunk_id
from caesura.tables.cutting import Cutting
from caesura.tables.new_columns import New, Rows
from caesura.types import Chunk


def row_numbers(found: list[Cutting]) -> Rows:
    """The number of the row that each chunk is of, or failure."""
    lengths = [1 if cutting.error else len(cutting.chunks) for cutting in found]
    return np.repeat(np.array([cutting.row for cutting in found], np.intp), lengths)


def chunk_columns(found: list[Cutting], text_column: str, errors: bool, width: Callable[[], int] | None) -> New:
    """The columns of the chunks and failures. errors: whether one says what failed. width: of a vector, where vectors
    are wanted; called where there is none to see it of.
    """
    names, texts, said, places = list[str](), list[str](), list[str | None](), list[tuple[int, int, int]]()
    for cutting in found:
        rows = list(enumerate(cutting.chunks)) if cutting.error is None else [(-1, Chunk("", -1, -1))]
        for number, chunk in rows:
            places.append((number, chunk.start, chunk.end))
            texts.append(chunk.text)
            names.append(chunk_id(cutting.id, 0, chunk.start, chunk.end, chunk.text) if number >= 0 else "")
            said.append(cutting.error)
    numbers = zip(("chunk", "start", "end"), np.array(places, np.int64).reshape(-1, 3).T, strict=True)
    strings: dict[str, Sequence[str | None]] = {text_column: texts, "chunk_id": names}
    if errors:
        strings["error"] = said
    vectors = {} if width is None else {"vector": _vectors(found, width)}
    return New(text_column, strings, {name: column.copy() for name, column in numbers}, vectors)


def _vectors(found: list[Cutting], width: Callable[[], int]) -> NDArray[np.float32]:
    """(rows, d), zero for what failed."""
    made = [one.vectors for one in found if one.vectors is not None and len(one.vectors)]
    d = made[0].shape[1] if made else width()
    parts = [np.zeros((1, d), np.float32) if one.error else one.vectors for one in found]
    return np.concatenate([np.zeros((0, d), np.float32), *(part for part in parts if part is not None and len(part))])
