"""What travels to another process is settings; what is there is one model, however often they arrive."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_fakes import SPLITTER, Told, documents, processes, rows

from caesura.batch import SplitBatch
from caesura_static import StaticEmbedder


@pytest.fixture
def batch(tmp_path: Path) -> SplitBatch:
    return SplitBatch(SPLITTER, partial(Told, str(tmp_path)))


def test_nothing_is_loaded_before_there_is_a_document(batch: SplitBatch, tmp_path: Path) -> None:
    batch({name: column[:0] for name, column in documents(1).items()})
    pickle.dumps(batch)
    assert processes(tmp_path) == []


def test_a_pickle_is_small_and_leaves_the_model_where_it_is(batch: SplitBatch) -> None:
    assert len(pickle.dumps(batch)) < 1000
    batch(documents(3))
    assert len(pickle.dumps(batch)) < 1000


def test_copies_in_one_process_share_a_model(batch: SplitBatch, tmp_path: Path) -> None:
    """Spark and Dask unpickle what they run for every task."""
    bytes_ = pickle.dumps(batch)
    found = [rows(pickle.loads(bytes_)(documents(3))) for _ in range(5)]
    gc.collect()
    found.append(rows(pickle.loads(bytes_)(documents(3))))
    assert all(one == found[0] for one in found)
    assert processes(tmp_path) == [os.getpid()]


def test_two_of_different_settings_have_models_of_their_own_and_keep_them(batch: SplitBatch, tmp_path: Path) -> None:
    other = SplitBatch(SPLITTER, batch.load)
    for _ in range(3):
        batch(documents(2))
        other(documents(2))
    assert len(processes(tmp_path)) == 2


def test_threads_share_a_model(batch: SplitBatch, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda copy: rows(copy(documents(5))), [pickle.loads(pickle.dumps(batch))] * 16))
    assert all(one == found[0] for one in found)
    assert len(processes(tmp_path)) == 1


@pytest.mark.parametrize(
    "method", ["spawn", pytest.param("fork", marks=pytest.mark.skipif(sys.platform == "win32", reason="no fork"))]
)
def test_a_pool_of_processes_gives_what_one_gives_with_one_model_each(
    batch: SplitBatch, tmp_path: Path, method: Any, recwarn: Any
) -> None:
    given = documents(40)
    wanted = rows(SplitBatch(SPLITTER, StaticEmbedder)(given))
    batch(documents(1))  # so that a fork takes a model with it
    parts = [{name: column[at : at + 5] for name, column in given.items()} for at in range(0, 40, 5)]
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        found = [row for part in pool.map(batch, parts) for row in rows(part)]
    assert found == wanted
    made = processes(tmp_path)
    assert len(made) == len(set(made)) <= 3
    assert os.getpid() in made
    assert len(made) > 1


KEPT: list[SplitBatch] = []


def kept(given: Any) -> Any:
    return rows(KEPT[0](given))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_that_is_forked_loads_its_own_also_where_nothing_is_pickled(
    batch: SplitBatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: Any
) -> None:
    monkeypatch.setitem(globals(), "KEPT", [batch])
    wanted = rows(batch(documents(3)))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(kept, (documents(3),)) == wanted
    made = processes(tmp_path)
    assert os.getpid() in made
    assert len(made) == len(set(made)) == 2


def test_what_loads_may_use_another_one_itself() -> None:
    def load() -> Any:
        SplitBatch(SPLITTER, StaticEmbedder)(documents(1))
        return StaticEmbedder()

    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(SplitBatch(SPLITTER, load)(documents(1))), daemon=True)
    thread.start()
    thread.join(30)
    assert found


def test_a_class_may_be_derived_from_it_and_set_attributes_before_the_constructor_runs() -> None:
    """As Ray Data does with a class that it runs in actors."""

    class Derived(SplitBatch):
        def __init__(self, *settings: Any) -> None:
            self.executor = "threads"
            super().__init__(*settings)

    assert rows(Derived(SPLITTER, StaticEmbedder)(documents(3)))
