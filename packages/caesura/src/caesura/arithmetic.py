"""(n, d) rows -> the cosines of some pairs and the weighted sums of runs: what cuts compare."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.types import Vectors
from caesura.vectors import BLOCK

SHORT = 16
"""Rows of a run that are added up together with those of all other runs, as most have no more."""


def cosines(a: NDArray[Any], b: NDArray[Any], nothing: float) -> NDArray[np.float64]:
    """Two (n, d) arrays -> (n,) cosines row by row; `nothing` where either row is zero."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    lengths = np.einsum("ij,ij->i", a, a), np.einsum("ij,ij->i", b, b)
    return _cosines(np.einsum("ij,ij->i", a, b), *lengths, nothing)


def cosines_apart(rows: NDArray[np.float64], step: int, nothing: float) -> NDArray[np.float64]:
    """(n, d) -> (n - step,) cosines of each row and the one `step` after it; `nothing` where either row is zero."""
    squares = np.einsum("ij,ij->i", rows, rows)
    return _cosines(np.einsum("ij,ij->i", rows[:-step], rows[step:]), squares[:-step], squares[step:], nothing)


def _cosines(
    products: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64], nothing: float
) -> NDArray[np.float64]:
    """Inner products and the two squared lengths of each."""
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
    for low in range(0, len(vectors), BLOCK):
        high = min(low + BLOCK, len(vectors))
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
