"""Children give way to their parent where enough of them are found."""

from __future__ import annotations

from fakes.llama_index.retrievers import TWO, Raw, merged, named, scored, stored, tree
from llama_index.core.schema import NodeWithScore

from llama_index.node_parser.caesura import MergingRetriever


def test_the_share_that_is_asked_for_is_enough() -> None:
    nodes = tree({"p": ["a", "b", "c", "d"]})
    assert merged(nodes, scored(nodes, a=0.9)) == [("a", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9, c=0.5)) == [("p", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9, c=0.5), merge_ratio=0.51) == [("a", 0.9), ("c", 0.5)]
    assert merged(nodes, scored(nodes, a=0.9, b=0.1, c=0.5, d=0.2), merge_ratio=1) == [("p", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9), merge_ratio=0.25) == [("p", 0.9)]


def test_at_a_share_of_nothing_one_found_child_is_enough_and_none_is_not() -> None:
    nodes = tree(TWO)
    assert merged(nodes, scored(nodes, a=0.9, f=0.1), merge_ratio=0) == [("root", 0.9)]
    nodes = tree({"p": ["a", "b"], "q": ["c", "d"]})
    assert merged(nodes, scored(nodes, d=0.9), merge_ratio=0) == [("q", 0.9)]


def test_thirds_are_thirds_whatever_their_rounding() -> None:
    nodes = tree({"p": list("abc")})
    assert merged(nodes, scored(nodes, a=0.9, c=0.5), merge_ratio=2 / 3) == [("p", 0.9)]
    nodes = tree({"p": [f"c{number}" for number in range(49)]})
    assert merged(nodes, scored(nodes, c7=0.5), merge_ratio=1 / 49) == [("p", 0.5)]


def test_a_child_found_twice_counts_once_with_its_best_score() -> None:
    nodes = tree({"p": ["a", "b", "c"]})
    twice = [*scored(nodes, a=0.2), *scored(nodes, a=0.9)]
    for found, wanted in ((twice, [("a", 0.9)]), ([*twice, *scored(nodes, b=0.3)], [("p", 1.2)])):
        assert named(MergingRetriever(Raw(found), stored(nodes), score="sum").retrieve("?")) == wanted


def test_merging_goes_up_all_levels() -> None:
    nodes = tree(TWO)
    found = scored(nodes, a=0.9, c=0.5, e=0.4)
    assert merged(nodes, found) == [("root", 0.9)]
    assert merged(nodes, found, merge_ratio=0.51) == [("a", 0.9), ("c", 0.5), ("e", 0.4)]
    assert merged(nodes, scored(nodes, a=0.9, c=0.5), merge_ratio=0.5) == [("root", 0.9)]
    assert merged(nodes, scored(nodes, a=0.9, b=0.8, c=0.5, e=0.1), merge_ratio=0.6) == [("p", 0.9), ("e", 0.1)]


def test_a_merged_child_counts_for_its_parent_beside_a_leaf() -> None:
    nodes = tree({"root": ["p", "x"], "p": ["a", "b"]})
    assert merged(nodes, scored(nodes, x=0.3, a=0.5, b=0.6), merge_ratio=1) == [("root", 0.6)]
    assert merged(nodes, scored(nodes, x=0.3, a=0.5), merge_ratio=1) == [("a", 0.5), ("x", 0.3)]


def test_a_node_is_not_returned_beside_its_parent_or_grandparent() -> None:
    nodes = tree(TWO)
    assert merged(nodes, scored(nodes, a=0.9, root=0.3)) == [("root", 0.9)]
    assert merged(nodes, scored(nodes, p=0.3, a=0.9, e=0.2), merge_ratio=1) == [("p", 0.9), ("e", 0.2)]


def test_a_child_of_an_older_parent_does_not_count_for_it() -> None:
    nodes = tree({"p": ["a", "b"]})
    stray = tree({"p": ["x"]})["x"]
    assert merged(nodes, [NodeWithScore(node=stray, score=0.9)]) == [("x", 0.9)]
