"""Text, edges and breaks -> chunks, their vectors, and what is shown to the embedder."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from naive.breaks import Group, groups
from naive.rows import Row


def units(text: str, edges: list[int]) -> list[str]:
    return [text[start:end] for start, end in itertools.pairwise(edges)]


def joined(text: str, edges: list[int], buffer_size: int) -> list[str]:
    """Each unit that is not blank with its neighbours that are not blank, trimmed; "" for a blank one."""
    pieces = [piece.strip() for piece in units(text, edges)]
    shown = []
    for at, piece in enumerate(pieces):
        before = [other for other in pieces[:at] if other]
        after = [other for other in pieces[at + 1 :] if other]
        near = [*before[max(len(before) - buffer_size, 0) :], piece, *after[:buffer_size]]
        shown.append(" ".join(near) if piece else "")
    return shown


def span(text: str, start: int, end: int, trim: bool) -> Group:
    """A range of the text, without the whitespace at its ends where it is to be trimmed."""
    while trim and start < end and text[end - 1].isspace():
        end -= 1
    while trim and start < end and text[start].isspace():
        start += 1
    return start, end


def held_groups(text: str, edges: list[int], breaks: list[int]) -> list[list[int]]:
    """For each chunk its units, those aside that are blank; no chunk is without any."""
    pieces = units(text, edges)
    found = [[at for at in range(start, end) if pieces[at].strip()] for start, end in groups(breaks, len(pieces))]
    return [group for group in found if group]


def chunks(
    text: str,
    edges: list[int],
    breaks: list[int],
    sizes: list[int],
    size: Callable[[str], int],
    max_size: int | None,
    trim: bool = True,
    overlap: int = 0,
) -> list[tuple[str, int, int]]:
    """The chunks; each but the first with as many whole units before it as the overlap has room for."""
    made: list[tuple[str, int, int]] = []
    previous: list[int] = []
    for group in held_groups(text, edges, breaks):
        start, end = span(text, edges[group[0]], edges[group[-1] + 1], trim)
        for count in range(1, len(previous)):
            earlier = previous[len(previous) - count :]
            wider, _ = span(text, edges[earlier[0]], edges[group[-1] + 1], trim)
            if sum(sizes[unit] for unit in earlier) > overlap:
                break
            if max_size is not None and size(text[wider:end]) > max_size + overlap:
                break
            start = wider
        made.append((text[start:end], start, end))
        previous = group
    return made


def chunk_vectors(text: str, edges: list[int], breaks: list[int], sizes: list[int], rows: list[Row]) -> list[Row]:
    """For each chunk the direction of the sum of the rows of its units, by the roots of their sizes, and the mean of
    their lengths; without the rows that are zero."""
    made = []
    for group in held_groups(text, edges, breaks):
        weights = {at: math.sqrt(sizes[at]) for at in group if any(rows[at])}
        columns = zip(*(rows[at] for at in group), strict=True)
        total = [sum(weights.get(at, 0) * value for at, value in zip(group, column, strict=True)) for column in columns]
        wanted = sum(weight * math.hypot(*rows[at]) for at, weight in weights.items()) / (sum(weights.values()) or 1)
        made.append([value * wanted / (math.hypot(*total) or 1) for value in total])
    return made
