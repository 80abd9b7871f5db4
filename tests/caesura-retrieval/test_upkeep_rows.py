"""Rows that no vector store may be given: they are named, and make no other row unusable."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.sansio import Awaiting, Blocking, run
from caesura_retrieval.row_plan import RowEmbedder, RowLine
from caesura_retrieval.upkeep import find_unusable_rows

UNUSABLE = {
    "zeros": [0.0, 0.0],
    "almost zeros": [1e-30, 0.0],
    "NaN": [float("nan"), 1.0],
    "infinite": [1.0, float("-inf")],
    "too long for float32": [1e300, 1.0],
    "of a square too large for float32": [3e38, 3e38],
}


@pytest.mark.parametrize("row", UNUSABLE.values(), ids=UNUSABLE)
def test_a_row_that_no_store_may_have_is_named_with_its_text_and_the_remedy(row: list[float]) -> None:
    rows = [[0.6, 0.8], row, [0.0, 1e-6], row]
    told: list[str] = []
    assert find_unusable_rows(rows, ["tide", "👍 and so on", "moon", "✅"], told.append) == {1, 3}
    assert [each for each in told if re.search("2 of 4 rows .* '👍 and so on'.*take an embedder", each)] == told != []


@given(st.lists(st.lists(st.floats(-1e15, 1e15), min_size=3, max_size=3)))
def test_what_is_left_can_be_divided_by_its_length(rows: list[list[float]]) -> None:
    unusable = find_unusable_rows(rows, ["text"] * len(rows), [].append)
    left = np.array([row for number, row in enumerate(rows) if number not in unusable], np.float32).reshape(-1, 3)
    assert np.isfinite(left / np.linalg.norm(left, axis=1, keepdims=True)).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("of", ["text", "context"])
def test_a_row_that_is_not_finite_makes_no_neighbour_so(value: float, of: str) -> None:
    """Rows lean toward those around them, and toward their contexts."""
    faulty = {"text": "b", "context": "on b"}[of]

    async def embed(texts: Sequence[str]) -> list[Any]:
        return [[value, 1.0] if text == faulty else [3.0, 4.0] for text in texts]

    line = RowLine("name", ["a", "b", "c"], ["on a", "on b", "on c"], 0.4)
    rows = run(RowEmbedder(Blocking(), embed).vectors([(line, [0, 1, 2])]))[0]
    assert rows == asyncio.run(RowEmbedder(Awaiting(), embed).vectors([(line, [0, 1, 2])]))[0]
    np.testing.assert_allclose([rows[0], rows[2]], [[0.6, 0.8]] * 2, atol=1e-6)
    np.testing.assert_allclose(rows[1], [0, 0] if of == "text" else [0.6, 0.8], atol=1e-6)
