"""Spark and Dask run SplitBatch: the rows of one process, also where a worker is killed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from fakes.splitters.split_batch import SPLITTER, Fatal, Poisoned, Told, documents, processes, rows

from caesura_scale.batch import SplitBatch
from caesura_scale.files import SplitFile
from caesura_static import StaticEmbedder

SCHEMA = "id string, chunk long, start long, end long, text string, chunk_id string, page long"
COUNT = 200


def wanted() -> list[tuple[Any, ...]]:
    return sorted(rows(SplitBatch(SPLITTER, StaticEmbedder)(documents(COUNT))))


def in_spark(spark: Any, batch: SplitBatch, form: str, schema: str = SCHEMA) -> list[tuple[Any, ...]]:
    frame = spark.createDataFrame(pd.DataFrame(documents(COUNT))).repartition(5)
    return sorted(tuple(row) for row in getattr(frame, form)(batch.stream, schema).collect())


@pytest.mark.parametrize("form", ["mapInPandas", "mapInArrow"])
def test_spark_gives_the_rows_of_one_process(spark: Any, form: str, tmp_path: Path) -> None:
    batch = SplitBatch(SPLITTER, partial(Told, str(tmp_path)))
    assert in_spark(spark, batch, form) == wanted()
    made = processes(tmp_path)
    assert 1 <= len(made) == len(set(made)) <= 5


@pytest.mark.parametrize("form", ["mapInPandas", "mapInArrow"])
def test_spark_keeps_vectors_and_says_what_failed(spark: Any, form: str) -> None:
    batch = SplitBatch(SPLITTER, Poisoned, vectors=True, on_failure="keep")
    schema = SCHEMA.replace(", page", ", vector array<float>, error string, page")
    texts = pd.DataFrame({"id": ["a", "b", "c"], "text": ["fine", "poison", None], "page": [1, 2, 3]})
    frame = spark.createDataFrame(texts, "id string, text string, page long")
    found = {row["id"]: row for row in getattr(frame, form)(batch.stream, schema).collect()}
    assert [found[name]["chunk"] for name in "abc"] == [0, -1, -1]
    assert found["a"]["error"] is None
    assert found["b"]["error"] == "ConnectionError: 400: poison"
    assert "text must be a str" in found["c"]["error"]
    assert found["a"]["vector"] == pytest.approx(StaticEmbedder()(["fine"])[0])


def test_spark_tries_again_where_a_worker_is_killed(spark: Any, tmp_path: Path) -> None:
    assert in_spark(spark, SplitBatch(SPLITTER, partial(Fatal, str(tmp_path), 2)), "mapInArrow") == wanted()
    assert len(list(tmp_path.glob("0-killed-*"))) == 2


@pytest.mark.parametrize("scheduler", ["cluster", "processes", "threads"])
def test_dask_gives_the_rows_of_one_process_under_every_scheduler(dask: Any, scheduler: str, tmp_path: Path) -> None:
    import dask.dataframe as dd

    batch = SplitBatch(SPLITTER, partial(Told, str(tmp_path)))
    frame = dd.from_pandas(pd.DataFrame(documents(COUNT)), npartitions=8)
    lazy = frame.map_partitions(batch, meta=batch(frame._meta))
    assert processes(tmp_path) == []
    made = lazy.compute(scheduler=None if scheduler == "cluster" else scheduler)
    assert sorted(made.itertuples(index=False, name=None)) == wanted()
    assert (made.index == made["page"]).all()
    assert lazy.loc[10:19].compute()["page"].between(10, 19).all()  # its divisions still hold
    assert len(processes(tmp_path)) == len(set(processes(tmp_path)))


def test_dask_writes_vectors_with_the_schema_of_a_table_without_rows(dask: Any, tmp_path: Path) -> None:
    import dask.dataframe as dd
    import pyarrow as pa
    import pyarrow.parquet as pq

    batch = SplitBatch(SPLITTER, StaticEmbedder, vectors=True)
    given = pd.DataFrame(documents(COUNT))
    frame = dd.from_pandas(given, npartitions=8)
    schema = batch(pa.Table.from_pandas(frame._meta, preserve_index=False)).schema
    lazy = frame.map_partitions(batch, meta=batch(frame._meta))
    lazy.to_parquet(str(tmp_path), schema=schema, write_index=False)
    made = pq.read_table(tmp_path).sort_by([("page", "ascending"), ("chunk", "ascending")])
    assert made.column("vector").to_pylist() == [row.tolist() for row in batch(given)["vector"]]


def test_dask_tries_again_where_a_worker_is_killed(dask: Any, tmp_path: Path) -> None:
    import dask.dataframe as dd

    batch = SplitBatch(SPLITTER, partial(Fatal, str(tmp_path), 2))
    frame = dd.from_pandas(pd.DataFrame(documents(COUNT)), npartitions=8)
    made = frame.map_partitions(batch, meta=batch(frame._meta)).compute()
    assert sorted(made.itertuples(index=False, name=None)) == wanted()
    assert len(list(tmp_path.glob("0-killed-*"))) == 2


def test_files_go_through_a_dask_bag_and_a_spark_rdd_alike(dask: Any, spark: Any, tmp_path: Path) -> None:
    import dask.bag as db
    import pyarrow as pa
    import pyarrow.parquet as pq

    paths = [str(tmp_path / f"{number}.parquet") for number in range(4)]
    for number, path in enumerate(paths):
        pq.write_table(pa.table(documents(COUNT)).slice(50 * number, 50), path)
    split = SplitFile(SplitBatch(SPLITTER, StaticEmbedder), tmp_path / "out", "1")
    by_dask = db.from_sequence(paths, npartitions=4).map(split).compute()
    by_spark = spark.sparkContext.parallelize(paths, 4).map(split).collect()
    assert all(part.made for part in by_dask)
    assert by_spark == [part._replace(made=False) for part in by_dask]
    table = pq.read_table(tmp_path / "out").to_pydict()
    assert sorted(zip(*table.values(), strict=True)) == wanted()
