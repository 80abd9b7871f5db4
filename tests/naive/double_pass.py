"""Rows and sizes -> breaks: the published double-pass merging, sentence by sentence, and what joins at last."""

from __future__ import annotations

from naive.breaks import Group
from naive.cluster import by_chance
from naive.fit import fit
from naive.gaps import adjacent
from naive.rows import Row, over, pooled, reliable


def double_pass(
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    initial_threshold: float,
    appending_threshold: float,
    merging_threshold: float,
    look_ahead: int,
    confidence: float | None,
    bonus: list[float],
    margins: list[float],
) -> list[int]:
    """The published double-pass merging, on unit rows that add up by size; with a confidence, what chance explains joins.

    The passes then look at what a row has beside the mean of all.

    bonus: of each gap; a third of it is taken off the similarity across it.
    """
    if not rows:
        return []
    given = rows
    if confidence is not None:
        rows = less_the_mean(rows, reliable(sizes, 0.25))

    def fits(first: int, end: int) -> bool:
        return max_size is None or sum(sizes[first:end]) <= max_size

    chunks: list[Group] = []
    start = 0
    for sentence in range(1, len(rows)):
        if not fits(start, sentence + 1):
            joins = False
        elif sentence - start == 1:
            joins = over(rows[start], rows[sentence], initial_threshold + bonus[sentence - 1] / 3, margins)
        else:
            last_two = pooled(rows, sizes, sentence - 2, sentence)
            joins = over(last_two, rows[sentence], appending_threshold + bonus[sentence - 1] / 3, margins)
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
            needed = merging_threshold + bonus[first - 1] / 3
            if over(pooled(rows, sizes, *current), pooled(rows, sizes, first, end), needed, margins):
                partner = candidate
                break
        if partner is None:
            merged.append(current)
            current, next_chunk = chunks[next_chunk], next_chunk + 1
        else:
            current, next_chunk = (current[0], chunks[partner][1]), partner + 1
    merged.append(current)

    breaks = [first for first, _ in merged[1:]]
    if confidence is not None and len(rows) > 1:
        weights = reliable(sizes, 0.25)
        settings = given, sizes, max_size, weights, "cohesion", confidence, bonus, margins
        breaks = by_chance(*settings, breaks) if breaks else breaks
    return fit(breaks, adjacent(given, 3), sizes, max_size, min_size) if min_size else breaks


def less_the_mean(rows: list[Row], weights: list[float]) -> list[Row]:
    """Unit rows -> those less their weighted mean, of length 1; a zero row stays zero."""
    mean = [
        sum(weight * row[at] for row, weight in zip(rows, weights, strict=True)) / sum(weights)
        for at in range(len(rows[0]))
    ]
    found = []
    for row in rows:
        apart = [value - shared if any(row) else 0.0 for value, shared in zip(row, mean, strict=True)]
        length = sum(value * value for value in apart) ** 0.5
        found.append([value / length for value in apart] if length > 1e-5 else [0.0] * len(row))
    return found
