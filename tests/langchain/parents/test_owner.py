"""Owners: a fork leaves the lock of their numbers as it should be."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.forks import fork_interrupted
from fakes.langchain.splitters import Bag
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_caesura import SQLiteDocumentStore
from langchain_caesura.parents.owner import Owner


class Held(SQLiteDocumentStore):
    """A document store that calls `wait` when it is asked for its file."""

    wait: Callable[[], None] | None = None

    @property
    def path(self) -> Path:
        if self.wait is not None:
            self.wait()
        return super().path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_comes_at_a_fork_leaves_the_child_no_lock_of_another_thread(tmp_path: Path) -> None:
    with Held(tmp_path / "held.db") as held, SQLiteDocumentStore(tmp_path / "other.db") as other:
        first, second = (InMemoryVectorStore(Bag()) for _ in range(2))
        Owner.of("id", first, held)

        def hold(wait: Callable[[], None]) -> None:
            held.wait = wait
            Owner.of("id", second, held)

        assert fork_interrupted(hold, lambda: Owner.of("id", InMemoryVectorStore(Bag()), other)) == 0
