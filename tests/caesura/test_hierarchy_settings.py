"""Levels and sizes that a Hierarchy refuses, and texts that it does not."""

from __future__ import annotations

import pytest
from fakes.embedders.rows_of_words import embed

from caesura import Limits, OptimalCut, SettingError
from caesura.hierarchy import Hierarchy, by_sizes


@pytest.mark.parametrize("text", ["", "  \n ", "One.", "\n\n One. \n", "a" * 500])
def test_odd_texts_have_levels_too(text: str) -> None:
    made = Hierarchy(by_sizes(100, 30)).split(text, embed)
    for level, places in zip(made.chunks(), ([], made.parents()[1]), strict=True):
        assert "".join(chunk.text for chunk in level) == text.strip()
        assert not places or len(places) == len(level)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ((), "levels must be pairs"),
        ((Limits(3),), "levels must be pairs"),
        (((Limits(30), OptimalCut()), (Limits(30), OptimalCut())), r"must fall from coarse to fine, got \[30, 30\]"),
        (((Limits(30), OptimalCut()), (Limits(), OptimalCut())), r"must fall from coarse to fine, got \[30, None\]"),
        (((Limits(30), "optimal"),), "cut must be callable, got 'optimal'"),
    ],
)
def test_levels_that_cannot_be_are_refused(levels: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Hierarchy(levels)


@pytest.mark.parametrize("size", [0, -3, 1.5, "9"])
def test_a_size_that_is_none_is_refused(size: object) -> None:
    with pytest.raises(SettingError, match="a level's size must be a whole number of at least 1"):
        by_sizes(100, size)
