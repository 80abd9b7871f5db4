"""Unit rows less what unrelated texts have in common."""

import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest

from caesura import Background, EmbeddingError, vectors
from caesura.vectors import as_rows, unit_rows


def test_centring_takes_the_background_away() -> None:
    rows = unit_rows(as_rows([[2.0, 0.0], [0.0, 5.0], [0.0, 0.0]], 3), np.array([1.0, 0.0]))
    half = 0.5**0.5
    assert np.allclose(rows, [[0, 0], [-half, half], [0, 0]])


@pytest.mark.parametrize("noise", [0, 1e-8])
def test_a_row_that_does_not_differ_from_the_background_says_nothing(noise: float) -> None:
    mean = np.array([0.6, 0.8], np.float32)
    assert not unit_rows(as_rows([[0.6 + noise, 0.8 - noise]], 1), mean).any()


def test_a_weighted_background_leans_towards_the_documents_own_mean() -> None:
    rows, mean = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], np.array([0.0, -1.0])
    light, heavy = (unit_rows(as_rows(rows, 3), mean, weight) for weight in (1e-9, 1e9))
    assert np.allclose(light[:2], [[0.5**0.5, -(0.5**0.5)], [-(0.5**0.5), 0.5**0.5]], atol=1e-5)
    assert np.allclose(heavy[:2], unit_rows(as_rows(rows, 3), mean)[:2], atol=1e-5)
    assert not light[2].any()
    assert not heavy[2].any()


def test_a_background_of_another_embedder_is_refused() -> None:
    with pytest.raises(
        EmbeddingError, match=r"these texts they have 2 numbers, .* its background was made of 3; give one embedder"
    ):
        unit_rows(as_rows([[1.0, 2.0]], 1), Background([1, 2, 3]).mean)


@pytest.mark.parametrize("weight", [np.inf, 3.0])
def test_rows_are_centred_alike_however_many_at_a_time(weight: float) -> None:
    own, ends = np.random.default_rng(5).normal(size=(40, 8)).astype(np.float32), np.array([1, 3, 20, 21, 40])
    own[::7] = 0
    at_once = unit_rows(own, np.full(8, 0.2), weight, ends=ends)
    with patch.object(vectors, "BLOCK", 6), patch.object(vectors, "PIECE", 2):
        assert (unit_rows(own, np.full(8, 0.2), weight, ends=ends) == at_once).all()


def test_what_is_near_a_zero_row_in_a_batch_is_not_rounded_otherwise() -> None:
    own = np.random.default_rng(3).normal(size=(9, 50)).astype(np.float32)
    own[7] = 0
    together = unit_rows(own, np.full(50, 0.2), 3.0, ends=np.array([4, 4, 9]))
    assert (together[:4] == unit_rows(own[:4], np.full(50, 0.2), 3.0)).all()
    assert (together[4:] == unit_rows(own[4:], np.full(50, 0.2), 3.0)).all()


def test_documents_without_rows_take_no_memory() -> None:
    own = np.random.default_rng(3).normal(size=(2, 512)).astype(np.float32)
    ends = np.array([0, 1, *[1] * 10_000, 2, *[2] * 10_000])
    tracemalloc.start()
    try:
        together = unit_rows(own, np.full(512, 0.2), 3.0, ends=ends)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert (together == unit_rows(own, np.full(512, 0.2), 3.0, ends=np.array([1, 2]))).all()
