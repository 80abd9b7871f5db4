"""Rows of embedders, (n, d) float32: their check, unit rows, centring on a background, cosines, weights and sums."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise, repeat
from math import sqrt
from struct import Struct
from struct import error as StructError  # noqa: N812 - its own name says nothing
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caesura.errors import EmbeddingError
from caesura.types import Vectors

NEAR_ZERO = 1e-6
"""A unit row closer than this to the background differs from it by rounding errors alone."""
SAFE = 1e-20
"""A squared length over this and under its inverse is exact in float32."""
BLOCK = 4096
"""Rows worked on at a time, so that intermediate arrays stay small."""
PIECE = 256
"""The same if each row is read once or twice: so few rows stay in the processor's cache."""
FEW = 32
"""So many cosines Python calculates sooner than numpy."""


def stack_rows(vectors: Any, count: int) -> NDArray[np.float32]:
    """The rows that an embedder returned for `count` texts -> (count, d) float32.

    Raises `EmbeddingError` where there is not one row per text, or the rows are ragged or no numbers.
    """
    try:
        rows = _from_floats(vectors)
        if rows is None:
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


def _from_floats(vectors: Any) -> NDArray[np.float32] | None:
    """Lists of Python floats, which most hosts return -> an array, in less than half of numpy's time; else None."""
    if type(vectors) is not list or not vectors or type(vectors[0]) is not list or not vectors[0]:
        return None
    width = len(vectors[0])
    if any(type(row) is not list or len(row) != width or type(row[0]) is not float for row in vectors):
        return None
    pack = Struct(f"{width}f").pack
    try:
        return np.frombuffer(bytearray().join([pack(*row) for row in vectors]), np.float32).reshape(-1, width)
    except (StructError, OverflowError):
        return None


def as_rows(vectors: Any, count: int) -> NDArray[np.float32]:
    """The same as `stack_rows`, but a row that is not finite becomes zero. The rest of the core relies on that."""
    rows = stack_rows(vectors, count)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum()):  # nearly always, and then each row is finite
            return rows
    return np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, np.float32(0))


def normalize(rows: NDArray[np.float32], ends: NDArray[np.intp] | None = None) -> Vectors:
    """(n, d) -> unit rows; a zero row stays zero. Safe for rows as long or as short as float32 can write.

    ends: where the rows of each of several documents end. Each document is then rounded as if it were alone.
    """
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
    if ((squares > SAFE) & (squares < 1 / SAFE)).all():
        return np.asarray(rows / np.sqrt(squares)[:, None], rows.dtype)
    if ends is not None:
        return np.concatenate([normalize(part) for part in np.split(rows, ends[:-1])])
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    scaled: Vectors = np.zeros_like(rows)
    np.divide(rows, largest, out=scaled, where=largest > 0)
    norms = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    np.divide(scaled, norms, out=scaled, where=norms > 0)
    return scaled


def unit_rows(
    rows: NDArray[np.float32],
    background: ArrayLike | None = None,
    weight: float = np.inf,
    ends: NDArray[np.intp] | None = None,
) -> Vectors:
    """(n, d) finite rows of one document, as `as_rows` returns them -> (n, d) unit rows, centred on a background.

    background: (d,) the mean row of unrelated texts; None: not centred. weight: how many of the document's own rows it
    counts for; the rows are centred on the mean of both together. ends: of several documents, (k,) where the rows of
    each end.

    Returns rows such that each has length 1, or 0 where it was zero or does not differ from that mean. Raises
    `EmbeddingError` where the background has other dimensions.
    """
    ends = None if ends is None else np.unique(ends[ends > 0])  # documents without rows are none
    rows = normalize(rows, ends)
    if background is None or not len(rows):
        return rows
    mean = np.asarray(background, np.float32)
    if mean.shape != rows.shape[1:]:
        raise EmbeddingError(
            f"embed() must return rows of one length: for these texts they have {rows.shape[1]} numbers, for the "
            f"samples that its background was made of {mean.size}; give one embedder to both, as calibrate(embed) does"
        )
    owners = None
    if np.isfinite(weight):  # rows that say nothing are zero
        starts = np.zeros(1, np.intp) if ends is None else np.concatenate(([0], ends[:-1]))
        counts = np.diff(np.append(0, np.cumsum(~are_zero(rows)))[np.append(starts, len(rows))])
        sums, places = np.empty((min(PIECE, len(starts)), rows.shape[1])), [*starts.tolist(), len(rows)]
        given, mean = mean, np.empty((len(starts), rows.shape[1]), np.float32)
        for low in range(0, len(starts), PIECE):
            own = counts[low : low + PIECE, None]
            for row, start, end in zip(sums, places[low:], places[low + 1 : low + 1 + PIECE], strict=False):
                np.add.reduce(rows[start:end], axis=0, dtype=np.float64, out=row)
            mean[low : low + PIECE] = np.where(own > 0, (weight * given + sums[: len(own)]) / (weight + own), given)
        owners = None if len(counts) == 1 else np.repeat(np.arange(len(counts)), np.diff(places))
    for start in range(0, len(rows), BLOCK):
        some = slice(start, start + BLOCK)
        centre(rows[some], mean if owners is None else mean[owners[some]])
    return rows


def are_zero(rows: Vectors) -> NDArray[np.bool_]:
    """(n, d) -> (n,) whether each row is zero. The first number of nearly every row says that it is not."""
    zero: NDArray[np.bool_] = rows[:, 0] == 0
    if zero.any():
        zero[zero] = ~rows[zero].any(axis=1)
    return zero


def centre(rows: Vectors, mean: NDArray[np.float32]) -> None:
    """Subtracts a mean, or one for each row, from unit rows and makes them unit rows again, in place.

    A row that does not differ from its mean becomes zero.
    """
    silent = are_zero(rows)
    rows -= mean
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
    silent |= squares < NEAR_ZERO**2
    if silent.any():
        rows[silent], squares[silent] = 0, 1
    if (squares < 1 / SAFE).all():
        rows /= np.sqrt(squares)[:, None]
    else:
        rows[:] = normalize(rows)


def cosines_apart(rows: NDArray[Any], step: int, nothing: float) -> NDArray[np.float64]:
    """(n, d) -> (n - step,) cosines of each row and the one `step` after it; `nothing` if either row is zero."""
    squares = np.einsum("ij,ij->i", rows, rows)
    return cosines_of(np.einsum("ij,ij->i", rows[:-step], rows[step:]), squares[:-step], squares[step:], nothing)


def row_products(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """(n, d) rows, twice -> (n,) the inner product of each row and the one beside it."""
    return np.asarray(np.matmul(a[:, None, :], b[:, :, None])[:, 0, 0])  # in float64 three times as fast as einsum


def cosines_of(products: NDArray[Any], left: NDArray[Any], right: NDArray[Any], nothing: float) -> NDArray[np.float64]:
    """(n,) inner products, and the squared lengths of both sides -> (n,) cosines; `nothing` if either is zero."""
    squares = left * right
    if np.count_nonzero(squares) == len(squares):
        found = np.asarray(products / np.sqrt(squares), np.float64)
    else:
        found = np.full(len(products), nothing)
        np.divide(products, np.sqrt(squares), out=found, where=squares > 0)
    return np.minimum(found, 1, out=found)  # by rounding some are over it


def cosine_list(products: NDArray[Any], left: NDArray[Any], right: NDArray[Any], nothing: float) -> list[float]:
    """The same as `cosines_of`, sooner where they are few."""
    if len(products) <= FEW:
        return [*map(cosine, products.tolist(), left.tolist(), right.tolist(), repeat(nothing))]
    found: list[float] = cosines_of(products, left, right, nothing).tolist()
    return found


def cosine(product: float, left: float, right: float, nothing: float) -> float:
    """An inner product, and the squared lengths of both sides -> their cosine; `nothing` if either is zero."""
    norm = sqrt(left * right)
    return min(product / norm, 1.0) if norm > 0 else nothing


def window_sums(vectors: NDArray[Any], weights: Any = 1) -> NDArray[np.float64]:
    """(n, d) rows and (n,) weights -> (n + 1, d) running sums: units a to b weigh ``sums[b] - sums[a]`` together."""
    sums = np.zeros((len(vectors) + 1, vectors.shape[1]))
    np.multiply(vectors, np.reshape(weights, (-1, 1)), out=sums[1:], dtype=np.float64)
    for before, row in pairwise(sums):
        np.add(row, before, row)  # five times as fast as np.cumsum, which goes down one column after another
    return sums


def group_sums(vectors: NDArray[Any], starts: NDArray[np.intp], weights: Any = None) -> NDArray[np.float64]:
    """(n, d) rows and the (k,) first rows of groups, from 0 -> (k, d) the sum of each group's rows.

    weights: (n,) what each row is multiplied by; None: 1.
    """
    edges, sums = [*starts.tolist(), len(vectors)], np.empty((len(starts), vectors.shape[1]))
    for low in range(0, len(vectors), PIECE):
        high = min(low + PIECE, len(vectors))
        rows = vectors[low:high].astype(np.float64, copy=weights is not None)
        if weights is not None:
            rows *= weights[low:high, None]
        first, last = bisect_left(edges, low), bisect_left(edges, high)  # groups that begin here
        rows.take(starts[first:last] - low, axis=0, out=sums[first:last], mode="clip")  # a call for each costs more
        for group, (begin, end) in enumerate(pairwise(edges[max(first - 1, 0) : last + 1]), max(first - 1, 0)):
            if end - begin > 1 and begin + 1 < high and end > low:
                sums[group] += np.add.reduce(rows[max(begin + 1 - low, 0) : end - low], axis=0)
    return sums
