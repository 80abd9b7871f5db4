"""The shipped model and Choi's documents -> how well it agrees with its teacher, and how well it tells subjects apart.

    python packages/caesura-static/distill/evaluate.py /path/to/choi

The folder holds *.ref files: lines of ========== between segments, one sentence a line. It is for measuring only.
Needs this folder's requirements.txt; the pairs are drawn with a seed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Places = NDArray[np.intp]
SEED = 2000


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


def documents(folder: Path) -> list[list[list[str]]]:
    """Returns documents of segments of sentences."""
    texts = (file.read_text(encoding="latin-1") for file in sorted(folder.rglob("*.ref")))
    split = [[part.strip().splitlines() for part in text.split("==========") if part.strip()] for text in texts]
    return [[[line.strip() for line in part if line.strip()] for part in document] for document in split]


def choi_pairs(read: list[list[list[str]]], count: int = 2000) -> tuple[list[str], list[str]]:
    """Returns left and right: half neighbours in a segment, half from different documents."""
    draw = np.random.default_rng(SEED)
    left: list[str] = []
    right: list[str] = []
    while len(left) < count // 2:
        document = read[draw.integers(len(read))]
        segment = document[draw.integers(len(document))]
        if len(segment) > 1:
            place = draw.integers(len(segment) - 1)
            left.append(segment[place])
            right.append(segment[place + 1])
    while len(left) < count:
        pair = draw.integers(len(read), size=2)
        if pair[0] != pair[1]:
            lines = [[line for part in read[i] for line in part] for i in pair]
            left.append(lines[0][draw.integers(len(lines[0]))])
            right.append(lines[1][draw.integers(len(lines[1]))])
    return left, right


def best_breaks(rows: Rows, count: int) -> list[int]:
    """Rows -> the `count` breaks that maximise the sum over groups of the length of the summed rows, exactly."""
    n, sums = len(rows), np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows, 0)])
    gain = np.linalg.norm(sums[:, None] - sums[None], axis=2)
    gain[np.tril_indices(n + 1)] = -np.inf
    best, back = gain[0], []
    for _ in range(count):
        scores = best[:, None] + gain
        back.append(scores.argmax(0))
        best = scores.max(0)
    breaks, end = [], n
    for before in reversed(back):
        end = int(before[end])
        breaks.append(end)
    return breaks[::-1]


def pk(true: list[int], found: list[int], n: int) -> float:
    """Beeferman's Pk: how often a probe of half the mean segment is wrong about its two ends being together."""
    k = max(1, round(n / (len(true) + 1) / 2))
    parts = [np.searchsorted(breaks, np.arange(n), side="right") for breaks in (true, found)]
    together = [part[:-k] == part[k:] for part in parts]
    return float((together[0] != together[1]).mean())


def segmentation(read: list[list[list[str]]], rows: Rows, background: Rows) -> float:
    """Returns the mean Pk, in per cent, of the best breaks when the number of segments is told."""
    centred, errors, start = unit(unit(rows) - background), [], 0
    for document in read:
        sizes = [len(part) for part in document]
        true = list(np.cumsum(sizes)[:-1])
        errors.append(pk(true, best_breaks(centred[start : start + sum(sizes)], len(true)), sum(sizes)))
        start += sum(sizes)
    return 100 * float(np.mean(errors))


def main() -> None:
    """Prints the figures."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import teacher

    from caesura_static import StaticEmbedder

    embed, read = StaticEmbedder(), documents(Path(sys.argv[1]))
    left, right = choi_pairs(read)
    places = np.arange(len(left))
    rows, taught = embed(left + right), teacher.encode(left + right)
    agreement = pair_agreement(rows, taught, places, places + len(left), embed.background)
    length = np.linalg.norm(embed.background)
    print(f"model {embed.version}, {embed.dimension} dimensions, background of length {length:.3f}")
    own = pair_agreement(rows, taught, places, places + len(left))
    print(f"Spearman against the teacher, {len(left)} pairs of Choi's sentences: {own:.4f} centred on their mean,")
    print(f"{agreement:.4f} centred on the shipped background (the teacher on their mean)")
    lines = [line for document in read for part in document for line in part]
    error = segmentation(read, embed(lines), embed.background)
    print(f"Pk with the number of segments told, {len(read)} documents: {error:.2f}")


if __name__ == "__main__":
    main()
