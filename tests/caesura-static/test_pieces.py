"""The longest pieces of words, against a slow twin that tries each beginning of what is left."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from caesura_static import pieces
from caesura_static.wordpiece import WordPiece


def slow_pieces(word: str, vocabulary: list[str]) -> list[int]:
    found: list[int] = []
    while word:
        mark = "##" if found else ""
        sizes = [size for size in range(len(word), 0, -1) if mark + word[:size] in vocabulary]
        if not sizes:
            return [vocabulary.index("[UNK]")]
        found.append(vocabulary.index(mark + word[: sizes[0]]))
        word = word[sizes[0] :]
    return found


def vocabulary(draw: random.Random, count: int) -> list[str]:
    """PieceTable of few letters, so that many begin alike, and some as long as a packed number or a piece can be."""
    sizes = [1, 2, 3, 5, 6, 7, 11, 12, 13, 17, 18, 19, pieces.LONGEST]
    made = {draw.choice(("", "##")) + "".join(draw.choices("abe", k=draw.choice(sizes))) for _ in range(count)}
    return ["[UNK]", *sorted(made)]


@pytest.mark.parametrize("bits", [1, 16])  # of the places: all pieces in few chains, or each in its own
def test_words_have_the_pieces_of_the_slow_twin(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(35)
    monkeypatch.setattr(pieces, "SLOTS", bits)
    monkeypatch.setattr(pieces, "HEADS", bits)
    monkeypatch.setattr(pieces, "BLOCK", 7)
    tokens = vocabulary(draw, 60)
    bare = [token.removeprefix("##") for token in tokens[1:]]
    words = ["".join(draw.choices([*bare, "a", "z"], weights=[9] * len(bare) + [40, 1], k=3))[:90] for _ in range(80)]
    want = [number for word in words for number in slow_pieces(word, tokens)]
    assert list(WordPiece(tokens).numbers(" ".join(words))) == want


def test_a_piece_ends_where_its_word_ends() -> None:
    assert list(WordPiece(["[UNK]", "ab", "##c!d", "##c", "!", "d"]).numbers("abc!d")) == [1, 3, 4, 5]


def test_a_vocabulary_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("tokens of 23 letters at most")):
        WordPiece(["[UNK]", "a" * 24])
    with pytest.raises(ValueError, match=re.escape("1021 letters in all: got 5 and ")):
        WordPiece(["[UNK]", *map(chr, range(0x4E00, 0x4E00 + 1020))])


def test_what_follows_a_text_is_no_letter() -> None:
    packed = pieces.pack_letters(np.array([3, 4]))
    assert packed[:3].tolist() == [3 | 4 << pieces.BITS, 4, 0]
