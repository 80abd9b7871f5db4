"""Breaks that a score chose, made to keep the limits."""

import numpy as np
import pytest

from caesura import Limits
from caesura.cuts.limits.fit import fit

ONES = np.ones(6, np.intp)


def fitted(breaks: list[int], gaps: list[float], limits: Limits, sizes: np.ndarray = ONES) -> list[int]:
    return fit(np.array(breaks, np.intp), np.array(gaps), sizes, limits).tolist()


@pytest.mark.parametrize("breaks", [[], [1], [2, 3, 5], [1, 2, 3, 4, 5]], ids=str)
def test_without_limits_every_break_stays_and_none_comes(breaks: list[int]) -> None:
    assert fitted(breaks, [1, 2, 3, 2, 1], Limits()) == breaks
    assert fitted(breaks, [1, 2, 3, 2, 1], Limits(6)) == breaks


def test_a_group_too_large_is_cut_at_its_strongest_gap() -> None:
    assert fitted([], [1, 2, 9, 4, 5], Limits(3)) == [3]
    assert fitted([], [9, 2, 3, 4, 5], Limits(4)) == [1, 5]


def test_of_equal_gaps_the_one_nearest_the_middle_is_cut() -> None:
    assert fitted([], [1, 5, 5, 5, 1], Limits(4)) == [3]


def test_a_gap_that_leaves_enough_on_both_sides_comes_first() -> None:
    assert fitted([], [9, 2, 3, 2, 9], Limits(5, 2)) == [3]
    assert fitted([], [9, 4, 3, 2, 9], Limits(5, 3)) == [3]


def test_a_unit_over_the_limit_stands_alone() -> None:
    sizes = np.array([1, 50, 1, 1])
    assert fitted([], [0, 0, 0], Limits(3), sizes) == [1, 2]


def test_the_weakest_break_beside_a_small_group_is_given_up() -> None:
    assert fitted([2, 3], [0, 4, 5, 0, 0], Limits(None, 2)) == [3]
    assert fitted([2, 3], [0, 5, 4, 0, 0], Limits(None, 2)) == [2]
    assert fitted([2, 3], [0, 5, 5, 0, 0], Limits(None, 2)) == [3]


def test_a_small_group_that_fits_nowhere_stays() -> None:
    sizes = np.array([9, 1, 9])
    assert fitted([1, 2], [1, 1], Limits(9, 2), sizes) == [1, 2]
    assert fitted([1, 2], [1, 2], Limits(10, 2), sizes) == [2]


def test_everything_joins_where_all_is_too_small() -> None:
    assert fitted([1, 2, 3, 4, 5], [1, 2, 3, 2, 1], Limits(None, 100)) == []
