"""What every cut promises, over a registry of instances: one promise per test."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from texts import topics

from caesura import (
    Adjacent,
    Average,
    ClusterCut,
    Count,
    DistanceThreshold,
    DoublePassCut,
    Elbow,
    Gradient,
    Interquartile,
    Limits,
    NClusters,
    Neighbours,
    OptimalCut,
    Overlapping,
    Percentile,
    PercentileCut,
    Silhouette,
    StandardDeviation,
    Ward,
)
from caesura.types import Cut, ScoredCut

CUTS: dict[str, Cut] = {
    "double pass": DoublePassCut(),
    "double pass, all alike": DoublePassCut(-1, -1, -1),
    "double pass, nothing alike": DoublePassCut(1, 1, 1),
    "double pass, published": DoublePassCut(0.6, 0.7, 0.7),
    "double pass, no look ahead": DoublePassCut(look_ahead=0),
    "double pass, far look ahead": DoublePassCut(look_ahead=4),
    "percentile": PercentileCut(),
    "percentile 0": PercentileCut(threshold=Percentile(0)),
    "percentile 100": PercentileCut(threshold=Percentile(100)),
    "neighbours, standard deviation": PercentileCut(Neighbours(), StandardDeviation(0.5)),
    "overlapping, interquartile": PercentileCut(Overlapping(1), Interquartile(0.2)),
    "adjacent(1), gradient": PercentileCut(Adjacent(1), Gradient(60)),
    "wide window, count": PercentileCut(Adjacent(50), Count(4)),
    "count 1": PercentileCut(threshold=Count(1)),
    "count over all": PercentileCut(threshold=Count(1000)),
    "optimal": OptimalCut(),
    "optimal, no penalty": OptimalCut(0.0),
    "optimal, high penalty": OptimalCut(1000.0),
    "optimal, one chunk": OptimalCut(n_chunks=1),
    "optimal, four chunks": OptimalCut(n_chunks=4),
    "optimal, more chunks than units": OptimalCut(n_chunks=1000),
    "optimal, target size": OptimalCut(target_size=150),
    "optimal, target size 1, by size": OptimalCut(target_size=1, half_weight=1000),
    "cluster": ClusterCut(),
    "cluster, Ward": ClusterCut(Ward()),
    "cluster, average": ClusterCut(Average(), half_weight=0),
    "cluster, elbow": ClusterCut(stop=Elbow()),
    "cluster, Ward, silhouette": ClusterCut(Ward(), Silhouette()),
    "cluster, four chunks": ClusterCut(stop=NClusters(4)),
    "cluster, more chunks than units": ClusterCut(Average(), NClusters(1000)),
    "cluster, no distance": ClusterCut(Ward(), DistanceThreshold(0)),
}
LIMITS = (Limits(), Limits(1), Limits(60), Limits(300, 0), Limits(300, 120), Limits(None, 150), Limits(90, 90))

every_cut = pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)


def inputs() -> list[tuple[np.ndarray, np.ndarray, Limits]]:
    """Sixty texts of up to forty units, some of them zero, some larger than the limit."""
    random = np.random.default_rng(7)
    made = []
    for number in range(60):
        n, d = int(random.integers(0, 41)), int(random.integers(1, 9))
        sizes = random.integers(1, 100, n).astype(np.intp)
        made.append((topics(random, n, d), sizes, LIMITS[number % len(LIMITS)]))
    return made


INPUTS = inputs()


def group_sums(breaks: np.ndarray, sizes: np.ndarray) -> list[tuple[int, int]]:
    """For each group how many units it has and what they measure."""
    ends = [0, *breaks.tolist(), len(sizes)]
    return [(end - start, int(sizes[start:end].sum())) for start, end in pairwise(ends)]


@every_cut
def test_breaks_rise_strictly_within_the_units(cut: Cut) -> None:
    for vectors, sizes, limits in INPUTS:
        breaks = cut(vectors, sizes, limits)
        assert isinstance(breaks, np.ndarray)
        assert breaks.ndim == 1
        assert breaks.dtype == np.intp
        assert all(a < b for a, b in pairwise([0, *breaks.tolist(), max(len(sizes), 1)]))


@every_cut
def test_every_group_of_more_than_one_unit_fits(cut: Cut) -> None:
    for vectors, sizes, limits in INPUTS:
        for count, total in group_sums(cut(vectors, sizes, limits), sizes):
            assert count < 2 or limits.max_size is None or total <= limits.max_size


@every_cut
def test_no_small_group_could_join_a_neighbour(cut: Cut) -> None:
    for vectors, sizes, limits in INPUTS:
        for (_, first), (_, second) in pairwise(group_sums(cut(vectors, sizes, limits), sizes)):
            if limits.max_size is None or first + second <= limits.max_size:
                assert min(first, second) >= limits.min_size


@every_cut
def test_the_same_input_gives_the_same_breaks(cut: Cut) -> None:
    for vectors, sizes, limits in INPUTS:
        again = cut(vectors.copy(), sizes.copy(), limits)
        assert np.array_equal(cut(vectors, sizes, limits), again)


@every_cut
def test_inputs_are_never_changed(cut: Cut) -> None:
    for vectors, sizes, limits in INPUTS:
        vectors, sizes = vectors.copy(), sizes.copy()
        before = vectors.tobytes(), sizes.tobytes()
        vectors.setflags(write=False)
        sizes.setflags(write=False)
        cut(vectors, sizes, limits)
        assert (vectors.tobytes(), sizes.tobytes()) == before


@every_cut
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_no_unit_and_one_unit_have_no_break(cut: Cut, n: int, limits: Limits) -> None:
    breaks = cut(np.ones((n, 1), np.float32), np.full(n, 70, np.intp), limits)
    assert breaks.tolist() == []
    assert breaks.dtype == np.intp


@every_cut
def test_two_units_are_parted_where_they_do_not_fit_together(cut: Cut) -> None:
    same = np.ones((2, 1), np.float32)
    assert cut(same, np.array([40, 40]), Limits(79)).tolist() == [1]
    assert cut(same, np.array([40, 40]), Limits(80)).tolist() in ([], [1])
    assert cut(same, np.array([40, 40]), Limits(80, 41)).tolist() == []


@every_cut
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_rows_of_zeros_are_cut_like_any_other(cut: Cut, limits: Limits) -> None:
    sizes = np.arange(1, 31)
    with np.errstate(all="raise"):
        breaks = cut(np.zeros((30, 4), np.float32), sizes, limits)
    assert all(a < b for a, b in pairwise([0, *breaks.tolist(), 30]))
    assert all(count < 2 or total <= (limits.max_size or total) for count, total in group_sums(breaks, sizes))


@every_cut
def test_a_cut_survives_pickling(cut: Cut) -> None:
    copy = pickle.loads(pickle.dumps(cut))
    assert copy == cut
    assert hash(copy) == hash(cut)
    for vectors, sizes, limits in INPUTS[:10]:
        assert np.array_equal(copy(vectors, sizes, limits), cut(vectors, sizes, limits))


@every_cut
def test_scores_and_place_are_the_whole_of_a_scored_cut(cut: Cut) -> None:
    if not isinstance(cut, ScoredCut):
        assert isinstance(cut, DoublePassCut | OptimalCut | ClusterCut)
        return
    for vectors, sizes, limits in INPUTS:
        gaps = cut.scores(vectors, sizes)
        assert gaps.shape == (max(len(sizes) - 1, 0),)
        assert np.isfinite(gaps).all()
        assert np.array_equal(cut.place(gaps, sizes, limits), cut(vectors, sizes, limits))
