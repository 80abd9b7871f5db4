"""A document store in a file that is there for one test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from langchain_caesura import SQLiteDocumentStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteDocumentStore]:
    with SQLiteDocumentStore(tmp_path / "documents.db") as made:
        yield made
