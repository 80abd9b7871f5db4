"""What is measured is what is returned: whitespace, a whole over its parts, and overlap counted."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.splitters.every_stop import pieces, segmented
from fakes.texts.drawn_texts import at_stops

from caesura import Adjacent, Count, DoublePassCut, Limits, PercentileCut, Splitter


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
    splitter = Splitter(Limits(3), dear_together, at_stops, cut=PercentileCut(Adjacent(1), Count(2)))
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


@pytest.mark.parametrize("limits", [Limits(800, 0, 400), Limits(None, 0, 400)], ids=str)
@pytest.mark.parametrize("text", ["The tide rises over the bar\n" * 300, "word " * 3_000, "x" * 9_000], ids=repr)
def test_text_without_a_stop_is_near_the_target_too(text: str, limits: Limits) -> None:
    splitter = Splitter(limits=limits)
    sizes = [len(chunk.text) for chunk in splitter.split(text, lambda texts: np.ones((len(texts), 2)))]
    assert 300 < np.mean(sizes) <= 440
    assert max(sizes) <= 800


def test_a_target_that_a_character_is_over_gives_way_to_the_limit() -> None:
    splitter = Splitter(limits=Limits(8, 0, 2), size=lambda text: 4 * len(text))
    chunks = splitter.split("abcdefgh", lambda texts: np.ones((len(texts), 2)))
    assert max(len(chunk.text) for chunk in chunks) <= 2


def test_a_sizer_of_large_numbers_keeps_its_limit() -> None:
    def size(text: str) -> int:
        return len(text) ** 2 * 10**8

    chunks = Splitter(limits=Limits(2 * 10**12), size=size).split("The sea is calm today. " * 60, same)
    assert max(size(chunk.text) for chunk in chunks) <= 2 * 10**12
