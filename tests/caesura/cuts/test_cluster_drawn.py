"""The cluster cut against one that looks at every gap again."""

from __future__ import annotations

from dataclasses import replace

import naive.cluster
import naive.rows
import numpy as np
import pytest
from fakes.laws import at_least
from fakes.texts.random_texts import random_limits, random_texts

from caesura import Average, ClusterCut, Cohesion, Elbow, Limits, NClusters, Silhouette, Ward
from caesura.cuts.cluster import DistanceThreshold
from caesura.cuts.scores.noise import reliability_weights
from caesura.cuts.search.merge_tree import agglomerate
from caesura_testing.units import wandering

ROUGHLY = 1e-5
"""Two distances nearer than this may change places: rows less their mean are float32."""
LINKAGES = {"average": Average(), "ward": Ward(), "cohesion": Cohesion()}


@pytest.mark.parametrize("name", LINKAGES)
def test_neighbours_join_in_the_order_of_the_slow_twin(name: str) -> None:
    compared, count = 0, at_least(700)
    for random, vectors, sizes, limits in random_texts(15, count, 16):
        if len(sizes) < 2:
            continue
        half, limits = float(random.choice([0, 0.25, 5])), Limits(limits.max_size)
        margins: list[float] = []
        weights = naive.rows.reliable(sizes.tolist(), half)
        slow = naive.cluster.cluster(vectors.tolist(), sizes.tolist(), limits.max_size, weights, name, margins)
        if min(margins, default=1) < ROUGHLY:
            continue
        compared += 1
        wanted = int(random.integers(1, 18))
        left = max(wanted, len(sizes) - len(slow))
        done = {gap for gap, _ in slow[: max(len(sizes) - left, 0)]}
        cut = ClusterCut(LINKAGES[name], NClusters(wanted), half)
        assert cut(vectors, sizes, limits).tolist() == [gap for gap in range(1, len(sizes)) if gap not in done]
        distance, highest, joined = float(random.uniform(0, 2)), 0.0, set()
        for gap, height in slow:
            highest = max(highest, height)
            if highest > distance:
                break
            joined.add(gap)
        if all(abs(height - distance) > ROUGHLY for _, height in slow):
            cut = ClusterCut(LINKAGES[name], DistanceThreshold(distance), half)
            assert cut(vectors, sizes, limits).tolist() == [gap for gap in range(1, len(sizes)) if gap not in joined]
    assert compared > 0.5 * count


@pytest.mark.parametrize("name", ["ward", "cohesion"])
def test_where_neighbours_stop_to_join_is_what_the_slow_twin_finds(name: str) -> None:
    compared, cut_somewhere, count = 0, 0, at_least(600)
    for random, vectors, sizes, limits in random_texts(18, count, 24):
        n, limits = len(sizes), Limits(limits.max_size)
        if n < 2:
            continue
        cut = ClusterCut(LINKAGES[name], confidence=float(random.choice([0, 0.5, 0.95])))
        structure, margins = random.choice([0, 0, 0.5, 1, 2], n - 1), list[float]()
        bonus = (0.3 * (structure - structure.mean())).tolist()
        weights = naive.rows.reliable(sizes.tolist(), 0.25)
        given = vectors.tolist(), sizes.tolist(), limits.max_size, weights, name, cut.confidence, bonus, margins
        slow = naive.cluster.by_chance(*given, list(range(1, n)))
        if min(margins, default=1) < ROUGHLY:
            continue
        compared += 1
        cut_somewhere += bool(slow)
        assert cut.within(vectors, sizes, limits, structure).tolist() == slow, (vectors, sizes, limits, structure, cut)
    assert compared > 0.4 * count
    assert cut_somewhere > 0.1 * count


def test_spread_and_silhouette_are_those_of_the_slow_twin() -> None:
    for number in range(at_least(150)):
        random = np.random.default_rng([16, number])
        n = int(random.integers(2, 15))
        vectors, sizes = wandering(random, n, 4, 0.1), random.integers(1, 50, n).astype(np.intp)
        limits = Limits(random_limits(random, sizes).max_size)
        weights = naive.rows.reliable(sizes.tolist(), 0.25)
        shares = reliability_weights(sizes, 0.25)
        rows = vectors * shares.astype(np.float32)[:, None]
        merged = replace(agglomerate(rows, shares, sizes, Ward(), limits.max_size), vectors=vectors)
        parts = {chunks: merged.breaks(chunks).tolist() for chunks in range(merged.fewest, n + 1)}
        rows = vectors.astype(np.float64).tolist()
        slow = [naive.cluster.spread(parts[chunks], rows, weights) for chunks in parts]
        fast = merged.spread() + naive.cluster.spread(list(range(1, n)), rows, weights)
        assert fast.tolist() == pytest.approx(slow, abs=1e-5)
        scores = {
            chunks: naive.cluster.silhouette(parts[chunks], rows, weights) for chunks in parts if chunks <= n // 2
        }
        chosen = Silhouette()(merged)
        if scores:
            assert scores[chosen] == pytest.approx(max(scores.values()), abs=1e-5)
        assert merged.fewest <= Elbow()(merged) <= max(n // 2, merged.fewest)
