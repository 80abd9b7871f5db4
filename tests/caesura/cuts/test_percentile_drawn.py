"""Gap scores, thresholds and percentile cuts against their slow twins, on random input from fixed seeds."""

from __future__ import annotations

import naive.fit
import naive.gaps
import naive.thresholds
import numpy as np
import pytest
from fakes.laws import at_least
from fakes.texts.random_texts import NEAR, random_texts

from caesura import (
    Adjacent,
    Count,
    Gradient,
    Interquartile,
    Overlapping,
    Percentile,
    PercentileCut,
    StandardDeviation,
)

THRESHOLDS = {
    "percentile": Percentile,
    "standard_deviation": StandardDeviation,
    "interquartile": Interquartile,
    "gradient": Gradient,
    "count": lambda amount: Count(int(amount)),
}


def random_gap_score(random: np.random.Generator) -> tuple[object, object]:
    width = int(random.integers(1, 6))
    return [
        (Adjacent(1), lambda rows, sizes: naive.gaps.neighbours(rows)),
        (Adjacent(width), lambda rows, sizes: naive.gaps.adjacent(rows, width)),
        (Overlapping(width - 1), lambda rows, sizes: naive.gaps.overlapping(rows, sizes, width - 1)),
    ][int(random.integers(3))]


def random_threshold(random: np.random.Generator) -> tuple[str, float]:
    kind = str(random.choice(list(THRESHOLDS)))
    return kind, {
        "percentile": random.uniform(0, 100),
        "standard_deviation": random.uniform(-2, 3),
        "interquartile": random.uniform(-1, 2),
        "gradient": random.uniform(0, 100),
        "count": float(random.integers(1, 12)),
    }[kind]


def test_percentile_breaks_are_those_of_the_slow_twin() -> None:
    compared, broken, count = 0, 0, at_least(3_000)
    for random, vectors, sizes, limits in random_texts(2, count, 24):
        fast_gaps, slow_gaps = random_gap_score(random)
        kind, amount = random_threshold(random)
        cut = PercentileCut(fast_gaps, THRESHOLDS[kind](amount))
        scores = cut.scores(vectors, sizes)
        assert np.allclose(scores, slow_gaps(vectors.tolist(), sizes.tolist()), rtol=0, atol=1e-12)
        margins: list[float] = []
        gaps = scores.tolist()  # the same numbers for both: what ties is a tie for both
        slow = naive.fit.fit(
            naive.thresholds.chosen(gaps, kind, amount, margins), gaps, sizes.tolist(), limits.max_size, limits.min_size
        )
        if min(margins, default=1) < NEAR:
            continue
        compared += 1
        broken += 0 < len(slow) < len(sizes) - 1
        assert cut(vectors, sizes, limits).tolist() == slow, (vectors, sizes, limits, cut)
    assert compared > 0.87 * count
    assert broken > 0.33 * count


@pytest.mark.parametrize("kind", THRESHOLDS)
def test_a_threshold_chooses_the_gaps_that_the_slow_twin_chooses(kind: str) -> None:
    random = np.random.default_rng(3)
    for _ in range(at_least(2_000, cases=len(THRESHOLDS))):
        gaps = random.uniform(0, 2, int(random.integers(1, 30)))
        amount = {"standard_deviation": random.uniform(-3, 3), "interquartile": random.uniform(-3, 3)}.get(
            kind, random.uniform(1, 100)
        )
        found = np.flatnonzero(THRESHOLDS[kind](amount)(gaps)) + 1
        assert found.tolist() == naive.thresholds.chosen(gaps.tolist(), kind, amount)
