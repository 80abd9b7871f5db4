"""Thresholds: which gaps of a curve are cut, and what amounts are refused."""

import numpy as np
import pytest

from caesura import Count, Gradient, Interquartile, Percentile, SettingError, StandardDeviation

GAPS = np.array([0.1, 0.9, 0.1, 0.2, 0.9, 0.0])


def breaks(threshold: object, gaps: np.ndarray = GAPS) -> list[int]:
    return (np.flatnonzero(threshold(gaps)) + 1).tolist()


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (Percentile(100), []),
        (Percentile(50), [2, 4, 5]),
        (Percentile(0), [1, 2, 3, 4, 5]),
        (StandardDeviation(1), [2, 5]),
        (StandardDeviation(-9), [1, 2, 3, 4, 5, 6]),
        (Interquartile(0.5), [2, 5]),
        (Interquartile(9), []),
        (Gradient(80), [1]),
        (Count(1), []),
        (Count(2), [2]),
        (Count(3), [2, 5]),
        (Count(99), [1, 2, 3, 4, 5, 6]),
    ],
    ids=str,
)
def test_a_threshold_cuts_the_gaps_above_it(threshold: object, expected: list[int]) -> None:
    assert breaks(threshold) == expected


@pytest.mark.parametrize("threshold", [Percentile(50), StandardDeviation(0), Interquartile(0), Gradient(50)], ids=str)
def test_gaps_all_alike_are_none_of_them_cut(threshold: object) -> None:
    assert breaks(threshold, np.full(5, 0.5)) == []


@pytest.mark.parametrize("threshold", [Percentile(0), StandardDeviation(0), Interquartile(0), Gradient(0)], ids=str)
def test_one_gap_alone_is_not_cut(threshold: object) -> None:
    assert breaks(threshold, np.array([0.9])) == []


def test_of_equal_gaps_the_earlier_is_counted_first() -> None:
    assert breaks(Count(3), np.array([0.5, 0.5, 0.5])) == [1, 2]


@pytest.mark.parametrize("value", [-0.1, 100.1, float("nan"), float("inf"), True, "95", None])
@pytest.mark.parametrize(("kind", "name"), [(Percentile, "percentile"), (Gradient, "gradient percentile")])
def test_a_percentile_out_of_range_is_refused(kind: type, name: str, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be a finite number from 0 to 100, got {value!r}$"):
        kind(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), False, "3", None])
@pytest.mark.parametrize(
    ("kind", "name"), [(StandardDeviation, "standard deviation amount"), (Interquartile, "interquartile amount")]
)
def test_an_amount_that_is_no_number_is_refused(kind: type, name: str, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be a finite number, got {value!r}$"):
        kind(value)


@pytest.mark.parametrize("value", [0, -1, 2.0, True, None])
def test_a_number_of_chunks_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(
        SettingError, match=rf"^the number of chunks must be a whole number of at least 1, got {value!r}$"
    ):
        Count(value)  # type: ignore[arg-type]
