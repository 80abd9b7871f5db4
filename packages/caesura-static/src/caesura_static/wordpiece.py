"""str -> the numbers of its tokens: BERT's uncased WordPiece in pure Python, equal to the `tokenizers` library's.

A text is folded character by character (`Folding`), split at blanks into words, and each word into the longest
pieces that the vocabulary has, from left to right. The pieces of a word are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from caesura_static.folding import Folding, joined_up

UNKNOWN = "[UNK]"
LONGEST_WORD = 100  # characters; BERT gives up on a longer word and calls it unknown
LONGEST_KEPT = 40  # characters; what is longer (Chinese text, data, addresses) seldom comes back
MOST_KEPT = 1 << 16  # words remembered before the memory is emptied, some 15 MB


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
        self._longest = max(map(len, vocabulary), default=0)
        self._unknown = (vocabulary[UNKNOWN],)
        self._folding = Folding()
        self._words = _Words(self._spell)

    def numbers(self, text: str) -> Iterator[int]:
        """Text -> the numbers of its tokens.

        >>> list(WordPiece({"[UNK]": 0, "un": 1, "##able": 2, "!": 3}).numbers("Unable! Été"))
        [1, 2, 3, 0]
        """
        return chain.from_iterable(map(self.split, joined_up(text).split()))

    def split(self, stretch: str) -> Iterator[int]:
        """What stands between two blanks -> the numbers of its tokens."""
        return chain.from_iterable(map(self._words.__getitem__, stretch.translate(self._folding).split()))

    def _spell(self, word: str) -> tuple[int, ...]:
        """A word -> its longest pieces from left to right, or the one unknown token."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start, pieces = 0, self._begin
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = pieces.get(word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            start, pieces = end, self._go_on
        return tuple(found)


class _Words(dict[str, tuple[int, ...]]):
    """A word, folded -> its tokens, remembered."""

    def __init__(self, spell: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._spell = spell

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self._spell(word)
        if len(word) <= LONGEST_KEPT:
            if len(self) >= MOST_KEPT:
                self.clear()
            self[word] = found
        return found
