"""A frame's types do not depend on its rows, and its index is kept."""

from __future__ import annotations

import pytest
from fakes.documents.tables import BATCH, pd, plain
from fakes.splitters.split_batch import documents

from caesura import SettingError


@pytest.mark.parametrize("kind", ["object", "str", "string", "category", "string[pyarrow]"])
def test_types_of_a_frame_do_not_depend_on_its_rows(kind: str) -> None:
    frame = pd.DataFrame(documents(12)).astype({"text": kind})
    made = BATCH(frame)
    for some in (frame.iloc[9:10], frame.iloc[:0]):
        assert len(BATCH(some)) == 0
        assert BATCH(some).dtypes.tolist() == made.dtypes.tolist()
    text = "object" if kind == "category" else frame["text"].dtype
    assert made["text"].dtype == made["chunk_id"].dtype == made["error"].dtype == text
    assert plain(made) == plain(BATCH(pd.DataFrame(documents(12))))


def test_a_frame_keeps_its_index_as_explode_does() -> None:
    frame = pd.DataFrame(documents(12)).set_index(pd.Index(range(100, 112), name="place"))
    made = BATCH(frame)
    assert made.index.name == "place"
    assert made.index.tolist() == (made["page"] + 100).tolist()
    assert made.index.is_monotonic_increasing
    assert not made.index.is_unique


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([["a", "A cat.", "b"]], columns=["id", "text", "id"])
    with pytest.raises(SettingError, match=r"names of their own, got twice: \['id'\]"):
        BATCH(frame)
