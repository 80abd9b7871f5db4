"""A document store in a file that is there for one test, and writes to files that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from caesura_store.sqlite_store import Store
from langchain_caesura import SQLiteDocumentStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteDocumentStore]:
    with SQLiteDocumentStore(tmp_path / "documents.db") as made:
        yield made


@pytest.fixture
def fail_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Makes the write fail before which there are so many more to any file; None: none fails."""
    left: list[int | None] = [None]
    run = Store.run

    def failing(self: Store, work: Any, begin: str = "") -> Any:
        if begin and begin != "BEGIN" and left[0] is not None:
            left[0] -= 1
            if left[0] < 0:
                raise OSError("no room on the disk")
        return run(self, work, begin)

    def set_left(count: int | None) -> None:
        left[0] = count

    monkeypatch.setattr(Store, "run", failing)
    return set_left
