"""Gap scores and the thresholds that choose among them."""

import numpy as np
import pytest

from caesura import (
    Adjacent,
    Count,
    Gradient,
    Interquartile,
    Limits,
    Neighbours,
    Overlapping,
    Percentile,
    PercentileCut,
    SettingError,
    StandardDeviation,
)

GAPS = np.array([0.1, 0.9, 0.1, 0.2, 0.9, 0.0])
ROWS = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [1, 0]], np.float32)
ALIKE = np.ones(6, np.intp)


def breaks(threshold: object, gaps: np.ndarray = GAPS) -> list[int]:
    return (np.flatnonzero(threshold(gaps)) + 1).tolist()


def test_neighbours_compares_the_units_beside_a_gap() -> None:
    assert Neighbours()(ROWS, ALIKE).tolist() == [0, 1, 0, 1, 1]


def test_adjacent_compares_windows_that_share_no_unit() -> None:
    assert Adjacent(1)(ROWS, ALIKE).tolist() == [0, 1, 0, 1, 1]
    assert Adjacent(2)(ROWS, ALIKE)[1] == pytest.approx(1)
    assert Adjacent(2)(ROWS, ALIKE)[0] == pytest.approx(1 - 0.5**0.5)


def test_overlapping_compares_windows_around_the_units_beside_a_gap() -> None:
    assert Overlapping(0)(ROWS, ALIKE).tolist() == Neighbours()(ROWS, ALIKE).tolist()
    assert Overlapping(1)(ROWS, ALIKE)[0] == pytest.approx(1 - 2 / 5**0.5)


def test_sizes_weigh_in_overlapping_windows_and_not_in_adjacent_ones() -> None:
    heavy = np.array([1, 1, 100, 1, 1, 1])
    assert not np.allclose(Overlapping(1)(ROWS, heavy), Overlapping(1)(ROWS, ALIKE))
    assert np.array_equal(Adjacent(2)(ROWS, heavy), Adjacent(2)(ROWS, ALIKE))
    assert np.array_equal(Neighbours()(ROWS, heavy), Neighbours()(ROWS, ALIKE))


@pytest.mark.parametrize("gaps", [Neighbours(), Adjacent(), Overlapping(2)], ids=str)
@pytest.mark.parametrize("n", [0, 1])
def test_no_gap_has_no_score(gaps: object, n: int) -> None:
    assert gaps(ROWS[:n], ALIKE[:n]).shape == (0,)


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


@pytest.mark.parametrize(("kind", "name", "least"), [(Adjacent, "window", 1), (Overlapping, "buffer_size", 0)])
@pytest.mark.parametrize("value", [-1, 2.0, True, None])
def test_a_window_that_is_no_whole_number_is_refused(kind: type, name: str, least: int, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be a whole number of at least {least}, got {value!r}$"):
        kind(value)


@pytest.mark.parametrize("parts", [{"gaps": 3}, {"threshold": 95}, {"threshold": "percentile"}], ids=str)
def test_a_part_of_the_cut_that_is_not_callable_is_refused(parts: dict[str, object]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(parts))} must be"):
        PercentileCut(**parts)  # type: ignore[arg-type]


def test_limits_hold_after_the_threshold() -> None:
    cut = PercentileCut(Neighbours(), Count(1))
    assert cut(ROWS, ALIKE, Limits()).tolist() == []
    assert cut(ROWS, ALIKE, Limits(3)).tolist() == [2, 4]
    assert PercentileCut(Neighbours(), Count(6))(ROWS, ALIKE, Limits(None, 2)).tolist() == [2]
