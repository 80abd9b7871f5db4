"""(Vectors, Sizes, Limits) -> Breaks: the best segmentation of the whole text, by dynamic programming."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from caesura.cuts.weights import reliable
from caesura.errors import SettingError, number, whole
from caesura.types import Breaks, Limits, Sizes, Structure, Vectors
from caesura.vectors import window_sums

PENALTY = 1.25
MOST_CELLS = 2**27
"""The largest table for a number of chunks: 12 bytes a cell."""
TRIALS = 40
"""Of penalties, for a target size. A fourth of them is seldom needed."""


@dataclass(frozen=True, slots=True)
class OptimalCut:
    """The segmentation that maximises the summed lengths of its chunks' vectors, less `penalty` for each chunk.

    A chunk's vector is the sum of its units' unit rows: the longer, the more its units agree. Splitting a chunk never
    shortens the sum, so each chunk has to earn the penalty. Of all segmentations within the limits it returns the best:
    of those with the fewest chunks under `min_size`, the one with the highest sum.

    penalty: what a chunk must gain, in rows; 1.25 if none of the three is given. Less makes smaller chunks.
    n_chunks: the best segmentation into so many chunks, or as near a number as the limits allow. Time and memory grow
    with that number.
    target_size: the penalty at which the mean size of a chunk is nearest to this.
    structure: what the end of a paragraph takes off the penalty; the end of a line half of it, a heading twice. Only a
    Splitter knows where those are.
    half_weight: how much short units count, see `reliable`.

    Time is linear in the number of units for a given `max_size`, and without one where subjects change: a start that a
    later start has overtaken never comes back (Killick, Fearnhead and Eckley's PELT), for the length of a sum is never
    over the sum of the lengths.
    """

    penalty: float | None = None
    n_chunks: int | None = None
    target_size: int | None = None
    structure: float = 0.3
    half_weight: float = 0.25

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("penalty", "n_chunks", "target_size")}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) > 1:
            raise SettingError(f"penalty, n_chunks and target_size exclude one another: give one of them, got {given}")
        number("penalty", PENALTY if self.penalty is None else self.penalty, 0, inf)
        for name in ("n_chunks", "target_size"):
            whole(name, 1 if getattr(self, name) is None else getattr(self, name), 1)
        number("structure", self.structure, 0, inf)
        number("half_weight", self.half_weight, 0, inf)

    def __call__(self, vectors: Vectors, sizes: Sizes, limits: Limits) -> Breaks:
        return self.within(vectors, sizes, limits, np.zeros(max(len(sizes) - 1, 0)))

    def within(self, vectors: Vectors, sizes: Sizes, limits: Limits, structure: Structure) -> Breaks:
        """`__call__`, with what the text itself shows at each gap."""
        if len(vectors) < 2:
            return np.zeros(0, np.intp)
        weights = reliable(sizes, self.half_weight)
        bonus = self.structure * np.concatenate(([0], structure, [0]))
        search = _Search(window_sums(vectors, weights), sizes, limits, bonus)
        if self.n_chunks is not None:
            return search.by_count(self.n_chunks)
        if self.target_size is not None:
            return search.by_size(self.target_size)
        return search.by_penalty(PENALTY if self.penalty is None else self.penalty)


class _Search:
    """Running sums and limits of one text -> the best breaks."""

    def __init__(self, sums: NDArray[np.float64], sizes: Sizes, limits: Limits, bonus: NDArray[np.float64]) -> None:
        self.sums, self.bonus, self.least = sums, bonus, limits.min_size
        self.totals = np.concatenate(([0], np.cumsum(sizes)))
        self.largest = int(self.totals[-1]) if limits.max_size is None else limits.max_size
        lengths = np.sqrt(np.einsum("ij,ij->i", np.diff(sums, axis=0), np.diff(sums, axis=0)))
        self.highest = float(lengths.sum() + bonus.sum())
        """No segmentation's sum is over it."""

    def by_penalty(self, penalty: float) -> Breaks:
        """The best breaks where each chunk costs `penalty`; of equals, those with the longest last chunk."""
        n, sums, totals = len(self.sums) - 1, self.sums, self.totals
        too_small = 2 * (self.highest + n * penalty) + 1  # more than all else together
        best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
        starts, overtaken = np.zeros(1, np.intp), np.full(1, inf)  # and the total from which on a later start is better
        for end in range(1, n + 1):
            kept = (totals[end] - totals[starts] <= self.largest) & (overtaken > totals[end])
            kept[-1] = True  # one unit is a chunk, however large
            starts, overtaken = starts[kept], overtaken[kept]
            rows = sums[end] - sums[starts]
            reached = best[starts] + np.sqrt(np.einsum("ij,ij->i", rows, rows))
            values = reached - penalty
            if self.least:
                values = values - too_small * (totals[end] - totals[starts] < self.least)
            chosen = int(values.argmax())
            best[end], back[end] = values[chosen] + self.bonus[end], starts[chosen]
            overtaken = np.where(reached <= best[end], np.minimum(overtaken, totals[end] + self.least), overtaken)
            starts, overtaken = np.append(starts, end), np.append(overtaken, inf)
        return _trace(back)

    def by_size(self, target: int) -> Breaks:
        """The breaks whose number of chunks is nearest to that of chunks of the target size, over all penalties.

        Between a penalty that gives too many and one that gives too few, the next to try is where both are worth the
        same: there a number between them is best, or none is at any penalty.
        """
        wanted = max(1, round(int(self.totals[-1]) / target))
        many = few = None
        breaks, penalty = self.by_penalty(PENALTY), PENALTY
        for _ in range(TRIALS):
            if len(breaks) + 1 == wanted or penalty > self.highest or (not penalty and len(breaks) + 1 < wanted):
                return breaks
            if len(breaks) + 1 > wanted:
                many = breaks
            else:
                few = breaks
            if many is not None and few is not None:
                penalty = (self.worth(many) - self.worth(few)) / (len(many) - len(few))
            else:
                penalty = 0.0 if penalty < 1e-3 else penalty / 4 if many is None else penalty * 2
            breaks = self.by_penalty(max(penalty, 0.0))
            if many is not None and few is not None and len(breaks) in (len(many), len(few)):
                break
        ends = [made for made in (few, many, breaks) if made is not None]
        return min(ends, key=lambda made: abs(len(made) + 1 - wanted))

    def worth(self, breaks: Breaks) -> float:
        """The summed lengths and bonuses of a segmentation, without penalties."""
        rows = np.diff(self.sums[[0, *breaks.tolist(), len(self.sums) - 1]], axis=0)
        return float(np.sqrt(np.einsum("ij,ij->i", rows, rows)).sum() + self.bonus[breaks].sum())

    def by_count(self, wanted: int) -> Breaks:
        """The best breaks into so many chunks, or the nearest number that the limits and the units allow."""
        n, totals = len(self.sums) - 1, self.totals
        count = min(max(wanted, self._fewest()), n)
        if n * count > MOST_CELLS:
            raise SettingError(
                f"n_chunks={wanted} is too many for an exact search over {n} units: use target_size or penalty"
            )
        too_small = 2 * self.highest + 1
        best, back = np.full((n + 1, count + 1), -inf), np.zeros((n + 1, count + 1), np.int32)
        best[0, 0], start = 0, 0
        for end in range(1, n + 1):
            while start < end - 1 and totals[end] - totals[start] > self.largest:
                start += 1
            rows = self.sums[end] - self.sums[start:end]
            gains = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            if self.least:
                gains = gains - too_small * (totals[end] - totals[start:end] < self.least)
            values = best[start:end, :-1] + gains[:, None]
            chosen = values.argmax(axis=0)
            best[end, 1:] = values[chosen, np.arange(count)] + self.bonus[end]
            back[end, 1:] = start + chosen
        if self.least:
            small = np.round(-best[n, 1:] / too_small)
            small[: self._fewest() - 1] = inf
            count = 1 + int(np.flatnonzero(small == small.min())[-1])
        breaks, end = np.zeros(count, np.intp), n
        for chunk in range(count, 0, -1):
            end = breaks[chunk - 1] = back[end, chunk]
        return breaks[1:]

    def _fewest(self) -> int:
        """The least number of chunks that keeps `max_size`."""
        count = start = 0
        while start < len(self.totals) - 1:
            end = int(np.searchsorted(self.totals, self.totals[start] + self.largest, side="right")) - 1
            start, count = max(end, start + 1), count + 1
        return count


def _trace(back: NDArray[np.intp]) -> Breaks:
    """For each end the start of its last chunk -> the breaks."""
    breaks, end = [], len(back) - 1
    while back[end] > 0:
        end = int(back[end])
        breaks.append(end)
    return np.array(breaks[::-1], dtype=np.intp)
