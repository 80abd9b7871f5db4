"""What is measured is what is returned: whitespace, a whole over its parts, and overlap counted."""

from __future__ import annotations

import numpy as np
from fakes.splitters import pieces, segmented
from fakes.texts import at_stops

from caesura import Count, DoublePassCut, Limits, Neighbours, PercentileCut, Splitter


def same(texts: list[str]) -> np.ndarray:
    """An embedder to which all texts are alike."""
    return np.ones((len(texts), 1))


def test_without_trimming_whitespace_is_embedded_and_measured() -> None:
    splitter = Splitter(segment=at_stops, cut=DoublePassCut(1, 1, 1, confidence=None, structure=0), trim=False)
    assert splitter.prepare(["One.  Two. "]).texts == ("One.  ", "Two. ")
    assert pieces(splitter, "One.  Two. ") == ["One.  ", "Two. "]


def test_whitespace_between_units_counts_in_the_chunk_that_holds_both() -> None:
    splitter = Splitter(Limits(13), segment=at_stops, cut=DoublePassCut(-1, -1, -1, confidence=None, structure=0))
    assert pieces(splitter, "One." + " " * 5 + "Two.", same) == ["One.     Two."]
    assert pieces(splitter, "One." + " " * 6 + "Two.", same) == ["One.", "Two."]


def dear_together(text: str) -> int:
    """A sizer to which two kinds of sentence are dear in one chunk."""
    return len(text.split()) + 2 * ("!" in text and "?" in text)


def test_an_overlap_that_makes_a_chunk_too_large_is_left_out() -> None:
    rows = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    splitter = Splitter(Limits(3), dear_together, at_stops, cut=PercentileCut(Neighbours(), Count(2)))
    for text, second in (("Um. Oh. Eh? Ah.", "Oh. Eh? Ah."), ("Um. Oh! Eh? Ah.", "Eh? Ah.")):
        made = segmented(splitter, text, lambda texts: rows)
        assert [chunk.text for chunk in made.chunks(1)] == [text[:7], second]


def test_a_whole_that_measures_more_than_its_parts_is_parted() -> None:
    splitter = Splitter(Limits(3), dear_together, at_stops, cut=DoublePassCut(-1, -1, -1, confidence=None, structure=0))
    assert pieces(splitter, "Oh! Eh. Ah.", same) == ["Oh! Eh. Ah."]
    assert pieces(splitter, "Oh! Eh?", same) == ["Oh!", "Eh?"]


def test_overlap_adds_whole_units_but_never_the_whole_chunk_before() -> None:
    made = segmented(Splitter(segment=at_stops, cut=PercentileCut(threshold=Count(2))), "A a. B b. C c. D d.")
    first, second = made.chunks()
    assert made.chunks(0) == [first, second]
    assert made.chunks(3) == [first, second]
    wide = made.chunks(5)[1]
    assert (wide.text, wide.end) == (made.text[wide.start : wide.end], second.end)
    assert wide.start >= second.start - 5
    assert made.chunks(1000)[1].start > first.start
