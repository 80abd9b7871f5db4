"""Batch: what `prepare` makes of texts and limits, and what `finish` takes, in another process too."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from fakes.embedders.rows_of_words import embed
from fakes.splitters.every_stop import EVERY_STOP
from fakes.texts.drawn_texts import at_stops

from caesura import Batch, DoublePassCut, Limits, SettingError, Splitter


class Lines:
    """Lines of code."""

    is_code = True

    def __call__(self, text: str) -> np.ndarray:
        return np.array([0, *(at + 1 for at, mark in enumerate(text) if mark == "\n"), len(text)])


def test_a_batch_holds_what_it_was_made_of() -> None:
    batch = EVERY_STOP.prepare(["One. Two.", "", "\nThree."])
    assert batch.documents == ("One. Two.", "", "\nThree.")
    assert [units.tolist() for units in batch.units] == [[0, 5, 9], [0], [0, 1, 7]]
    assert batch.texts == ("One.", "Two.", "Three.")
    assert [sizes.tolist() for sizes in batch.sizes] == [[4, 5], [], [0, 6]]
    assert batch.limits == (Limits(),) * 3
    assert [field.name for field in fields(Batch)] == [
        "documents",
        "units",
        "texts",
        "limits",
        "sizes",
        "is_code",
        "sections",
    ]


def test_segmenters_may_differ_by_text() -> None:
    batch = EVERY_STOP.prepare(["One. Two.", " a\n b"], segmenters=[at_stops, Lines()])
    assert [units.tolist() for units in batch.units] == [[0, 5, 9], [0, 3, 5]]
    assert batch.is_code == (False, True)
    made = EVERY_STOP.finish(batch, np.eye(4, 3))
    assert [chunk.text for chunk in made[1].chunks()] == [" a", " b"]
    with pytest.raises(SettingError, match="segmenters must be one per text: expected 2, got 1"):
        EVERY_STOP.prepare(["a", "b"], segmenters=[at_stops])


def test_limits_may_differ_by_text() -> None:
    batch = Splitter(limits=Limits(100)).prepare(["abcdefgh"] * 3, [Limits(4), Limits(), Limits(3)])
    assert [units.tolist() for units in batch.units] == [[0, 4, 8], [0, 8], [0, 3, 6, 8]]
    made = Splitter(cut=DoublePassCut(-1, -1, -1, confidence=None, structure=0)).finish(
        batch, np.ones((len(batch.texts), 2))
    )
    assert [[chunk.text for chunk in one.chunks()] for one in made] == [
        ["abcd", "efgh"],
        ["abcdefgh"],
        ["abc", "def", "gh"],
    ]


def test_a_unit_counts_with_the_whitespace_before_it_and_to_a_cut_no_more_than_the_limit() -> None:
    seen: list[int] = []

    def cut(vectors: object, sizes: np.ndarray, limits: Limits) -> np.ndarray:
        seen[:] = sizes.tolist()
        return np.array([1])

    splitter = Splitter(Limits(10), segment=at_stops, cut=cut)
    batch = splitter.prepare(["One.\n\n" + " " * 40 + "Two."])
    assert [size for size in batch.sizes[0].tolist() if size] == [4, 46]
    (segmentation,) = splitter.finish(batch, np.ones((2, 2)))
    assert seen == [4, 10] == [size for size in segmentation.sizes.tolist() if size]
    assert [chunk.text for chunk in segmentation.chunks()] == ["One.", "Two."]


def test_batches_and_segmentations_survive_pickling_between_the_stages() -> None:
    splitter, texts = Splitter(Limits(12), segment=at_stops), ["One. Two two two. Three.", "", "Four."]
    batch = splitter.prepare(texts)
    sent = pickle.loads(pickle.dumps(batch))
    rows = embed(sent.texts)
    expected = splitter.finish(batch, rows)
    made = pickle.loads(pickle.dumps(splitter)).finish(sent, rows)
    for one, two in zip(expected, pickle.loads(pickle.dumps(made)), strict=True):
        assert one.chunks() == two.chunks()
        assert np.array_equal(one.edges, two.edges)
        assert np.array_equal(one.vectors(), two.vectors())
    with pytest.raises(FrozenInstanceError):
        batch.texts = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        expected[0].text = ""  # type: ignore[misc]
