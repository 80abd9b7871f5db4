"""A text -> the words by which the stand-in knows what it is about; a question and sentences -> the nearest of them."""

from __future__ import annotations

import re
from collections.abc import Iterable


def longest(text: str) -> list[str]:
    """The six longest words, in their order."""
    found = dict.fromkeys(re.findall(r"[^\W\d_]{4,}", text.casefold()))
    kept = sorted(found, key=len, reverse=True)[:6]
    return [word for word in found if word in kept]


def nearest(question: str, texts: Iterable[str]) -> str:
    """The first of the texts that have most of a question's longest words, or nothing of none."""
    asked = set(longest(question))
    return max(texts, key=lambda text: len(asked.intersection(re.findall(r"\w+", text.casefold()))), default="")
