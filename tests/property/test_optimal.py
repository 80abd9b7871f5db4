"""The optimal cut against every segmentation there is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import naive.optimal
import naive.rows
import numpy as np
import pytest
from fakes.laws import at_least
from fakes.random_texts import random_texts

from caesura import Limits, OptimalCut
from caesura.vectors import reliability_weights


def worths(
    vectors: np.ndarray, sizes: np.ndarray, limits: Limits, structure: np.ndarray, cut: OptimalCut
) -> dict[tuple[int, ...], tuple[int, float]]:
    """Every segmentation within the limits, and what it is worth before any penalty."""
    bonus = (cut.structure * structure).tolist()
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
    return found[0] == best[0] and abs(found[1] - best[1]) < 1e-6


def test_no_segmentation_is_worth_more_than_the_optimal_one() -> None:
    for random, vectors, sizes, limits, structure, settings in cases(11, at_least(800)):
        penalty = float(random.choice([0, 0.3, 1, 2]) * random.random())
        cut = OptimalCut(penalty, **settings)
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


def test_long_texts_are_cut_as_by_the_whole_table() -> None:
    """Starts that have been overtaken are left out; a table of all pairs leaves out none."""
    for random, vectors, sizes, limits in random_texts(13, at_least(300), 60):
        n, penalty = len(sizes), float(2 * random.random())
        if n < 2:
            continue
        weights = reliability_weights(sizes, 0.25)
        totals = np.concatenate(([0], np.cumsum(sizes)))
        sums = np.concatenate((np.zeros((1, vectors.shape[1])), np.cumsum(vectors * weights[:, None], axis=0)))
        small = 1e6
        best = [0.0]
        for end in range(1, n + 1):
            best.append(
                max(
                    best[start]
                    + float(np.linalg.norm(sums[end] - sums[start]))
                    - penalty
                    - small * (totals[end] - totals[start] < limits.min_size)
                    for start in range(end)
                    if end - start == 1 or limits.max_size is None or totals[end] - totals[start] <= limits.max_size
                )
            )
        ends = [0, *OptimalCut(penalty, structure=0)(vectors, sizes, limits).tolist(), n]
        value = sum(
            float(np.linalg.norm(sums[b] - sums[a])) - penalty - small * (totals[b] - totals[a] < limits.min_size)
            for a, b in pairwise(ends)
        )
        assert value == pytest.approx(best[n], rel=1e-9, abs=1e-5)


def test_a_target_size_gives_the_nearest_number_that_a_penalty_can_give() -> None:
    for random, vectors, sizes, _limits in random_texts(14, at_least(200), 40):
        if len(sizes) < 2:
            continue
        target = int(random.integers(1, int(sizes.sum()) + 2))
        wanted = max(1, round(int(sizes.sum()) / target))
        found = len(OptimalCut(target_size=target)(vectors, sizes, Limits())) + 1
        near = {len(OptimalCut(float(penalty))(vectors, sizes, Limits())) + 1 for penalty in np.linspace(0.01, 4, 60)}
        assert abs(found - wanted) <= min(abs(count - wanted) for count in near)
