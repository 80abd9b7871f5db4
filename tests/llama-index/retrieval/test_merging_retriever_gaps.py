"""A gap between two finds of one parent is filled, and what fills it counts for nothing else."""

from __future__ import annotations

from fakes.llama_index.retrievers import merged, scored, tree


def test_a_gap_between_neighbours_of_one_parent_is_filled_with_the_lower_score() -> None:
    nodes = tree({"p": list("abcdefg")}, ["abcdefg"])
    found = scored(nodes, c=0.4, a=0.9)
    assert merged(nodes, found, fill_gaps=True) == [("a", 0.9), ("c", 0.4), ("b", 0.4)]
    assert merged(nodes, scored(nodes, a=0.9, d=0.4), fill_gaps=True) == [("a", 0.9), ("d", 0.4)]
    assert merged(nodes, found) == [("a", 0.9), ("c", 0.4)]


def test_a_gap_at_the_border_of_parents_stays() -> None:
    nodes = tree({"p": list("abcd"), "q": list("efgh")}, ["abcdefgh"])
    assert merged(nodes, scored(nodes, d=0.9, f=0.8), fill_gaps=True) == [("d", 0.9), ("f", 0.8)]


def test_what_fills_a_gap_does_not_count_as_found() -> None:
    nodes = tree({"p": list("abcde")}, ["abcde"])
    found = scored(nodes, a=0.9, c=0.8)
    assert [name for name, _ in merged(nodes, found, fill_gaps=True)] == ["a", "c", "b"]


def test_a_gap_between_merged_parents_takes_in_what_was_found_in_it() -> None:
    spec = {"root": ["p", "q", "r", "s", "t"], "p": ["a", "b"], "q": ["c", "d", "e"], "r": ["f", "g"]}
    nodes = tree(spec, [["p", "q", "r", "s", "t"], list("abcdefg")])
    found = scored(nodes, a=0.9, f=0.8, d=0.1)
    assert merged(nodes, found, fill_gaps=True) == [("p", 0.9), ("r", 0.8), ("q", 0.1)]
