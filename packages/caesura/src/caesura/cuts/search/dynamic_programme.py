"""The search for the best segmentation: a dynamic programme, by penalty or by number of chunks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from caesura.cuts import CONFIDENCE
from caesura.cuts.scores.noise import PRIOR, TINY, Noise, band, chunk_gains
from caesura.types import Breaks, Limits, Sizes
from caesura.vectors import group_sums, window_sums

WIDEST = 2048
"""The most starts in reach of an end for which all of them are searched."""
ENDS = 256
"""Ends whose gains are measured at once."""
MOST_GAINS = 2**23
"""The most gains that are kept from one search to the next."""
COARSE, LONG = 4, 256
"""A text of `LONG` units or more is first searched at every `COARSE`-th edge, to guess its number of chunks."""
TRIALS = 40
"""The most penalties that are tried for a number of chunks. A fourth of them is nearly always enough."""
MOST_STEPS = 2**26
"""The most steps of a table: chunks times starts in reach."""
FEW_STEPS = 16
"""An end counts as having this many starts in reach at least, so that a table has at most 2**22 cells."""


class SegmentCosts:
    """The n units of a document, and what each chunk of them gains.

    The best breaks are those whose chunks' gains and bonuses have the highest sum.
    """

    weighted: NDArray[np.float32]
    """(n, d) their rows, each less the document's mean, and weighted."""
    weights: NDArray[np.float64]
    n: int
    least: int
    noise: Noise
    bonus: NDArray[np.float64]
    """(n + 1,) is added to the gain of a chunk that ends at an edge."""
    totals: NDArray[np.intp]
    """(n + 1,) running sums of the sizes."""
    largest: int
    """The most that a chunk of more than one unit may measure."""
    highest: float
    """The sum of every segmentation is at most this."""
    first: NDArray[np.intp]
    """(n + 1,) for each end the first start in reach, from which a chunk to the end fits."""
    widest: int
    """The most starts in reach of an end."""
    narrow: bool
    """Whether `widest` is small enough to search all starts."""
    room: bool
    """Whether there is room to keep gains from one search to the next."""
    weighs: NDArray[np.float64]
    """(n + 1,) running sums of the weights."""
    sums: NDArray[np.float64]
    """(n + 1, d) running sums of `weighted`; empty if `narrow`."""

    def __init__(
        self,
        weighted: NDArray[np.float32],
        weights: NDArray[np.float64],
        sizes: Sizes,
        limits: Limits,
        bonus: NDArray[np.float64],
        noise: Noise,
    ) -> None:
        self.weighted, self.weights, self.bonus, self.noise = weighted, weights, bonus, noise
        self.n, self.totals = len(weighted), np.concatenate(([0], np.cumsum(sizes)))
        whole = int(self.totals[-1])  # what is larger than all is as good as one more, which can be added to
        self.largest = whole if limits.max_size is None else min(limits.max_size, whole)
        self.least = min(limits.min_size, whole + 1)
        self.weighs = np.concatenate(([0], np.cumsum(weights)))
        longest = 1 + float(np.sqrt(noise.mean_row @ noise.mean_row))  # no row less the mean is longer
        self.highest = float(self.weighs[-1] * longest**2 + np.abs(bonus).sum())
        ends = np.arange(1, self.n + 1)
        reach = np.searchsorted(self.totals, self.totals[1:] - self.largest)
        self.first = np.concatenate(([0], np.minimum(reach, ends - 1)))
        self.widest = int((ends - self.first[1:]).max())
        self.narrow = self.widest <= WIDEST
        self.sums = np.zeros((0, 0)) if self.narrow else window_sums(weighted)
        self.room = (self.n + 1) * self.widest <= MOST_GAINS
        self._blocks: dict[int, NDArray[np.float64]] = {}
        self._halves = np.zeros(0)

    def gains(self, end: int) -> NDArray[np.float64]:
        """What a chunk that ends at `end` gains from each start in reach."""
        first = int(self.first[end])
        if not self.narrow:
            return chunk_gains(self.sums[end] - self.sums[first:end], self.weighs[end] - self.weighs[first:end])
        block, row = divmod(end - 1, ENDS)
        return self._block(block)[row, first - end :]

    def rows(self, step: int) -> Iterator[NDArray[np.float64]]:
        """`gains` of every `step`-th end and of the last one, from every `step`-th start, some ends at a time.

        Yields (k, w): a row for each end. Its last column is the last start before that end. A start that is not in
        reach gains -inf.
        """
        rows, width = np.zeros((0, 0)), 0
        for block in range(-(-self.n // ENDS)):
            rows = self._block(block)
            width = rows.shape[1]
            yield rows[step - 1 :: step, width % step :: step]
        if self.n % step:
            yield rows[-1:, (width - self.n) % step :: step]

    def _block(self, block: int) -> NDArray[np.float64]:
        if block not in self._blocks:
            if not self.room:
                self._blocks.clear()
            self._blocks[block] = self._measure_block(1 + block * ENDS)
        return self._blocks[block]

    def _measure_block(self, begin: int) -> NDArray[np.float64]:
        """(k, w) `gains` of the next block of ends, from the w starts before each.

        With each unit, the squared length of a sum grows by that of the unit, and by twice its product with every unit
        before it.
        """
        ends = np.arange(begin, min(begin + ENDS, self.n + 1))
        reach = ends - self.first[ends]
        width = int(reach.max())
        low, before = max(begin - width, 0), max(width - begin, 0)  # units, and so many that are none
        rows = np.zeros((before + int(ends[-1]) - low, self.weighted.shape[1]), np.float32)
        rows[before:] = self.weighted[low : ends[-1]]
        halves = np.zeros((width, len(ends) + 1))  # of the squares; of the end before at first
        kept = min(width, len(self._halves)) if begin > 1 else 0
        halves[width - kept :, 0] = self._halves[len(self._halves) - kept :]
        halves[:, 1:] = band(rows, width)
        halves[-1, 1:] /= 2
        grown = halves[-1, 1:].copy()
        for shorter, own in pairwise(halves[::-1]):
            grown += own[1:]
            np.add(grown, shorter[:-1], out=own[1:])
        self._halves = halves[:, -1].copy()
        weighs = np.concatenate((np.zeros(before), self.weighs[low : ends[-1]]))
        earlier = np.ndarray((len(ends), width), buffer=weighs, strides=2 * weighs.strides)  # those of all its starts
        found = np.maximum(2 * halves[:, 1:].T, 0, order="C")
        found /= self.weighs[ends, None] - earlier + PRIOR
        found[np.arange(width) < width - reach[:, None]] = -inf
        return found

    def groups(self, starts: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(k,) first units of chunks -> (k, d) sums of their weighted rows less the mean, (k,) sums of weights."""
        weights = np.diff(self.weighs[np.append(starts, self.n)])
        return group_sums(self.weighted, starts), weights

    def worth(self, breaks: Breaks) -> float:
        """Breaks -> the sum of the gains and bonuses of their chunks."""
        return float(chunk_gains(*self.groups(np.concatenate(([0], breaks)))).sum() + self.bonus[breaks].sum())


def by_penalty(problem: SegmentCosts, penalty: float, step: int = 1) -> Breaks:
    """The best breaks if each chunk costs `penalty`. Of equals, those with the longest last chunk.

    step: only every `step`-th edge, and the text's end, may end a chunk.
    """
    most = problem.highest + 1  # over which none is ever earned
    penalty = max(min(penalty, most), -most)
    too_small = 2 * (problem.highest + problem.n * abs(penalty)) + 1  # more than all else together
    search = _among_few if problem.narrow else _among_many
    back, breaks, end = search(problem, penalty, too_small, step), list[int](), problem.n
    while back[end] > 0:
        end = int(back[end])
        breaks.append(end)
    return np.array(breaks[::-1], dtype=np.intp)


def _among_few(problem: SegmentCosts, penalty: float, too_small: float, step: int) -> NDArray[np.intp]:
    """(n + 1,) for each end the start of its last chunk, if few starts are in reach."""
    edges = np.minimum(np.arange(0, problem.n + step, step), problem.n)
    totals, widest = problem.totals[edges], problem.widest
    best, bonus = np.zeros(widest + len(edges)), problem.bonus[edges] - penalty
    small = np.searchsorted(totals, totals - problem.least, side="right").tolist() if problem.least else None
    back, end = np.zeros(problem.n + 1, np.intp), 1
    for rows in problem.rows(step):
        first, stop = end - rows.shape[1], end + len(rows)
        reached = np.ndarray(rows.shape, buffer=best, offset=8 * (widest + first), strides=(8, 8))
        for at, (row, before) in enumerate(zip(rows, reached, strict=True), end):
            values = before + row
            if small is not None:
                values[max(small[at] - at + len(row), 0) :] -= too_small
            back[at] = chosen = values.argmax()
            best[widest + at] = values[chosen] + bonus[at]
        back[end:stop] += np.arange(first, first + len(rows))
        end = stop
    back[edges] = edges[back[: len(edges)]]
    return back


def _among_many(problem: SegmentCosts, penalty: float, too_small: float, step: int) -> NDArray[np.intp]:
    """The same if many starts are in reach. It leaves out those that a later start has overtaken."""
    n, sums, totals, bonus, least = problem.n, problem.sums, problem.totals, problem.bonus, problem.least
    weighs = problem.weighs
    best, back = np.zeros(n + 1), np.zeros(n + 1, np.intp)
    starts, overtaken = np.zeros(1, np.intp), np.full(1, inf)  # and the total from which on a later start is better
    for end in chain(range(step, n, step), (n,)):
        kept = (totals[end] - totals[starts] <= problem.largest) & (overtaken > totals[end])
        kept[-1] = True  # one unit is a chunk, however large
        starts, overtaken = starts[kept], overtaken[kept]
        own = weighs[end] - weighs[starts]
        gains = chunk_gains(sums[end] - sums[starts], own)
        reached = best[starts] + gains
        values = reached - penalty
        if least:
            values = values - too_small * (totals[end] - totals[starts] < least)
        chosen = int(values.argmax())
        best[end], back[end] = values[chosen] + bonus[end], starts[chosen]
        more = gains * PRIOR / np.maximum(own, TINY)  # than its parts a whole gains at most
        surely = reached + more <= best[end]
        overtaken = np.where(surely, np.minimum(overtaken, totals[end] + least), overtaken)
        starts, overtaken = np.append(starts, end), np.append(overtaken, inf)
    return back


def by_chance(problem: SegmentCosts, confidence: float) -> Breaks:
    """The best breaks if each chunk gains more than it would by chance, which depends on the number of chunks."""
    noise, found = problem.noise, np.zeros(0, np.intp)

    def made(step: int, penalty: float) -> int:
        nonlocal found
        found = by_penalty(problem, penalty, step)
        return len(found) + 1

    about = None
    if problem.room and problem.n >= LONG:
        starts = np.arange(0, problem.n, COARSE)
        if (problem.first[np.append(starts[1:], problem.n)] <= starts).all():  # no limit is in the way
            about = 2 + noise.settle(partial(made, COARSE), confidence) * 5 // 4  # few edges make few chunks
    noise.settle(partial(made, 1), confidence, about)
    return found


def _around(problem: SegmentCosts, wanted: int) -> list[Breaks]:
    """The breaks at a penalty that gives `wanted` chunks; if none does, those with the next fewer and the next more.

    Between a penalty that gives too many and one that gives too few, the next to try is where both are worth the
    same: there a number between them is best, or none is at any penalty. What one unit more gains than two chunks can
    be less than nothing, and so can a penalty.
    """
    many = few = None
    most = problem.highest + 1
    penalty = problem.noise.penalty(wanted, CONFIDENCE)
    for _ in range(TRIALS):
        breaks = by_penalty(problem, penalty)
        made = len(breaks) + 1
        if made == wanted or (penalty >= most if made > wanted else penalty <= -most):
            return [breaks]
        if few is not None and many is not None and len(breaks) in (len(few), len(many)):
            break
        if made > wanted:
            many = breaks
        else:
            few = breaks
        if many is not None and few is not None:
            penalty = (problem.worth(many) - problem.worth(few)) / (len(many) - len(few))
        else:
            penalty = -most if penalty < 1e-3 else penalty / 4 if many is None else max(2 * penalty, 1.0)
    return [found for found in (few, many) if found is not None]


def by_count(problem: SegmentCosts, wanted: int) -> Breaks:
    """The best breaks into `wanted` chunks, or the nearest number that the limits and the units allow.

    By a table; where that is too large, the best at a penalty, or two of them joined by one chunk.
    """
    count = min(max(wanted, _fewest(problem)), problem.n)
    starts = int((np.arange(problem.n + 1) - problem.first).sum())
    if count * max(starts, FEW_STEPS * problem.n) <= MOST_STEPS:
        return _by_table(problem, count)
    found = _around(problem, count)
    return found[0] if len(found) == 1 else _splice(problem, found[0], found[1], count)


def _splice(problem: SegmentCosts, few: Breaks, many: Breaks, wanted: int) -> Breaks:
    """The best breaks into `wanted` chunks that begin as `few` and end as `many`, or the other way round.

    `few` itself if all of those have more chunks under `min_size`.

    For any number between theirs, a chunk within one of `few` leads from one to the other, so that `max_size` holds
    (Aggarwal, Schieber and Tokuyama 1994).
    """
    too_small = 2 * problem.highest + 1
    paths = [_path(problem, breaks, too_small) for breaks in (few, many)]
    best, highest = few, -too_small * round(max(-paths[0][1][-1], 0) / too_small)
    for (starts, begun, from_start), (ends, done, to_end) in (paths, paths[::-1]):
        into = np.arange(len(starts)) + len(ends) - wanted
        at = np.flatnonzero((into > 0) & (into < len(ends)))
        into = into[at]
        measured = problem.totals[ends[into]] - problem.totals[starts[at]]
        apart = ends[into] - starts[at]
        fits = (apart > 0) & ((measured <= problem.largest) | (apart == 1))
        at, into, measured = at[fits], into[fits], measured[fits]
        rows = to_end[into] - from_start[at]
        weights = problem.weighs[ends[into]] - problem.weighs[starts[at]]
        values = begun[at] + chunk_gains(rows, weights) + problem.bonus[ends[into]]
        values += done[-1] - done[into] - too_small * (measured < problem.least)
        if len(values) and values.max() >= highest:
            chosen, highest = int(values.argmax()), values.max()
            best = np.concatenate((starts[1 : at[chosen] + 1], ends[into[chosen] : -1]))
    return best


def _path(
    problem: SegmentCosts, breaks: Breaks, too_small: float
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Breaks -> the (k + 1,) edges of their chunks, and for each edge the worth and the row sum of all before it."""
    edges = np.concatenate(([0], breaks, [problem.n]))
    rows, weights = problem.groups(edges[:-1])
    worth = chunk_gains(rows, weights) + problem.bonus[edges[1:]]
    worth -= too_small * (np.diff(problem.totals[edges]) < problem.least)
    zero = np.zeros((1, rows.shape[1]))
    return edges, np.concatenate(([0], np.cumsum(worth))), np.concatenate((zero, np.cumsum(rows, axis=0)))


def _by_table(problem: SegmentCosts, count: int) -> Breaks:
    """`by_count` for a number that `max_size` and the units allow. For each end and number it finds the best start."""
    n, least, fewest = problem.n, problem.least, _fewest(problem)
    too_small = 2 * problem.highest + 1
    best, back = np.full((n + 1, count + 1), -inf), np.zeros((n + 1, count + 1), np.int32)
    best[0, 0] = 0
    for end in range(1, n + 1):
        start, gains = int(problem.first[end]), problem.gains(end)
        if least:
            gains = gains - too_small * (problem.totals[end] - problem.totals[start:end] < least)
        values = best[start:end, :-1] + gains[:, None]
        chosen = values.argmax(axis=0)
        best[end, 1:] = values[chosen, np.arange(count)] + problem.bonus[end]
        back[end, 1:] = start + chosen
    if least:
        small = np.round(-best[n, 1:] / too_small)
        small[: fewest - 1] = inf
        count = 1 + int(np.flatnonzero(small == small.min())[-1])
    breaks, end = np.zeros(count, np.intp), n
    for chunk in range(count, 0, -1):
        end = breaks[chunk - 1] = back[end, chunk]
    return breaks[1:]


def _fewest(problem: SegmentCosts) -> int:
    """The least number of chunks that `max_size` allows."""
    count = start = 0
    while start < problem.n:
        end = int(np.searchsorted(problem.totals, problem.totals[start] + problem.largest, side="right")) - 1
        start, count = max(end, start + 1), count + 1
    return count
