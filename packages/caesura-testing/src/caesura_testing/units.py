"""Vectors, sizes and limits such as a cut meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caesura.types import Limits, Sizes, Structure, Vectors

LIMITS = (Limits(), Limits(1), Limits(60), Limits(300, 0), Limits(300, 120), Limits(None, 150), Limits(90, 90))
"""None, too small for a unit, in between, and as large as the smallest that is wished for."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The units of one document as a cut sees them; its arrays cannot be written to, unless they may."""

    vectors: Vectors
    sizes: Sizes
    limits: Limits
    structure: Structure
    writable: bool = False

    def __post_init__(self) -> None:
        for array in (self.vectors, self.sizes, self.structure):
            if isinstance(array, np.ndarray):
                array.setflags(write=self.writable)

    def __str__(self) -> str:
        sizes = self.sizes.tolist() if len(self.sizes) <= 12 else f"{self.sizes[:12].tolist()} …"
        return f"{len(self.sizes)} units in {self.vectors.shape[1]} dimensions, sizes {sizes}, {self.limits}"


def sample_units(count: int = 100, seed: int = 0) -> list[Units]:
    """Returns `count` documents, the same for one seed: few units, zero rows and equal ones, then others by chance."""
    random = np.random.default_rng(seed)
    fixed = [
        *(
            units_of(np.zeros((0, d), np.float32), np.zeros(0, np.intp), limits)
            for d in (0, 3)
            for limits in LIMITS[:3]
        ),
        *(units_of(np.ones((1, 1), np.float32), np.full(1, 70, np.intp), limits) for limits in LIMITS),
        *(
            units_of(np.ones((2, 1), np.float32), np.full(2, 40, np.intp), limits)
            for limits in (Limits(79), Limits(80), Limits(80, 41))
        ),
        *(units_of(np.zeros((30, 4), np.float32), np.arange(1, 31, dtype=np.intp), limits) for limits in LIMITS),
        *(units_of(np.eye(4, dtype=np.float32)[[0] * 20], np.full(20, 9, np.intp), limits) for limits in LIMITS),
    ]
    found = fixed[:count]
    while len(found) < count:
        n = int(random.integers(0, 41)) if len(found) % 25 else 200
        rows = wandering(random, n, int(random.integers(1, 9)))
        sizes = random.integers(1, 100, n).astype(np.intp)
        structure = random.choice([0.0, 0.5, 1.0, 2.0], max(n - 1, 0))
        found.append(Units(rows, sizes, LIMITS[len(found) % len(LIMITS)], structure))
    return found


def units_of(vectors: Vectors, sizes: Sizes, limits: Limits) -> Units:
    """A document whose text shows nothing at its gaps."""
    return Units(vectors, sizes, limits, np.zeros(max(len(sizes) - 1, 0)))


def wandering(random: np.random.Generator, n: int, d: int, zero: float = 0.1) -> Vectors:
    """(n, d) unit rows that wander from subject to subject, a share `zero` of them zero."""
    rows = np.zeros((n, d))
    subject = random.normal(size=d)
    for row in rows:
        if random.random() < 0.3:
            subject = random.normal(size=d)
        row[:] = subject + random.normal(size=d) * random.uniform(0.1, 1.5)
    rows /= np.maximum(np.sqrt((rows * rows).sum(axis=1, keepdims=True)), 1e-12)
    rows[random.random(n) < zero] = 0
    return rows.astype(np.float32)
