"""What a segmenter, a view or a cut returns is what a Splitter needs, or is refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from fakes.embedders.rows_of_words import embed
from fakes.splitters.every_stop import TEXT
from fakes.texts.drawn_texts import at_stops

from caesura import Limits, SegmentError, SettingError, Splitter, aligned


@pytest.mark.parametrize(
    "breaks",
    [
        None,
        [0],
        [2, 1],
        [1, [2]],
        [1.0],
        ["1"],
        [10**30],
        {1},
        np.array([1.0]),
        np.array([0]),
        np.array([3]),
        np.array([2, 1]),
        np.array([1, 1]),
        np.array([[1]]),
    ],
    ids=repr,
)
def test_what_a_cut_returns_is_breaks_or_refused(breaks: object) -> None:
    with pytest.raises(SettingError, match=r"^cut\(\) must return an array or a list .* within 1 to 2, .* got "):
        Splitter(cut=lambda *_: breaks).split("One. Two. Three.", embed)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("limits", [Limits(), Limits(20, 0, 6)], ids=["as it says", "near a target"])
@pytest.mark.parametrize("breaks", [[], (), [1], (1,), [1, 2], [np.int64(2)]], ids=repr)
def test_a_cut_may_return_a_list(breaks: Sequence[int], limits: Limits) -> None:
    text = "One. Two. Three."
    by_array = Splitter(limits, cut=lambda *_: np.array(breaks, np.intp)).split(text, embed)
    assert Splitter(limits, cut=lambda *_: breaks).split(text, embed) == by_array  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    "edges", [[0, 6], np.array([0, 5]), np.array([1, 6]), np.array([0, 3, 3, 6]), np.array([0.0, 6.0]), None], ids=repr
)
def test_a_segmenter_that_does_not_tile_is_refused(edges: object) -> None:
    with pytest.raises(SegmentError) as caught:
        Splitter(segment=lambda text: edges).prepare(["abcdef"])  # type: ignore[arg-type, return-value]
    message = str(caught.value)
    assert message.startswith("segment() must return edges that rise from 0 to len(text) = 6, got ")
    assert message.endswith("wrap a splitter that returns strings in aligned(…)")


def test_an_outside_splitter_that_rewrites_is_shown_with_a_caret() -> None:
    with pytest.raises(SegmentError, match=r"\n    one two three\n        \^$"):
        Splitter(segment=aligned(lambda text: ["one", "Two three"])).split("one two three", embed)


def test_a_view_must_return_one_text_per_unit() -> None:
    with pytest.raises(SettingError, match=r"^view\(\) must return one text per unit: expected 5, got 1$"):
        Splitter(segment=at_stops, view=lambda text, edges: [text]).prepare([TEXT])
