"""The optimal cut against every segmentation there is."""

from __future__ import annotations

from typing import Any

import naive.optimal
import naive.rows
import numpy as np
import pytest
from fakes.laws import at_least
from fakes.texts.random_texts import random_texts

from caesura import Limits, OptimalCut
from caesura.cuts.scores.noise import edge_bonus, reliability_weights
from caesura.cuts.search import dynamic_programme as search

ROUGHLY = 1e-4
"""Two values nearer than this may change places: products of rows are float32."""


def worths(
    vectors: np.ndarray, sizes: np.ndarray, limits: Limits, structure: np.ndarray, cut: OptimalCut
) -> dict[tuple[int, ...], tuple[int, float]]:
    """Every segmentation within the limits, and what it is worth before any penalty."""
    bonus = (cut.structure * (structure - structure.mean())).tolist()
    weights = naive.rows.reliable(sizes.tolist(), cut.half_weight)
    given = vectors.tolist(), sizes.tolist(), limits.max_size, limits.min_size, bonus, weights
    made = {tuple(breaks): naive.optimal.worth(breaks, *given) for breaks in naive.optimal.segmentations(len(sizes))}
    return {breaks: worth for breaks, worth in made.items() if worth is not None}


def cases(seed: int, count: int) -> Any:
    for random, vectors, sizes, limits in random_texts(seed, count, 9):
        if len(sizes) > 1:
            structure = random.choice([0, 0, 0.5, 1, 2], len(sizes) - 1)
            settings = {"structure": float(random.choice([0, 0.3])), "half_weight": float(random.choice([0, 0.25, 5]))}
            yield random, vectors, sizes, limits, structure, settings


def same(found: tuple[int, float], best: tuple[int, float]) -> bool:
    return found[0] == best[0] and abs(found[1] - best[1]) < 1e-5


def test_no_segmentation_is_worth_more_than_the_optimal_one() -> None:
    for random, vectors, sizes, limits, structure, settings in cases(11, at_least(800)):
        penalty = float(random.choice([0, 0.3, 1, 2]) * random.random())
        cut = OptimalCut(penalty=penalty, **settings)
        of = worths(vectors, sizes, limits, structure, cut)
        less = {breaks: (small, value - penalty * (len(breaks) + 1)) for breaks, (small, value) in of.items()}
        breaks = tuple(cut.within(vectors, sizes, limits, structure).tolist())
        assert same(less[breaks], max(less.values())), (vectors, sizes, limits, structure, cut)


def test_no_segmentation_into_as_many_chunks_is_worth_more() -> None:
    for random, vectors, sizes, limits, structure, settings in cases(12, at_least(800)):
        wanted = int(random.integers(1, 12))
        cut = OptimalCut(n_chunks=wanted, **settings)
        of = worths(vectors, sizes, limits, structure, cut)
        counts = sorted({len(breaks) + 1 for breaks in of})
        most = max([count for count in counts if count <= wanted], default=counts[0])
        best = {
            count: max(worth for breaks, worth in of.items() if len(breaks) + 1 == count)
            for count in counts
            if count <= most
        }
        fewest_small = max(small for small, _ in best.values())
        expected = max(count for count, (small, _) in best.items() if small == fewest_small)
        breaks = tuple(cut.within(vectors, sizes, limits, structure).tolist())
        assert len(breaks) + 1 == expected, (vectors, sizes, limits, structure, cut)
        assert same(of[breaks], best[expected])


@pytest.mark.parametrize("long", [0, 1_000], ids=["guessed on every fourth edge first", "not guessed"])
def test_what_chance_decides_is_what_the_slow_twin_finds(monkeypatch: pytest.MonkeyPatch, long: int) -> None:
    monkeypatch.setattr(search, "LONG", long)
    compared, cut_somewhere, count = 0, 0, at_least(600, cases=2)
    for random, vectors, sizes, limits, structure, settings in cases(17, count):
        cut = OptimalCut(float(random.choice([0, 0.5, 0.95])), **settings)
        weights = naive.rows.reliable(sizes.tolist(), cut.half_weight)
        margins: list[float] = []
        of = worths(vectors, sizes, limits, structure, cut)
        slow = naive.optimal.by_chance(
            of, vectors.tolist(), sizes.tolist(), limits.max_size, weights, cut.confidence, margins, not long
        )
        if min(margins, default=1) < ROUGHLY:
            continue
        compared += 1
        cut_somewhere += bool(slow)
        found = cut.within(vectors, sizes, limits, structure).tolist()
        assert found == slow, (vectors, sizes, limits, structure, cut)
    assert compared > 0.4 * count
    assert cut_somewhere > 0.1 * count


@pytest.mark.parametrize("widest", [0, search.WIDEST], ids=["starts that are overtaken are left out", "few in reach"])
def test_long_texts_are_cut_as_by_the_whole_table(monkeypatch: pytest.MonkeyPatch, widest: int) -> None:
    """A table of all pairs leaves out none."""
    monkeypatch.setattr(search, "WIDEST", widest)
    for random, vectors, sizes, limits in random_texts(13, at_least(200), 60):
        n, penalty = len(sizes), float(random.choice([0, 1, 4]) * random.random())
        if n < 2:
            continue
        weights, totals = reliability_weights(sizes, 0.25), np.concatenate(([0], np.cumsum(sizes)))
        structure = random.choice([0, 0, 0.5, 1, 2], n - 1)
        bonus = edge_bonus(structure, 0.3)
        weighs = np.concatenate(([0], np.cumsum(weights)))
        mean = weights @ vectors / weights.sum()
        sums = np.concatenate((np.zeros((1, vectors.shape[1])), np.cumsum((vectors - mean) * weights[:, None], axis=0)))

        def value(start: int, end: int) -> float:
            row = sums[end] - sums[start]  # noqa: B023
            small = 1e5 * (totals[end] - totals[start] < limits.min_size)  # noqa: B023
            return float(row @ row / (weighs[end] - weighs[start] + 0.3) + bonus[end] - penalty - small)  # noqa: B023

        best = [0.0]
        for end in range(1, n + 1):
            best.append(
                max(
                    best[start] + value(start, end)
                    for start in range(end)
                    if end - start == 1 or limits.max_size is None or totals[end] - totals[start] <= limits.max_size
                )
            )
        ends = [0, *OptimalCut(penalty=penalty).within(vectors, sizes, limits, structure).tolist(), n]
        assert sum(map(value, ends, ends[1:])) == pytest.approx(best[n], rel=1e-9, abs=1e-4)
