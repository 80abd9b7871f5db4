"""Rows and their weights -> Merges: the nearest neighbours join first, until one group is left or none may grow."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.linkage import Linkage
from caesura.cuts.merges import Merges, neighbours
from caesura.types import Sizes, Vectors

GRAINS = 2.0**40
"""Distances are rounded to so many parts of one, so that equals are equal however their sums were added up."""


def agglomerate(
    vectors: Vectors, weights: NDArray[np.float64], linkage: Linkage, sizes: Sizes, max_size: int | None = None
) -> Merges:
    """Rows, their weights and sizes -> `Merges`, such that no merge makes a group over `max_size`.

    The nearest neighbours join first, of equals the earlier. O(n log n) merges by a heap, no table of pairs.
    """
    n = len(vectors)
    weighs, shares = np.concatenate(([0], np.cumsum(weights))).tolist(), weights.tolist()
    totals = np.concatenate(([0], np.cumsum(sizes))).tolist()
    largest = totals[-1] if max_size is None else max_size
    before, after = neighbours(n)
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64) * weights**2
    products = np.einsum("ij,ij->i", vectors[:-1], vectors[1:], dtype=np.float64) * weights[:-1] * weights[1:]
    both = squares[:-1] + squares[1:] + 2 * products
    first = np.rint(np.asarray(linkage(squares[:-1], weights[:-1], squares[1:], weights[1:], both)) * GRAINS) / GRAINS
    waiting: list[tuple[float, int, int, int, float]] = [
        (distance, gap, gap - 1, gap + 1, square)
        for gap, distance, square in zip(range(1, n), first.tolist(), both.tolist(), strict=True)
        if totals[gap + 1] - totals[gap - 1] <= largest
    ]
    heapq.heapify(waiting)
    held = squares.tolist()  # by the edge at which a group starts, the squared length of its sum
    sums: dict[int, NDArray[np.float64]] = {}  # and the sum, of a group of more than one unit

    def sum_of(start: int) -> NDArray[np.float64]:
        row = sums.get(start)
        return vectors[start] * weights[start] if row is None else row

    def propose(gap: int) -> None:
        """Puts a gap in the queue, of which at least one side is a group."""
        start, end = before[gap], after[gap]
        if totals[end] - totals[start] > largest:
            return
        left, right = sums.get(start), sums.get(gap)
        if left is not None and right is not None:
            product = float(left @ right)
        elif left is not None:
            product = float(left @ vectors[gap]) * shares[gap]
        else:
            product = float(vectors[start] @ sums[gap]) * shares[start]
        square = held[start] + held[gap] + 2 * product
        weighed = weighs[gap] - weighs[start], weighs[end] - weighs[gap]
        distance = linkage(held[start], weighed[0], held[gap], weighed[1], max(square, 0.0))
        heapq.heappush(waiting, (round(distance * GRAINS) / GRAINS, gap, start, end, square))

    order: list[int] = []
    heights: list[float] = []
    closed = np.zeros(n + 1, np.bool_)
    while waiting:
        distance, gap, start, end, square = heapq.heappop(waiting)
        if closed[gap] or before[gap] != start or after[gap] != end:
            continue
        closed[gap] = True
        order.append(gap)
        heights.append(distance)
        sums[start] = sum_of(start) + sum_of(gap)
        sums.pop(gap, None)
        before[end], after[start], held[start] = start, end, square
        if start:
            propose(start)
        if end < n:
            propose(end)
    return Merges(np.array(order, np.intp), np.maximum.accumulate(np.array(heights, np.float64)), vectors, weights)
