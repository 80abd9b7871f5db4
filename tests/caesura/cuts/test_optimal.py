"""The optimal cut: what a chunk has to earn, by chance, by penalty and by number, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.embedders.rows import A, B, C, blocks, breaks

from caesura import Limits, OptimalCut, SettingError


def test_a_chunk_has_to_earn_the_penalty() -> None:
    """Less the mean, two and two apart gain 2 / 2.3 each, together nothing."""
    rows = [A, A, B, B]
    assert breaks(rows, OptimalCut(penalty=1.73)) == [2]
    assert breaks(rows, OptimalCut(penalty=1.75)) == []


def test_a_single_odd_sentence_does_not_earn_it() -> None:
    odd_one = blocks([6, 6, 6, 1], 0.3)[[*range(3), 18, *range(3, 18)]]
    assert breaks(odd_one, OptimalCut()) == [7, 13]
    assert breaks([A] * 8 + [B] * 8 + [A] * 8, OptimalCut()) == [8, 16]


def test_one_subject_stays_whole_however_long() -> None:
    rows = [[0.8, 0.6 * np.sin(at), 0.6 * np.cos(at)] for at in range(300)]
    assert breaks(rows, OptimalCut()) == []


def test_neighbours_that_are_alike_join_however_surely_they_differ() -> None:
    """Two halves of a subject beside another one: less the mean, they have a cosine of 0.5."""
    near, far = [0.96, 0.28, 0, 0], [0.96, -0.28, 0, 0]
    rows = [near] * 30 + [far] * 30 + [[0, 0, 1, 0]] * 60
    assert breaks(rows, OptimalCut(penalty=0.5)) == [30, 60]
    assert breaks(rows, OptimalCut()) == [60]
    assert breaks(rows, OptimalCut(), Limits(30)) == [30, 60, 90]


def test_a_number_of_chunks_is_kept_where_limits_and_units_allow() -> None:
    rows = [A, A, B, B, C, C]
    assert breaks(rows, OptimalCut(n_chunks=3)) == [2, 4]
    assert len(breaks(rows, OptimalCut(n_chunks=2))) == 1
    assert breaks(rows, OptimalCut(n_chunks=99)) == [1, 2, 3, 4, 5]
    assert breaks(rows, OptimalCut(n_chunks=1), Limits(2)) == [2, 4]
    assert breaks(rows, OptimalCut(n_chunks=6), Limits(4, 2)) == [2, 4]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"penalty": -0.1}, "penalty must be a finite number.*-0.1"),
        ({"penalty": float("nan")}, "penalty must be a finite number"),
        ({"n_chunks": 0}, "n_chunks must be a whole number of at least 1, got 0"),
        ({"n_chunks": 2.5}, "n_chunks must be a whole number"),
        ({"penalty": float("inf")}, "penalty must be a finite number"),
        ({"structure": -1}, "structure must be a finite number"),
        ({"half_weight": "much"}, "half_weight must be a finite number.*much"),
        ({"penalty": 1.0, "n_chunks": 3}, "exclude one another.*penalty=1.0 and n_chunks=3"),
    ],
)
def test_a_setting_out_of_range_is_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        OptimalCut(**settings)
