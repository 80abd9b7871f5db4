"""str -> the numbers of its tokens: BERT's uncased WordPiece with numpy, equal to the `tokenizers` library's.

A text is folded character by character (`Folding`), split at blanks and marks into words, and each word into the
longest pieces that the vocabulary has, from left to right (`PieceTable`): all words of many texts at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura_static import pieces
from caesura_static.folding import (
    Folding,
    code_points,
    distinct,
    from_code_points,
    is_ideograph,
    is_punctuation,
    is_vowel_sign,
    joined_up,
)
from caesura_static.pieces import PieceTable

UNKNOWN = "[UNK]"
END = "\n"
LAST_OF_ASCII = 127

_MET, _ALONE, _ALPHA, _SIGN = (1 << bit for bit in range(4))
"""Bits: whether a character has turned up, is a word alone, is a letter, is the sign of a vowel."""
_BITS = 4


class Words(NamedTuple):
    """The words of stretches of text, in order, and `END` after each stretch's.

    codes: the characters of the words, folded, with nothing between them. starts, sizes: (w,) where each word is in
    them. ends: (n,) which words are `END`. letters: (w,) the word's size, 0 where it does not begin with a letter.
    tokens: the numbers of all tokens. counts: (w,) how many each word has; none where BERT reads none. unknown: (w,)
    where these do not say what the word means, because they are several, `[UNK]`, or a letter alone of another alphabet
    than the Latin.
    """

    codes: NDArray[np.uint32]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    ends: NDArray[np.intp]
    letters: NDArray[np.intp]
    tokens: NDArray[np.intp]
    counts: NDArray[np.intp]
    unknown: NDArray[np.bool_]

    def strings(self, places: NDArray[np.intp], longest: int | None = None) -> list[str]:
        """The words at some places, or the first characters of each, at most so many."""
        text, starts = from_code_points(self.codes), self.starts[places]
        sizes = self.sizes[places] if longest is None else np.minimum(self.sizes[places], longest)
        return [text[start:end] for start, end in zip(starts.tolist(), (starts + sizes).tolist(), strict=True)]

    def some(self, stretches: NDArray[np.intp]) -> Words:
        """The words of some of the stretches, by their rising numbers, as if these alone had been read."""
        chosen = np.zeros(len(self.ends), np.bool_)
        chosen[stretches] = True
        words = np.repeat(chosen, np.diff(self.ends, prepend=-1))
        sizes, counts = self.sizes[words], self.counts[words]
        return Words(
            codes=self.codes[np.repeat(words, self.sizes)],
            starts=np.cumsum(sizes) - sizes,
            sizes=sizes,
            ends=np.cumsum(np.diff(self.ends, prepend=-1)[stretches]) - 1,
            letters=self.letters[words],
            tokens=self.tokens[np.repeat(words, self.counts)],
            counts=counts,
            unknown=self.unknown[words],
        )

    def per_stretch(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """A number for each word -> (n,) their sum over each stretch."""
        totals = np.concatenate(([0], np.cumsum(numbers)))
        return np.diff(totals[self.ends], prepend=0)


class WordPiece:
    """Texts -> the numbers of their tokens.

    `numbers(text)` returns the tokens of any str, in order, such that they are those of
    `tokenizers.Tokenizer(WordPiece)` with BertNormalizer and BertPreTokenizer, without added special tokens.
    Words of more than 100 characters, and words that no pieces spell, are one `[UNK]`.
    Threads may share one: the worst that a race can do is to look at a character twice.

    vocabulary: the tokens, by their numbers; those that go on with a word begin with `##`. lengths: (v,) how many
    letters each has, none for `[UNK]`. characters: (v,) the code points of those that are one character, 0 for others.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        codes, count, unknown = code_points("".join(vocabulary)), len(vocabulary), vocabulary.index(UNKNOWN)
        alphabet = distinct(codes)
        self._numbers = {letter: number for number, letter in enumerate(from_code_points(alphabet), pieces.END + 1)}
        self._numbers[END] = pieces.END
        sizes = np.fromiter(map(len, vocabulary), np.intp, count)
        starts, hashes = np.cumsum(sizes) - sizes, codes == ord("#")
        goes_on = (sizes > len("##")) & hashes[starts] & np.append(hashes[1:], False)[starts]
        self.vocabulary = vocabulary
        self.characters: NDArray[np.uint32] = np.where(sizes == 1, codes[starts], 0)
        starts += len("##") * goes_on
        sizes -= len("##") * goes_on
        letters = np.searchsorted(alphabet, codes) + (pieces.END + 1)
        self._pieces = PieceTable(letters, starts, sizes, goes_on, unknown)
        sizes[unknown] = 0
        self.lengths: NDArray[np.intp] = sizes
        self._unsaid = np.arange(count) == unknown
        foreign = np.flatnonzero(self.characters > LAST_OF_ASCII)
        self._unsaid[foreign] = list(map(str.isalpha, from_code_points(self.characters[foreign])))
        self._folding = Folding()
        self._characters = np.zeros(sys.maxunicode + 1, np.int32)

    def numbers(self, text: str) -> Iterator[int]:
        """Text -> the numbers of its tokens.

        >>> list(WordPiece(["[UNK]", "un", "##able", "!"]).numbers("Unable! Été"))
        [1, 2, 3, 0]
        """
        return iter(self.read(joined_up(text).split()).tokens.tolist())

    def read(self, stretches: Sequence[str]) -> Words:
        """What stands between two blanks, each -> all their words, and the tokens of these."""
        codes = self._folding(END.join([*stretches, ""]))
        characters = self._meet(codes)
        alone = (characters & _ALONE).astype(np.bool_)
        begins = alone.copy()
        begins[:1] = True
        begins[1:] |= alone[:-1]
        starts = np.flatnonzero(begins)
        sizes = np.diff(starts, append=len(codes))
        letters, begun, lengths = characters >> _BITS, starts, sizes
        signs = (characters & _SIGN).astype(np.bool_)
        if signs.any():  # BERT does not read them
            before: NDArray[np.intp] = np.cumsum(~signs) - ~signs
            letters, begun = letters[~signs], before[starts]
            lengths = np.diff(begun, append=len(letters))
        tokens, counts = self._pieces.spell(letters, begun, lengths)
        unknown = counts > 1
        single = counts == 1
        unknown[single] = self._unsaid[tokens[(np.cumsum(counts) - counts)[single]]]
        alpha = (characters[starts] & _ALPHA).astype(np.bool_)
        return Words(
            codes, starts, sizes, np.flatnonzero(codes[starts] == ord(END)), sizes * alpha, tokens, counts, unknown
        )

    def _meet(self, codes: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Folded code points -> what is known of each: the number of its letter, and bits."""
        met = self._characters.take(codes)
        if not met.all():
            new = distinct(codes[met == 0])
            text = from_code_points(new)
            known = np.fromiter(map(self._numbers.get, text, repeat(pieces.STRANGE)), np.int32, len(new)) << _BITS
            known |= _MET + _ALPHA * np.fromiter(map(str.isalpha, text), np.bool_, len(new))
            punctuation = np.fromiter(map(is_punctuation, text), np.bool_, len(new))
            known |= _ALONE * (punctuation | is_ideograph(new) | (new == ord(END)))
            known |= _SIGN * np.fromiter(map(is_vowel_sign, text), np.bool_, len(new))
            self._characters[new] = known
            met = self._characters.take(codes)
        return met
