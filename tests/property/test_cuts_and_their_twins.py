"""Every fast cut against its slow twin, on random input from fixed seeds."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from laws import at_least
from random_texts import NEAR, random_limits, random_texts

from caesura import (
    Adjacent,
    Count,
    DoublePassCut,
    Gradient,
    Interquartile,
    Neighbours,
    Overlapping,
    Percentile,
    PercentileCut,
    StandardDeviation,
)
from caesura.cuts.fit import fit, fit_slices
from caesura.vectors import unit_rows

THRESHOLDS = {
    "percentile": Percentile,
    "standard_deviation": StandardDeviation,
    "interquartile": Interquartile,
    "gradient": Gradient,
    "count": lambda amount: Count(int(amount)),
}


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
        slow = naive.double_pass(
            vectors.tolist(), sizes.tolist(), limits.max_size, limits.min_size, *thresholds, *last, margins
        )
        if min(margins, default=1) < NEAR or (limits.min_size and near_ties(Adjacent()(vectors, sizes))):
            continue
        compared += 1
        broken += 0 < len(slow) < len(sizes) - 1
        cut = DoublePassCut(*thresholds, *last) if leftovers else DoublePassCut(*thresholds, last[0])
        assert cut(vectors, sizes, limits).tolist() == slow, (vectors, sizes, limits, cut)
    assert compared > (0.8 if leftovers else 0.95) * count
    assert broken > 0.2 * count


def random_gap_score(random: np.random.Generator) -> tuple[object, object]:
    width = int(random.integers(1, 6))
    return [
        (Neighbours(), lambda rows, sizes: naive.neighbours(rows)),
        (Adjacent(width), lambda rows, sizes: naive.adjacent(rows, width)),
        (Overlapping(width - 1), lambda rows, sizes: naive.overlapping(rows, sizes, width - 1)),
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
        slow = naive.fit(
            naive.chosen(gaps, kind, amount, margins), gaps, sizes.tolist(), limits.max_size, limits.min_size
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
        assert found.tolist() == naive.chosen(gaps.tolist(), kind, amount)


def test_fit_is_what_its_slow_twin_is() -> None:
    joined, parted, count = 0, 0, at_least(3_000)
    for number in range(count):
        random = np.random.default_rng([4, number])
        n = int(random.integers(1, 25))
        sizes = random.integers(1, random.choice([2, 10, 300]), n).astype(np.intp)
        gaps = random.uniform(0, 2, n - 1) if number % 3 else random.integers(0, 3, n - 1) / 2
        breaks = np.flatnonzero(random.random(n - 1) < random.random()) + 1
        limits = random_limits(random, sizes)
        slow = naive.fit(breaks.tolist(), gaps.tolist(), sizes.tolist(), limits.max_size, limits.min_size)
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
        assert made == naive.fit_slices(breaks.tolist(), sizes.tolist(), fits), (breaks, sizes, largest)


@pytest.mark.parametrize("weight", [None, np.inf, 64.0, 0.5], ids=str)
def test_unit_rows_are_those_of_the_slow_twin(weight: float | None) -> None:
    for number in range(at_least(2_000, cases=4)):
        random = np.random.default_rng([6, number])
        n, d = int(random.integers(0, 8)), int(random.integers(1, 6))
        rows = (random.normal(size=(n, d)) * 10.0 ** random.uniform(-15, 15)).astype(np.float32)
        rows[random.random(n) < 0.1] = 0
        rows[random.random((n, d)) < 0.03] = random.choice([np.nan, np.inf, -np.inf])
        mean = random.normal(size=d).astype(np.float32) / 3
        slow = naive.unit_rows(rows.tolist(), *(() if weight is None else (mean.tolist(), weight)))
        fast = unit_rows(rows, n, *(() if weight is None else (mean, weight)))
        assert fast.dtype == np.float32
        assert fast.shape == (n, d)
        assert np.allclose(fast, np.reshape(slow, (n, d)), rtol=0, atol=1e-4)
