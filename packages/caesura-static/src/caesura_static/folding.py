"""str -> what BERT reads in its place, character by character: blanks, case, accents, punctuation and ideographs.

What stands between two blanks never influences its neighbours.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

NEXT = "\0"
"""Stands between texts that are read together: BERT reads nothing in it."""
# str.split() takes these for blanks, BERT removes them as it does `NEXT`, and so joins what stands on either side.
_JOINERS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_JOINER = re.compile(f"[{NEXT}{_JOINERS}]")


def bounds(*ranges: tuple[int, int]) -> NDArray[np.uint32]:
    """Rising ranges of code points, each by its first and its last -> where code points begin or cease to be in one."""
    return np.array([(first, last + 1) for first, last in ranges], np.uint32).ravel()


# The blocks of Chinese characters that BERT splits one by one. Kana and Hangul are not among them.
_UNIFIED = bounds(
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
)  # fmt: skip
_IDEOGRAPHS = np.sort(np.concatenate((_UNIFIED, bounds((0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))))
"""Most of the others are decomposed into one of `_UNIFIED`."""

SEVERAL = sys.maxunicode + 1  # in the place of a character that is read as none, or as more than one
MOST = 4  # characters that one is read as


class Folding:
    """Text without blanks -> the code points that BERT reads; what is known of a character is filled as it turns up.

    Control characters vanish, the rest is decomposed, stripped of accents (category Mn) and lowered, each character by
    itself. Vowel signs of the scripts of India are marks, too; BERT strips them, and here they stay: words are hardly
    told apart without.
    """

    def __init__(self) -> None:
        self._folded = np.zeros(sys.maxunicode + 1, np.uint32)
        self._several: dict[int, str] = {}

    def __call__(self, text: str) -> NDArray[np.uint32]:
        """Returns (n,) such that what one character is read as does not depend on the others."""
        codes = code_points(text)
        folded = self._folded.take(codes)
        if not folded.all():
            self._learn(distinct(codes[folded == 0]))
            folded = self._folded.take(codes)
        several = folded == SEVERAL
        if several.any():
            return self._expand(codes, folded, several)
        return folded

    def _learn(self, codes: NDArray[np.uint32]) -> None:
        itself = within(codes, _UNIFIED)
        self._folded[codes[itself]] = codes[itself]
        for code in codes[~itself].tolist():
            folded = _fold(chr(code))
            if len(folded) != 1:
                self._several[code] = folded
            self._folded[code] = ord(folded) if len(folded) == 1 else SEVERAL

    def _expand(
        self, codes: NDArray[np.uint32], folded: NDArray[np.uint32], several: NDArray[np.bool_]
    ) -> NDArray[np.uint32]:
        met = distinct(codes[several])
        filled = "".join(self._several[code].ljust(MOST, NEXT) for code in met.tolist())
        spelled = code_points(filled).reshape(-1, MOST)[np.searchsorted(met, codes[several])]
        counts = np.ones(len(codes), np.intp)
        counts[several] = np.count_nonzero(spelled, axis=1)
        folded = np.repeat(folded, counts)
        folded[np.repeat(several, counts)] = spelled[spelled > 0]
        return folded


def code_points(text: str) -> NDArray[np.uint32]:
    """A text -> (n,) the code points of its characters. `str.encode` would load a codec."""
    return np.array([text]).view(np.uint32)[: len(text)]


def distinct(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Code points, in order, each once. `numpy.unique` would import much."""
    met = np.zeros(int(codes.max(initial=0)) + 1, np.bool_)
    met[codes] = True
    return np.flatnonzero(met).astype(np.uint32)


def from_code_points(codes: NDArray[np.uint32]) -> str:
    """Code points -> their text."""
    return str(codes.view(f"U{len(codes)}")[0]) if len(codes) else ""


def _fold(character: str) -> str:
    if " " <= character <= "~":
        return character.lower()
    if character == "\ufffd" or (category(character) in _REMOVED and character != "\n"):
        return ""
    parts = (part for part in normalize("NFD", character) if category(part) != "Mn" or is_vowel_sign(part))
    return "".join(map(str.lower, parts))


_REMOVED = frozenset({"Cc", "Cf", "Co", "Cs"})


def is_vowel_sign(character: str) -> bool:
    """Whether a character is a mark in a script of India."""
    return "\u0900" <= character < "\u0e00" and category(character) == "Mn"


def is_punctuation(character: str) -> bool:
    """Whether BERT takes a character for a word, as a mark of punctuation."""
    # BERT counts all ASCII symbols, such as $ and +, as punctuation, and other symbols not.
    return category(character)[0] == "P" or character in "$+<=>^`|~"


def is_ideograph(codes: Any) -> Any:
    """Whether BERT takes characters, by their code points, for words."""
    return within(codes, _IDEOGRAPHS)


def within(codes: Any, limits: NDArray[np.uint32]) -> Any:
    """Whether code points are in one of the ranges of some `bounds`."""
    return np.searchsorted(limits, codes, side="right") % 2 == 1


def join_all(texts: Sequence[str]) -> str:
    """Texts -> one text, in which `NEXT` stands after each, between blanks, and no other character of `_JOINERS`."""
    joined = f" {NEXT} ".join([*texts, ""])
    if joined.count(NEXT) > len(texts) or any(map(joined.__contains__, _JOINERS)):
        joined = f" {NEXT} ".join([*map(joined_up, texts), ""])
    return joined


def joined_up(text: str) -> str:
    """A text -> the same without what str.split() takes for blanks and BERT does not, and without `NEXT`."""
    return text if text.isprintable() else _JOINER.sub("", text)
