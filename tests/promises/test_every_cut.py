"""What every cut promises, over a registry of instances: the laws of `caesura_testing`, one at a time."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence

import numpy as np
import pytest

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
    NClusters,
    OptimalCut,
    Overlapping,
    Percentile,
    PercentileCut,
    Silhouette,
    StandardDeviation,
    Ward,
)
from caesura.host.settings import CUTS as CLASSES
from caesura.types import Cut, ScoredCut
from caesura_testing.cut_laws import LAWS
from caesura_testing.units import Units, sample_units

CUTS: dict[str, Cut] = {
    **{name: cut() for name, cut in CLASSES.items()},
    "double pass, all alike": DoublePassCut(-1, -1, -1, confidence=None, structure=0),
    "double pass, nothing alike": DoublePassCut(1, 1, 1, confidence=None, structure=0),
    "double pass, published": DoublePassCut(0.6, 0.7, 0.7, confidence=None, structure=0),
    "double pass, no look ahead": DoublePassCut(look_ahead=0),
    "double pass, far look ahead": DoublePassCut(look_ahead=4),
    "percentile 0": PercentileCut(threshold=Percentile(0)),
    "percentile 100": PercentileCut(threshold=Percentile(100)),
    "adjacent(1), standard deviation": PercentileCut(Adjacent(1), StandardDeviation(0.5)),
    "overlapping, interquartile": PercentileCut(Overlapping(1), Interquartile(0.2)),
    "adjacent(1), gradient": PercentileCut(Adjacent(1), Gradient(60)),
    "wide window, count": PercentileCut(Adjacent(50), Count(4)),
    "count 1": PercentileCut(threshold=Count(1)),
    "count over all": PercentileCut(threshold=Count(1000)),
    "optimal, no penalty": OptimalCut(penalty=0.0),
    "optimal, high penalty": OptimalCut(penalty=1000.0),
    "optimal, one chunk": OptimalCut(n_chunks=1),
    "optimal, four chunks": OptimalCut(n_chunks=4),
    "optimal, more chunks than units": OptimalCut(n_chunks=1000),
    "optimal, hardly sure": OptimalCut(0.0),
    "optimal, very sure, by size": OptimalCut(0.999999, half_weight=1000),
    "cluster, Ward": ClusterCut(Ward()),
    "cluster, average": ClusterCut(Average(), half_weight=0),
    "cluster, elbow": ClusterCut(stop=Elbow()),
    "cluster, Ward, silhouette": ClusterCut(Ward(), Silhouette()),
    "cluster, four chunks": ClusterCut(stop=NClusters(4)),
    "cluster, more chunks than units": ClusterCut(Average(), NClusters(1000)),
    "cluster, no distance": ClusterCut(Ward(), DistanceThreshold(0)),
}
GIVEN = sample_units(52, seed=7)

every_cut = pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)


@pytest.mark.parametrize(
    "cut",
    [pytest.param(cut, id=name, marks=[] if name in CLASSES else pytest.mark.thorough) for name, cut in CUTS.items()],
)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_cut_keeps_the_law(cut: Cut, law: Callable[[Cut, Sequence[Units]], None]) -> None:
    law(cut, GIVEN)


@every_cut
def test_a_cut_survives_pickling(cut: Cut) -> None:
    copy = pickle.loads(pickle.dumps(cut))
    assert copy == cut
    assert hash(copy) == hash(cut)
    for one in GIVEN[-10:]:
        assert np.array_equal(copy(one.vectors, one.sizes, one.limits), cut(one.vectors, one.sizes, one.limits))


@every_cut
def test_only_percentiles_are_by_score(cut: Cut) -> None:
    assert isinstance(cut, ScoredCut) == isinstance(cut, PercentileCut)
