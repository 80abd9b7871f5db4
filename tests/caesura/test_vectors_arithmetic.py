"""Cosines and sums of rows."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura import vectors as arithmetic
from caesura.vectors import cosines_apart, group_sums, window_sums


def test_cosines_of_a_zero_row_are_what_nothing_is() -> None:
    rows = np.array([[1.0, 0], [2, 0], [0, 0], [1, 0], [3, 3]])
    assert cosines_apart(rows, 1, -9.0).tolist() == pytest.approx([1, -9, -9, 0.5**0.5])


def test_window_sums_run_over_weighted_rows() -> None:
    sums = window_sums(np.array([[1.0, 2], [3, 4]], np.float32), np.array([2, 10]))
    assert sums.tolist() == [[0, 0], [2, 4], [32, 44]]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(0, 100))
def test_sums_of_groups_are_sums_whatever_their_lengths(lengths: list[int], seed: int) -> None:
    random, ends = np.random.default_rng(seed), np.cumsum(lengths)
    rows, weights = random.normal(size=(ends[-1], 8)).astype(np.float32), random.random(ends[-1])
    starts = np.array([0, *ends[:-1]])
    alike = [part.sum(axis=0) for part in np.split(rows, ends[:-1])]
    weighed = [part.sum(axis=0) for part in np.split(rows * weights[:, None], ends[:-1])]
    with patch.object(arithmetic, "PIECE", 7):
        assert group_sums(rows, starts) == pytest.approx(np.array(alike), abs=1e-5)
        assert group_sums(rows, starts, weights) == pytest.approx(np.array(weighed), abs=1e-5)
