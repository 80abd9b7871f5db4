"""The pieces of lines on a page -> regions in the order of reading: columns, and what stands across them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from caesura_documents.printed.page import LinePiece

_FEWEST = 4  # lines that a column has
_SHORTEST = 14  # characters of a column's middle line: cells of a table are shorter
_DEEPEST = 4  # columns beside each other, less one


def split_columns(pieces: Sequence[LinePiece], depth: int = 0) -> list[list[LinePiece]]:
    """Pieces, in any order -> regions in the order of reading, each with the pieces of one column or across columns.

    A gutter is a white strip that few lines cross, with lines of text on both sides of it. What crosses it parts the
    columns above from those below.
    """
    if depth >= _DEEPEST or len(pieces) < 2 * _FEWEST:
        return [list(pieces)] if pieces else []
    gutter = _find_gutter(pieces)
    if gutter is None:
        return [list(pieces)]
    sides = [_side(piece, gutter) for piece in pieces]
    across = sorted((piece for piece, side in zip(pieces, sides, strict=True) if side == 0), key=lambda one: one.base)
    edges = [piece.base for piece in across]
    bands: list[tuple[list[LinePiece], list[LinePiece], list[LinePiece]]] = [
        ([], [], []) for _ in range(len(across) + 1)
    ]
    places = np.searchsorted(edges, [piece.base for piece in pieces], "left").tolist() if edges else [0] * len(pieces)
    for piece, side, band in zip(pieces, sides, places, strict=True):
        if side:
            bands[band][side > 0].append(piece)
    for number, piece in enumerate(across):
        bands[number + 1][2].append(piece)  # which stands above the band after it
    return _read_bands(bands, depth)


def _read_bands(
    bands: Sequence[tuple[list[LinePiece], list[LinePiece], list[LinePiece]]], depth: int
) -> list[list[LinePiece]]:
    regions: list[list[LinePiece]] = []
    open_across: list[LinePiece] = []
    for left, right, across in bands:
        open_across += across
        if not left and not right:
            continue
        if open_across:
            regions.append(open_across)
            open_across = []
        for column in (left, right):
            regions += split_columns(column, depth + 1)
    if open_across:
        regions.append(open_across)
    return regions


def _side(piece: LinePiece, gutter: tuple[float, float]) -> int:
    """-1 for a piece to the left of a gutter, 1 to the right, 0 across it."""
    start, end = gutter
    middle = (start + end) / 2
    if piece.left < middle - 3 and piece.right > middle + 3:
        return 0
    return -1 if (piece.left + piece.right) / 2 < middle else 1


def _find_gutter(pieces: Sequence[LinePiece]) -> tuple[float, float] | None:
    """The widest gutter between two columns, as its left and right edge; None without one."""
    low, high = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    width = int(high - low) + 2
    if not 40 < width < 100_000:
        return None
    change = np.zeros(width + 1)
    starts = np.array([piece.left - low for piece in pieces]).astype(int)
    ends = np.array([piece.right - low for piece in pieces]).astype(int) + 1
    tall = np.array([piece.size for piece in pieces])
    np.add.at(change, starts, tall)
    np.subtract.at(change, np.minimum(ends, width), tall)
    covered = np.cumsum(change)[:width]
    usual = float(np.median(covered[covered > 0]))
    free = np.concatenate(([False], covered <= 0.18 * usual, [False]))
    turns = np.flatnonzero(free[1:] != free[:-1])
    size = median(piece.size for piece in pieces)
    found = [
        (low + start, low + end)
        for start, end in zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True)
        if end - start >= 0.6 * size and 0.1 * width < (start + end) / 2 < 0.9 * width
    ]
    found.sort(key=lambda one: one[0] - one[1])
    return next((gutter for gutter in found[:6] if _parts_columns(pieces, gutter)), None)


def _parts_columns(pieces: Sequence[LinePiece], gutter: tuple[float, float]) -> bool:
    """Whether there are lines of text on both sides, beside each other, and not the cells of a table."""
    left, right = ([piece for piece in pieces if _side(piece, gutter) == side] for side in (-1, 1))
    if min(len(left), len(right)) < _FEWEST:
        return False
    for side in (left, right):
        lengths = [len(piece.text) for piece in side]
        widths = sorted(piece.width for piece in side)
        full = sum(width > 0.6 * widths[int(0.9 * (len(widths) - 1))] for width in widths)
        if median(lengths) < _SHORTEST or 3 * full < len(side):
            return False
    top, bottom = (
        max(min(one.base for one in side) for side in (left, right)),
        min(max(one.base for one in side) for side in (left, right)),
    )
    return bottom - top > 3 * median(piece.size for piece in pieces)
