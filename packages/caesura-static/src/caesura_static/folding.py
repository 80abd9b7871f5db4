"""str -> what BERT reads in its place, character by character: blanks, case, accents, punctuation and ideographs.

What stands between two blanks never influences its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import category, normalize

NEXT = "\0"
"""Stands between texts that are read together: BERT reads nothing in it."""
# str.split() takes these for blanks, BERT removes them as it does `NEXT`, and so joins what stands on either side.
_JOINERS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_JOINER = re.compile(f"[{NEXT}{_JOINERS}]")

_VOWEL_SIGNS = re.compile(
    "[{}]".format("".join(filter(lambda sign: category(sign) == "Mn", map(chr, range(0x900, 0xE00)))))
)

# The blocks of Chinese characters that BERT splits one by one. Kana and Hangul are not among them.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Folding(dict[int, str]):
    """Code point -> what BERT reads in its place, for str.translate; filled as characters turn up.

    Control characters vanish, blanks become a space, ideographs and punctuation get a space on either side,
    the rest is decomposed, stripped of accents (category Mn) and lowered, each character by itself. Vowel signs of the
    scripts of India are marks, too; BERT strips them, and here they stay: words are hardly told apart without.
    """

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if character in "\t\n\r" or (character.isspace() and category(character)[0] == "Z"):
        return " "
    if character == "\ufffd" or category(character) in _REMOVED:
        return ""
    bare = "".join(part for part in normalize("NFD", character) if category(part) != "Mn" or _VOWEL_SIGNS.match(part))
    lowered = "".join(map(str.lower, bare))
    spaced = "".join(f" {part} " if _is_punctuation(part) else part for part in lowered)
    return f" {spaced} " if is_ideograph(ord(character)) else spaced


_REMOVED = frozenset({"Cc", "Cf", "Co", "Cs"})


def _is_punctuation(character: str) -> bool:
    # BERT counts all ASCII symbols, such as $ and +, as punctuation, and other symbols not.
    return category(character)[0] == "P" or character in "$+<=>^`|~"


def is_ideograph(code: int) -> bool:
    """Whether BERT takes a character, by its code point, for a word."""
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


def without_vowel_signs(word: str) -> str:
    """A folded word -> what BERT reads: without the vowel signs."""
    return word if word.isascii() else _VOWEL_SIGNS.sub("", word)


def split_all(texts: Sequence[str]) -> list[str]:
    """Texts -> what stands between two blanks in each, and `NEXT` after each text's.

    >>> split_all(["The sea ", "", "rises."])
    ['The', 'sea', '\\x00', '\\x00', 'rises.', '\\x00']
    """
    joined = f" {NEXT} ".join([*texts, ""])
    if joined.count(NEXT) > len(texts) or any(map(joined.__contains__, _JOINERS)):
        joined = f" {NEXT} ".join([*map(joined_up, texts), ""])
    return joined.split()


def joined_up(text: str) -> str:
    """A text -> the same without what str.split() takes for blanks and BERT does not, and without `NEXT`."""
    return text if text.isprintable() else _JOINER.sub("", text)
