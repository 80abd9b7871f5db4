"""Words that the vocabulary does not have -> rows made of their letters, so that words that come again are alike.

Each beginning of a word has a direction of its own, drawn by its letters, nearly at right angles to every other and to
the token vectors. Scripts without spaces have one for each pair of characters instead, and a text without a word that
counts, such as an emoji, one for each sign.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from caesura_static.folding import bounds, is_ideograph, within
from caesura_static.pieces import LONGEST_WORD
from caesura_static.pooling import PIECE, Rows, Wide, add_up, widen
from caesura_static.wordpiece import WordPiece, Words

STEM = 5
"""Words that begin with the same so many letters are one word: endings differ. A word of one letter more counts in
full, a shorter one less, a letter alone not at all: words that hold any text together are short."""
WORD, PAIR = 13, 11
"""Steps in each number of the vector of a word of which nothing is known, and of a pair of characters: so they are as
long as the vectors of rare words and of Chinese characters, or nearly."""
DIRECTIONS = 1 << 13
"""So many directions the pairs share, so that a long text without spaces is read fast."""
FACTORS = np.array([2654435761, 2246822519], np.uint32)
"""Spread pairs of characters over the directions: odd numbers without a pattern."""

SLAB = 1 << 10  # signs whose directions are added at a time

_UNSPACED = bounds(
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip


class Letters:
    """Words of stretches of text -> the stretches' rows where letters count.

    steps: the token vectors. words: what reads the tokens.
    """

    def __init__(self, steps: Wide, words: WordPiece) -> None:
        self._steps, self._width = steps, 4 * steps.shape[1]
        self._shares = np.clip(words.lengths - 1, 0, PIECE)
        self._covers = self._shares * words.lengths
        self._ideograph = is_ideograph(words.characters)

    @cached_property
    def directions(self) -> Wide:
        """(`DIRECTIONS`, d / 4) those of pairs."""
        return widen(draw(["pairs"], self._width, DIRECTIONS))

    def __call__(self, read: Words) -> Rows:
        """Returns (n, d), in steps of 1 / `PIECE`, such that the row of a text is the sum of its stretches' rows."""
        told = read.unknown.copy()
        single = read.counts == 1
        told[single] &= ~self._ideograph[read.tokens[(np.cumsum(read.counts) - read.counts)[single]]]
        unspaced = within(read.codes, _UNSPACED)
        left_out = told & ((read.sizes == 1) | (read.sizes > LONGEST_WORD) | unspaced[read.starts])
        short = told & (np.maximum.reduceat(read.codes, read.starts) > 127)
        shares = np.where(np.repeat(short, read.counts), self._shares[read.tokens], PIECE)
        shares[np.repeat(left_out, read.counts)] = 0
        said = np.flatnonzero(shares)
        lengths = np.diff(np.searchsorted(said, np.cumsum(read.per_stretch(read.counts))), prepend=0)
        rows = add_up(self._steps, read.tokens[said], lengths, shares[said].astype(np.uint64))
        rows += self._stems(read, np.flatnonzero(told & ~left_out))
        first = np.flatnonzero(unspaced[:-1] & unspaced[1:])
        if len(first):
            spread = read.codes[first] * FACTORS[0] + read.codes[first + 1] * FACTORS[1]
            lengths = np.diff(np.searchsorted(first, read.starts[read.ends]), prepend=0)
            pairs = ((spread >> np.uint32(16)) % np.uint32(DIRECTIONS)).astype(np.intp)
            rows += PIECE * PAIR * add_up(self.directions, pairs, lengths)
        return rows

    def _stems(self, read: Words, places: NDArray[np.intp]) -> Rows:
        """(n, d) the directions of the beginnings of the words at some places: the louder, the less is known."""
        starts = np.cumsum(read.counts) - read.counts
        covers = np.concatenate(([0], np.cumsum(self._covers[read.tokens])))
        covered = covers[starts[places] + read.counts[places]] - covers[starts[places]]
        sizes = read.sizes[places]
        whole, begun = PIECE * sizes, np.minimum(sizes - 1, STEM)
        stems = read.strings(places, STEM)
        spoken = np.array([stem[0].isalnum() for stem in stems], np.bool_)
        loudness = np.rint(WORD * (whole - covered) * begun / (whole * STEM)).astype(np.uint64) * spoken
        heard = np.flatnonzero(loudness)
        drawn: dict[str, int] = {}
        numbers = np.array([drawn.setdefault(stems[place], len(drawn)) for place in heard.tolist()], np.intp)
        lengths = np.diff(np.searchsorted(places[heard], read.ends), prepend=0)
        return add_up(widen(draw(list(drawn), self._width)), numbers, lengths, np.uint64(PIECE) * loudness[heard])


def draw(names: Sequence[str], width: int, count: int = 1) -> NDArray[np.int8]:
    """Names -> (n * count, width) of 1 and -1, the same on every machine."""
    size = -(-count * width // 8)
    drawn = b"".join(hashlib.shake_128(name.encode("utf-8", "surrogatepass")).digest(size) for name in names)
    signs = np.unpackbits(np.frombuffer(drawn, np.uint8)).view(np.int8)
    signs += signs
    signs -= 1
    return signs.reshape(-1, width)


def sign_row(text: str, width: int) -> Rows:
    """A text without a word that counts -> (width,) the sum of its signs' directions; zero where it is blank.

    Marks on signs and what cannot be seen, such as the selector of an emoji's colour, count only where nothing else is.
    """
    counts = Counter("".join(text.split()))
    shown = [sign for sign in counts if category(sign)[0] not in "MC"] or list(counts)
    row = np.zeros(width, np.float32)
    for start in range(0, len(shown), SLAB):
        some = shown[start : start + SLAB]
        row += np.array([counts[sign] for sign in some], np.float32) @ draw(some, width).astype(np.float32)
    return row
