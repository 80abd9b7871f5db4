"""Double-pass cuts against the slow twin, on random input from fixed seeds."""

from __future__ import annotations

import naive.double_pass
import numpy as np
import pytest
from fakes.laws import at_least
from fakes.texts.random_texts import NEAR, random_texts

from caesura import Adjacent, DoublePassCut

ROUGHLY = 1e-5
"""Two distances nearer than this may change places: mean rows of chunks are float32."""


def near_ties(values: np.ndarray) -> bool:
    """Whether two values differ by rounding alone."""
    steps = np.diff(np.sort(values))
    return bool(((steps > 0) & (steps < NEAR)).any())


@pytest.mark.parametrize("chance", [False, True], ids=["published", "what chance explains joins"])
def test_double_pass_breaks_are_those_of_the_slow_twin(chance: bool) -> None:
    compared, broken, count = 0, 0, at_least(2_000 if chance else 10_000)
    for random, vectors, sizes, limits in random_texts(1, count, 20):
        low, high = sorted(random.uniform(-1, 1, 2))
        thresholds = [float(value) for value in random.uniform(low, high, 3)]
        look_ahead, structure = int(random.integers(0, 5)), random.choice([0, 0, 0.5, 1], max(len(sizes) - 1, 0))
        share = float(random.choice([0, 0.3])) if chance else 0.0
        confidence = float(random.choice([0, 0.5, 0.95])) if chance else None
        bonus = share * (structure - structure.mean()) if len(structure) else structure
        margins: list[float] = []
        slow = naive.double_pass.double_pass(
            vectors.tolist(),
            sizes.tolist(),
            limits.max_size,
            limits.min_size,
            *thresholds,
            look_ahead,
            confidence,
            bonus.tolist(),
            margins,
        )
        if min(margins, default=1) < (ROUGHLY if chance else NEAR):
            continue
        if limits.min_size and near_ties(Adjacent()(vectors, sizes)):
            continue
        compared += 1
        broken += 0 < len(slow) < len(sizes) - 1
        cut = DoublePassCut(*thresholds, look_ahead, confidence, share)
        assert cut.within(vectors, sizes, limits, structure).tolist() == slow, (vectors, sizes, limits, structure, cut)
    assert compared > (0.5 if chance else 0.95) * count
    assert broken > 0.2 * count
