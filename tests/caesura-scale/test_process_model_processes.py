"""What travels to another process is settings; each process loads its own model, once."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fakes.splitters.split_batch import SPLITTER, documents, processes, rows

from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


@pytest.mark.thorough
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
