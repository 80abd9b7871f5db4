"""`refine` leaves graphemes whole, by `regex`'s \\X, and measures few and short strings, of a megabyte too."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from sizers import SIZERS, Recording, dear_ends, odd_tokens

from caesura import utf8_bytes, words
from caesura.edges import is_tiling
from caesura.text.graphemes import inside_grapheme
from caesura.text.refine import refine

regex = pytest.importorskip("regex")

SEQUENCES = {
    "CR LF": "\r\n",
    "a letter with one mark": "e\u0301",
    "a letter with many marks": "a" + "\u0300\u0316\u0342" * 4,
    "a mark that encloses": "1\u20dd",
    "skin tone": "\U0001f44d\U0001f3fd",
    "keycap": "1\ufe0f\u20e3",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "two, each with a skin tone": "\U0001f9d1\U0001f3fb\u200d\U0001f91d\u200d\U0001f9d1\U0001f3ff",
    "rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "flag of Germany": "\U0001f1e9\U0001f1ea",
    "flag of Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "initial and vowel": "\u1112\u1161",
    "initial, vowel and final": "\u1112\u1161\u11ab",
    "two initials": "\u1107\u1109\u1161",
    "an initial and a syllable": "\u1100\uac00",
    "a syllable and a final": "\ud558\u11ab",
    "old jamo": "\ua960\ud7b0\ud7cb",
    "vowel sign before": "\u0928\u093f",
    "vowel sign around": "\u0995\u09cb",
    "conjunct": "\u0915\u094d\u0937",
    "conjunct of three with a sign": "\u0938\u094d\u0924\u094d\u0930\u0940",
    "conjunct with a joiner": "\u0915\u094d\u200d\u0937",
    "Bengali conjunct": "\u0995\u09cd\u09b7",
    "Thai am": "\u0e19\u0e49\u0e33",
    "half-width voiced": "\uff76\uff9e",
    "non-joiner": "\u06cc\u200c",
    "Arabic number sign": "\u06001",
    "Malayalam dot reph": "\u0d4e\u0d15",
}
every_sequence = pytest.mark.parametrize("grapheme", SEQUENCES.values(), ids=SEQUENCES)
FILLER = ("word ", "a", " ", "\n", ", ", "\u4e2d", "\u3002", "\U0001f600", "\x00", "\u00e9", "\uac00", "\ud800")

sequences = st.sampled_from(list(SEQUENCES.values()))
fillers = st.sampled_from(FILLER)
# without what this Python's Unicode does not know, and what breaks only one rule of UAX 29: a mark behind a virama
known = st.characters(exclude_categories=("Cn", "Cs")).filter(lambda one: unicodedata.combining(one) != 9)
odd = st.text(known, max_size=4)
marked = st.builds(lambda base, count: base + "\u0301" * count, st.sampled_from("ae\u4e2d"), st.integers(1, 90))
grapheme_texts = st.lists(st.one_of(sequences, sequences, fillers, odd, marked), min_size=1, max_size=24).map("".join)


def graphemes(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(r"\X", text)]


def whole(text: str, max_size: int, size: Callable[[str], int]) -> list[int]:
    """The edges that `refine` adds inside a grapheme that fits, where no whitespace is parted from a mark on it."""
    made = refine(text, np.array(sorted({0, len(text)})), size, max_size).tolist()
    return [
        at
        for start, end in graphemes(text)
        if size(text[start:end]) <= max_size
        for at in made
        if start < at < end and not text[at - 1].isspace()
    ]


@every_sequence
def test_the_oracle_knows_the_sequence(grapheme: str) -> None:
    assert graphemes(grapheme + "a") == [(0, len(grapheme)), (len(grapheme), len(grapheme) + 1)]


@every_sequence
def test_no_position_inside_a_sequence_is_a_place_to_cut(grapheme: str) -> None:
    text = f"x{grapheme}\n"
    assert [at for at in range(1, len(text)) if not inside_grapheme(text, at)] == [1, len(text) - 1]


@every_sequence
@pytest.mark.parametrize("size", [len, utf8_bytes])
def test_a_run_of_a_sequence_is_cut_between_them(grapheme: str, size: Callable[[str], int]) -> None:
    for room in (0, 1, 2, 3, 5, 11):
        text = grapheme * 9
        assert not whole(text, size(grapheme) + room, size)
        assert not whole(f"{'x' * room}{text}", size(grapheme) + room, size)


@every_sequence
def test_a_sequence_over_the_limit_is_cut_between_code_points(grapheme: str) -> None:
    text = f"a{grapheme}b"
    limit = len(grapheme) - 1
    made = refine(text, np.array([0, len(text)]), len, limit).tolist()
    assert max(end - start for start, end in pairwise(made)) <= limit


def test_a_grapheme_of_many_marks_that_fits_is_not_cut() -> None:
    assert not whole("x" * 30 + "e" + "\u0301" * 80, 100, len)
    assert not whole("x" * 300 + "e" + "\u0301" * 800, 1000, len)


@law()
@given(text=grapheme_texts, room=st.integers(0, 60), size=st.sampled_from((len, utf8_bytes)))
def test_no_grapheme_that_fits_is_cut(text: str, room: int, size: Callable[[str], int]) -> None:
    assert not whole(text, 4 + room, size)


@law()
@given(text=grapheme_texts, room=st.integers(0, 40), name=st.sampled_from(list(SIZERS)))
def test_pieces_of_graphemes_fit_whole_and_trimmed_and_stay_as_they_are(text: str, room: int, name: str) -> None:
    size, least = SIZERS[name]
    limit, given_edges = least + room, np.array(sorted({0, len(text) // 2, len(text)}))
    made = refine(text, given_edges, size, limit)
    assert is_tiling(made, len(text))
    assert np.isin(given_edges, made).all()
    for start, end in pairwise(made.tolist()):
        assert max(size(text[start:end]), size(text[start:end].strip())) <= limit
    assert refine(text, made, size, limit).tolist() == made.tolist()


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


LENGTHS = {len: 1_000_000, utf8_bytes: 1_000_000, words: 1_000_000, dear_ends: 200_000, odd_tokens: 100_000}


def megabyte(part: str, length: int = 1_000_000) -> str:
    return part * (length // len(part.encode()) + 1)


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


@every_megabyte
def test_the_strings_measured_are_the_text_a_few_times_over(part: str) -> None:
    recorded = Recording()
    text = megabyte(part)
    refine(text, np.array([0, len(text)]), recorded, 500)
    assert sum(len(piece) for piece, _ in recorded.measured) <= 40 * len(text)


@every_megabyte
def test_a_megabyte_takes_seconds(part: str) -> None:
    text = megabyte(part)
    begin = time.process_time()
    refine(text, np.array([0, len(text)]), len, 50)
    assert time.process_time() - begin < 10
