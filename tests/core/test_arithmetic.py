"""Cosines and sums of rows."""

import numpy as np
import pytest

from caesura.arithmetic import cosines, window_sums


def test_cosines_of_a_zero_row_are_what_nothing_is() -> None:
    a, b = np.array([[1.0, 0], [0, 0], [1, 1]]), np.array([[2.0, 0], [1, 0], [0, 3]])
    assert cosines(a, b, -9.0).tolist() == pytest.approx([1, -9, 0.5**0.5])


def test_window_sums_run_over_weighted_rows() -> None:
    sums = window_sums(np.array([[1.0, 2], [3, 4]], np.float32), np.array([2, 10]))
    assert sums.tolist() == [[0, 0], [2, 4], [32, 44]]
