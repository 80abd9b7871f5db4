"""A text in, its size out, in ways that are not kind: counts that do not add up, ends and starts that are dear."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32


@dataclass(frozen=True, slots=True)
class FakeBPE:
    """A tokenizer whose counts do not add up: some pieces, drawn by `seed`, are entries of its vocabulary and cheap.

    A whole word can cost less than its beginning, a space makes a word cheaper or dearer, and a code point alone costs
    its bytes.
    """

    seed: int

    def __call__(self, text: str) -> range:
        return range(sum(cost(self.seed, piece) for piece in PIECE.findall(text)))


PIECE = re.compile(r" ?[^\W\d_]+|\d{1,3}|[^\S\n]+|\n+|[^\w\s]{1,4}|.", re.DOTALL)


def cost(seed: int, piece: str) -> int:
    """The tokens of one piece."""
    size = len(piece.encode("utf-8"))
    if len(piece) == 1:
        return size
    return 1 + size // 24 if crc32(piece.encode("utf-8"), seed) % 2 else -(-size // 3)


def dear_ends(text: str) -> int:
    """A sizer to which whitespace at either end is dear, so that a longer text can measure less."""
    return len(text) + 3 * (text != text.strip())


def dear_start(text: str) -> int:
    """A sizer that charges for every text it is given, and for its first word again, as special tokens do."""
    return len(text) + 2 + (text[:1].isalpha() and not text.isspace()) if text else 0


@cache
def tiktoken_encode() -> Callable[[str], list[int]] | None:
    """OpenAI's tokenizer from the data that llama-index-core carries; None where one of the two is missing."""
    core = find_spec("llama_index.core") if find_spec("llama_index") else None
    data = Path(core.origin).parent / "_static" / "tiktoken_cache" if core and core.origin else Path()
    if not data.is_dir() or find_spec("tiktoken") is None:
        return None
    from tiktoken import get_encoding

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(data)
    try:
        return get_encoding("cl100k_base").encode_ordinary  # type: ignore[no-any-return]
    finally:
        os.environ.pop("TIKTOKEN_CACHE_DIR") if before is None else os.environ.update(TIKTOKEN_CACHE_DIR=before)
