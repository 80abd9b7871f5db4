"""Whatever an embedder returned -> (n, d) unit rows, centred on a background, or an error that says what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import EmbeddingError
from caesura.types import Vectors

NEAR_ZERO = 1e-6
"""A unit row closer than this to the background says nothing of its own: rounding, not meaning."""
SAFE = 1e-20
"""A squared length over it, and under its inverse, has lost nothing to what float32 can write."""
BLOCK = 4096
"""Rows worked on at a time, so that what is in between stays small."""


def own_rows(vectors: Any, count: int) -> NDArray[np.float32]:
    """What an embedder returned for `count` texts -> (count, d) float32, a row that is not finite set to zero.

    Raises `EmbeddingError` where there is not one row per text, or the rows are ragged or no numbers.
    """
    try:
        rows = np.asarray(vectors)
    except Exception as error:
        raise EmbeddingError(
            f"embed() must return rows of one length: expected ({count}, d), got rows that do not stack ({error})"
        ) from error
    if rows.size == 0 and count == 0:
        return np.zeros((0, rows.shape[1] if rows.ndim == 2 else 0), np.float32)
    if rows.dtype.kind not in "fiu" or rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:
        shape = f"an array of {rows.dtype}" if rows.dtype.kind not in "fiu" else f"{rows.shape}"
        raise EmbeddingError(f"embed() must return one row per text: expected ({count}, d), got {shape}")
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32, copy=False)
    finite = np.isfinite(rows).all(axis=1, keepdims=True)
    return rows if finite.all() else np.where(finite, rows, np.float32(0))


def normalised(rows: NDArray[np.float32]) -> Vectors:
    """(n, d) -> unit rows; a zero row stays zero. Safe for rows as long or as short as float32 can write."""
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
    if ((squares > SAFE) & (squares < 1 / SAFE)).all():
        return np.asarray(rows / np.sqrt(squares)[:, None], rows.dtype)
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    scaled: Vectors = np.zeros_like(rows)
    np.divide(rows, largest, out=scaled, where=largest > 0)
    norms = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    np.divide(scaled, norms, out=scaled, where=norms > 0)
    return scaled


def unit_rows(vectors: Any, count: int, background: ArrayLike | None = None, weight: float = np.inf) -> Vectors:
    """An embedder's return for the `count` texts of one document -> (count, d) unit rows, centred on a background.

    background: (d,) the mean row of unrelated texts; None: not centred. weight: how many of the document's own rows it
    counts for; the rows are centred on the mean of both together.

    Returns rows such that each has length 1, or 0 where the embedder gave a zero or non-finite row, or one that does
    not differ from that mean. Raises `EmbeddingError` as `own_rows` does, or where the background has other dimensions.
    """
    rows = normalised(own_rows(vectors, count))
    if background is None or count == 0:
        return rows
    mean = matching(background, rows.shape[1])
    if np.isfinite(weight):  # rows that say nothing are zero
        mean = drawn(mean, weight, rows.sum(axis=0, dtype=np.float64), int(np.count_nonzero(rows.any(axis=1))))
    for start in range(0, count, BLOCK):
        centre(rows[start : start + BLOCK], mean)
    return rows


def matching(background: ArrayLike, width: int) -> NDArray[np.float32]:
    """A background -> the row to centre rows of that width on. Raises `EmbeddingError` where it has another."""
    mean = np.asarray(background, np.float32)
    if mean.shape != (width,):
        raise EmbeddingError(
            f"the background must come from the same embedder: it has shape {mean.shape}, "
            f"embed() returned rows of {width}; make it with calibrate(embed)"
        )
    return mean


def drawn(mean: NDArray[np.float32], weight: float, own: NDArray[np.float64], count: int) -> NDArray[np.float32]:
    """A background that counts for `weight` rows, and the sum of a document's `count` rows -> the mean of both."""
    return np.asarray((weight * mean + own) / (weight + count), np.float32) if count else mean


def centre(rows: Vectors, mean: NDArray[np.float32]) -> None:
    """Takes the mean off unit rows and makes them unit rows again, in place; those that say nothing are zero."""
    silent = ~rows.any(axis=1)
    rows -= mean
    rows[silent] = 0
    rows[np.einsum("ij,ij->i", rows, rows) < NEAR_ZERO**2] = 0
    rows[:] = normalised(rows)
