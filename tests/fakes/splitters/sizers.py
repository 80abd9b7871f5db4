"""Sizers that do not add up, OpenAI's where it is at hand, and one that keeps what it was asked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from caesura import tokens, utf8_bytes, words

PIECE = re.compile(r" ?[A-Za-z]+|[^\S\n]+|\n+|.", re.DOTALL)


def odd_encode(text: str) -> list[str]:
    """A tokenizer whose counts do not add up; one code point is at most four tokens.

    A space makes a word cheaper, a line end behind a word is dearer, and a whole word can cost less than its beginning.
    """
    found: list[str] = []
    for match in PIECE.finditer(text):
        piece = match.group()
        if piece.strip() in ("semantic", "word", "The"):
            cost = 1
        elif piece[0] == " " and len(piece) > 1 and piece.strip():
            cost = -(-len(piece) // 6)
        elif piece[0] == "\n":
            cost = 3 if match.start() and text[match.start() - 1].isalpha() else 1
        elif piece.isspace():
            cost = -(-len(piece) // 8)
        else:
            cost = -(-len(piece) // 3) if piece.isascii() else len(piece.encode())
        found += [piece] * cost
    return found


odd_tokens = tokens(odd_encode)


def dear_ends(text: str) -> int:
    """A sizer to which whitespace at either end is dear, so that a longer text can measure less."""
    return len(text) + 3 * (text != text.strip())


SIZERS: dict[str, tuple[Callable[[str], int], int]] = {
    "len": (len, 1),
    "utf8_bytes": (utf8_bytes, 4),
    "words": (words, 1),
    "odd_tokens": (odd_tokens, 4),
    "dear_ends": (dear_ends, 4),
}
"""Name -> a sizer and the largest that one code point measures."""


@cache
def tiktoken_sizer() -> Callable[[str], int] | None:
    """OpenAI's tokenizer from the data that llama-index-core carries; None where one of the two is missing."""
    try:
        found = find_spec("llama_index.core")
        from tiktoken import get_encoding
    except ImportError:
        return None
    if found is None or found.origin is None:
        return None
    data = Path(found.origin).parent / "_static" / "tiktoken_cache"
    if not data.is_dir():
        return None
    with patch.dict(os.environ, {"TIKTOKEN_CACHE_DIR": str(data)}):
        return tokens(get_encoding("cl100k_base").encode_ordinary)


@dataclass
class Recording:
    """A sizer that keeps what it was asked, and what it answered."""

    inner: Callable[[str], int] = len
    measured: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, text: str) -> int:
        size = self.inner(text)
        self.measured.append((text, size))
        return size
