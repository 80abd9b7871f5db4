"""Rows and sizes -> breaks: the published double-pass merging, sentence by sentence."""

from __future__ import annotations

import itertools

from naive.breaks import Group
from naive.fit import fit
from naive.gaps import adjacent
from naive.rows import Row, over, pooled, similarity


def double_pass(
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    initial_threshold: float,
    appending_threshold: float,
    merging_threshold: float,
    look_ahead: int,
    min_units: int,
    leftover_threshold: float,
    margins: list[float] | None = None,
) -> list[int]:
    """The published double-pass merging, on unit rows that add up by size; with `min_units` over 1, leftovers join."""
    if not rows:
        return []

    def fits(first: int, end: int) -> bool:
        return max_size is None or sum(sizes[first:end]) <= max_size

    chunks: list[Group] = []
    start = 0
    for sentence in range(1, len(rows)):
        if not fits(start, sentence + 1):
            joins = False
        elif sentence - start == 1:
            joins = over(rows[start], rows[sentence], initial_threshold, margins)
        else:
            last_two = pooled(rows, sizes, sentence - 2, sentence)
            joins = over(last_two, rows[sentence], appending_threshold, margins)
        if not joins:
            chunks.append((start, sentence))
            start = sentence
    chunks.append((start, len(rows)))

    merged: list[Group] = []
    current, next_chunk = chunks[0], 1
    while next_chunk < len(chunks):
        partner = None
        for candidate in range(next_chunk, min(next_chunk + 1 + look_ahead, len(chunks))):
            first, end = chunks[candidate]
            if not fits(current[0], end):
                continue
            if over(pooled(rows, sizes, *current), pooled(rows, sizes, first, end), merging_threshold, margins):
                partner = candidate
                break
        if partner is None:
            merged.append(current)
            current, next_chunk = chunks[next_chunk], next_chunk + 1
        else:
            current, next_chunk = (current[0], chunks[partner][1]), partner + 1
    merged.append(current)

    while min_units > 1:
        pairs = []
        for at, (left, right) in enumerate(itertools.pairwise(merged)):
            short = min(left[1] - left[0], right[1] - right[0]) < min_units
            needed = leftover_threshold if short else merging_threshold
            near = pooled(rows, sizes, *left), pooled(rows, sizes, *right)
            if fits(left[0], right[1]) and over(*near, needed, margins):
                pairs.append((-(similarity(*near) or 0.0), at))
        if not pairs:
            break
        if margins is not None and len(pairs) > 1:
            best, second = sorted(value for value, _ in pairs)[:2]
            margins.append(second - best)
        _, at = min(pairs)
        merged[at : at + 2] = [(merged[at][0], merged[at + 1][1])]

    breaks = [first for first, _ in merged[1:]]
    return fit(breaks, adjacent(rows, 3), sizes, max_size, min_size) if min_size else breaks
