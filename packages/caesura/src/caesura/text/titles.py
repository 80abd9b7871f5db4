"""A paragraph's span -> whether it is a heading by its look: in one line, numbered or in capitals."""

from __future__ import annotations

import re

from caesura.text.abbreviations import ENDED, HANGING
from caesura.text.lines import BLANKS, end_of, line_end

_TITLE_LENGTH = 80
_UNTITLED = frozenset(ENDED + HANGING) - frozenset('"”»’)')  # a heading does not end so
_TITLE = re.compile(  # a heading by its number: "2.1 Methods", "3 Results", "Chapter IV"
    r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[^\W\d_a-zà-ÿ]|\d{1,2} +[^\W\d_a-zà-ÿ][\w-]*(?: [\w-]+){0,2}\Z"
    r"|(?i:Chapter|Part|Section|Appendix|Book|Act|Scene|Kapitel|Teil|Chapitre|Capítulo)"
    r" (?:\d{1,3}|[IVXLC]{1,7}|[A-Z])\b"
)
_NUMBERED = re.compile(r"(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.)]\s+(?=[^\W\d_a-zà-ÿ]{3})")


def is_title(text: str, at: int, end: int) -> bool:
    """Whether a paragraph is a heading: one line, numbered or in capitals, that no other such line follows, unless with
    the first number."""
    after = end_of(BLANKS, text, end)
    if (
        end - at > _TITLE_LENGTH
        or text[after : after + 1] in "#"
        or "\x0c" in text[max(at - 2, 0) : at] + text[end:after]
    ):
        return False
    below = text[after : line_end(text, after)][: _TITLE_LENGTH + 1]
    numbered = _NUMBERED.match(below) and not _NUMBERED.match(text, at)
    return _like_title(text[at:end]) and (bool(numbered) or not _like_title(below))


def _like_title(line: str) -> bool:
    bare = _NUMBERED.sub("", line.strip())
    if len(bare) > _TITLE_LENGTH or bare[-1] in _UNTITLED or len(bare.splitlines()) > 1:
        return False
    loud = bare.isupper() and sum(map(str.isalpha, bare)) > 2 and not any(map(str.isdigit, bare))
    return loud or _TITLE.match(bare) is not None
