"""A failed document is a row that can be written, in every form of table, whatever its error says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes.splitters.split_batch import READY, SPLITTER

from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("an error that cannot be told")


@pytest.mark.parametrize("form", [dict, pa.table, pd.DataFrame])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError("caf\udce9"), "OSError: caf\\udce9"),
        (MuteError(), "MuteError"),
        (ValueError("x" * 9000), "ValueError: xxx"),
    ],
)
def test_whatever_an_error_says_its_row_can_be_written(form: Any, error: Exception, said: str) -> None:
    def embed(texts: Any) -> Any:
        if any("poison" in text for text in texts):
            raise error
        return StaticEmbedder()(texts)

    made = SplitBatch(READY, lambda: embed, on_failure="keep")(form({"id": ["a", "b"], "text": ["fine", "poison"]}))
    (found,) = [cell for cell in np.array(made["error"]).tolist() if isinstance(cell, str)]
    assert found.startswith(said)
    assert len(found) <= 2000


@pytest.mark.parametrize("form", [dict, pa.table, pd.DataFrame])
@pytest.mark.parametrize(("splitter", "width"), [(READY, 192), (SPLITTER, 0)])
def test_while_a_server_is_down_every_document_is_a_row_also_where_vectors_are_wanted(
    form: Any, splitter: Any, width: int
) -> None:
    """How long a vector is, a background knows; where there is none, nobody does."""

    def down(texts: Any) -> Any:
        raise ConnectionError("down")

    batch = SplitBatch(splitter, lambda: down, on_failure="keep", vectors=True, calibrated=False)
    made = batch(form({"id": ["a", "b"], "text": ["fine", "well"]}))
    assert np.array(made["error"]).tolist() == ["ConnectionError: down"] * 2
    vectors = made["vector"].to_pylist() if form is pa.table else made["vector"]
    assert [list(vector) for vector in vectors] == [[0.0] * width] * 2
