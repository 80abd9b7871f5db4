"""What a reader takes for one character: where a cut would part it."""

from __future__ import annotations

import re
import unicodedata

PREPENDED = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3"
    "\U000113d1\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)  # signs that stand with what follows them
EXTENDING = re.compile("[\u0e33\u0eb3\u200c\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
HANGUL = re.compile(
    "[\u1100-\u115f\ua960-\ua97c][\u1100-\u11a7\ua960-\ua97c\uac00-\ud7c6]"  # an initial and what it opens
    "|[\u1160-\u11ff\uac00-\ud7fb][\u1160-\u11ff\ud7b0-\ud7fb]"  # a vowel, final or syllable and a vowel or final
)


def inside_grapheme(text: str, position: int, start: int = 0) -> bool:
    """Whether a cut here would part a base from its marks, an emoji sequence, a flag, a Hangul syllable, or CR from LF.

    Looks back no further than `start`. By UAX 29, but that a ZWJ joins whatever follows it, and a virama any letter.
    """
    before, after = text[position - 1], text[position]
    if after < "\u0300" and before not in PREPENDED:
        return before == "\r" and after == "\n"
    if before < " " or after < " ":
        return False
    if before in PREPENDED or before == "\u200d" or EXTENDING.match(after):
        return True
    kind = unicodedata.category(after)
    if kind[0] == "M" or (kind == "Lo" and unicodedata.combining(before) == 9):
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff":
        run = position
        while run > start and "\U0001f1e6" <= text[run - 1] <= "\U0001f1ff":
            run -= 1
        return (position - run) % 2 == 1
    return HANGUL.match(text, position - 1, position + 1) is not None


def past_marks(text: str, position: int, end: int) -> int:
    """The first position from here on that is not inside a grapheme, or `end`."""
    while position < end and text[position] >= "\u0300" and inside_grapheme(text, position):
        position += 1
    return position
