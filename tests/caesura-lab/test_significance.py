"""Bootstrap intervals and scores at a matched size: equal to plain loops, the same again, and fair."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import SettingError
from caesura_lab import Interval, interpolated, paired_interval
from caesura_lab import significance as bootstrap


def test_the_interval_is_that_of_a_plain_loop() -> None:
    random = np.random.default_rng(3)
    ours, theirs = random.normal(size=40), random.normal(size=40)
    means, again = [], np.random.default_rng(7)
    for _ in range(500):
        chosen = again.integers(40, size=40)
        means.append(np.mean([ours[item] - theirs[item] for item in chosen]))
    wanted = [np.mean(ours - theirs), np.quantile(means, 0.05), np.quantile(means, 0.95)]
    assert paired_interval(ours, theirs, level=0.9, resamples=500, seed=7) == pytest.approx(wanted)


def test_the_same_seed_gives_the_same_interval_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = np.arange(30.0), np.arange(30.0)[::-1]
    found = paired_interval(ours, theirs)
    assert found == paired_interval(ours, theirs)
    assert found != paired_interval(ours, theirs, seed=1)
    monkeypatch.setattr(bootstrap, "BLOCK", 77)
    assert paired_interval(ours, theirs) == found


def test_pairs_that_move_together_have_a_narrow_interval() -> None:
    random = np.random.default_rng(0)
    items = random.normal(size=200) * 10
    paired = paired_interval(items + 1 + random.normal(size=200) / 10, items)
    assert paired.clear
    assert paired.low == pytest.approx(1, abs=0.05)
    assert not paired_interval(items, random.permutation(items)).clear


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    held = 0
    for seed in range(300):
        found = paired_interval(random.normal(0.3, 1, 60), np.zeros(60), resamples=400, seed=seed)
        held += found.low <= 0.3 <= found.high
    assert 0.9 <= held / 300 <= 0.99


def test_an_interval_is_clear_where_zero_is_outside() -> None:
    assert Interval(1, 0.5, 2).clear
    assert Interval(-1, -2, -0.5).clear
    assert not Interval(1, -0.5, 2).clear
    assert not Interval(0, 0, 0).clear


def test_scores_that_cannot_be_paired_are_refused() -> None:
    with pytest.raises(SettingError, match=r"one per item for both, got shapes \(2,\) and \(3,\)"):
        paired_interval([1, 2], [1, 2, 3])
    with pytest.raises(SettingError, match="one per item"):
        paired_interval([], [])
    with pytest.raises(SettingError, match="scores must be finite, got 1 that are not"):
        paired_interval([1, np.nan], [1, 2])
    with pytest.raises(SettingError, match="level must be a finite number from 0 to 1"):
        paired_interval([1], [1], level=95)
    with pytest.raises(SettingError, match="resamples must be"):
        paired_interval([1], [1], resamples=0)


def test_between_two_runs_scores_are_linear_question_by_question() -> None:
    random = np.random.default_rng(2)
    positions, rows = [300.0, 100.0, 200.0], random.random((3, 5))
    by_place = dict(zip(positions, rows, strict=True))
    for at in (100, 130, 200, 250, 300):
        low, high = (100, 200) if at <= 200 else (200, 300)
        wanted = [a + (b - a) * (at - low) / 100 for a, b in zip(by_place[low], by_place[high], strict=True)]
        assert interpolated(at, positions, rows).tolist() == pytest.approx(wanted)


def test_what_was_not_run_is_refused() -> None:
    with pytest.raises(SettingError, match="250 is outside of what was run, 100 to 200: run more sizes"):
        interpolated(250, [100, 200], [[1], [2]])
    with pytest.raises(SettingError, match="rows must be one per position"):
        interpolated(150, [100, 200], [[1]])
    with pytest.raises(SettingError, match="rows must be one per position"):
        interpolated(150, [], [])
