"""Arrow's types out of a SplitBatch do not depend on the rows, and strings are those that came."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.documents.tables import BATCH, pa
from fakes.splitters.split_batch import documents


@pytest.mark.parametrize("form", ["table", "batch"])
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_arrow_types_are_fixed_and_strings_are_those_that_came(form: str, kind: Any) -> None:
    given = documents(12)
    schema = pa.schema(
        [pa.field("id", pa.int64()), pa.field("text", kind), pa.field("at", pa.timestamp("us"), metadata={"a": "b"})]
    )
    whole = pa.table({"id": list(range(12)), "text": given["text"].tolist(), "at": [0] * 12}, schema)
    tables = [whole, whole.slice(9, 1), whole.slice(0, 0)]  # the tenth is blank
    if form == "batch":
        tables = [
            table.combine_chunks().to_batches()[0] if len(table) else pa.RecordBatch.from_pylist([], schema)
            for table in tables
        ]
    schemas = [BATCH(table).schema for table in tables]
    text = pa.string() if pa.types.is_dictionary(kind) else kind
    assert schemas[0].equals(schemas[1], check_metadata=True)
    assert schemas[0].equals(schemas[2], check_metadata=True)
    assert schemas[0].field("text").type == schemas[0].field("chunk_id").type == schemas[0].field("error").type == text
    assert [schemas[0].field(name).type for name in ("chunk", "start", "end")] == [pa.int64()] * 3
    assert schemas[0].field("vector").type == pa.list_(pa.float32())
    assert schemas[0].field("at").equals(schema.field("at"), check_metadata=True)


@pytest.mark.parametrize("form", ["table", "batch"])
@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()])
def test_arrow_views_are_carried_along_though_arrow_cannot_take_from_them(form: str, kind: Any) -> None:
    given = pa.table(documents(12))
    given = given.append_column("seen", pa.array([None, *map(str, range(11))]).cast(kind))
    given = given.set_column(0, "id", given.column("id").cast(pa.string_view()))
    made = BATCH(given if form == "table" else given.to_batches()[0])
    assert made.schema.field("seen").type == kind
    seen = dict(zip(given.column("id").to_pylist(), given.column("seen").to_pylist(), strict=True))
    assert made.column("seen").to_pylist() == [seen[id] for id in made.column("id").to_pylist()]
    assert BATCH(given.slice(0, 0)).schema == made.schema
