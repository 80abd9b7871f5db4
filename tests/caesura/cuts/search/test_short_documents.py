"""Short documents are cut by the runs of their units, and as they would be by their rows."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from fakes.laws import law
from hypothesis import given
from hypothesis import strategies as st

from caesura import ClusterCut, DoublePassCut, Limits, OptimalCut
from caesura.cuts.search.short_documents import cosine, runs_of
from caesura.types import Cut

CUTS: list[Cut] = [
    OptimalCut(),
    OptimalCut(confidence=0.2, structure=0),
    OptimalCut(penalty=0.5),
    ClusterCut(),
    ClusterCut(confidence=0.2),
    DoublePassCut(),
    DoublePassCut(-0.2, -0.1, 0.0, look_ahead=3),
    DoublePassCut(confidence=None, structure=0),
]


def test_runs_are_the_squared_lengths_of_sums() -> None:
    rows = np.random.default_rng(0).normal(size=(9, 5))
    runs = runs_of(rows)
    for start in range(9):
        for end in range(start + 1, 10):
            total = rows[start:end].sum(axis=0)
            assert runs[end - 1][start] == pytest.approx(total @ total)


def test_rows_that_cancel_each_other_sum_to_nothing_at_all() -> None:
    row = np.random.default_rng(1).normal(size=(1, 7))
    runs = runs_of(np.concatenate((row, -row, 3 * row)))
    assert runs[1][0] == 0
    assert cosine(runs, 0, 2, 2, 3, nothing=-1) == -1
    assert cosine(runs, 0, 1, 2, 3, nothing=-1) == pytest.approx(1)


@pytest.mark.parametrize("cut", CUTS, ids=repr)
@law(cases=len(CUTS))
@given(
    n=st.integers(1, 31),
    seed=st.integers(0, 10**6),
    largest=st.sampled_from([None, 60, 300]),
    least=st.sampled_from([0, 25]),
)
def test_a_short_document_is_cut_as_a_long_one(cut: Cut, n: int, seed: int, largest: int | None, least: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(4, 8))[rng.integers(4, size=n)] + rng.normal(scale=0.6, size=(n, 8))
    rows[rng.random(n) < 0.1] = 0
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)
    sizes, limits = rng.integers(1, 40, size=n), Limits(largest, least)
    found = cut(vectors, sizes, limits)
    with patch("caesura.cuts.search.short_documents.MOST", 0):
        assert found.tolist() == cut(vectors, sizes, limits).tolist()
