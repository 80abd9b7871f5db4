"""Texts -> the sums of their words' vectors. Each stretch between two blanks is read once, and remembered."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import count, repeat
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura_static.folding import NEXT, join_all
from caesura_static.stretch_table import LONGEST_KEPT, Grown, StretchTable, find_stretches
from caesura_static.wordpiece import WordPiece, Words

LOCK = RLock()  # of all that this package remembers: it is held for moments, and a fork has one lock to wait for
MOST_KEPT = 1 << 17  # stretches remembered before the memory is emptied: 25 MB
MOST_LETTERED = 1 << 15  # of which so many have a row made of letters: 50 MB more
SHORT = 1 << 14  # characters; the stretches of what is shorter are looked up in a dict sooner than in numpy's table
SLAB, TEXT = 1 << 19, 128  # characters read before their rows are added up, where a text counts as so many more
KNOWN, STRANGE, STAIRS = 0.45, 0.7, 16
"""Of a text's letters, a share is in words that the model does not know. Up to `KNOWN`, the text is read by its tokens
alone, as nearly all English is. From `STRANGE` on, it is read by its letters. Between, by both, in `STAIRS` steps."""

PIECE = 3
"""A piece of more letters than these is known in full, a shorter one less, and a single letter not at all, which only
tells the script. Sums of letters count in parts of a step, this many."""
TOGETHER, WIDEST = 8, 160
"""Sums and rows of one matrix product, few enough for one thread: on a busy machine, threads wait for one another."""
FEW = 1 / 16  # up to this share of texts that are read by letters, they are added up with the others, then replaced
BLOCK = 512  # rows added up at a time: few enough for the processor's cache
LONGEST_SUM = 256  # bytes
MORE = 128  # is added to each byte, which then is no less than 0

Rows = NDArray[np.float32]
Wide = NDArray[np.uint64]
"""(v, d / 4) a table of bytes in the form in which they add up fast, see `widen`."""
Spell = Callable[[Words | Sequence[str]], tuple[Rows, Rows]]
"""Words, or stretches to be read again -> (n, d) each, their rows of letters and their rows of tokens."""
Tally = NDArray[np.float32]
"""(n, 2) numbers of letters: of all words, and of the words that are no token."""


def _release_in_child(lock: Any = LOCK) -> None:
    """Releases the lock in a forked child. Where a signal kept it from being taken, another thread may have it, which
    is not here."""
    try:
        lock.release()
    except RuntimeError:
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=_release_in_child)


class Pooled(NamedTuple):
    """What n texts add up to. sums: (n, d) the sums of their words' steps. share: (n,) see `share_of_letters`."""

    sums: Rows
    share: Rows


class Pool:
    """The token vectors of a model -> `Pooled` for any texts. Threads may share one.

    steps: the token vectors as whole numbers, which add up exactly in float32, in any order. words: what reads the
    tokens. letters: what reads the letters, in parts of a step, `PIECE`.
    """

    def __init__(self, steps: Wide, words: WordPiece, letters: Callable[[Words], Rows]) -> None:
        self._steps, self._words, self._letters, self._width = steps, words, letters, 4 * steps.shape[1]
        self.memory: KnownWords = KnownWords(self._width)

    def __call__(self, texts: Sequence[str]) -> Pooled:
        """Returns one row per text, such that it depends on that text alone."""
        ends = np.cumsum(np.fromiter(map(len, texts), np.intp, len(texts)) + TEXT).tolist()
        if not ends or ends[-1] <= SLAB:
            return self._pool(texts)
        pooled = Pooled(np.empty((len(texts), self._width), np.float32), np.empty(len(texts), np.float32))
        start = 0
        while start < len(texts):
            end = max(bisect_right(ends, (ends[start - 1] if start else 0) + SLAB), start + 1)
            pooled.sums[start:end], pooled.share[start:end] = self._pool(texts[start:end])
            start = end
        return pooled

    def _pool(self, texts: Sequence[str]) -> Pooled:
        with LOCK:  # then a memory that changes is changed by this thread, which a signal's handler has stopped
            if self.memory.full:
                self.memory = KnownWords(self._width)  # other threads go on with the one they have
            memory = KnownWords(self._width) if self.memory.is_changing else self.memory
        parts = self._find(memory, join_all(texts))
        tally: Tally = np.sum([part.tally() for part in parts], axis=0)
        share, width = share_of_letters(tally), self._width
        chosen = share > 0
        apart = chosen & (np.count_nonzero(chosen) > FEW * len(chosen))
        sums: Rows = reduce(np.add, (part.pool(self._steps, ~apart) for part in parts))
        if apart.any():
            plain, sums = sums, np.empty((len(texts), width), np.float32)
            sums[~apart] = plain
        if chosen.any():
            rows = np.asarray(sum(part.spell(self._spell, chosen) for part in parts))
            known, lettered = rows[:, width:], rows[:, :width] / np.float32(PIECE)
            sums[chosen] = known + share[chosen, None] * (lettered - known)
        return Pooled(sums, share)

    def _find(self, memory: KnownWords, text: str) -> list[Stretches]:
        """Text of `join_all` -> its stretches that are remembered; apart from them, those too long for that."""
        fresh: defaultdict[str, int] = defaultdict(count().__next__, {NEXT: -1})
        if memory.is_empty:  # as in a fresh process: to look there for each stretch would take as long as to number it
            order = np.fromiter(map(fresh.__getitem__, text.split()), np.intp)
            numbers, new = np.where(order < 0, 0, -1), np.flatnonzero(order >= 0)
            order = order[new]
        else:
            numbers, new, stretches = memory.look_up(text)
            order = np.fromiter(map(fresh.__getitem__, stretches), np.intp, len(new))
        if not len(new):
            return [Stretches(memory, numbers)]
        met = list(fresh)[1:]
        long = np.fromiter(map(len, met), np.intp, len(met)) > LONGEST_KEPT
        if not long.any():
            latest = memory.learn(met, self._words.read)
            numbers[new] = latest.numbers[order]
            return [Stretches(memory, numbers, latest)]
        latest = memory.learn([stretch for stretch in met if len(stretch) <= LONGEST_KEPT], self._words.read)
        given = np.empty(len(met), np.intp)
        given[~long] = latest.numbers
        passing, ends, apart = KnownWords(self._width), numbers == 0, np.zeros(len(numbers), np.bool_)
        passed = passing.learn([stretch for stretch in met if len(stretch) > LONGEST_KEPT], self._words.read)
        given[long] = passed.numbers
        numbers[new], apart[new] = given[order], long[order]
        return [Stretches(memory, numbers[~apart], latest), Stretches(passing, numbers[apart | ends], passed)]

    def _spell(self, read: Words | Sequence[str]) -> tuple[Rows, Rows]:
        words = read if isinstance(read, Words) else self._words.read(read)
        known = add_up(self._steps, words.tokens, words.per_stretch(words.counts))
        return self._letters(words), known


def share_of_letters(tally: Tally) -> Rows:
    """Tallies of texts -> (n,) the share of each text's row that is made of letters, 0 to 1.

    >>> share_of_letters(np.array([[50, 10], [80, 46], [50, 48], [0, 0]], np.float32)).tolist()
    [0.0, 0.5, 1.0, 0.0]
    """
    if (tally[:, 1] <= KNOWN * tally[:, 0]).all():
        return np.zeros(len(tally), np.float32)
    strange = tally[:, 1] / np.maximum(tally[:, 0], 1)
    stairs = np.rint(STAIRS * (strange - KNOWN) / (STRANGE - KNOWN))
    share: Rows = (np.minimum(np.maximum(stairs, 0), STAIRS) / STAIRS).astype(np.float32)
    return share


class Latest(NamedTuple):
    """The words that were read last. Their numbers begin at `first`."""

    first: int
    read: Words

    @property
    def numbers(self) -> NDArray[np.intp]:
        """(n,) the numbers of all its words."""
        return np.arange(self.first, self.first + len(self.read.ends))


class Stretches:
    """Stretches of texts, in order, by their numbers in a memory, and `NEXT` after each text's.

    latest: what was just learned of them.
    """

    def __init__(self, memory: KnownWords, numbers: NDArray[np.intp], latest: Latest | None = None) -> None:
        self.memory: KnownWords = memory
        self.numbers: NDArray[np.intp] = numbers
        self.latest: Latest | None = latest
        self.facts: NDArray[Any] = memory.facts.held.take(numbers, axis=0)
        self.lengths: NDArray[np.intp] = np.flatnonzero(
            numbers == 0
        )  # how many stretches each text has, `NEXT` included
        self.lengths[1:] -= self.lengths[:-1].copy()
        self.lengths[:1] += 1

    def tally(self) -> Tally:
        """Returns the tally of each text."""
        tallies, starts = self.facts[:, LETTERS : FOREIGN + 1], np.cumsum(self.lengths) - self.lengths
        tally: Tally = np.add.reduceat(tallies, starts, axis=0, dtype=np.intp).astype(np.float32)
        return tally

    def pool(self, steps: Wide, chosen: NDArray[np.bool_]) -> Rows:
        """Returns for some texts the sums of their tokens' steps."""
        lengths = self.lengths
        facts = self.facts if chosen.all() else self.facts[np.repeat(chosen, lengths)]
        counts, after = facts[:, COUNT], np.cumsum(facts[:, COUNT])
        places = np.repeat(facts[:, START] - after + counts, counts)
        places += np.arange(len(places))
        totals = after[np.cumsum(lengths[chosen]) - 1]
        totals[1:] -= totals[:-1].copy()
        return add_up(steps, self.memory.tokens.held.take(places), totals)

    def spell(self, spell: Spell, chosen: NDArray[np.bool_]) -> Rows:
        """Returns for some texts the sums of the rows that `spell` makes, (n, 2 * d)."""
        lengths = self.lengths
        rows = self.memory.lettered(self.numbers[np.repeat(chosen, lengths)], spell, self.latest)
        return add_rows(self.memory.rows.held, rows, lengths[chosen])


START, COUNT, LETTERS, FOREIGN, ROW = range(5)
"""Columns of a stretch: its first token, how many it has, its tally, and its row of letters, -1 if it has none."""


class KnownWords:
    """Stretches of text without blanks -> what has been read of each, by numbers. Threads may share one."""

    def __init__(self, width: int) -> None:
        self.is_changing: bool = False
        self._names = [NEXT]
        self._known: dict[str, int] = {}  # the numbers of the first `told` names, for texts of few
        self.told: int = 0
        self._table = StretchTable()  # and for texts of many
        self.facts: Grown = Grown(np.zeros((1, 5), np.int32))
        self.tokens: Grown = Grown(np.zeros(1, np.int32))
        self.rows: Grown = Grown(np.zeros((1, 2 * width), np.float32))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known yet."""
        return len(self._names) == 1

    @property
    def full(self) -> bool:
        """Whether it should be emptied."""
        return len(self._names) > MOST_KEPT or self.rows.count > MOST_LETTERED

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Holds the lock, and says so to a signal's handler that embeds in this thread meanwhile."""
        with LOCK:
            try:
                self.is_changing = True
                yield
            finally:
                self.is_changing = False

    def look_up(self, text: str) -> tuple[NDArray[np.intp], NDArray[np.intp], list[str]]:
        """Text of `join_all` -> (n,) the numbers of its stretches, -1 for a new one; where the new are, and they."""
        if len(text) < SHORT:
            return self._look_up_few(text.split())
        stretches = find_stretches(text)
        with self._changing():
            self._table.add(self._names, self.facts.count)
        numbers = self._table.find(stretches)
        new = np.flatnonzero(numbers < 0)
        return numbers, new, stretches.strings(new) if len(new) else []

    def _look_up_few(self, stretches: list[str]) -> tuple[NDArray[np.intp], NDArray[np.intp], list[str]]:
        if self.told < self.facts.count:
            with self._changing():
                end = self.facts.count
                self._known.update(zip(self._names[self.told : end], count(self.told)))
                self.told = end
        numbers = np.fromiter(map(self._known.get, stretches, repeat(-1)), np.intp, len(stretches))
        new = np.flatnonzero(numbers < 0)
        return numbers, new, [stretches[place] for place in new.tolist()]

    def learn(self, stretches: list[str], read: Callable[[Sequence[str]], Words]) -> Latest:
        """Reads new stretches."""
        words = read(stretches)
        facts = np.full((len(stretches), 5), -1, np.int32)
        for column, numbers in (
            (COUNT, words.counts),
            (LETTERS, words.letters),
            (FOREIGN, words.letters * words.unknown),
        ):
            facts[:, column] = words.per_stretch(numbers)
        facts[:, START] = np.cumsum(facts[:, COUNT]) - facts[:, COUNT]
        with self._changing():
            facts[:, START] += self.tokens.append(words.tokens)
            self._names[self.facts.count :] = stretches
            first = self.facts.append(facts)
        return Latest(first, words)

    def lettered(self, numbers: NDArray[np.intp], spell: Spell, latest: Latest | None) -> NDArray[np.intp]:
        """Stretches -> (n,) the places of their `rows`, which are made if they are new."""
        rows: NDArray[np.intp] = self.facts.held[numbers, ROW]
        lacking = np.array(sorted(set(numbers[rows < 0].tolist())), np.intp)
        if len(lacking):
            just = latest.numbers if latest else lacking[:0]
            if latest and len(just) and just[0] <= lacking[0] and lacking[-1] <= just[-1]:
                made = spell(latest.read.some(lacking - latest.first))
            else:
                made = spell([self._names[number] for number in lacking.tolist()])
            with self._changing():
                first = self.rows.append(*made)
                self.facts.held[lacking, ROW] = np.arange(first, first + len(lacking))
            rows = self.facts.held[numbers, ROW]
        return rows


def widen(table: NDArray[np.int8]) -> Wide:
    """(v, d) bytes, d a multiple of 4 -> (v, d / 4): each has `MORE` more and 16 bits, and four are one number.

    Four sums then cost one addition, and none spills into its neighbour: `LONGEST_SUM` bytes are under 1 << 16.
    """
    return (table.view(np.uint8) ^ np.uint8(MORE)).astype("<u2").view("<u8")


def add_up(
    table: Wide, numbers: NDArray[np.integer[Any]], lengths: NDArray[np.intp], times: NDArray[np.uint64] | None = None
) -> Rows:
    """Numbers of a table's rows, and how many of them each sum takes -> float32 (n, d), the sums of the bytes.

    times: how often each row counts, at most `LONGEST_SUM`; once if None.
    """
    most = LONGEST_SUM if times is None else LONGEST_SUM // max(int(times.max(initial=1)), 1)
    if not len(lengths) or (lengths.min() > 0 and lengths.max() <= most):
        return _add_few(table, numbers, lengths, times)
    sums, held = np.zeros((len(lengths), 4 * table.shape[1]), np.float32), np.flatnonzero(lengths)
    if len(held):
        parts = -(-lengths[held] // most)
        after = np.cumsum(parts)
        sizes = np.full(after[-1], most)
        sizes[after - 1] = lengths[held] - most * (parts - 1)
        few = _add_few(table, numbers, sizes, times)
        sums[held] = few[after - 1]
        for place in np.flatnonzero(parts > 1).tolist():
            sums[held[place]] = few[after[place] - parts[place] : after[place]].sum(axis=0)
    return sums


def _add_few(
    table: Wide, numbers: NDArray[np.integer[Any]], lengths: NDArray[np.intp], times: NDArray[np.uint64] | None
) -> Rows:
    """The same as `add_up`, if each sum takes one to `LONGEST_SUM` numbers."""
    sums, ends = np.empty((len(lengths), 4 * table.shape[1]), np.float32), np.cumsum(lengths)
    starts = ends - lengths
    added = lengths if times is None or not len(starts) else np.add.reduceat(times, starts)
    first = 0
    while first < len(lengths):
        begin = int(starts[first])
        last = max(int(ends.searchsorted(begin + BLOCK, side="right")), first + 1)
        rows = table.take(numbers[begin : ends[last - 1]], axis=0)
        if times is not None:
            rows *= times[begin : ends[last - 1], None]
        few = np.add.reduceat(rows, starts[first:last] - begin, axis=0)
        sums[first:last] = few.astype("<u8", copy=False).view("<u2")
        first = last
    sums -= MORE * added[:, None].astype(np.float32)
    return sums


def add_rows(table: Rows, numbers: NDArray[np.intp], lengths: NDArray[np.intp]) -> Rows:
    """Numbers of a table's rows, and how many of them each sum takes -> float32 (n, d), the sums.

    The table holds whole numbers, which add up exactly in any order.
    """
    sums = np.zeros((len(lengths), table.shape[1]), np.float32)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    owners = np.repeat(np.arange(len(lengths)), lengths)
    first = 0
    while first < len(lengths):
        within = int(np.searchsorted(ends, ends[first] + WIDEST, side="right")) - 1
        last = min(max(within, first + 1), first + TOGETHER)
        own = np.arange(first, last)[:, None]
        for start in range(int(ends[first]), int(ends[last]), WIDEST):
            end = min(start + WIDEST, int(ends[last]))
            shares = (owners[start:end] == own).astype(np.float32)
            sums[first:last] += shares @ table.take(numbers[start:end], axis=0)
        first = last
    return sums


def check_texts(texts: Sequence[str]) -> Sequence[str]:
    """Returns `texts`. Raises TypeError if it is no sequence of str."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise TypeError(
            f"embed(texts) needs a sequence of str: got {type(texts).__name__}; "
            "for one text pass [text], for an iterator list(texts)"
        )
    if set(map(type, texts)) <= {str}:
        return texts
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(
                f"embed(texts) needs str only: texts[{place}] is {type(text).__name__}; convert or drop it first"
            )
    return texts
