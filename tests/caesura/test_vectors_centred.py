"""Rows that are centred a window at a time are those of `unit_rows`, and cuts find the same in them."""

from __future__ import annotations

import tracemalloc
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
    NClusters,
    OptimalCut,
    PercentileCut,
    Splitter,
    vectors,
)
from caesura import (
    vectors as centred,
)
from caesura.background import Background
from caesura.cuts.scores.gaps import Adjacent, Overlapping
from caesura.types import Cut
from caesura.vectors import CentredRows, unit_rows

CUTS: list[Cut] = [
    DoublePassCut(),
    DoublePassCut(0.1, 0.2, 0.3, look_ahead=3, confidence=None, structure=0),
    OptimalCut(),
    OptimalCut(penalty=0.5),
    OptimalCut(n_chunks=4),
    *(PercentileCut(gaps) for gaps in (Adjacent(1), Adjacent(2), Overlapping())),
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
    with pytest.raises(EmbeddingError, match="its background was made of"):
        CentredRows(_rows(4, 0), np.zeros(7))


@pytest.mark.parametrize("cut", CUTS, ids=repr)
@law(cases=len(CUTS))
@given(n=st.integers(1, 40), seed=st.integers(0, 10**6), largest=st.sampled_from([None, 60, 300]))
def test_a_large_document_is_cut_as_a_small_one(cut: Cut, n: int, seed: int, largest: int | None) -> None:
    rows, text = _rows(n, seed), " ".join("Aye aye." for _ in range(n))
    splitter = Splitter(limits=Limits(largest), cut=cut, background=Background(np.full(8, 0.1, np.float32), 20.0))
    batch = splitter.prepare([text])
    found = splitter.finish(batch, rows[: len(batch.texts)])[0]
    with patch("caesura.cutting.LARGE", 0):
        again = splitter.finish(batch, rows[: len(batch.texts)])[0]
    assert again.breaks.tolist() == found.breaks.tolist()


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


@pytest.mark.thorough
def test_clustering_a_large_document_takes_little_beside_its_rows() -> None:
    """A copy of its rows would take 10 MB, and the sums of groups 9 MB."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(5000, 512)).astype(np.float32)
    sizes = rng.integers(50, 200, size=len(rows))
    windows = CentredRows(rows, np.full(512, 0.01), 64.0)
    tracemalloc.start()
    try:
        with patch("caesura.cuts.scores.noise.SAMPLE", 64):  # in a document of any length, so many rows at once
            found = ClusterCut(stop=NClusters(1))(windows, sizes, Limits(1000))  # type: ignore[arg-type] # it is windowed
        assert len(found)
        assert ClusterCut().windowed
        assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 2
    finally:
        tracemalloc.stop()
