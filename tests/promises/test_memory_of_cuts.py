"""What a cut holds beside the rows it is given."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from caesura import ClusterCut, DoublePassCut, Limits, OptimalCut, PercentileCut
from caesura.types import Cut


@pytest.mark.thorough
@pytest.mark.parametrize(
    "cut", [OptimalCut(), ClusterCut(), DoublePassCut(), PercentileCut()], ids=lambda cut: type(cut).__name__
)
def test_a_long_document_is_cut_in_less_memory_than_its_rows_take_twice(cut: Cut) -> None:
    """Copies of them, in float64 or by the thousand, were three to five times as large."""
    random = np.random.default_rng(12)
    rows = random.normal(size=(6_000, 512)).astype(np.float32) + np.repeat(random.normal(size=(1_200, 512)), 5, axis=0)
    vectors = np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
    sizes = np.full(len(vectors), 100)
    tracemalloc.start()
    try:
        assert len(cut(vectors, sizes, Limits(2_000))) > 800
        assert tracemalloc.get_traced_memory()[1] < 2 * vectors.nbytes
    finally:
        tracemalloc.stop()
