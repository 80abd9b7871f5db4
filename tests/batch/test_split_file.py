"""SplitFile: each file has one whole part whatever was killed, a changed one a new part, an unchanged one no work."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_fakes import BATCH, SPLITTER, Poisoned, documents, rows

from caesura import SettingError
from caesura.batch import SplitBatch
from caesura.files import Part, SplitFile

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Four files of 50 documents each, and one of none."""
    whole = pa.table(documents(200))
    (tmp_path / "in").mkdir()
    found = [str(tmp_path / "in" / f"{number}.parquet") for number in range(5)]
    for number, path in enumerate(found):
        pq.write_table(whole.slice(50 * number, 50), path)
    return found


def cutting(tmp_path: Path, **settings: Any) -> SplitFile:
    return SplitFile(settings.pop("cut", BATCH), tmp_path / "out", settings.pop("version", "1"), **settings)


def chunks(tmp_path: Path) -> list[tuple[Any, ...]]:
    found = pq.read_table(tmp_path / "out").to_pydict()
    return sorted(zip(*found.values(), strict=True))


def wanted() -> list[tuple[Any, ...]]:
    return sorted(rows(BATCH(documents(200))))


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


def test_a_damaged_part_is_made_again(paths: list[str], tmp_path: Path) -> None:
    parts = [cutting(tmp_path)(path) for path in paths]
    for part, size in zip(parts, (0, 3, 100), strict=False):
        with open(tmp_path / "out" / part.name, "r+b") as file:
            file.truncate(size)
    assert [cutting(tmp_path)(path).made for path in paths] == [True, True, True, False, False]
    assert chunks(tmp_path) == wanted()


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


def test_paths_are_those_of_the_place_where_it_was_made(
    paths: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    split = SplitFile(BATCH, "out", "1")
    monkeypatch.chdir("/")
    assert split((tmp_path / "in/0.parquet").as_uri()) == Part(
        (tmp_path / "in/0.parquet").as_uri(), split(paths[0]).name, 50, split(paths[0]).chunks, 0, True
    )
    assert (tmp_path / "out").is_dir()


def test_parts_do_not_go_among_the_documents(paths: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for same in (folder, f"{folder}{os.sep}", folder.as_uri(), f"{folder.as_uri()}/"):
        for path in (paths[0], Path(paths[0]).as_uri()):
            with pytest.raises(SettingError, match="folder must be another"):
                SplitFile(BATCH, same, "1")(path)
    assert len(list(folder.iterdir())) == len(paths)


def test_what_cuts_must_be_able_to(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cut must be callable, got Splitter"):
        SplitFile(SPLITTER, tmp_path, "1")  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["", None, 1])
def test_a_version_is_asked_for(tmp_path: Path, version: Any) -> None:
    with pytest.raises(SettingError, match="version must name settings and model"):
        SplitFile(BATCH, tmp_path, version)


WORKER = """
import sys
from batch_fakes import SPLITTER
from caesura.batch import SplitBatch
from caesura.files import SplitFile
from caesura_static import StaticEmbedder
split = SplitFile(SplitBatch(SPLITTER, StaticEmbedder), sys.argv[1], "1", rows=1)
for path in sys.argv[2:]:
    split(path)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_at_any_time_and_started_again_every_document_is_there_once(paths: list[str], tmp_path: Path) -> None:
    dice, out = random.Random(0), tmp_path / "out"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    for kill in range(6):
        worker = subprocess.Popen([sys.executable, "-c", WORKER, out, *paths], env=environment)
        before = {path.name for path in out.iterdir()} if out.exists() else set()
        while not out.exists() or {path.name for path in out.iterdir()} == before:
            if worker.poll() is not None:
                break  # all parts are there
            time.sleep(0.002)
        time.sleep(dice.random() * 0.02)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        seen = list(out.glob("part-*"))
        assert all(pq.read_metadata(path).num_rows >= 0 for path in seen), kill
    assert list(out.glob(".part-*"))  # it was killed in the middle of a part
    split = cutting(tmp_path)
    parts = [split(path) for path in paths]
    split.prune(parts)
    assert chunks(tmp_path) == wanted()
    assert len(list(out.iterdir())) == len(paths)
    assert np.unique([row[5] for row in chunks(tmp_path)]).size == len(wanted())
