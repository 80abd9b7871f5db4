"""Columns in, columns out: names of one's own, others carried along, types that do not depend on the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.splitters.split_batch import BATCH, SPLITTER, documents

from caesura import SettingError
from caesura.ids import chunk_ids
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


def test_columns_may_have_other_names_and_ids_be_whole_numbers() -> None:
    batch = SplitBatch(SPLITTER, StaticEmbedder, id_column="url", text_column="body")
    made = batch({"url": np.array([7]), "body": ["A cat."], "text": ["kept"]})
    assert {name: column.tolist() for name, column in made.items()} == {
        "url": [7],
        "chunk": [0],
        "start": [0],
        "end": [6],
        "body": ["A cat."],
        "chunk_id": chunk_ids([("7", 0, "A cat.")]),
        "text": ["kept"],
    }


def test_other_columns_are_carried_along_of_whatever_shape() -> None:
    given = {"id": ["a", "b"], "text": ["A cat.", "A dog."], "tags": [["x"], ["y", "z"]], "image": np.zeros((2, 3, 3))}
    made = BATCH(given)
    assert made["tags"].tolist() == [["x"], ["y", "z"]]
    assert made["image"].shape == (2, 3, 3)


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize("keep", ["raise", "keep"])
def test_no_row_has_the_types_of_many(text: str, keep: Any) -> None:
    batch = SplitBatch(SPLITTER, StaticEmbedder, vectors=True, on_failure=keep)
    given = documents(3)
    many = batch(given)
    for none in ({name: column[:0] for name, column in given.items()}, {**given, "text": np.array([text] * 3)}):
        made = batch(none)
        assert list(made) == list(many)
        assert {len(column) for column in made.values()} == {0}
        assert [column.dtype for column in made.values()] == [column.dtype for column in many.values()]
        assert [column.shape[1:] for column in made.values()] == [column.shape[1:] for column in many.values()]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"id": ["a"]}, r"must have the columns 'id' and 'text', got \['id'\].*text_column"),
        ({"id": ["a"], "text": ["b"], "start": [0]}, r"the columns \['start'\] would be overwritten.*rename"),
        ({"id": ["a"], "text": []}, "one length, got {'id': 1, 'text': 0}"),
        ([{"id": "a", "text": "b"}], "must be a dict of numpy arrays.*got list"),
        ({"id": "abc", "text": "The"}, "columns must be arrays or lists, got 'abc' for 'id': one row.*map_batches"),
        ({"id": 1, "text": "A cat."}, "columns must be arrays or lists, got 1 for 'id'"),
        ({"id": np.array("a"), "text": np.array("A cat.")}, "columns must be arrays or lists, got 'a' for 'id'"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(given: Any, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        BATCH(given)
