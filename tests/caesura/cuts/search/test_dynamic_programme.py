"""The optimal cut's search: units too large, tables too large, penalties too high, many starts in reach."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest
from fakes.embedders.rows import A, B, breaks

from caesura import Limits, OptimalCut
from caesura.cuts.scores.noise import Noise
from caesura.cuts.search import dynamic_programme as search


def test_large_units_never_fail() -> None:
    rows, sizes = [A, A, B, B], [500, 3, 700, 2]
    for cut in (OptimalCut(), OptimalCut(n_chunks=2), OptimalCut(penalty=0.5)):
        assert breaks(rows, cut, Limits(100), sizes) == [1, 2, 3]
        assert breaks(rows, cut, Limits(100, 50), sizes) == [1, 2, 3]


@pytest.mark.parametrize("limits", [Limits(), Limits(40), Limits(12)], ids=str)
@pytest.mark.parametrize("alike", [False, True], ids=["drawn", "all alike"])
def test_where_the_table_is_too_large_the_number_is_the_same_and_the_worth_nearly(
    monkeypatch: pytest.MonkeyPatch, limits: Limits, alike: bool
) -> None:
    random = np.random.default_rng(8)
    rows = random.normal(size=(1 if alike else 40, 6)).astype(np.float32)
    rows = np.repeat(rows, 40 // len(rows), axis=0) / np.linalg.norm(rows, axis=1, keepdims=True)
    sizes = random.integers(1, 9, 40)
    noise, weights = Noise.of(rows, np.ones(40)), np.ones(40)
    problem = search.SegmentCosts(noise.weighted(rows, weights), weights, sizes, limits, np.zeros(41), noise)
    exact = [search.by_count(problem, wanted) for wanted in range(1, 41)]
    monkeypatch.setattr(search, "MOST_STEPS", 0)
    for wanted, best in enumerate(exact, 1):
        made = search.by_count(problem, wanted)
        assert len(made) == len(best)
        sums = np.add.reduceat(sizes, [0, *made])
        assert max(sums, default=0) <= (limits.max_size or sizes.sum())
        assert problem.worth(best) * 0.98 <= problem.worth(made) <= problem.worth(best) + 1e-9
    assert (
        sum(problem.worth(search.by_count(problem, k)) >= problem.worth(exact[k - 1]) - 1e-9 for k in range(1, 41)) > 30
    )


@pytest.mark.parametrize("min_size", [5, 11])
def test_where_the_table_is_too_large_no_more_chunks_are_too_small(
    monkeypatch: pytest.MonkeyPatch, min_size: int
) -> None:
    random = np.random.default_rng(9)
    rows, sizes = random.normal(size=(60, 6)).astype(np.float32), random.integers(1, 9, 60)
    made = [breaks(rows, OptimalCut(n_chunks=wanted), Limits(24, min_size), sizes) for wanted in range(1, 61)]
    monkeypatch.setattr(search, "MOST_STEPS", 0)
    for wanted, best in enumerate(made, 1):
        found = breaks(rows, OptimalCut(n_chunks=wanted), Limits(24, min_size), sizes)
        small = [(np.add.reduceat(sizes, [0, *cut]) < min_size).sum() for cut in (found, best)]
        assert small[0] <= small[1]


@pytest.mark.thorough
def test_a_large_number_of_chunks_takes_little_memory() -> None:
    """The table of these would hold 16 million cells."""
    random = np.random.default_rng(10)
    rows, sizes = random.normal(size=(8_000, 4)).astype(np.float32), np.full(8_000, 10)
    tracemalloc.start()
    try:
        assert len(OptimalCut(n_chunks=2_000)(rows, sizes, Limits(80))) + 1 == 2_000
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()


def test_a_penalty_beyond_all_gains_is_one_chunk_and_no_overflow() -> None:
    with np.errstate(all="raise"):
        assert breaks([A, A, B, B], OptimalCut(penalty=1e308)) == []
        assert breaks([A, A, B, B], OptimalCut(penalty=1e308), Limits(2, 1)) == [2]


@pytest.mark.parametrize("limits", [Limits(), Limits(40), Limits(40, 15), Limits(None, 15)])
@pytest.mark.parametrize("by", [{"penalty": 0.6}, {"n_chunks": 9}, {"confidence": 0.5}], ids=str)
def test_few_starts_in_reach_or_many_the_breaks_are_the_same(
    monkeypatch: pytest.MonkeyPatch, limits: Limits, by: dict[str, float]
) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        rows = random.normal(0, 1, (60, 5)) + np.repeat(random.normal(0, 2, (6, 5)), 10, axis=0)
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        sizes = random.integers(1, 9, 60)
        narrow = OptimalCut(**by)(rows, sizes, limits).tolist()
        with monkeypatch.context() as patch:
            patch.setattr(search, "WIDEST", 0)
            assert OptimalCut(**by)(rows, sizes, limits).tolist() == narrow


@pytest.mark.parametrize("by", [{"penalty": 0.6}, {"n_chunks": 9}, {"confidence": 0.5}], ids=str)
@pytest.mark.parametrize("starts", [1, search.WIDEST])
def test_limits_as_large_as_numbers_go_are_those_of_the_whole_text(
    monkeypatch: pytest.MonkeyPatch, starts: int, by: dict[str, float]
) -> None:
    monkeypatch.setattr(search, "WIDEST", starts)
    rows = np.random.default_rng(3).normal(size=(60, 5)).astype(np.float32)
    sizes = np.arange(1, 61)
    largest = sys.maxsize
    for limits in (Limits(largest), Limits(None, largest), Limits(largest, largest)):
        least = min(limits.min_size, int(sizes.sum()) + 1)
        with np.errstate(all="raise"):
            assert np.array_equal(
                OptimalCut(**by)(rows, sizes, limits), OptimalCut(**by)(rows, sizes, Limits(None, least))
            )


@pytest.mark.parametrize("widest", [0, search.WIDEST])
def test_units_without_a_size_weigh_nothing(monkeypatch: pytest.MonkeyPatch, widest: int) -> None:
    monkeypatch.setattr(search, "WIDEST", widest)
    rows = [A, A, A, A, B, B, B, B]
    with np.errstate(all="raise"):
        for cut in (OptimalCut(penalty=0.5), OptimalCut(n_chunks=2)):
            assert breaks(rows, cut, sizes=[0, 0, 5, 5, 5, 5, 0, 0]) == [4]


@pytest.mark.parametrize("limits", [Limits(), Limits(40), Limits(None, 15)], ids=str)
def test_gains_are_the_same_however_many_ends_are_measured_at_a_time(
    monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    random = np.random.default_rng(11)
    rows, sizes, weights = random.normal(size=(50, 6)).astype(np.float32), random.integers(1, 9, 50), random.random(50)
    noise = Noise.of(rows, weights)
    sums = np.concatenate((np.zeros((1, 6)), np.cumsum(weights[:, None] * (rows - noise.mean_row), axis=0)))
    for ends in (4, 12, 256):
        monkeypatch.setattr(search, "ENDS", ends)
        problem = search.SegmentCosts(noise.weighted(rows, weights), weights, sizes, limits, np.zeros(51), noise)
        coarse = [row.tolist() for some in problem.rows(4) for row in some]
        for end in range(1, 51):
            first = int(problem.first[end])
            weight = problem.weighs[end] - problem.weighs[first:end]
            wanted = ((sums[end] - sums[first:end]) ** 2).sum(axis=1) / (weight + search.PRIOR)
            gains = problem.gains(end)
            assert gains == pytest.approx(wanted, rel=1e-4, abs=1e-4)
            if end % 4 == 0 or end == 50:
                row = coarse[-(-end // 4) - 1]
                some = [gains[start - first] if start >= first else -np.inf for start in range(0, end, 4)]
                assert [*[-np.inf] * len(row), *some][-len(row) :] == row
                assert not np.isfinite(some[: -len(row)]).any()
