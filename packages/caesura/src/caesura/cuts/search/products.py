"""(n, d) rows -> their lengths, and their inner products with others, a piece at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.types import Vectors
from caesura.vectors import BLOCK

TILE, ONE_THREAD = 16, 2**18
"""Rows of a piece, and the multiplications up to which OpenBLAS uses one thread for a product."""


def lengths_of(vectors: Vectors) -> NDArray[np.float64]:
    """(n, d) -> (n,) lengths, a window of rows at a time."""
    windows = (vectors[start : start + BLOCK] for start in range(0, len(vectors), BLOCK))
    return np.concatenate([np.zeros(0), *(np.sqrt(np.einsum("ij,ij->i", rows, rows)) for rows in windows)])


def products(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, d) and (n, d) rows -> (m, n) inner products, in pieces so small that BLAS does each in one thread.

    Where other work keeps the processors busy, threads that wait for one another's turn cost more than the product.
    """
    found = np.empty((len(a), len(b)))
    for start in range(0, len(a), TILE):
        some = a[start : start + TILE]
        width = max(1, ONE_THREAD // max(1, some.size))
        for left in range(0, len(b), width):
            np.matmul(some, b[left : left + width].T, out=found[start : start + TILE, left : left + width])
    return found
