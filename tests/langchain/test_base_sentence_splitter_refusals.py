"""Pieces that are not the text are refused, with a caret under the place."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from fakes.langchain.splitters import Bag, every_splitter
from fakes.texts.articles import article

from caesura import SegmentError

TEXT = article(12, between="\n\n  ")


def at_stops(text: str) -> list[str]:
    return re.split(r"(?<=\.)\s+", text)


STRAY = {
    "something left out": lambda text: at_stops(text)[:-1],
    "something rewritten": lambda text: [*at_stops(text)[:3], "Instead of it."],
    "something repeated": lambda text: [at_stops(text)[0], *at_stops(text)],
    "another order": lambda text: at_stops(text)[::-1],
    "case folded": lambda text: [piece.lower() for piece in at_stops(text)],
    "nothing": lambda text: [],
}


@every_splitter
@pytest.mark.parametrize("split", STRAY.values(), ids=STRAY)
def test_pieces_that_are_not_the_text_are_refused_with_a_caret_under_the_place(cls: Any, split: Any) -> None:
    with pytest.raises(SegmentError, match="pieces must be the text in order") as caught:
        cls(Bag(), calibrated=False, sentence_splitter=split).split_text(TEXT)
    *_, line, caret = str(caught.value).splitlines()
    assert caret.strip() == "^"
    assert len(caret) <= len(line) + 1


WRONG = {
    "falling": [0, 9, 5],
    "short": [0, 3],
    "from one": [1, 9],
    "twice": [0, 4, 4, 9],
}


@every_splitter
@pytest.mark.parametrize("found", WRONG.values(), ids=WRONG)
def test_edges_that_do_not_tile_the_text_are_refused(cls: Any, found: list[int]) -> None:
    with pytest.raises(SegmentError, match=r"rise from 0 to len\(text\) = 9"):
        cls(Bag(), sentence_splitter=lambda _: np.array(found)).split_text("One. Two.")


@every_splitter
@pytest.mark.parametrize("found", [None, 5, [1, 2], np.array([0.0, 9.0])])
def test_what_is_neither_strings_nor_edges_is_refused(cls: Any, found: Any) -> None:
    with pytest.raises(SegmentError, match="str"):
        cls(Bag(), sentence_splitter=lambda _: found).split_text("One. Two.")


@every_splitter
def test_one_str_is_refused_and_not_taken_letter_by_letter(cls: Any) -> None:
    with pytest.raises(SegmentError, match="str"):
        cls(Bag(), sentence_splitter=lambda text: text).split_text("One. Two.")


@every_splitter
def test_what_a_sentence_splitter_raises_comes_out_as_it_is(cls: Any) -> None:
    def split(text: str) -> list[str]:
        raise LookupError("no model for this language")

    with pytest.raises(LookupError, match="no model"):
        cls(Bag(), sentence_splitter=split).split_text("One. Two.")
