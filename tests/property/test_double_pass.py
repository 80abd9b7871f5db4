"""Double-pass cuts against the slow twin, on random input from fixed seeds."""

from __future__ import annotations

import naive.double_pass
import numpy as np
import pytest
from fakes.laws import at_least
from fakes.random_texts import NEAR, random_texts

from caesura import Adjacent, DoublePassCut


def near_ties(values: np.ndarray) -> bool:
    """Whether two values differ by rounding alone."""
    steps = np.diff(np.sort(values))
    return bool(((steps > 0) & (steps < NEAR)).any())


@pytest.mark.parametrize("leftovers", [False, True], ids=["published", "leftovers join"])
def test_double_pass_breaks_are_those_of_the_slow_twin(leftovers: bool) -> None:
    compared, broken, count = 0, 0, at_least(6_000 if leftovers else 10_000)
    for random, vectors, sizes, limits in random_texts(1, count, 20):
        low, high = sorted(random.uniform(-1, 1, 2))
        thresholds = [float(value) for value in random.uniform(low, high, 3)]
        last = (
            int(random.integers(0, 5)),
            *((int(random.integers(2, 6)), random.uniform(-1, 1)) if leftovers else (1, 0)),
        )
        margins: list[float] = []
        slow = naive.double_pass.double_pass(
            vectors.tolist(), sizes.tolist(), limits.max_size, limits.min_size, *thresholds, *last, margins
        )
        if min(margins, default=1) < NEAR or (limits.min_size and near_ties(Adjacent()(vectors, sizes))):
            continue
        compared += 1
        broken += 0 < len(slow) < len(sizes) - 1
        cut = DoublePassCut(*thresholds, *last) if leftovers else DoublePassCut(*thresholds, last[0], confidence=None, structure=0)
        assert cut(vectors, sizes, limits).tolist() == slow, (vectors, sizes, limits, cut)
    assert compared > (0.8 if leftovers else 0.95) * count
    assert broken > 0.2 * count
