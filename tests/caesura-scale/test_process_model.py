"""A process has one model for the same settings, however often they arrive, and none before it is needed."""

from __future__ import annotations

import gc
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fakes.splitters.split_batch import SPLITTER, documents, processes, rows

from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


def test_nothing_is_loaded_before_there_is_a_document(batch: SplitBatch, tmp_path: Path) -> None:
    batch({name: column[:0] for name, column in documents(1).items()})
    pickle.dumps(batch)
    assert processes(tmp_path) == []


def test_a_pickle_is_small_and_leaves_the_model_where_it_is(batch: SplitBatch) -> None:
    assert len(pickle.dumps(batch)) < 1000
    batch(documents(3))
    assert len(pickle.dumps(batch)) < 1000


@pytest.mark.thorough
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
