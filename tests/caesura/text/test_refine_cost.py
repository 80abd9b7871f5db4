"""`refine` measures few and short strings, and looks at each character a few times, in a megabyte of anything."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
from fakes.splitters.sizers import Recording, dear_ends, odd_tokens

from caesura import utf8_bytes, words
from caesura.text.refine import refine

MEGABYTES = {
    "one word": "x",
    "words": "word ",
    "clauses": "when it rains, we stay at home; ",
    "one letter words": "a ",
    "lines": "a line of code()\n",
    "blanks": " \n",
    "ideographs": "\u4e2d\u6587\uff0c",
    "flags": "\U0001f1e9\U0001f1ea",
    "half a flag": "\U0001f1e9",
    "families": "\U0001f468\u200d",
    "marks": "\u0301",
    "conjuncts": "\u0915\u094d",
    "initials": "\u1100",
    "tags": "\U000e0067",
    "semantic": "semantic",
}
every_megabyte = pytest.mark.parametrize("part", MEGABYTES.values(), ids=MEGABYTES)
every_share = pytest.mark.parametrize(
    "share", [pytest.param(12, id="a twelfth"), pytest.param(1, id="all", marks=pytest.mark.thorough)]
)

LENGTHS = {len: 1_000_000, utf8_bytes: 1_000_000, words: 1_000_000, dear_ends: 200_000, odd_tokens: 100_000}


def megabyte(part: str, length: int) -> str:
    return part * (length // len(part.encode()) + 1)


@pytest.mark.thorough
@every_megabyte
@pytest.mark.parametrize("max_size", [64, 2000])
@pytest.mark.parametrize("size", LENGTHS, ids=lambda size: getattr(size, "__name__", "odd_tokens"))
def test_a_megabyte_is_measured_in_short_strings_and_few_calls(part: str, max_size: int, size: object) -> None:
    text, calls, longest = megabyte(part, LENGTHS[size]), 0, 0

    def recording(piece: str) -> int:
        nonlocal calls, longest
        calls, found = calls + 1, size(piece)
        assert len(piece) <= max(4 * max_size, 2 * longest)
        if found <= max_size:
            longest = max(longest, len(piece))
        return found

    made = refine(text, np.array([0, len(text)]), recording, max_size)
    pieces = len(made) - 1
    assert calls <= pieces * 2 * (log2(4 * max_size) + 4) + 2 * log2(len(text))


@every_share
@every_megabyte
def test_the_strings_measured_are_the_text_a_few_times_over(part: str, share: int) -> None:
    recorded = Recording()
    text = megabyte(part, 1_000_000 // share)
    refine(text, np.array([0, len(text)]), recorded, 500)
    assert sum(len(piece) for piece, _ in recorded.measured) <= 40 * len(text)


class Read(str):
    """A text that counts how often one of its characters is looked at."""

    reads = 0

    def __getitem__(self, at: Any) -> str:
        self.reads += isinstance(at, int)
        return super().__getitem__(at)


@every_share
@every_megabyte
@pytest.mark.parametrize("max_size", [50, 500])
def test_for_graphemes_no_character_is_looked_at_again_and_again(part: str, max_size: int, share: int) -> None:
    text = Read(megabyte(part, 1_000_000 // share))
    refine(text, np.array([0, len(text)]), len, max_size)
    assert text.reads <= 3 * len(text)
