"""The optimal cut: what a chunk has to earn, by penalty, by number and by target size, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.rows import A, B, C, breaks

from caesura import Limits, OptimalCut, SettingError


def test_a_chunk_has_to_earn_the_penalty() -> None:
    """Two and two apart are worth 4, together the length of (2, 2): 2.83."""
    rows = [A, A, B, B]
    assert breaks(rows, OptimalCut(1.17)) == [2]
    assert breaks(rows, OptimalCut(1.18)) == []


def test_a_single_odd_sentence_does_not_earn_it() -> None:
    assert breaks([A, A, A, B, A, A, A], OptimalCut()) == []
    assert breaks([A, A, A, A, B, B, B, B, A, A, A, A], OptimalCut()) == [4, 8]


def test_one_subject_stays_whole_however_long() -> None:
    rows = [[0.8, 0.6 * np.sin(at), 0.6 * np.cos(at)] for at in range(300)]
    assert breaks(rows, OptimalCut()) == []


def test_a_number_of_chunks_is_kept_where_limits_and_units_allow() -> None:
    rows = [A, A, B, B, C, C]
    assert breaks(rows, OptimalCut(n_chunks=3)) == [2, 4]
    assert len(breaks(rows, OptimalCut(n_chunks=2))) == 1
    assert breaks(rows, OptimalCut(n_chunks=99)) == [1, 2, 3, 4, 5]
    assert breaks(rows, OptimalCut(n_chunks=1), Limits(2)) == [2, 4]
    assert breaks(rows, OptimalCut(n_chunks=6), Limits(4, 2)) == [2, 4]


def test_a_target_size_is_a_mean_size() -> None:
    random = np.random.default_rng(3)
    rows = np.repeat(np.eye(8)[random.integers(0, 8, 50)], 4, axis=0) + random.normal(0, 0.2, (200, 8))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    sizes = random.integers(20, 120, 200)
    for target in (100, 300, 900):
        found = OptimalCut(target_size=target)(rows, sizes, Limits())
        assert sizes.sum() / (len(found) + 1) == pytest.approx(target, rel=0.1)
        capped = OptimalCut(target_size=target)(rows, sizes, Limits(200))
        assert all(part.sum() <= 200 for part in np.split(sizes, capped))


def test_a_target_size_is_met_where_most_rows_say_nothing() -> None:
    """All that there is to gain is less than the penalty that is tried first."""
    rows, sizes = np.array([[0.0, 0], [1, 0], [0, 0]], np.float32), np.ones(3, np.intp)
    within = OptimalCut(target_size=1).within(rows, sizes, Limits(), np.array([0.2, 0.2]))
    assert within.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"penalty": -0.1}, "penalty must be a finite number.*-0.1"),
        ({"penalty": float("nan")}, "penalty must be a finite number"),
        ({"n_chunks": 0}, "n_chunks must be a whole number of at least 1, got 0"),
        ({"n_chunks": 2.5}, "n_chunks must be a whole number"),
        ({"target_size": 0}, "target_size must be a whole number of at least 1"),
        ({"penalty": float("inf")}, "penalty must be a finite number"),
        ({"structure": -1}, "structure must be a finite number"),
        ({"half_weight": "much"}, "half_weight must be a finite number.*much"),
        ({"penalty": 1.0, "n_chunks": 3}, "exclude one another.*'penalty': 1.0, 'n_chunks': 3"),
        ({"target_size": 9, "n_chunks": 3}, "exclude one another"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        OptimalCut(**settings)
