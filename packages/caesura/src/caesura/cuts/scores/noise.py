"""How far chance reaches in a document: what a cut has to gain before it is a turn of the subject.

In rows without any order, some segmentation still scores better than none. It scores the better, the longer the text is
and the more its rows vary. So a cut has to gain more than the document's own rows would gain in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.types import Sizes, Structure, Vectors
from caesura.vectors import row_products

PRIOR = 0.3
"""Is added to the weight of each chunk, so that a few units that are alike by chance gain little."""
ALIKE = 0.2
"""Neighbouring chunks whose sums have a cosine over this are on one subject, however surely they differ."""
SAMPLE, PAIRED = 4096, 64
"""The most rows of a document that its mean is made of, and the most that its deviation is made of."""
FIRST_GUESS, GUESSES = 8, 8
"""Units to a chunk with which the search for the number of chunks begins, and the most steps of that search."""
NEAR = 0.1
"""Penalties that differ by fewer deviations count as equal."""
TINY = 1e-30
"""Is less than every squared length and every weight that has a meaning."""
LEAST = 1e-6
"""The least penalty: if all rows are alike, they gain no more by chance than rounding errors."""
TILE, ONE_THREAD = 16, 2**18
"""Rows of a piece, and the most multiplications of a product that OpenBLAS does in one thread."""


def products(a: Vectors, b: Vectors) -> NDArray[np.float32]:
    """(m, d) and (n, d) rows -> (m, n) inner products, in pieces that BLAS does in one thread each.

    Where other work keeps the processors busy, threads that wait for one another's turn cost more than the product.
    """
    found = np.empty((len(a), len(b)), np.float32)
    for start in range(0, len(a), TILE):
        some = a[start : start + TILE]
        width = max(1, ONE_THREAD // max(1, some.size))
        for left in range(0, len(b), width):
            np.matmul(some, b[left : left + width].T, out=found[start : start + TILE, left : left + width])
    return found


def band(rows: Vectors, width: int) -> NDArray[np.float32]:
    """(m + width - 1, d) rows -> (width, m) inner products of each of the last m rows and the `width` rows up to it."""
    found = np.empty((width, len(rows) - width + 1), np.float32)
    for low in range(0, found.shape[1], TILE):
        some = rows[low : low + TILE + width - 1]
        own = products(some[width - 1 :], some)
        shifted = np.concatenate((own.ravel(), own[:, 0])).reshape(
            len(own), -1
        )  # each row one place further to the left
        found[:, low : low + TILE] = shifted[:, :width].T
    return found


def chunk_gains(sums: NDArray[np.float64], weights: Any) -> NDArray[np.float64]:
    """(k, d) sums of weighted rows less the document's mean, and their weights -> (k,) what each chunk gains."""
    return np.asarray(row_products(sums, sums) / (weights + PRIOR))


def reliability_weights(sizes: Sizes, half_weight: float) -> NDArray[np.float64]:
    """(n,) sizes -> (n,) weights of mean 1: a longer unit says more, but no unit drowns the others.

    A unit weighs ``size / (size + half_weight * mean size)`` before that: 0 makes all alike, a large `half_weight`
    makes them weigh by their sizes. The row of a short unit is mostly noise, and that of a long one is not better for
    every word more.
    """
    own, count = np.asarray(sizes, np.float64), len(sizes)
    total = own.sum()
    if not half_weight or not total:
        return np.ones(count)
    weights = own / (own + half_weight * (total / count))
    return np.asarray(weights / (weights.sum() / count))


def edge_bonus(structure: Structure, share: float) -> NDArray[np.float64]:
    """(n - 1,) what the text shows at each gap -> (n + 1,) what that adds to the gain at each edge.

    Less its mean: where every sentence has a line of its own, the end of a line says nothing.
    """
    edges = np.zeros(len(structure) + 2)
    if share and len(structure):
        edges[1:-1] = share * (structure - structure.sum() / len(structure))
    return edges


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """What a chunk gains by chance in a document: how much on average, and how much that varies."""

    mean_row: NDArray[np.float32]
    """(d,) the mean of the rows. All units share it, so that it tells no subjects apart."""
    units: int
    average: float
    deviation: float

    @classmethod
    def of(cls, vectors: Vectors, weights: NDArray[np.float64]) -> Noise:
        """(n, d) unit rows, and their weights, of mean 1."""
        at = _spread(len(vectors), SAMPLE)
        rows, shares = vectors[at], np.asarray(weights[at], np.float32)
        shares /= shares.sum()
        mean = np.einsum("i,ij->j", shares, rows)
        average = float(shares @ np.einsum("ij,ij->i", rows, rows) - mean @ mean)
        some = _spread(len(rows), PAIRED)
        apart = (rows[some] - mean) * np.sqrt(len(rows) * shares[some])[:, None]
        alike = products(apart, apart)
        own = alike.diagonal()
        squares = float(np.einsum("ij,ij->", alike, alike) - own @ own)
        pairs = max(len(apart) * (len(apart) - 1), 1)
        return cls(mean, len(vectors), max(average, 0.0), max(2 * squares / pairs, 0.0) ** 0.5)

    def weighted(self, vectors: Vectors, weights: NDArray[np.float64]) -> NDArray[np.float32]:
        """(n, d) unit rows, and their weights -> (n, d) each less the mean, times its weight."""
        rows: NDArray[np.float32] = vectors - self.mean_row
        rows *= weights.astype(np.float32)[:, None]
        return rows

    def settle(self, made: Callable[[float], int], confidence: float, guess: int | None = None) -> int:
        """made: a penalty -> the number of chunks. Returns the number of chunks whose own penalty, nearly, gives it."""
        chunks, tried = guess or max(1, self.units // FIRST_GUESS - 1), list[float]()
        while len(tried) < GUESSES:
            penalty = self.penalty(chunks, confidence)
            if any(abs(penalty - other) <= self.deviation * NEAR for other in tried):
                break
            tried.append(penalty)
            chunks = made(penalty)
        return chunks

    def penalty(self, chunks: int, confidence: float) -> float:
        """What each of so many chunks has to gain.

        Long chunks have to gain more: chance could have made more of them, and neighbouring units of a text are alike
        even on one subject.
        """
        surer = log(20 * (1 - confidence)) / 1.5  # gains over chance fall by a factor of 4.5 with each deviation
        deviations = max(2 * log(self.units / chunks) - 2.3 - surer, 1.0)
        return max(round(self.average + deviations * self.deviation, 9), LEAST)


def _spread(count: int, most: int) -> Any:
    """An index of all rows, or of `most` rows that are evenly spread."""
    return slice(None) if count <= most else np.linspace(0, count - 1, most).round().astype(np.intp)
