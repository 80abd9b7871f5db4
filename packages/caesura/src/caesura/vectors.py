"""Rows of embedders, (n, d) float32: checked, made unit rows, centred on a background, compared, weighed and summed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import EmbeddingError
from caesura.types import Sizes, Vectors

NEAR_ZERO = 1e-6
"""A unit row closer than this to the background says nothing of its own: rounding, not meaning."""
SAFE = 1e-20
"""A squared length over it, and under its inverse, has lost nothing to what float32 can write."""
BLOCK = 4096
"""Rows worked on at a time, so that what is in between stays small."""
PIECE = 256
"""The same where each row is looked at once or twice: so few stay in the processor's cache."""
SHORT = 4
"""Rows of a run that are added up together with those of all other runs, as most have no more."""
MOST = 1e6
"""Of `half_weight`, and of what structure takes off: far over all that means anything, and without overflow."""
HALF_WEIGHT = 0.25
"""The default of the cuts that weigh units by `reliability_weights`."""
CONFIDENCE, MOST_SURE = 0.95, 0.999999
"""The default of the cuts that are judged by chance, and the most that they take."""
STRUCTURE = 0.3
"""The default of what the end of a paragraph counts; the end of a line is half of it, a heading twice."""


def stack_rows(vectors: Any, count: int) -> NDArray[np.float32]:
    """What an embedder returned for `count` texts -> (count, d) float32.

    Raises `EmbeddingError` where there is not one row per text, or the rows are ragged or no numbers.
    """
    try:
        rows = np.asarray(vectors)
    except (TypeError, ValueError, RuntimeError) as error:  # no other, which may be that of a time limit
        raise EmbeddingError(
            f"embed() must return rows of one length: expected ({count}, d), got rows that do not stack ({error})"
        ) from error
    if rows.size == 0 and count == 0:
        return np.zeros((0, rows.shape[1] if rows.ndim == 2 else 0), np.float32)
    if rows.dtype.kind not in "fiu" or rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:
        shape = f"an array of {rows.dtype}" if rows.dtype.kind not in "fiu" else f"{rows.shape}"
        raise EmbeddingError(f"embed() must return one row per text: expected ({count}, d), got {shape}")
    with np.errstate(over="ignore"):
        return rows.astype(np.float32, copy=False)


def as_rows(vectors: Any, count: int) -> NDArray[np.float32]:
    """As `stack_rows`, and a row that is not finite is set to zero: what the rest of the core takes for granted."""
    rows = stack_rows(vectors, count)
    finite = np.isfinite(rows).all(axis=1, keepdims=True)
    return rows if finite.all() else np.where(finite, rows, np.float32(0))


def normalize(rows: NDArray[np.float32]) -> Vectors:
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


def unit_rows(rows: NDArray[np.float32], background: ArrayLike | None = None, weight: float = np.inf) -> Vectors:
    """(n, d) finite rows of one document, as `as_rows` returns them -> (n, d) unit rows, centred on a background.

    background: (d,) the mean row of unrelated texts; None: not centred. weight: how many of the document's own rows it
    counts for; the rows are centred on the mean of both together.

    Returns rows such that each has length 1, or 0 where it was zero or does not differ from that mean. Raises
    `EmbeddingError` where the background has other dimensions.
    """
    rows = normalize(rows)
    if background is None or not len(rows):
        return rows
    mean = background_row(background, rows.shape[1])
    if np.isfinite(weight):  # rows that say nothing are zero
        mean = blend(mean, weight, rows.sum(axis=0, dtype=np.float64), int(np.count_nonzero(rows.any(axis=1))))
    for start in range(0, len(rows), BLOCK):
        centre(rows[start : start + BLOCK], mean)
    return rows


def background_row(background: ArrayLike, width: int) -> NDArray[np.float32]:
    """A background -> the row to centre rows of that width on. Raises `EmbeddingError` where it has another."""
    mean = np.asarray(background, np.float32)
    if mean.shape != (width,):
        raise EmbeddingError(
            f"the background must come from the same embedder: it has shape {mean.shape}, "
            f"embed() returned rows of {width}; make it with calibrate(embed)"
        )
    return mean


def blend(mean: NDArray[np.float32], weight: float, own: NDArray[np.float64], count: int) -> NDArray[np.float32]:
    """A background that counts for `weight` rows, and the sum of a document's `count` rows -> the mean of both."""
    return np.asarray((weight * mean + own) / (weight + count), np.float32) if count else mean


def centre(rows: Vectors, mean: NDArray[np.float32]) -> None:
    """Takes the mean off unit rows and makes them unit rows again, in place; those that say nothing are zero."""
    silent = ~rows.any(axis=1)
    rows -= mean
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
    silent |= squares < NEAR_ZERO**2
    rows[silent], squares[silent] = 0, 1
    if (squares < 1 / SAFE).all():
        rows /= np.sqrt(squares)[:, None]
    else:
        rows[:] = normalize(rows)


def cosines_apart(rows: NDArray[Any], step: int, nothing: float) -> NDArray[np.float64]:
    """(n, d) -> (n - step,) cosines of each row and the one `step` after it; `nothing` where either row is zero."""
    squares = np.einsum("ij,ij->i", rows, rows)
    return cosines_of(np.einsum("ij,ij->i", rows[:-step], rows[step:]), squares[:-step], squares[step:], nothing)


def cosines_of(products: NDArray[Any], left: NDArray[Any], right: NDArray[Any], nothing: float) -> NDArray[np.float64]:
    """(n,) inner products, and the squared lengths of both sides -> (n,) cosines; `nothing` where either is zero."""
    squares, found = left * right, np.full(len(products), nothing)
    np.divide(products, np.sqrt(squares), out=found, where=squares > 0)
    return found


def window_sums(vectors: Vectors, sizes: NDArray[Any]) -> NDArray[np.float64]:
    """(n, d) rows and (n,) weights -> (n + 1, d) running sums: units a to b weigh ``sums[b] - sums[a]`` together."""
    sums = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.multiply(vectors, np.asarray(sizes, np.float64)[:, None], out=sums[1:])
    for before, row in pairwise(sums):
        np.add(row, before, row)  # five times as fast as np.cumsum, which goes down one column after another
    return sums


def group_sums(vectors: Vectors, weights: NDArray[Any], starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """(n, d) rows, (n,) weights and the (k,) first units of groups, from 0 -> (k, d) the weighted sum of each."""
    ends, sums = np.append(starts[1:], len(vectors)), np.zeros((len(starts), vectors.shape[1]))
    for low in range(0, len(vectors), PIECE):
        high = min(low + PIECE, len(vectors))
        weighted = vectors[low:high] * np.asarray(weights[low:high], np.float64)[:, None]
        held = slice(np.searchsorted(starts, low, side="right") - 1, np.searchsorted(starts, high))
        begins, stops = np.maximum(starts[held], low) - low, np.minimum(ends[held], high) - low
        sums[held] += _summed(weighted, begins, stops - begins)
    return sums


def _summed(rows: NDArray[np.float64], begins: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sum of each run of rows: the first two rows of all runs, the third of those that have one, and so on."""
    sums = rows[begins]
    for step in range(1, min(SHORT, int(lengths.max()))):
        longer = np.flatnonzero(lengths > step)
        sums[longer] += rows[begins[longer] + step]
    for run in np.flatnonzero(lengths > SHORT).tolist():
        sums[run] += rows[begins[run] + SHORT : begins[run] + lengths[run]].sum(axis=0)
    return sums


class CentredRows:
    """What `unit_rows` returns, made anew wherever a part of it is looked at.

    For cuts that look at their vectors by slices, and say so: ``windowed``. Elsewhere it becomes an array.
    """

    ndim: ClassVar[int] = 2
    dtype: ClassVar[np.dtype[np.float32]] = np.dtype(np.float32)
    shape: tuple[int, ...]

    def __init__(self, own: NDArray[np.float32], background: ArrayLike | None = None, weight: float = np.inf) -> None:
        self.own: NDArray[np.float32] = own
        self.shape = own.shape
        self.mean: NDArray[np.float32] | None = None
        if background is None or not len(own):
            return
        self.mean = background_row(background, own.shape[1])
        if np.isfinite(weight):
            total, count = np.zeros(own.shape[1]), 0
            for start in range(0, len(own), BLOCK):
                rows = normalize(own[start : start + BLOCK])
                total += rows.sum(axis=0, dtype=np.float64)
                count += int(np.count_nonzero(rows.any(axis=1)))
            self.mean = blend(self.mean, weight, total, count)

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, key: Any) -> Vectors:
        rows = normalize(np.atleast_2d(self.own[key]))
        if self.mean is not None:
            centre(rows, self.mean)
        return cast(Vectors, rows[0] if np.ndim(self.own[key]) == 1 else rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(dtype or self.dtype, copy=False)


def reliability_weights(sizes: Sizes, half_weight: float) -> NDArray[np.float64]:
    """(n,) sizes -> (n,) weights of mean 1: a longer unit says more, but no unit drowns the others.

    A unit weighs ``size / (size + half_weight * mean size)`` before that: 0 makes all alike, a large `half_weight`
    makes them weigh by their sizes. The row of a short unit is mostly noise, and that of a long one is not better for
    every word more.
    """
    own = np.asarray(sizes, np.float64)
    if not half_weight or not own.any():
        return np.ones(len(own))
    weights = own / (own + half_weight * own.mean())
    return np.asarray(weights / weights.mean())
