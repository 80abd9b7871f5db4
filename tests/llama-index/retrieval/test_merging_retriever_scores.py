"""The score and the place of what was merged are of what was found inside; the order of finds changes nothing."""

from __future__ import annotations

from itertools import permutations

import pytest
from fakes.llama_index.retrievers import CHAINS, TWO, merged, scored, tree


@pytest.mark.parametrize(("score", "wanted"), [("max", 0.8), ("mean", 0.4), ("sum", 1.2)])
def test_scores_are_of_what_was_found_inside(score: str, wanted: float) -> None:
    nodes = tree(TWO)
    found = scored(nodes, a=0.8, b=0.1, e=0.3)
    assert merged(nodes, found, score=score) == [("root", wanted)]


def test_a_hit_keeps_its_place_when_its_parent_takes_it_over() -> None:
    nodes = tree({"p": ["a", "b"], "q": ["c", "d", "e"]})
    assert merged(nodes, scored(nodes, a=0.95, c=0.6, b=0.1)) == [("p", 0.95), ("c", 0.6)]


def test_results_do_not_depend_on_the_order_of_finds_and_ties_keep_it() -> None:
    nodes = tree(TWO, CHAINS)
    results = {
        str(merged(nodes, list(order), merge_ratio=0.7))
        for order in permutations(scored(nodes, a=0.9, b=0.8, d=0.7, e=0.6))
    }
    assert results == {"[('p', 0.9), ('e', 0.6)]"}
    for order in (["f", "a"], ["a", "f"]):
        found = scored(nodes, **dict.fromkeys(order, 0.5))
        assert [name for name, _ in merged(nodes, found, merge_ratio=1)] == order


def test_nodes_without_parents_or_scores_pass() -> None:
    nodes = tree({"p": ["a"], "lone": []})
    assert merged(nodes, scored(nodes, lone=None)) == [("lone", 0.0)]
    assert merged(nodes, []) == []
