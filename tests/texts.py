"""What the tests share: odd documents, sizers that do not add up, a segmenter without rules, embedders that count."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from caesura import tokens, utf8_bytes, words
from caesura.testing.texts import FRAGMENTS

any_text = st.text(st.characters(exclude_categories=()), max_size=6)
documents = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(FRAGMENTS), any_text), max_size=30).map(
    "".join
)
blanks = st.text(st.sampled_from(" \n\t\r\x0b\x0c\x1c\x1f\x85\u00a0\u2028\u3000"), max_size=20)

STOP = re.compile(r"[.!?\u3002\uff01\uff1f]+\s*|\n")


def at_stops(text: str) -> NDArray[np.intp]:
    """Edges behind every run of stops and behind every line end: no rule, and blank units now and then."""
    ends = {match.end() for match in STOP.finditer(text)}
    return np.array(sorted({0, *ends, len(text)}), dtype=np.intp)


@st.composite
def tilings(draw: st.DrawFn, text: str) -> NDArray[np.intp]:
    """Any edges of a text."""
    inner = draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=12))
    return np.array(sorted({0, len(text), *(at for at in inner if at < len(text))}), dtype=np.intp)


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


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Eight columns: how often words of each of eight kinds occur. A text without words is a zero row."""
    rows = np.zeros((len(texts), 8), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.split():
            row[crc32(word.encode("utf-8", "surrogatepass")) % 8] += 1 if len(word) > 1 else 0
    return rows


@dataclass
class Counting:
    """An embedder that keeps what it was asked."""

    inner: Callable[[Sequence[str]], object] = embed
    calls: list[list[str]] = field(default_factory=list)

    def __call__(self, texts: Sequence[str]) -> object:
        self.calls.append(list(texts))
        return self.inner(texts)

    @property
    def texts(self) -> list[str]:
        return [text for call in self.calls for text in call]


@dataclass
class Recording:
    """A sizer that keeps what it was asked, and what it answered."""

    inner: Callable[[str], int] = len
    measured: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, text: str) -> int:
        size = self.inner(text)
        self.measured.append((text, size))
        return size
