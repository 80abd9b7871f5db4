"""Stretches of text without blanks, as bytes -> their numbers in a list that grows: exactly, and many at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura_static.folding import code_points, distinct, from_code_points

LONGEST_KEPT = 80  # characters; what is longer (Chinese text, data, addresses) seldom comes back
COLUMNS = 4 * LONGEST_KEPT // 8 + 1
"""So many whole numbers of 8 bytes hold any stretch that is kept. The last one of each ends with a zero byte."""
SLOTS = 17  # bits of the places of chains of stretches
BLOCK = 1 << 14  # stretches looked up at a time: few enough for the processor's cache
FEW = 1 / 8  # up to this share of all stretches, each is read by itself

_BLANKS = bytes.maketrans(b"\t\n\r", b"   ")
_LAST_OF_ASCII = 127
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
ODD = np.frombuffer(os.urandom(8 * COLUMNS), np.uint64) | np.uint64(1)
"""Drawn in each process, so that nobody can write many words that share a chain."""

Numbers = NDArray[np.intp]
Column = tuple[Numbers, NDArray[np.uint64]]
"""Which of some stretches reach so far, or end just before, and the next 8 bytes of each in one number."""


class ByteSpans(NamedTuple):
    """Text as UTF-8, and (n,) where each stretch begins in it, and how many bytes it has."""

    data: bytes
    starts: Numbers
    sizes: Numbers

    def at(self, places: Any) -> ByteSpans:
        """Some of the stretches."""
        return ByteSpans(self.data, self.starts[places], self.sizes[places])

    def strings(self, places: Numbers) -> list[str]:
        """Returns some of the stretches."""
        if len(places) > FEW * len(self.starts):
            return list(map(_decode(self.data).__getitem__, places.tolist()))
        some, data = self.at(places), self.data
        spans = zip(some.starts.tolist(), (some.starts + some.sizes).tolist(), strict=True)
        return _decode(b" ".join([data[start:end] for start, end in spans]))

    def columns(self) -> list[Column]:
        """Returns the first bytes of the stretches, 8 of each at a time, as far as any goes."""
        words, columns = np.frombuffer(self.data, "<u8"), list[Column]()
        places, starts, sizes = np.arange(len(self.starts)), self.starts, self.sizes
        while len(places) and len(columns) < COLUMNS:
            first, shift = starts >> 3, ((starts & 7) << 3).astype(np.uint64)
            eight = words.take(first) >> shift
            eight |= words.take(first + 1) << np.uint64(1) << (np.uint64(63) - shift)
            columns.append((places, eight & _MASKS.take(sizes, mode="clip")))
            longer = np.flatnonzero(sizes >= 8)
            places, starts, sizes = places[longer], starts[longer] + 8, sizes[longer] - 8
        return columns


def _decode(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogatepass").split()


def find_stretches(text: str) -> ByteSpans:
    """A text of `join_all` -> what stands between two blanks, as `str.split` tells them.

    >>> find_stretches("The sea\\n rises.").sizes.tolist()
    [3, 3, 6]
    """
    if not text.isascii():
        codes = code_points(text)
        for blank in filter(str.isspace, from_code_points(distinct(codes[codes > _LAST_OF_ASCII]))):
            text = text.replace(blank, " ")
    data = text.encode("utf-8", "surrogatepass").translate(_BLANKS)
    data = b" %b%b" % (data, b" " * (16 - (len(data) + 1) % 8))  # whole numbers, and one behind the last stretch's
    inside = np.frombuffer(data, np.uint8) != ord(" ")
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    return ByteSpans(data, edges[::2], edges[1::2] - edges[::2])


class Grown:
    """An array that grows at its end: the first `count` rows of `held`."""

    def __init__(self, held: NDArray[Any]) -> None:
        self.held: NDArray[Any] = held
        self.count: int = len(held)

    def append(self, *more: NDArray[Any]) -> int:
        """More rows, in one array or in several that lie beside one another -> the place of the first of them."""
        start, end = self.count, self.count + len(more[0])
        if end > len(self.held):
            room = np.zeros((max(end, 2 * start), *self.held.shape[1:]), self.held.dtype)
            room[:start] = self.held[:start]
            self.held = room
        np.concatenate(more, axis=-1, out=self.held[start:end])
        self.count = end  # an interrupt before this adds nothing
        return start


class StretchTable:
    """The places of stretches in a list of them. Its first is one zero byte, which ends each chain here.

    One thread at a time may add. Others may look up meanwhile: at worst they miss what is just added.
    """

    def __init__(self) -> None:
        self._bytes = Grown(np.zeros(1, np.uint64))
        self._begins = Grown(np.zeros(1, np.intp))  # of each in them
        self._hashes = Grown(np.zeros(1, np.uint64))
        self._after = Grown(np.zeros(1, np.int32))  # each in its chain
        self._first = np.zeros(1 << SLOTS, np.int32)

    def add(self, names: Sequence[str], count: int) -> None:
        """Takes in what of the first `count` of a list was not there the last time."""
        first = self._begins.count
        if first == count:
            return
        stretches = find_stretches(" ".join(names[first:count]))
        ends, columns = np.cumsum(stretches.sizes // 8 + 1), stretches.columns()
        begins, packed = np.append(0, ends[:-1]), np.zeros(ends[-1], np.uint64)
        for number, (places, eight) in enumerate(columns):
            packed[begins[places] + number] = eight
        begins += self._bytes.append(packed)
        hashes, left = _hash(columns), np.arange(first, count, dtype=np.int32)
        for grown, rows in ((self._hashes, hashes), (self._after, np.zeros_like(left)), (self._begins, begins)):
            grown.count = first  # whatever an interrupt left
            grown.append(rows)
        slots = _slots(hashes)
        while len(left):
            taken = slots[left - first]
            self._after.held[left] = self._first[taken]
            self._first[taken] = left
            left = left[self._first[taken] != left]  # others go to the same place

    def find(self, stretches: ByteSpans) -> Numbers:
        """Returns (n,) the places of stretches, -1 for one that is new."""
        found = np.empty(len(stretches.starts), np.intp)
        for begin in range(0, len(found), BLOCK):
            found[begin : begin + BLOCK] = self._find(stretches.at(slice(begin, begin + BLOCK)).columns())
        return found

    def _find(self, columns: list[Column]) -> NDArray[np.int32]:
        hashes = _hash(columns)
        found = self._first.take(_slots(hashes))
        wrong = np.flatnonzero(self._hashes.held.take(found) != hashes)
        while len(wrong):
            found[wrong] = after = self._after.held.take(found[wrong])
            wrong = wrong[(after > 0) & (self._hashes.held.take(after) != hashes[wrong])]
        differ, begins = np.zeros(len(found), np.bool_), self._begins.held.take(found)
        for number, (places, eight) in enumerate(columns):  # behind the end of what is known, it differs already
            differ[places] |= self._bytes.held.take(begins[places] + number, mode="clip") != eight
        found[differ] = -1
        return found


def _hash(columns: list[Column]) -> NDArray[np.uint64]:
    """The bytes of one or more stretches -> a number for each; two that are not alike seldom have the same."""
    hashes = np.zeros(len(columns[0][0]), np.uint64)
    for odd, (places, eight) in zip(ODD, columns, strict=False):
        hashes[places] += (eight ^ eight >> np.uint64(32)) * odd  # else the eighth byte would change few bits
    return hashes


def _slots(hashes: NDArray[np.uint64]) -> Numbers:
    return (hashes >> np.uint64(64 - SLOTS)).astype(np.intp)
