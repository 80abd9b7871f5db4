"""A document of tests/golden/kinds by its name -> its text, its units, and the pieces of those over a limit."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from caesura import Limits, Splitter
from caesura.types import Breaks, Sizes, Vectors

KINDS = Path(__file__).parents[2] / "golden" / "kinds"
LIMITS = (400, 80)
segment = Splitter().segment  # what is used where nothing is chosen


def everywhere(vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
    """Every unit its own chunk."""
    return np.arange(1, len(sizes), dtype=np.intp)


def alike(texts: object) -> NDArray[np.float32]:
    """One row for all texts: nothing here hangs on meaning."""
    return np.ones((len(texts), 1), np.float32)  # type: ignore[arg-type]


def read(name: str) -> str:
    return (KINDS / name).read_bytes().decode("utf-8")


def pieces(text: str, max_size: int) -> list[str]:
    """The chunks where every unit is one: whole units, and the pieces of those over the limit."""
    splitter = Splitter(limits=Limits(max_size), cut=everywhere)
    return [chunk.text for chunk in splitter.split(text, alike)]


def bare(text: str) -> list[str]:
    """The units, trimmed."""
    return [text[start:end].strip() for start, end in pairwise(segment(text).tolist())]
