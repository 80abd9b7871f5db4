"""Children give way to their parents: which names a retriever returns, and with which score.

The retrievers of both plugins merge by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Literal, TypeAlias

from caesura.checks import check_number
from caesura.errors import SettingError

Score: TypeAlias = Literal["max", "mean", "sum"]
SCORES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "mean": lambda scores: fsum(scores) / len(scores),
    "sum": fsum,
}
"""The score of a parent, of those of what was found in it."""


def check_merging(merge_ratio: float, score: Score) -> None:
    """Raises `SettingError` unless the ratio is a number from 0 to 1, and the score one of `SCORES`."""
    check_number("merge_ratio", merge_ratio, 0, 1)
    if score not in SCORES:
        raise SettingError(f"score must be one of {list(SCORES)}, got {score!r}")


def enough(found: int, parts: int, merge_ratio: float) -> bool:
    """Whether a parent takes the place of those of its parts that were found: at least the share, and at least one.

    >>> enough(2, 3, 2 / 3), enough(1, 3, 0.5), enough(1, 100, 0), enough(0, 100, 0)
    (True, False, True, False)
    """
    return found > 0 and found >= merge_ratio * parts - 1e-9  # thirds are thirds, whatever their rounding


def merge_up(
    finds: Sequence[str], parent_of: Mapping[str, str], child_count: Mapping[str, int], merge_ratio: float
) -> dict[str, list[str]]:
    """Names that a search found -> the names to return, and for each the finds that are it or lie inside it.

    parent_of: the parent of each name that has one. child_count: how many children a parent has; of one that is not
    named here, any child is enough. A parent is present where `merge_ratio` of its children are, at least one; a parent
    that is present counts as a child of its own. Returns the present names that lie inside no other, in the order of
    their first finds, whatever the order of the finds; those of each in their order.

    >>> merge_up(["a", "b", "d"], {"a": "p", "b": "p", "c": "p", "d": "q", "p": "r"}, {"p": 3, "q": 2, "r": 2}, 0.6)
    {'p': ['a', 'b'], 'd': ['d']}
    """
    present = set(finds)
    level = present
    while level:
        children: dict[str, int] = {}
        parents = {parent_of[name] for name in level if name in parent_of} - present
        for name in present:
            if parent_of.get(name) in parents:
                children[parent_of[name]] = children.get(parent_of[name], 0) + 1
        level = {parent for parent in parents if enough(children[parent], child_count.get(parent, 0), merge_ratio)}
        present |= level
    tops: dict[str, list[str]] = {}
    for find in dict.fromkeys(finds):
        line, seen = [find], {find}
        while (parent := parent_of.get(line[-1])) is not None and parent not in seen:
            line.append(parent)
            seen.add(parent)
        top = next(name for name in reversed(line) if name in present)
        tops.setdefault(top, []).append(find)
    return tops
