"""SplitFile: each file has one whole part, a changed one a new part, an unchanged one no work."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fakes.documents.split_file import chunks, cutting, pa, pq, wanted
from fakes.splitters.split_batch import SPLITTER, Poisoned, documents

from caesura_scale.batch import SplitBatch


def test_the_folder_holds_the_chunks_of_all_files(paths: list[str], tmp_path: Path) -> None:
    split = cutting(tmp_path, rows=7)
    parts = [split(path) for path in paths]
    assert chunks(tmp_path) == wanted()
    assert [part.documents for part in parts] == [50, 50, 50, 50, 0]
    assert sum(part.chunks for part in parts) == len(wanted())
    assert all(part.made and part.failed == 0 for part in parts)
    schemas = [pq.read_schema(tmp_path / "out" / part.name) for part in parts]
    assert all(schema.equals(schemas[0]) for schema in schemas)


def test_what_is_there_is_not_made_again(paths: list[str], tmp_path: Path) -> None:
    first = [cutting(tmp_path)(path) for path in paths]
    os.rename(paths[0], tmp_path / "moved.parquet")
    paths[0] = str(tmp_path / "moved.parquet")
    embed = Poisoned("")  # no text at all
    again = [cutting(tmp_path, cut=SplitBatch(SPLITTER, lambda: embed))(path) for path in paths]
    assert embed.calls == []
    assert [part._replace(source="", made=False) for part in first] == [part._replace(source="") for part in again]


def test_a_changed_file_and_another_version_are_made_and_prune_leaves_what_is_of_now(
    paths: list[str], tmp_path: Path
) -> None:
    first = [cutting(tmp_path)(path) for path in paths]
    pq.write_table(pa.table(documents(50, seed=9)), paths[1])
    unfinished = f".{first[0].name}.{'0' * 32}"
    (tmp_path / "out" / unfinished).write_bytes(b"half")
    others = ["_SUCCESS", "part-00000-11111111-2222-3333-4444-555555555555-c000.snappy.parquet", "notes.parquet"]
    for name in others:
        (tmp_path / "out" / name).touch()
    second = [cutting(tmp_path)(path) for path in paths]
    assert [part.made for part in second] == [False, True, False, False, False]
    assert cutting(tmp_path).prune(second) == [unfinished, first[1].name]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        [*others, *(part.name for part in second)]
    )
    assert all(cutting(tmp_path, version="2")(path).made for path in paths)


def test_a_file_that_fails_leaves_no_part_and_says_which(paths: list[str], tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", "b"], "text": ["fine", "poison"], "page": [1, 2]}), paths[2])
    with pytest.raises(ConnectionError) as raised:
        cutting(tmp_path, cut=SplitBatch(SPLITTER, Poisoned), rows=1)(paths[2])
    assert f"raised for {paths[2]}" in "".join(raised.value.__notes__)
    assert list((tmp_path / "out").iterdir()) == []
    kept = cutting(tmp_path, cut=SplitBatch(SPLITTER, Poisoned, on_failure="keep"))(paths[2])
    assert (kept.documents, kept.chunks, kept.failed) == (2, 1, 1)
    assert cutting(tmp_path)(paths[2]) == kept._replace(made=False)


def test_equal_files_and_many_workers_at_once_make_one_part(paths: list[str], tmp_path: Path) -> None:
    split = cutting(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        parts = list(threads.map(pickle.loads(pickle.dumps(split)), paths * 4))
    assert len({part.name for part in parts}) == 5
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted({part.name for part in parts})
    assert chunks(tmp_path) == wanted()
