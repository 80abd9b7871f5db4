"""Breaks, the first unit of each new chunk -> the groups (first unit, end) that they make."""

from __future__ import annotations

from itertools import pairwise

Group = tuple[int, int]


def groups(breaks: list[int], n: int) -> list[Group]:
    ends = [0, *breaks, n]
    return [(start, end) for start, end in pairwise(ends) if start < end]
