"""What makes groups fit, against its slow twins, on random input from fixed seeds."""

from __future__ import annotations

import naive.fit
import numpy as np
from fakes.laws import at_least
from fakes.texts.random_texts import random_limits

from caesura.cuts.limits.fit import fit, fit_slices


def test_fit_is_what_its_slow_twin_is() -> None:
    joined, parted, count = 0, 0, at_least(3_000)
    for number in range(count):
        random = np.random.default_rng([4, number])
        n = int(random.integers(1, 25))
        sizes = random.integers(1, random.choice([2, 10, 300]), n).astype(np.intp)
        gaps = random.uniform(0, 2, n - 1) if number % 3 else random.integers(0, 3, n - 1) / 2
        breaks = np.flatnonzero(random.random(n - 1) < random.random()) + 1
        limits = random_limits(random, sizes)
        slow = naive.fit.fit(breaks.tolist(), gaps.tolist(), sizes.tolist(), limits.max_size, limits.min_size)
        assert fit(breaks, gaps, sizes, limits).tolist() == slow, (breaks, gaps, sizes, limits)
        joined += bool(set(breaks.tolist()) - set(slow))
        parted += bool(set(slow) - set(breaks.tolist()))
    assert joined > 0.1 * count
    assert parted > 0.1 * count


def test_fit_slices_is_what_its_slow_twin_is() -> None:
    for number in range(at_least(3_000)):
        random = np.random.default_rng([5, number])
        n = int(random.integers(1, 20))
        sizes = random.integers(1, 1_000_000, n).astype(np.intp)
        breaks = np.flatnonzero(random.random(n - 1) < 0.2) + 1
        largest = int(random.integers(1, 4_000_000))

        def fits(start: int, end: int, sizes: np.ndarray = sizes, largest: int = largest) -> bool:
            return int(sizes[start:end].sum()) + 1000 * (end - start) <= largest

        made = fit_slices(breaks, sizes, fits).tolist()
        assert made == naive.fit.fit_slices(breaks.tolist(), sizes.tolist(), fits), (breaks, sizes, largest)
