"""Children give way to their parents: by a share of them, level by level, whatever the order of the finds."""

from __future__ import annotations

from random import Random

import pytest

from caesura_retrieval.parent_merging import enough, merge_up


def slow_merge_up(
    finds: list[str], parent_of: dict[str, str], child_count: dict[str, int], merge_ratio: float
) -> dict[str, list[str]]:
    """The obvious twin: parents are added one at a time until none can be, then each find goes to its topmost."""
    present = set(finds)
    while True:
        new = [
            parent
            for parent in set(parent_of.values()) - present
            if enough(sum(parent_of.get(name) == parent for name in present), child_count.get(parent, 0), merge_ratio)
        ]
        if not new:
            break
        present.add(sorted(new)[0])
    results: dict[str, list[str]] = {}
    for find in finds:
        top, name = find, find
        while name in parent_of:
            name = parent_of[name]
            top = name if name in present else top
        results.setdefault(top, []).append(find)
    return results


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_least_closed_set_as_the_slow_twin_finds_it(seed: int) -> None:
    rng = Random(seed)
    names = [str(number) for number in range(rng.randint(1, 30))]
    parent_of = {name: str(rng.randint(int(name) + 1, 40)) for name in names if rng.random() < 0.9}
    child_count: dict[str, int] = {}
    for parent in parent_of.values():
        child_count[parent] = child_count.get(parent, 0) + 1
    finds = rng.sample(names, rng.randint(0, len(names)))
    ratio = rng.choice([0.0, 1 / 3, 0.5, 2 / 3, 1.0])
    merged = merge_up(finds, parent_of, child_count, ratio)
    assert merged == slow_merge_up(finds, parent_of, child_count, ratio)
    assert sorted(find for inside in merged.values() for find in inside) == sorted(finds)
    backwards = merge_up(finds[::-1], parent_of, child_count, ratio)
    assert {top: inside[::-1] for top, inside in backwards.items()} == merged


def test_a_merged_child_counts_and_a_parent_that_does_not_say_how_many_takes_any() -> None:
    parent_of = {"a": "p", "b": "p", "p": "r", "q": "r"}
    assert merge_up(["a", "b", "q"], parent_of, {"p": 2, "r": 2}, 1.0) == {"r": ["a", "b", "q"]}
    assert merge_up(["a"], parent_of, {}, 1.0) == {"r": ["a"]}
    assert merge_up(["a", "a"], {}, {}, 0.5) == {"a": ["a"]}


def test_a_circle_of_parents_ends() -> None:
    assert merge_up(["a"], {"a": "b", "b": "a"}, {"a": 1, "b": 1}, 0.5) == {"b": ["a"]}
