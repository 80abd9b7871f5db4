"""Tables as frames and in Arrow's forms, and any of them as comparable rows."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.splitters.split_batch import SPLITTER

from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
BATCH = SplitBatch(SPLITTER, StaticEmbedder, on_failure="keep", vectors=True)
FORMS = {
    "pandas": pd.DataFrame,
    "table": pa.table,
    "batch": lambda given: pa.RecordBatch.from_pydict(given),
}


def plain(table: Any) -> list[tuple[Any, ...]]:
    """Any table -> comparable rows."""
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    columns = table.to_pydict()
    return [
        tuple(tuple(value) if isinstance(value, list) else value for value in row)
        for row in zip(*columns.values(), strict=True)
    ]
