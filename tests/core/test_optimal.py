"""The optimal cut: what its settings mean, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import Limits, OptimalCut, SettingError, Splitter
from caesura.cuts.search import by_count, problem
from caesura.cuts.weights import reliable

A, B, C = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def breaks(rows: list[list[float]], cut: OptimalCut, limits: Limits | None = None, sizes: object = None) -> list[int]:
    sizes = np.array(sizes if sizes is not None else [1] * len(rows))
    return cut(np.array(rows, np.float32), sizes, limits or Limits()).tolist()


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


def test_the_end_of_a_paragraph_takes_off_the_penalty() -> None:
    rows, sizes = np.array([A, A, B, B], np.float32), np.ones(4, np.intp)
    assert OptimalCut(1.3).within(rows, sizes, Limits(), np.array([0.0, 1, 0])).tolist() == [2]
    assert OptimalCut(1.3, structure=0).within(rows, sizes, Limits(), np.array([0.0, 1, 0])).tolist() == []
    assert OptimalCut(1.3).within(rows, sizes, Limits(), np.array([1.0, 0, 0])).tolist() == []


def test_a_splitter_shows_it_where_paragraphs_end() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [A if "tide" in text else B for text in texts]

    text = "A tide. High tide.{}Low tax. New tax."
    splitter = Splitter(cut=OptimalCut(1.2))
    assert [len(splitter.split(text.format(gap), embed)) for gap in (" ", "\n", "\n\n", "\n\n# On\n\n")] == [1, 2, 2, 2]
    assert len(Splitter(cut=OptimalCut(1.5)).split(text.format("\n\n"), embed)) == 1
    assert len(Splitter(cut=OptimalCut(1.5)).split(text.format("\n\n# On\n\n"), embed)) == 2


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


def test_large_units_never_fail() -> None:
    rows, sizes = [A, A, B, B], [500, 3, 700, 2]
    for cut in (OptimalCut(), OptimalCut(n_chunks=2), OptimalCut(target_size=50)):
        assert breaks(rows, cut, Limits(100), sizes) == [1, 2, 3]
        assert breaks(rows, cut, Limits(100, 50), sizes) == [1, 2, 3]


def test_short_units_count_less() -> None:
    assert reliable(np.array([5, 5, 5]), 0.25).tolist() == pytest.approx([1, 1, 1])
    assert reliable(np.array([1, 100]), 0).tolist() == [1, 1]
    assert reliable(np.array([0, 0]), 0.25).tolist() == [1, 1]
    low, high = reliable(np.array([10, 100]), 0.25)
    assert 0.4 < low / high < 0.6
    assert low + high == pytest.approx(2)
    assert reliable(np.array([10, 30]), 1e9).tolist() == pytest.approx([0.5, 1.5])


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


def test_a_table_too_large_gives_the_number_nearest_at_a_penalty(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(8)
    rows = random.normal(size=(40, 6)).astype(np.float32)
    exact = [breaks(rows, OptimalCut(n_chunks=wanted)) for wanted in range(1, 41)]
    monkeypatch.setattr(by_count, "MOST_CELLS", 20)
    found = [breaks(rows, OptimalCut(n_chunks=wanted)) for wanted in range(1, 41)]
    assert all(abs(len(made) + 1 - wanted) <= 2 for wanted, made in enumerate(found, 1))
    same = [made == best for made, best in zip(found, exact, strict=True) if len(made) == len(best)]
    assert len(same) > 25
    assert all(same)


def test_a_penalty_beyond_all_gains_is_one_chunk_and_no_overflow() -> None:
    with np.errstate(all="raise"):
        assert breaks([A, A, B, B], OptimalCut(1e308)) == []
        assert breaks([A, A, B, B], OptimalCut(1e308), Limits(2, 1)) == [2]


@pytest.mark.parametrize("limits", [Limits(), Limits(40), Limits(40, 15), Limits(None, 15)])
@pytest.mark.parametrize("by", [{"penalty": 0.6}, {"n_chunks": 9}, {"target_size": 30}], ids=str)
def test_few_starts_in_reach_or_many_the_breaks_are_the_same(
    monkeypatch: pytest.MonkeyPatch, limits: Limits, by: dict[str, float]
) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        rows = random.normal(0, 1, (60, 5)) + np.repeat(random.normal(0, 2, (6, 5)), 10, axis=0)
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        sizes = random.integers(1, 9, 60)
        narrow = OptimalCut(**by)(rows, sizes, limits).tolist()
        with monkeypatch.context() as patch:
            patch.setattr(problem, "WIDEST", 0)
            assert OptimalCut(**by)(rows, sizes, limits).tolist() == narrow
