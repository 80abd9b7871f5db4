"""Our rows and the teacher's -> how well they agree about which pairs of sentences are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Places = NDArray[np.intp]


def unit(rows: Rows) -> Rows:
    """Rows -> unit rows; a zero row stays zero."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def centred_cosines(rows: Rows, background: Rows, left: Places, right: Places) -> NDArray[np.float64]:
    """Rows -> the cosine of each pair, after the background is taken from the unit rows."""
    centred = unit(unit(rows) - background).astype(float)
    return np.asarray((centred[left] * centred[right]).sum(1))


def rank_correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Spearman's; cosines of real pairs have next to no ties."""
    return float(np.corrcoef(one.argsort().argsort(), other.argsort().argsort())[0, 1])


def pair_agreement(ours: Rows, teacher: Rows, left: Places, right: Places, background: Rows | None = None) -> float:
    """Returns Spearman's correlation of our cosines and the teacher's; each centred on its background or mean."""
    own = unit(ours).mean(0) if background is None else background
    theirs = unit(teacher).mean(0)
    return rank_correlation(centred_cosines(ours, own, left, right), centred_cosines(teacher, theirs, left, right))


def held_out_pairs(runs: Places, seed: int, most: int = 4000) -> tuple[Places, Places]:
    """The run of each sentence -> pairs: half neighbours in one run, half from different runs."""
    draw = np.random.default_rng(seed)
    neighbours = np.flatnonzero(runs[1:] == runs[:-1])
    left = draw.permutation(neighbours)[: most // 2]
    far = draw.integers(len(runs), size=(2, 2 * len(left)))
    far = far[:, runs[far[0]] != runs[far[1]]][:, : len(left)]
    return np.r_[left, far[0]], np.r_[left + 1, far[1]]
