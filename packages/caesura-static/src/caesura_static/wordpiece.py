"""str -> the numbers of its tokens: BERT's uncased WordPiece in pure Python, equal to the `tokenizers` library's.

A text is folded character by character (`Folding`), split at blanks into words, and each word into the longest
pieces that the vocabulary has, from left to right. The pieces of a word are remembered where they are several.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from string import punctuation
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura_static.folding import Folding, joined_up, without_vowel_signs

UNKNOWN = "[UNK]"
LONGEST_WORD = 100  # characters; BERT gives up on a longer word and calls it unknown
LONGEST_KEPT = 40  # characters; what is longer (Chinese text, data, addresses) seldom comes back
MOST_KEPT = 1 << 16  # words remembered before the memory is emptied, some 15 MB

HEAD = 3  # characters of a word that say how long a piece it can begin with
END = "\n"
_INSIDE, _BLANK, _ALONE = range(3)
_KINDS = np.array(
    [_BLANK if c == " " else _ALONE if c in punctuation + END else _INSIDE for c in map(chr, range(129))], np.int8
)
"""Whether each character of ASCII, and at last any other, stands inside a word, between two, or is a word alone."""


class Words(NamedTuple):
    """The words of stretches of text, in order, and `END` after each stretch's.

    text: the words, folded, with nothing between them. codes: its characters. starts, sizes: (w,) where each word is in
    it. ends: (n,) which words are `END`. letters: (w,) the word's size, 0 where it does not begin with a letter.
    tokens: the numbers of all tokens. counts: (w,) how many each word has; none where BERT reads none. unknown: (w,)
    where these do not say what the word means, because they are several, `[UNK]`, or a letter alone of another alphabet
    than the Latin.
    """

    text: str
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
        sizes = self.sizes[places]
        return _strings(self.text, self.starts[places], sizes if longest is None else np.minimum(sizes, longest))

    def per_stretch(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """A number for each word -> (n,) their sum over each stretch."""
        totals = np.concatenate(([0], np.cumsum(numbers)))
        return np.diff(totals[self.ends], prepend=0)


class WordPiece:
    """Texts -> the numbers of their tokens.

    `numbers(text)` returns the tokens of any str, in order, such that they are those of
    `tokenizers.Tokenizer(WordPiece)` with BertNormalizer and BertPreTokenizer, without added special tokens.
    Words of more than 100 characters, and words that no pieces spell, are one `[UNK]`.
    Threads may share one: the worst that a race can do is to split a word twice.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = vocabulary
        self._begin = {token: number for token, number in vocabulary.items() if token[:2] != "##"}
        self._go_on = {token[2:]: number for token, number in vocabulary.items() if token[:2] == "##"}
        self._reach = _reach(self._begin), _reach(self._go_on)
        self._unknown = (vocabulary[UNKNOWN],)
        self._unsaid = np.array([token == UNKNOWN or _is_foreign_letter(token) for token in vocabulary])
        self._folding = Folding()
        self.words: dict[str, tuple[int, ...]] = {}
        self._characters = np.zeros(sys.maxunicode + 1, np.int32)

    def numbers(self, text: str) -> Iterator[int]:
        """Text -> the numbers of its tokens.

        >>> list(WordPiece({"[UNK]": 0, "un": 1, "##able": 2, "!": 3}).numbers("Unable! Été"))
        [1, 2, 3, 0]
        """
        return iter(self.read(joined_up(text).split()).tokens.tolist())

    def read(self, stretches: Sequence[str]) -> Words:
        """What stands between two blanks, each -> all their words, and the tokens of these."""
        text, codes, starts = self._split(stretches)
        sizes = np.diff(starts, append=len(codes))
        firsts = codes[starts]
        met = self._meet(firsts)
        numbers = (met >> 1).astype(np.intp) - 2  # right where a word has one character
        places = np.flatnonzero(sizes > 1)
        longer = _strings(text, starts[places], sizes[places])
        numbers[places] = np.fromiter(map(self._begin.get, longer, repeat(-2)), np.intp, len(longer))
        counts = (numbers >= 0).astype(np.intp)
        pieced = np.flatnonzero(numbers[places] < 0)
        spelled = self._spell([longer[place] for place in pieced.tolist()])
        counts[places[pieced]] = np.fromiter(map(len, spelled), np.intp, len(spelled))
        tokens = np.repeat(numbers, counts)
        tokens[tokens < 0] = np.fromiter(chain.from_iterable(spelled), np.intp)
        unknown = counts > 1
        single = counts == 1
        unknown[single] = self._unsaid[tokens[(np.cumsum(counts) - counts)[single]]]
        return Words(
            text, codes, starts, sizes, np.flatnonzero(firsts == ord(END)), sizes * (met & 1), tokens, counts, unknown
        )

    def _split(self, stretches: Sequence[str]) -> tuple[str, NDArray[np.uint32], NDArray[np.intp]]:
        """Stretches -> their words, as `Words.text`, its `codes` and `starts`."""
        folded = [
            stretch.lower() if stretch.isascii() and stretch.isprintable() else stretch.translate(self._folding)
            for stretch in stretches
        ]
        text = END.join([*folded, ""])
        codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
        kinds = _KINDS.take(codes, mode="clip")
        inside = kinds == _INSIDE
        begins = kinds == _ALONE
        begins[:1] |= inside[:1]
        begins[1:] |= inside[1:] & ~inside[:-1]
        if " " in text:
            text, filled = text.replace(" ", ""), kinds != _BLANK
            codes, begins = codes[filled], begins[filled]
        return text, codes, np.flatnonzero(begins)

    def _meet(self, codes: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Code points -> 2 * (2 + the number of its token, -1 if it has none) + whether it is a letter, each."""
        met = self._characters[codes]
        if not met.all():
            for code in set(codes[met == 0].tolist()):
                number = next(iter(self._pieces(without_vowel_signs(chr(code)))), -1) if code != ord(END) else -1
                self._characters[code] = 2 * (number + 2) + chr(code).isalpha()
            met = self._characters[codes]
        return met

    def _spell(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Words -> the longest pieces of each from left to right, or the one unknown token."""
        known, spelled = self.words, []
        for word in words:
            found = known.get(word)
            if found is None:
                found = self._unknown if len(bare := without_vowel_signs(word)) > LONGEST_WORD else self._pieces(bare)
                if len(word) <= LONGEST_KEPT:
                    known[word] = found
            spelled.append(found)
        if len(known) > MOST_KEPT:
            self.words = {}  # other threads go on with the one they have
        return spelled

    def _pieces(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        start, stop, pieces, reach = 0, len(word), self._begin, self._reach[0]
        while start < stop:
            end = start + reach.get(word[start : start + HEAD], HEAD - 1)
            if end > stop:  # faster than min()
                end = stop
            while (number := pieces.get(word[start:end])) is None:
                end -= 1
                if end == start:
                    return self._unknown
            found.append(number)
            start, pieces, reach = end, self._go_on, self._reach[1]
        return tuple(found)


def _reach(pieces: Iterable[str]) -> dict[str, int]:
    """Pieces -> by their first `HEAD` characters, the length of the longest that begins with these."""
    longest: dict[str, int] = {}
    for piece in pieces:
        head, size = piece[:HEAD], len(piece)
        if size > longest.get(head, HEAD - 1):
            longest[head] = size
    return longest


def _strings(text: str, starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> list[str]:
    return [text[start:end] for start, end in zip(starts.tolist(), (starts + sizes).tolist(), strict=True)]


def _is_foreign_letter(token: str) -> bool:
    return len(token) == 1 and token.isalpha() and not token.isascii()
