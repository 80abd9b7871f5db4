"""The cluster cut: subjects found by every linkage and stop, within limits; and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.embedders.rows import A, blocks, breaks

from caesura import (
    Average,
    ClusterCut,
    Cohesion,
    DistanceThreshold,
    Elbow,
    Limits,
    NClusters,
    SettingError,
    Silhouette,
    Ward,
)
from caesura.cuts.search.linkages import Linkage

every_linkage = pytest.mark.parametrize("linkage", [Average(), Cohesion(), Ward()], ids=lambda one: type(one).__name__)


@every_linkage
@pytest.mark.parametrize("stop", [None, Elbow(), Silhouette(), NClusters(4)], ids=str)
def test_subjects_of_unequal_length_are_found(linkage: Linkage, stop: object) -> None:
    assert breaks(blocks([6, 3, 9, 4]), ClusterCut(linkage, stop)) == [6, 9, 18]


@every_linkage
def test_a_subject_that_comes_back_is_a_chunk_of_its_own(linkage: Linkage) -> None:
    rows = blocks([5, 5])[[*range(10), *range(5)]]
    assert breaks(rows, ClusterCut(linkage)) == [5, 10]


@every_linkage
def test_limits_forbid_merges(linkage: Linkage) -> None:
    rows = [A] * 6
    assert breaks(rows, ClusterCut(linkage, NClusters(1)), Limits(2)) == [2, 4]
    assert breaks(rows, ClusterCut(linkage, DistanceThreshold(9.0)), Limits(5, 3), [2] * 6) == [2, 4]


@every_linkage
@pytest.mark.parametrize("stop", [Elbow(), Silhouette()], ids=str)
@pytest.mark.parametrize("count", [40, 41, 97])
def test_a_text_that_says_one_thing_again_and_again_is_one_chunk(linkage: Linkage, stop: object, count: int) -> None:
    """Embedders return rows for it that differ by rounding, which is no bend."""
    rows = np.tile(blocks([1, 1], noise=0.5)[:1], (count, 1))
    rows += np.random.default_rng(count).normal(0, 1e-7, rows.shape).astype(np.float32)
    assert breaks(rows, ClusterCut(linkage, stop)) == []


@every_linkage
@pytest.mark.parametrize("count", [2, 3, 5, 40])
def test_units_of_no_size_weigh_nothing(linkage: Any, count: int) -> None:
    rows = np.random.default_rng(0).normal(size=(count, 8)).astype(np.float32)
    ClusterCut(linkage)(rows, np.arange(count) % 3, Limits())
    ClusterCut(linkage)(rows, np.zeros(count, np.intp), Limits())


def test_an_even_text_is_one_chunk() -> None:
    for stop in (None, Elbow(), Silhouette()):
        assert breaks([A] * 30, ClusterCut(stop=stop)) == []
    assert breaks(blocks([40], 0.3), ClusterCut()) == []
    assert breaks(blocks([40], 0.3), ClusterCut(Ward(), Silhouette())) != list(range(1, 40))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: NClusters(0), "n_clusters must be a whole number of at least 1, got 0"),
        (lambda: DistanceThreshold(-1), "distance_threshold must be a finite number.*-1"),
        (lambda: DistanceThreshold(float("inf")), "distance_threshold must be a finite number"),
        (lambda: ClusterCut("ward"), "linkage must be callable, got 'ward'"),
        (lambda: ClusterCut(stop="elbow"), "stop must be callable, got 'elbow'"),
        (lambda: ClusterCut(half_weight=-1), "half_weight must be a finite number"),
        (lambda: ClusterCut(lambda *groups: 1.0), "needs stop=DistanceThreshold"),
    ],
)
def test_a_setting_out_of_range_is_refused(made: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        made()
