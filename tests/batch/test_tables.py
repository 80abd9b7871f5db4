"""A frame or an Arrow table in, the same form out: the rows of plain columns, types that do not depend on the rows."""

from __future__ import annotations

from typing import Any

import pytest
from batch_fakes import SPLITTER, documents, rows

from caesura import SettingError
from caesura.batch import SplitBatch
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


@pytest.mark.parametrize("form", FORMS)
def test_the_form_that_came_goes_with_the_rows_of_plain_columns(form: str) -> None:
    given = documents(20)
    made, wanted = BATCH(FORMS[form](given)), BATCH(given)
    assert type(made) is type(FORMS[form](given))
    assert list(made.schema.names if form != "pandas" else made.columns) == list(wanted)
    got = [row[:6] + row[7:] for row in plain(made)]
    assert [row[6] for row in plain(made)] == [tuple(row) for row in wanted.pop("vector").tolist()]
    assert got == rows(wanted)


@pytest.mark.parametrize("form", FORMS)
def test_a_failed_row_is_in_its_place(form: str) -> None:
    given = documents(4)
    given["text"][1] = None
    made = plain(BATCH(FORMS[form](given)))
    failed = [row for row in made if row[7] is not None]
    assert len(failed) == 1
    assert failed[0][:6] == (given["id"][1], -1, -1, -1, "", "")
    assert "text must be a str" in failed[0][7]
    assert set(failed[0][6]) == {0.0}
    assert [row[8] for row in made] == sorted(row[8] for row in made)


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


def test_columns_of_a_dict_may_be_what_other_libraries_call_arrays() -> None:
    wanted = rows(BATCH({"id": [1, 2], "text": ["A cat.", "A dog."]}))
    series = pd.Series([1, 2], index=[8, 9]), pd.Series(["A cat.", "A dog."])
    chunked = pa.chunked_array([[1], [2]]), pa.chunked_array([["A cat."], ["A dog."]])
    for ids, texts in (series, chunked, (chunked[0].combine_chunks(), pd.array(["A cat.", "A dog."]))):
        made = BATCH({"id": ids, "text": texts})
        made.pop("vector")
        assert rows(made) == [row[:6] + row[7:] for row in wanted]


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


def test_nothing_loads_for_the_types_of_an_empty_frame() -> None:
    """Dask asks for them where it is called, which may be a laptop without the model."""

    def load() -> Any:
        raise AssertionError("loaded")

    batch = SplitBatch(SPLITTER, load, vectors=True)
    assert batch(pd.DataFrame(documents(3)).iloc[:0]).empty
    assert batch(pa.table(documents(3)).slice(0, 0)).num_rows == 0


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([["a", "A cat.", "b"]], columns=["id", "text", "id"])
    with pytest.raises(SettingError, match=r"names of their own, got twice: \['id'\]"):
        BATCH(frame)
