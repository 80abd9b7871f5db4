"""Ray Data runs SplitBatch: the rows of one process, in every batch format."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from fakes.splitters.ray_data import found, given, in_actors, wanted
from fakes.splitters.split_batch import SPLITTER, Poisoned, Told, processes

from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

pytestmark = pytest.mark.usefixtures("cluster")


@pytest.mark.parametrize("form", ["pyarrow", "numpy", "pandas"])
def test_tasks_give_the_rows_of_one_process_in_every_batch_format(form: str) -> None:
    batch = SplitBatch(SPLITTER, StaticEmbedder)
    assert found(given(200).map_batches(batch, batch_format=form, batch_size=7)) == wanted(200)


def test_actors_make_one_model_each(tmp_path: Path) -> None:
    assert found(in_actors(given(400), partial(Told, str(tmp_path)), 5)) == wanted(400)
    made = processes(tmp_path)
    assert len(made) == len(set(made)) <= 2


def test_blocks_without_a_chunk_have_the_types_of_the_others(tmp_path: Path) -> None:
    """A file of blank documents beside one of failed ones and one of good ones."""
    texts = [["", " "], ["poison", "poison"], ["A cat.", "A dog."]]
    tables = [pa.table({"id": [f"{at}-0", f"{at}-1"], "text": some}) for at, some in enumerate(texts)]
    made = in_actors(ray.data.from_arrow(tables), Poisoned, 2, on_failure="keep", vectors=True)
    made.write_parquet(str(tmp_path))
    table = pq.read_table(tmp_path).sort_by("id")
    assert table.column("id").to_pylist() == ["1-0", "1-1", "2-0", "2-1"]
    assert [error is None for error in table.column("error").to_pylist()] == [False, False, True, True]
    schemas = [pq.read_schema(path) for path in tmp_path.iterdir()]
    assert all(schema.equals(schemas[0]) for schema in schemas)
    assert schemas[0].field("vector").type == pa.list_(pa.field("element", pa.float32()))


def test_what_a_document_fails_of_comes_out_of_the_job_unless_it_is_kept() -> None:
    bad = ray.data.from_items([{"id": "a", "text": "fine"}, {"id": "b", "text": "poison"}])
    with pytest.raises(Exception, match="400: poison"):
        in_actors(bad, Poisoned).materialize()
    kept = in_actors(bad, Poisoned, on_failure="keep").take_all()
    assert {row["id"]: row["error"] for row in kept} == {"a": None, "b": "ConnectionError: 400: poison"}
