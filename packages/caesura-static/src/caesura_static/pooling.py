"""Texts -> the sums of their tokens' vectors: each stretch without blanks is read once, summed and remembered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura_static.folding import joined_up
from caesura_static.wordpiece import LONGEST_KEPT, WordPiece

MOST_KEPT = 1 << 15  # stretches remembered before the memory is emptied: 25 MB
SLAB = 1024  # texts read before their rows are added up
TOGETHER, WIDEST = 8, 160
"""Texts and rows of one matrix product: so few that it is done by one thread, which need not wait for another's turn on
a busy machine."""

Tally = NDArray[np.int64]
"""(n, 3) of tokens: those that count, all, and those that are no whole words."""


class Pooled(NamedTuple):
    """Of n texts the sums of their tokens' steps, float32 (n, d), and their tallies."""

    sums: NDArray[np.float32]
    tally: Tally


class Pool:
    """The token vectors of a model -> `Pooled` for any texts. Threads may share one.

    steps: (v, d) the int8 token vectors as whole numbers, which add up exactly in float32, in any order. silent: the
    token that does not count. broken: bool (v,) tokens that are no whole words.
    """

    def __init__(self, steps: NDArray[np.int8], words: WordPiece, silent: int, broken: NDArray[np.bool_]) -> None:
        self.steps: NDArray[np.int8] = steps
        self.words: WordPiece = words
        tokens = np.arange(len(steps))
        self.tallies: Tally = np.stack([tokens != silent, tokens >= 0, broken], axis=1).astype(np.int64)
        self._memory = Memory(self)

    def __call__(self, texts: Sequence[str]) -> Pooled:
        """Returns one row per text, such that it depends on that text alone."""
        sums = np.zeros((len(texts), self.steps.shape[1]), np.float32)
        tally = np.zeros((len(texts), 3), np.int64)
        for start in range(0, len(texts), SLAB):
            self._add(texts[start : start + SLAB], sums[start : start + SLAB], tally[start : start + SLAB])
        return Pooled(sums, tally)

    def _add(self, texts: Sequence[str], sums: NDArray[np.float32], tally: Tally) -> None:
        memory = self._memory
        if memory.count > MOST_KEPT:
            memory = self._memory = Memory(self)  # others go on with the one they have
        found = [list(map(memory.__getitem__, joined_up(text).split())) for text in texts]
        lengths = np.fromiter(map(len, found), np.intp, len(found))
        flat = np.fromiter(chain.from_iterable(found), np.intp, int(lengths.sum()))
        rows, tallies = memory.rows, memory.tallies
        ends = np.concatenate(([0], np.cumsum(lengths)))
        tally += np.diff(np.concatenate((np.zeros((1, 3), np.int64), np.cumsum(tallies[flat], axis=0)))[ends], axis=0)
        owners = np.repeat(np.arange(len(texts)), lengths)
        for first in range(0, len(texts), TOGETHER):
            last = min(first + TOGETHER, len(texts))
            own = np.arange(first, last)[:, None]
            for start in range(int(ends[first]), int(ends[last]), WIDEST):
                end = min(start + WIDEST, int(ends[last]))
                belongs = (owners[start:end] == own).astype(np.float32)
                sums[first:last] += belongs @ rows.take(flat[start:end], axis=0)


class Memory(dict[str, int]):
    """A stretch of text without blanks -> the number of its row, made when it is first asked for.

    rows: float32 (at least `count`, d), the sums of the stretches' steps. tallies: int64 (at least `count`, 3).
    """

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool, self._lock = pool, Lock()
        self.count: int = 0
        self.rows: NDArray[np.float32] = np.zeros((1024, pool.steps.shape[1]), np.float32)
        self.tallies: Tally = np.zeros((1024, 3), np.int64)

    def __missing__(self, stretch: str) -> int:
        tokens = list(self._pool.words.split(stretch))
        row = _total(self._pool.steps, tokens)
        tally = _total(self._pool.tallies, tokens)
        with self._lock:
            number = self.count
            if number == len(self.rows):
                self.rows = np.concatenate((self.rows, np.zeros_like(self.rows)))
                self.tallies = np.concatenate((self.tallies, np.zeros_like(self.tallies)))
            self.rows[number], self.tallies[number] = row, tally
            self.count += 1
        if len(stretch) <= LONGEST_KEPT:
            self[stretch] = number
        return number


def _total(table: NDArray[np.int8] | Tally, tokens: Sequence[int]) -> NDArray[np.int64]:
    """The sum of some rows of a table; whole numbers, so that no order matters."""
    total = np.zeros(table.shape[1], np.int64)
    for start in range(0, len(tokens), SLAB):
        total += table[tokens[start : start + SLAB]].sum(axis=0, dtype=np.int64)
    return total
