"""A frame or an Arrow table in, the same form out: the rows of plain columns, failed ones in their place."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.documents.tables import BATCH, FORMS, pa, pd, plain
from fakes.splitters.split_batch import SPLITTER, documents, rows

from caesura_scale.batch import SplitBatch


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


def test_columns_of_a_dict_may_be_what_other_libraries_call_arrays() -> None:
    wanted = rows(BATCH({"id": [1, 2], "text": ["A cat.", "A dog."]}))
    series = pd.Series([1, 2], index=[8, 9]), pd.Series(["A cat.", "A dog."])
    chunked = pa.chunked_array([[1], [2]]), pa.chunked_array([["A cat."], ["A dog."]])
    for ids, texts in (series, chunked, (chunked[0].combine_chunks(), pd.array(["A cat.", "A dog."]))):
        made = BATCH({"id": ids, "text": texts})
        made.pop("vector")
        assert rows(made) == [row[:6] + row[7:] for row in wanted]


def test_nothing_loads_for_the_types_of_an_empty_frame() -> None:
    """Dask asks for them where it is called, which may be a laptop without the model."""

    def load() -> Any:
        raise AssertionError("loaded")

    batch = SplitBatch(SPLITTER, load, vectors=True)
    assert batch(pd.DataFrame(documents(3)).iloc[:0]).empty
    assert batch(pa.table(documents(3)).slice(0, 0)).num_rows == 0
