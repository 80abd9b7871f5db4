"""Unit rows less what unrelated texts have in common."""

import numpy as np
import pytest

from caesura import Background, EmbeddingError
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
