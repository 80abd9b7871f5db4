"""Leaning: the row of a small text takes a share of the rows around it, and of the row of its context."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.vectors import normalize

AROUND = 4
"""How many texts on either side count as what stands around one."""
CONTEXT = 0.4
"""How far a row leans toward what stands around it, as a share of its own length."""
SHARE = 0.2
"""How far a row leans toward the row of its context, as a share of its own length."""
TINY = 1e-12
"""A row that is shorter counts as zeros."""


def lean(rows: NDArray[np.float32], share: float = CONTEXT) -> NDArray[np.float32]:
    """(n, d) the rows of a document's chunks, in its order -> unit rows that lean toward those around each.

    A row is its own, at length 1, and `share` of the direction of the mean of those within `AROUND` chunks. So a change
    in one chunk changes `2 * AROUND + 1` rows at most. A row of zeros stays one.

    >>> [[round(float(value), 2) for value in row] for row in lean(np.eye(2, dtype=np.float32), share=1)]
    [[0.92, 0.38], [0.38, 0.92]]
    """
    own = _unit(np.array(rows, np.float64))
    sums = np.zeros((len(own) + 2 * AROUND + 1, own.shape[1]))
    for row, before, after in zip(own, sums[AROUND:], sums[AROUND + 1 :], strict=False):
        np.add(before, row, out=after)  # row by row, as they lie in memory: `cumsum` goes down each column
    sums[len(own) + AROUND + 1 :] = sums[len(own) + AROUND]
    around = _unit(sums[2 * AROUND + 1 :] - sums[: len(own)])
    around *= share
    around += own
    around[~own.any(1)] = 0
    return np.asarray(_unit(around), np.float32)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Makes rows unit rows, in their place."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows /= np.maximum(lengths, TINY)[:, None]
    rows[~(lengths > TINY)] = 0
    return rows


def share_contexts(rows: NDArray[np.float32], contexts: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, d) rows of chunks, and (n, d) or (d,) of the contexts that they have -> rows that lean toward these.

    Each keeps its length, and has `SHARE` of the direction of its context's. A row of zeros stays one, and one whose
    context is zeros stays as it is.

    >>> np.round(share_contexts(np.float32([[2, 0], [0, 2]]), np.float32([0, 5])), 2)
    array([[1.96, 0.39],
           [0.  , 2.  ]], dtype=float32)
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(normalize(rows + SHARE * lengths * normalize(np.atleast_2d(contexts))) * lengths, np.float32)
