"""The tree of merges: distances as they are said to be, heights that never fall."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.embedders.rows import blocks
from naive.cluster import cluster

from caesura import Average, ClusterCut, Cohesion, Ward
from caesura.cuts.search import merge_tree
from caesura.cuts.search.linkages import Linkage

every_linkage = pytest.mark.parametrize("linkage", [Average(), Cohesion(), Ward()], ids=lambda one: type(one).__name__)


def test_distances_are_what_they_say() -> None:
    """Of two rows that are alike, and one at right angles to them: squared lengths 4, 1 and 5."""
    groups = 4.0, 2.0, 1.0, 1.0, 5.0
    assert Average()(*groups) == pytest.approx(1)
    assert Ward()(*groups) == pytest.approx(2 / 3 * 2)
    assert Cohesion()(*groups) == pytest.approx(4 / 2.3 + 1 / 1.3 - 5 / 3.3)
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


@every_linkage
@pytest.mark.parametrize("block", [4, 4096])
def test_merges_up_to_a_distance_are_the_first_of_all(
    linkage: Linkage, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_tree, "BLOCK", block)
    rows, weights, sizes = np.random.default_rng(0).normal(size=(40, 8)), np.ones(40), np.full(40, 100)
    whole = merge_tree.agglomerate(rows.copy(), weights, sizes, linkage)
    assert len(whole.order) == 39
    for farthest in (-1e9, *np.unique(whole.heights)[[0, 5, -2, -1]].tolist(), 1e300):
        some = merge_tree.agglomerate(rows.copy(), weights, sizes, linkage, farthest=farthest)
        assert some.heights.tolist() == whole.heights[whole.heights <= farthest].tolist()
        assert some.order.tolist() == whole.order[: len(some.order)].tolist()
        assert some.breaks(some.within(farthest)).tolist() == whole.breaks(whole.within(farthest)).tolist()


def test_a_distance_that_falls_counts_as_the_highest_before_it() -> None:
    """Only neighbours join: the last row is nearer to all before it together than to the one beside it."""
    rows = np.array([[1.0, 0.0], [0.5, 0.87], [-0.5, 0.87], [1, 0]], np.float32)
    _, *distances = (distance for _, distance in cluster(rows.tolist(), [1] * 4, None, [1.0] * 4, "average", []))
    assert distances == pytest.approx([1, 2 / 3])
    assert ClusterCut(Average(), half_weight=0).tree(rows, np.ones(4)).heights[1:].tolist() == pytest.approx([1, 1])


@every_linkage
@pytest.mark.parametrize("same", [1, 7])
def test_the_nearest_join_first_also_where_they_are_looked_for_a_block_at_a_time(
    linkage: Linkage, same: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of equals too, which rows that come again have: the first in the text, whichever block it is in."""
    rows = np.tile(np.random.default_rng(3).normal(size=(210 // same, 5)), (same, 1)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    whole = ClusterCut(linkage).tree(rows, np.full(210, 100))
    monkeypatch.setattr(merge_tree, "BLOCK", 16)
    parts = ClusterCut(linkage).tree(rows, np.full(210, 100))
    assert parts.order.tolist() == whole.order.tolist()
    assert parts.heights.tolist() == whole.heights.tolist()
