"""A folder of Choi's *.ref files -> its documents, and pairs of their sentences, drawn with a seed.

Lines of ========== stand between segments, and a sentence is a line.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

Document = list[list[str]]
"""Segments of sentences."""
SEED = 2000


def documents(folder: Path) -> list[Document]:
    """Returns the folder's documents."""
    texts = (file.read_text(encoding="latin-1") for file in sorted(folder.rglob("*.ref")))
    split = [[part.strip().splitlines() for part in text.split("==========") if part.strip()] for text in texts]
    return [[[line.strip() for line in part if line.strip()] for part in document] for document in split]


def choi_pairs(read: list[Document], count: int = 2000) -> tuple[list[str], list[str]]:
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
