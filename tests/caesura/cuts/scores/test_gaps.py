"""Gap scores: what stands before a gap against what stands after it."""

import sys

import numpy as np
import pytest

from caesura import Adjacent, Overlapping, SettingError

ROWS = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [1, 0]], np.float32)
ALIKE = np.ones(6, np.intp)


def test_adjacent_compares_windows_that_share_no_unit() -> None:
    assert Adjacent(1)(ROWS, ALIKE).tolist() == [0, 1, 0, 1, 1]
    assert Adjacent(2)(ROWS, ALIKE)[1] == pytest.approx(1)
    assert Adjacent(2)(ROWS, ALIKE)[0] == pytest.approx(1 - 0.5**0.5)


def test_overlapping_compares_windows_around_the_units_beside_a_gap() -> None:
    assert Overlapping(0)(ROWS, ALIKE).tolist() == Adjacent(1)(ROWS, ALIKE).tolist()
    assert Overlapping(1)(ROWS, ALIKE)[0] == pytest.approx(1 - 2 / 5**0.5)


def test_sizes_weigh_in_overlapping_windows_and_not_in_adjacent_ones() -> None:
    heavy = np.array([1, 1, 100, 1, 1, 1])
    assert not np.allclose(Overlapping(1)(ROWS, heavy), Overlapping(1)(ROWS, ALIKE))
    assert np.array_equal(Adjacent(2)(ROWS, heavy), Adjacent(2)(ROWS, ALIKE))


@pytest.mark.parametrize("gaps", [Adjacent(1), Adjacent(), Overlapping(2)], ids=str)
@pytest.mark.parametrize("n", [0, 1])
def test_no_gap_has_no_score(gaps: object, n: int) -> None:
    assert gaps(ROWS[:n], ALIKE[:n]).shape == (0,)


@pytest.mark.parametrize(("kind", "name", "least"), [(Adjacent, "window", 1), (Overlapping, "buffer_size", 0)])
@pytest.mark.parametrize("value", [-1, 2.0, True, None])
def test_a_window_that_is_no_whole_number_is_refused(kind: type, name: str, least: int, value: object) -> None:
    with pytest.raises(SettingError, match=rf"^{name} must be a whole number of at least {least}, got {value!r}$"):
        kind(value)


@pytest.mark.parametrize("kind", [Adjacent, Overlapping])
def test_a_window_as_large_as_numbers_go_is_that_of_the_whole_text(kind: type) -> None:
    for window in (7, 2**62, sys.maxsize):
        assert np.array_equal(kind(window)(ROWS, ALIKE), kind(6)(ROWS, ALIKE))
    with pytest.raises(SettingError, match=f"must be a whole number of at most {sys.maxsize}"):
        kind(sys.maxsize + 1)
