"""The shipped model and Choi's documents -> how well it agrees with its teacher, and how well it tells subjects apart.

    python packages/caesura-static/distill/evaluate.py /path/to/choi

The folder holds *.ref files, for measuring only (choi.py). Needs this folder's requirements.txt.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from agreement import Rows, pair_agreement, unit
from choi import Document, choi_pairs, documents


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


def segmentation(read: list[Document], rows: Rows, background: Rows) -> float:
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
