"""The cluster cut: linkages, when to stop, the tree, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from cut_fakes import A, breaks

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
from caesura.cuts.linkage import Linkage

every_linkage = pytest.mark.parametrize("linkage", [Average(), Cohesion(), Ward()], ids=lambda one: type(one).__name__)


def blocks(counts: list[int], noise: float = 0.15) -> np.ndarray:
    """Rows on one subject after another, so many of each."""
    random = np.random.default_rng(5)
    subjects = np.repeat(np.eye(len(counts), 12), counts, axis=0)
    rows = subjects + random.normal(0, noise, subjects.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@every_linkage
@pytest.mark.parametrize("stop", [None, Elbow(), Silhouette(), NClusters(4)], ids=str)
def test_subjects_of_unequal_length_are_found(linkage: Linkage, stop: object) -> None:
    assert breaks(blocks([6, 3, 9, 4]), ClusterCut(linkage, stop)) == [6, 9, 18]


@every_linkage
def test_a_subject_that_comes_back_is_a_chunk_of_its_own(linkage: Linkage) -> None:
    rows = blocks([5, 5])[[*range(10), *range(5)]]
    assert breaks(rows, ClusterCut(linkage)) == [5, 10]


def test_distances_are_what_they_say() -> None:
    """Of two rows that are alike, and one at right angles to them: squared lengths 4, 1 and 5."""
    groups = 4.0, 2.0, 1.0, 1.0, 5.0
    assert Average()(*groups) == pytest.approx(1)
    assert Ward()(*groups) == pytest.approx(2 / 3 * 2)
    assert Cohesion()(*groups) == pytest.approx(3 - 5**0.5)
    for linkage in (Average(), Ward(), Cohesion()):
        assert linkage(*(np.full(2, value) for value in groups)).tolist() == [linkage(*groups)] * 2


@every_linkage
def test_heights_never_fall_and_the_tree_knows_no_limit(linkage: Linkage) -> None:
    rows, sizes = blocks([3, 3, 3], 0.6), np.full(9, 100)
    tree = ClusterCut(linkage).tree(rows, sizes)
    assert sorted(tree.order.tolist()) == list(range(1, 9))
    assert (np.diff(tree.heights) >= 0).all()
    assert tree.fewest == 1
    assert tree.breaks(1).tolist() == []
    assert tree.breaks(9).tolist() == list(range(1, 9))
    for chunks in range(1, 9):
        assert set(tree.breaks(chunks)) < set(tree.breaks(chunks + 1))


def test_only_neighbours_joining_a_distance_can_fall() -> None:
    """B lies between two that are alike, and is nearer to both together than to one."""
    rows = np.array([[1.0, 0.0], [0.5, 0.87], [-0.5, 0.87], [1, 0]], np.float32)
    tree = ClusterCut(Average(), half_weight=0).tree(rows, np.ones(4))
    assert (np.diff(tree.heights) >= 0).all()


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
