"""The optimal cut's search: units too large, tables too large, penalties too high, many starts in reach."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from fakes.rows import A, B, breaks

from caesura import Limits, OptimalCut
from caesura.cuts import search as by_count
from caesura.cuts import search as problem


def test_large_units_never_fail() -> None:
    rows, sizes = [A, A, B, B], [500, 3, 700, 2]
    for cut in (OptimalCut(), OptimalCut(n_chunks=2), OptimalCut(target_size=50)):
        assert breaks(rows, cut, Limits(100), sizes) == [1, 2, 3]
        assert breaks(rows, cut, Limits(100, 50), sizes) == [1, 2, 3]


def test_a_table_too_large_gives_the_number_nearest_at_a_penalty(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(8)
    rows = random.normal(size=(40, 6)).astype(np.float32)
    exact = [breaks(rows, OptimalCut(n_chunks=wanted)) for wanted in range(1, 41)]
    monkeypatch.setattr(by_count, "MOST_CELLS", 20)
    found = [breaks(rows, OptimalCut(n_chunks=wanted)) for wanted in range(1, 41)]
    assert all(abs(len(made) + 1 - wanted) <= 2 for wanted, made in enumerate(found, 1))
    same = [made == best for made, best in zip(found, exact, strict=True) if len(made) == len(best)]
    assert len(same) > 25
    assert all(same)


def test_a_penalty_beyond_all_gains_is_one_chunk_and_no_overflow() -> None:
    with np.errstate(all="raise"):
        assert breaks([A, A, B, B], OptimalCut(1e308)) == []
        assert breaks([A, A, B, B], OptimalCut(1e308), Limits(2, 1)) == [2]


@pytest.mark.parametrize("limits", [Limits(), Limits(40), Limits(40, 15), Limits(None, 15)])
@pytest.mark.parametrize("by", [{"penalty": 0.6}, {"n_chunks": 9}, {"target_size": 30}], ids=str)
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
            patch.setattr(problem, "WIDEST", 0)
            assert OptimalCut(**by)(rows, sizes, limits).tolist() == narrow


@pytest.mark.parametrize("by", [{"penalty": 0.6}, {"n_chunks": 9}, {"target_size": 30}], ids=str)
@pytest.mark.parametrize("starts", [1, problem.WIDEST])
def test_limits_as_large_as_numbers_go_are_those_of_the_whole_text(
    monkeypatch: pytest.MonkeyPatch, starts: int, by: dict[str, float]
) -> None:
    monkeypatch.setattr(problem, "WIDEST", starts)
    rows = np.random.default_rng(3).normal(size=(60, 5)).astype(np.float32)
    sizes = np.arange(1, 61)
    largest = sys.maxsize
    for limits in (Limits(largest), Limits(None, largest), Limits(largest, largest)):
        least = min(limits.min_size, int(sizes.sum()) + 1)
        with np.errstate(all="raise"):
            assert np.array_equal(
                OptimalCut(**by)(rows, sizes, limits), OptimalCut(**by)(rows, sizes, Limits(None, least))
            )
