"""Unit rows, centred or not, against their slow twin, on random input from fixed seeds."""

from __future__ import annotations

import naive.rows
import numpy as np
import pytest
from fakes.laws import at_least

from caesura.vectors import as_rows, unit_rows


@pytest.mark.parametrize("weight", [None, np.inf, 64.0, 0.5], ids=str)
def test_unit_rows_are_those_of_the_slow_twin(weight: float | None) -> None:
    for number in range(at_least(2_000, cases=4)):
        random = np.random.default_rng([6, number])
        n, d = int(random.integers(0, 8)), int(random.integers(1, 6))
        rows = (random.normal(size=(n, d)) * 10.0 ** random.uniform(-15, 15)).astype(np.float32)
        rows[random.random(n) < 0.1] = 0
        rows[random.random((n, d)) < 0.03] = random.choice([np.nan, np.inf, -np.inf])
        mean = random.normal(size=d).astype(np.float32) / 3
        slow = naive.rows.unit_rows(rows.tolist(), *(() if weight is None else (mean.tolist(), weight)))
        fast = unit_rows(as_rows(rows, n), *(() if weight is None else (mean, weight)))
        assert fast.dtype == np.float32
        assert fast.shape == (n, d)
        assert np.allclose(fast, np.reshape(slow, (n, d)), rtol=0, atol=1e-4)
