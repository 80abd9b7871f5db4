"""Pk and WindowDiff against their twins, on published examples, and at the door."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import SettingError
from caesura_lab import pk, window, window_diff


def segments(breaks: list[int], units: int) -> list[int]:
    """The number of each unit's segment."""
    return [sum(at <= unit for at in breaks) for unit in range(units)]


def slow_pk(reference: list[int], hypothesis: list[int], units: int, k: int) -> float:
    true, found = segments(reference, units), segments(hypothesis, units)
    pairs = [(i, i + k) for i in range(units - k)]
    return sum((true[i] == true[j]) != (found[i] == found[j]) for i, j in pairs) / len(pairs)


def slow_window_diff(reference: list[int], hypothesis: list[int], units: int, k: int) -> float:
    wrong = 0
    for i in range(units - k):
        inner = range(i + 1, i + k + 1)
        wrong += len([at for at in reference if at in inner]) != len([at for at in hypothesis if at in inner])
    return wrong / (units - k)


def random_breaks(random: np.random.Generator, units: int) -> list[int]:
    return sorted((random.permutation(units - 1)[: random.integers(0, units)] + 1).tolist())


def test_both_equal_their_twins() -> None:
    random = np.random.default_rng(0)
    for _ in range(2000):
        units = int(random.integers(2, 30))
        reference, hypothesis = random_breaks(random, units), random_breaks(random, units)
        k = int(random.integers(1, units))
        assert pk(reference, hypothesis, units, k) == pytest.approx(slow_pk(reference, hypothesis, units, k))
        wanted = slow_window_diff(reference, hypothesis, units, k)
        assert window_diff(reference, hypothesis, units, k) == pytest.approx(wanted)


def test_equal_breaks_are_no_error_and_window_diff_is_never_under_pk() -> None:
    random = np.random.default_rng(1)
    for _ in range(300):
        units = int(random.integers(2, 30))
        reference, hypothesis = random_breaks(random, units), random_breaks(random, units)
        assert pk(reference, reference, units) == window_diff(reference, reference, units) == 0
        assert window_diff(reference, hypothesis, units) >= pk(reference, hypothesis, units)


@pytest.mark.parametrize(
    ("reference", "units", "k"), [([], 10, 5), ([5], 10, 2), ([2, 4], 6, 1), ([1], 2, 1), ([], 1, 1), ([5], 14, 4)]
)
def test_the_window_is_half_the_mean_segment(reference: list[int], units: int, k: int) -> None:
    assert window(reference, units) == k
    if units > 1:
        assert pk(reference, [1], units) == pk(reference, [1], units, k)


def test_a_near_miss_costs_less_than_a_far_one() -> None:
    assert 0 < pk([10], [11], 20) < pk([10], [13], 20) < pk([10], [16], 20)


def test_pk_does_not_see_a_second_break_in_a_window_and_window_diff_does() -> None:
    assert pk([5], [5, 6], 10, k=4) < window_diff([5], [5, 6], 10, k=4)


def test_one_unit_has_no_error() -> None:
    assert pk([], [], 1) == window_diff([], [], 1) == 0


def test_arrays_and_lists_are_the_same() -> None:
    assert pk(np.array([3, 5]), np.array([4], dtype=np.intp), 9) == pk([3, 5], [4], 9)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "units", "k", "said"),
    [
        ([0], [], 5, None, "reference must lie in 1..4 for 5 units, got 0..0"),
        ([], [5], 5, None, "hypothesis must lie in 1..4 for 5 units, got 5..5"),
        ([3, 2], [], 5, None, "reference must be whole numbers that rise"),
        ([], [2, 2], 5, None, "hypothesis must be whole numbers that rise"),
        ([], [1.5], 5, None, "hypothesis must be whole numbers"),
        ([], [], 0, None, "units must be a whole number of at least 1, got 0"),
        ([], [], 5, 0, "k must be a whole number of at least 1, got 0"),
        ([], [], 5, 5, "k must be under the number of units, 5"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    reference: list[int], hypothesis: list[int], units: int, k: int | None, said: str
) -> None:
    for measure in (pk, window_diff):
        with pytest.raises(SettingError, match=said):
            measure(reference, hypothesis, units, k)
