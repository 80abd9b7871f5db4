"""Random rows, sizes and limits, by seed and number: what cuts are compared on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura import Limits
from caesura_testing.units import wandering

NEAR = 1e-9
"""Two values nearer than this may change places by rounding alone."""


def random_limits(random: np.random.Generator, sizes: np.ndarray) -> Limits:
    total = int(sizes.sum()) + 1
    max_size = None if random.random() < 0.25 else int(random.integers(1, total + 1))
    least = 0 if random.random() < 0.5 else int(random.integers(0, total))
    return Limits(max_size, least if max_size is None else min(least, max_size))


def random_texts(
    seed: int, count: int, longest: int
) -> Iterator[tuple[np.random.Generator, np.ndarray, np.ndarray, Limits]]:
    for number in range(count):
        random = np.random.default_rng([seed, number])
        n, d = int(random.integers(0, longest + 1)), int(random.integers(1, 7))
        sizes = random.integers(1, random.choice([2, 10, 300]), n).astype(np.intp)
        zero = float(random.choice([0, 0, 0.1, 0.5]))
        yield random, wandering(random, n, d, zero), sizes, random_limits(random, sizes)
