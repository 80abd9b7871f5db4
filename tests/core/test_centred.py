"""Rows that are centred a window at a time are those of `unit_rows`, and cuts find the same in them."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura import (
    ClusterCut,
    DoublePassCut,
    EmbeddingError,
    Limits,
    OptimalCut,
    PercentileCut,
    Splitter,
    vectors,
)
from caesura import (
    vectors as centred,
)
from caesura.background import Background
from caesura.cuts.gaps import Adjacent, Neighbours, Overlapping
from caesura.types import Cut
from caesura.vectors import CentredRows, unit_rows

CUTS: list[Cut] = [
    DoublePassCut(),
    DoublePassCut(0.1, 0.2, 0.3, look_ahead=3, confidence=None, structure=0),
    OptimalCut(),
    OptimalCut(penalty=0.5),
    OptimalCut(n_chunks=4),
    *(PercentileCut(gaps) for gaps in (Neighbours(), Adjacent(2), Overlapping())),
    ClusterCut(),
]


def _rows(n: int, seed: int) -> NDArray[np.float32]:
    """Rows of a few subjects, some of them zero."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(5, 8))[rng.integers(5, size=n)] + rng.normal(scale=0.7, size=(n, 8))
    rows[rng.random(n) < 0.1] = 0
    return rows.astype(np.float32)


@pytest.mark.parametrize("background", [None, np.full(8, 0.2)])
@pytest.mark.parametrize("weight", [np.inf, 3.0])
@pytest.mark.parametrize("n", [0, 1, 7, 40])
def test_windows_of_rows_are_those_of_all_rows(n: int, weight: float, background: NDArray[np.float64] | None) -> None:
    own = _rows(n, n)
    with patch.object(vectors, "BLOCK", 6), patch.object(centred, "BLOCK", 6):
        all_rows, windows = unit_rows(own, background, weight), CentredRows(own, background, weight)
        assert len(windows) == n
        assert windows.shape == (n, 8)
        assert np.asarray(windows) == pytest.approx(all_rows, abs=1e-6)
        for key in (slice(2, 5), slice(None, None, 2), np.arange(n)[::3]):
            assert windows[key] == pytest.approx(all_rows[key], abs=1e-6)
        for unit in range(n):
            assert windows[unit] == pytest.approx(all_rows[unit], abs=1e-6)


def test_a_background_of_another_width_is_refused_at_once() -> None:
    with pytest.raises(EmbeddingError, match="shape"):
        CentredRows(_rows(4, 0), np.zeros(7))


@pytest.mark.parametrize("cut", CUTS, ids=repr)
@law(cases=len(CUTS))
@given(n=st.integers(1, 40), seed=st.integers(0, 10**6), largest=st.sampled_from([None, 60, 300]))
def test_a_large_document_is_cut_as_a_small_one(cut: Cut, n: int, seed: int, largest: int | None) -> None:
    rows, text = _rows(n, seed), " ".join("Aye aye." for _ in range(n))
    splitter = Splitter(limits=Limits(largest), cut=cut, background=Background(np.full(8, 0.1, np.float32), 20.0))
    batch = splitter.prepare([text])
    found = splitter.finish(batch, rows[: len(batch.texts)])[0]
    with patch("caesura.segmentation.LARGE", 0):
        again = splitter.finish(batch, rows[: len(batch.texts)])[0]
    assert again.breaks.tolist() == found.breaks.tolist()
