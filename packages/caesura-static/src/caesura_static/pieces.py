"""Words as numbers of letters -> the longest pieces of each that a vocabulary has, from left to right.

A piece is found by its letters, packed into a few whole numbers, in a table of chains: exactly, and many at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRANGE, END = 1, 2
"""Numbers of letters that no piece has: what the vocabulary lacks, and what ends a stretch. 0 is none at all."""
LONGEST_WORD = 100  # characters; BERT gives up on a longer word and calls it unknown
BITS, PACKED, COLUMNS = 10, 6, 4
"""Bits of a letter, letters of a packed number, and packed numbers of a piece. A piece ends before the last of them."""
LONGEST = PACKED * COLUMNS - 1
SLOTS, HEADS = 16, 14  # bits of the places of chains of pieces, and of those of the lengths of pieces that begin alike
BLOCK = 1 << 12  # places of a text read at a time: few enough for the processor's cache

_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64)
_MASKS = np.array([(1 << BITS * size) - 1 for size in range(PACKED + 1)], np.uint64)
_UP_TO = np.array([(2 << size) - 2 for size in range(LONGEST + 1)], np.uint32)

Numbers = NDArray[np.intp]
Packed = NDArray[np.uint64]


class PieceTable:
    """The pieces of a vocabulary, those that begin a word and those that go on with one, by their letters.

    letters: the letters of all tokens. starts, sizes: where each token is in them. goes_on: which tokens go on.
    unknown: the number of the token for what no pieces spell.
    """

    def __init__(
        self, letters: NDArray[Any], starts: Numbers, sizes: Numbers, goes_on: NDArray[np.bool_], unknown: int
    ) -> None:
        count, most = len(sizes), (1 << BITS) - 1
        if sizes.max() > LONGEST or letters.max() > most:
            raise ValueError(
                f"a vocabulary needs tokens of {LONGEST} letters at most, of {most - END} letters in all: got "
                f"{sizes.max()} and {letters.max() - END}; raise COLUMNS or BITS in caesura_static.pieces"
            )
        self._none, self._unknown = count, unknown
        packed, after = pack_letters(letters), goes_on.astype(np.uint64)
        keys = _keys(packed, starts, sizes, COLUMNS)
        self._keys = [np.append(key, ~np.uint64(0)) for key in keys]
        self._next = np.full(count + 1, count, np.int32)
        self._first = np.full(2 << SLOTS, count, np.int32)
        self._single = np.full((2, 1 << BITS), count, np.int32)
        single = np.flatnonzero(sizes == 1)
        self._single[goes_on[single].astype(np.intp), letters[starts[single]]] = single
        self._lengths = np.zeros(2 << HEADS, np.uint32)
        for head, begun in ((2, np.flatnonzero(sizes == 2)), (3, np.flatnonzero(sizes > 2))):
            places = _places([packed[starts[begun]] & _MASKS[head]], after[begun], HEADS)
            np.bitwise_or.at(self._lengths, places, np.uint32(1) << sizes[begun].astype(np.uint32))
        places, left = _places(keys, after, SLOTS), np.arange(count)
        while len(left):
            taken = places[left]
            held = self._first[taken]
            self._first[taken] = left
            won = self._first[taken] == left  # one of those that go to the same place
            self._next[left[won]] = held[won]
            left = left[~won]

    def spell(self, letters: NDArray[Any], starts: Numbers, sizes: Numbers) -> tuple[Numbers, Numbers]:
        """Words, by their first letters and sizes -> their pieces, in order, and how many each has."""
        packed = pack_letters(letters)
        heads = (packed.take(starts) & _MASKS[1]).astype(np.intp)
        words = self._single[0].take(heads).astype(np.intp)
        longer = np.flatnonzero(sizes > 1)
        words[longer] = self.find(packed, starts[longer], sizes[longer], 0)
        counts = ((sizes > 0) & (heads != END)).astype(np.intp)
        pieced = np.flatnonzero((words == self._none) & (sizes > 1) & (sizes <= LONGEST_WORD))
        begun, size = self.longest(packed, starts[pieced], sizes[pieced], 0)
        words[pieced] = begun
        words[words == self._none] = self._unknown
        pieced, size = pieced[size > 0], size[size > 0]
        if not len(pieced):
            return np.repeat(words, counts), counts
        rests = sizes[pieced] - size
        begins = np.cumsum(rests) - rests
        places = np.arange(int(rests.sum()))
        offsets = places - np.repeat(begins, rests)
        left = np.repeat(rests, rests) - offsets
        later, hops = self.longest(packed, np.repeat(starts[pieced] + size, rests) + offsets, left, 1)
        on, nexts, read, at = (hops > 0) & (hops < left), places + hops, np.zeros(len(places), np.bool_), begins
        while len(at):
            read[at] = True
            at = nexts[at[on[at]]]
        spelled = ~np.logical_or.reduceat(read & (hops == 0), begins)
        read &= np.repeat(spelled, rests)
        words[pieced[~spelled]] = self._unknown
        counts[pieced] += np.add.reduceat(read, begins, dtype=np.intp)
        tokens = np.repeat(words, counts)
        firsts = np.zeros(len(tokens), np.bool_)
        firsts[(np.cumsum(counts) - counts)[counts > 0]] = True
        tokens[~firsts] = later[read]
        return tokens, counts

    def find(self, packed: Packed, starts: Numbers, sizes: Numbers, goes_on: int) -> NDArray[np.int32]:
        """Places in packed letters, and sizes -> the number of the piece that each is, that of no token if none."""
        keys = _keys(packed, starts, sizes, int(sizes.max(initial=0)) // PACKED + 1)  # with no letter after the last
        found = self._first.take(_places(keys, np.uint64(goes_on), SLOTS))
        wrong = np.flatnonzero(self._differ(found, keys))
        while len(wrong):
            found[wrong] = others = self._next[found[wrong]]
            wrong = wrong[others < self._none]
            wrong = wrong[self._differ(found[wrong], [key[wrong] for key in keys])]
        return found

    def _differ(self, found: NDArray[np.int32], keys: Sequence[Packed]) -> NDArray[np.bool_]:
        differ: NDArray[np.bool_] = self._keys[0].take(found) != keys[0]
        for own, key in zip(self._keys[1:], keys[1:], strict=False):
            differ |= own.take(found) != key
        return differ

    def longest(self, packed: Packed, starts: Numbers, rests: Numbers, goes_on: int) -> tuple[Numbers, Numbers]:
        """Places in packed letters, and how many are left at each -> the longest piece there, and its size or 0."""
        found, sizes = np.empty(len(starts), np.intp), np.empty(len(starts), np.intp)
        for begin in range(0, len(starts), BLOCK):
            block = slice(begin, begin + BLOCK)
            found[block], sizes[block] = self._longest(packed, starts[block], rests[block], goes_on)
        return found, sizes

    def _longest(self, packed: Packed, starts: Numbers, rests: Numbers, goes_on: int) -> tuple[Any, Any]:
        heads = packed.take(starts)
        twos, threes = (_places([heads & _MASKS[head]], np.uint64(goes_on), HEADS) for head in (2, 3))
        lengths = (self._lengths.take(twos) | self._lengths.take(threes)) & _UP_TO.take(rests, mode="clip")
        found = self._single[goes_on].take((heads & _MASKS[1]).astype(np.intp))
        sizes = (found < self._none).astype(np.intp)
        tried = np.flatnonzero(np.unpackbits(lengths.astype("<u4", copy=False).view(np.uint8), bitorder="little"))
        places, tried = tried // 32, tried % 32
        pieces = self.find(packed, starts[places], tried, goes_on)
        hit = np.flatnonzero(pieces < self._none)
        found[places[hit]], sizes[places[hit]] = pieces[hit], tried[hit]  # of several, the last: the longest
        return found, sizes


def pack_letters(letters: NDArray[Any]) -> Packed:
    """Letters -> at each of them, it and the next ones in one whole number, as far as a piece goes past the end."""
    held = np.zeros(len(letters) + LONGEST + 1, np.uint64)
    held[: len(letters)] = letters
    packed = held.copy()
    for place in range(1, PACKED):
        packed[:-place] |= held[place:] << np.uint64(BITS * place)
    return packed


def _keys(packed: Packed, starts: Numbers, sizes: Numbers, columns: int) -> list[Packed]:
    """The letters of stretches, packed; zeros after the last of each."""
    return [
        packed.take(starts + before, mode="clip") & _MASKS.take(sizes - before, mode="clip")
        for before in range(0, PACKED * columns, PACKED)
    ]


def _places(keys: Sequence[Packed], goes_on: Any, bits: int) -> NDArray[np.intp]:
    """Keys -> the place of each in a table, in its second half if it goes on with a word."""
    mixed = keys[0] * _ODD[0]
    for key, odd in zip(keys[1:], _ODD[1:], strict=False):
        mixed += key * odd
    mixed >>= np.uint64(64 - bits)
    mixed += goes_on << np.uint64(bits)
    places: NDArray[np.intp] = mixed.astype(np.intp)
    return places
