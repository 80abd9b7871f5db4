"""str -> what BERT reads in its place, character by character: blanks, case, accents, punctuation and ideographs.

What stands between two blanks never influences its neighbours.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

# str.split() takes these for blanks, BERT removes them, and so joins what stands on either side.
_JOINERS = re.compile("[\x0b\x0c\x1c-\x1f\x85]")

# The blocks of Chinese characters that BERT splits one by one. Kana and Hangul are not among them.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Folding(dict[int, str]):
    """Code point -> what BERT reads in its place, for str.translate; filled as characters turn up.

    Control characters vanish, blanks become a space, ideographs and punctuation get a space on either side,
    the rest is decomposed, stripped of accents (category Mn) and lowered, each character by itself.
    """

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if character in "\t\n\r" or (character.isspace() and category(character)[0] == "Z"):
        return " "
    if character == "\ufffd" or category(character) in _REMOVED:
        return ""
    bare = "".join(part for part in normalize("NFD", character) if category(part) != "Mn")
    lowered = "".join(map(str.lower, bare))
    spaced = "".join(f" {part} " if _is_punctuation(part) else part for part in lowered)
    return f" {spaced} " if _is_ideograph(ord(character)) else spaced


_REMOVED = frozenset({"Cc", "Cf", "Co", "Cs"})


def _is_punctuation(character: str) -> bool:
    # BERT counts all ASCII symbols, such as $ and +, as punctuation, and other symbols not.
    return category(character)[0] == "P" or character in "$+<=>^`|~"


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


def joined_up(text: str) -> str:
    """A text -> the same without what str.split() takes for blanks and BERT does not."""
    return text if text.isprintable() or not _JOINERS.search(text) else _JOINERS.sub("", text)
