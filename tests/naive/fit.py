"""Breaks -> breaks whose groups fit, found by looking at every group again after each change."""

from __future__ import annotations

from collections.abc import Callable

from naive.breaks import Group, groups


def fit(breaks: list[int], gaps: list[float], sizes: list[int], max_size: int | None, min_size: int) -> list[int]:
    """Cuts what is too large at its strongest gap, then gives up the weakest break beside what is too small."""
    breaks, n = list(breaks), len(sizes)

    def total(start: int, end: int) -> int:
        return sum(sizes[start:end])

    def too_large() -> Group | None:
        for start, end in groups(breaks, n):
            if max_size is not None and end - start > 1 and total(start, end) > max_size:
                return start, end
        return None

    while (group := too_large()) is not None:
        start, end = group
        places = list(range(start + 1, end))
        roomy = [at for at in places if total(start, at) >= min_size and total(at, end) >= min_size]
        cut = max(roomy or places, key=lambda at: (gaps[at - 1], -abs(total(start, at) - total(at, end)), -at))
        breaks = sorted([*breaks, cut])

    while True:
        ends = [0, *breaks, n]
        open_to_join = []
        for start, at, end in zip(ends, breaks, ends[2:], strict=False):
            small = total(start, at) < min_size or total(at, end) < min_size
            if small and (max_size is None or total(start, end) <= max_size):
                open_to_join.append(at)
        if not open_to_join:
            return breaks
        breaks.remove(min(open_to_join, key=lambda at: (gaps[at - 1], at)))


def fit_slices(breaks: list[int], sizes: list[int], fits: Callable[[int, int], bool]) -> list[int]:
    """Halves a group that does not fit where its parts are most even, and its halves in turn."""
    made = list(breaks)

    def halve(start: int, end: int) -> None:
        if end - start < 2 or fits(start, end):
            return
        cut = min(range(start + 1, end), key=lambda at: (abs(sum(sizes[start:at]) - sum(sizes[at:end])), at))
        made.append(cut)
        halve(start, cut)
        halve(cut, end)

    for start, end in groups(breaks, len(sizes)):
        halve(start, end)
    return sorted(made)
