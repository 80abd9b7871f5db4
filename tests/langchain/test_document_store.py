"""Documents on disk: LangChain's own suites, every kind of metadata, a kill in the middle of writing."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_tests.integration_tests.base_store import BaseStoreAsyncTests, BaseStoreSyncTests

from caesura.errors import SettingError
from langchain_caesura import SQLiteDocumentStore

THREE = (
    Document("The tide turns.", metadata={"page": 1}),
    Document("Bread rises.", id="bread"),
    Document("", metadata={"nested": {"list": [1, {"deep": None}]}}),
)
KILLED = """
import sys
from langchain_caesura import SQLiteDocumentStore
from langchain_core.documents import Document
store = SQLiteDocumentStore(sys.argv[1])
number = 0
while True:
    store.mset([(str(number), Document("x" * 3000, metadata={"number": number}))])
    print(number, flush=True)
    number += 1
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteDocumentStore]:
    with SQLiteDocumentStore(tmp_path / "documents.db") as made:
        yield made


class TestSync(BaseStoreSyncTests[Document]):
    @pytest.fixture
    def kv_store(self, store: SQLiteDocumentStore) -> SQLiteDocumentStore:
        return store

    @pytest.fixture
    def three_values(self) -> tuple[Document, Document, Document]:
        return THREE


class TestAsync(BaseStoreAsyncTests[Document]):
    @pytest.fixture
    async def kv_store(self, store: SQLiteDocumentStore) -> SQLiteDocumentStore:
        return store

    @pytest.fixture
    def three_values(self) -> tuple[Document, Document, Document]:
        return THREE


class Kind(IntEnum):
    ONE = 1


class Word(StrEnum):
    ONE = "one"


METADATA: dict[str, Any] = {
    "plain": {"a": "b", "n": -3, "x": 1.5, "big": 10**30, "yes": True, "none": None, "inf": float("inf")},
    "nested": {"a": [{"b": [[], {}]}, "c"], "": {"": ""}},
    "tuples": {"box": ((0, 0), (1.5, 2)), "empty": ()},
    "sets": {"tags": {"a"}, "frozen": frozenset({1}), "inside": [{(1, 2)}]},
    "times": {"at": datetime(2026, 11, 21, 9, 30, tzinfo=UTC), "on": date(2026, 11, 21), "naive": datetime(1, 1, 1)},
    "others": {"path": Path("a/b.md"), "id": UUID(int=7), "sum": Decimal("0.10"), "raw": b"\x00\xff"},
    "other keys": {"by page": {1: "one", 2: "two", (3, 4): "three", None: 0, False: 2.5}},
    "keys at the top": {1: "one", "two": 2},
    "our own tag": {"__caesura__": "tuple", "value": [1], "in": {"__caesura__": "dict"}},
    "text": {"日本": "語", "rtl": "שלום", "nul": "a\0b", "emoji": "👩‍👩‍👧"},
    "lone surrogates": {"a": "\ud800", "\udfff": "x\ud83d\ude00"},
}


@pytest.mark.parametrize("name", METADATA)
def test_metadata_comes_back_as_it_was(store: SQLiteDocumentStore, name: str) -> None:
    given = Document("text", id="an id", metadata=METADATA[name])
    store.mset([("key", given)])
    (back,) = store.mget(["key"])
    assert back == given
    assert repr(back) == repr(given)


def test_what_equals_a_plain_value_comes_back_as_one(store: SQLiteDocumentStore) -> None:
    store.mset([("key", Document("t", metadata={"n": Kind.ONE, "w": Word.ONE, "x": np.float64(0.5)}))])
    (back,) = store.mget(["key"])
    assert back is not None
    assert back.metadata == {"n": 1, "w": "one", "x": 0.5}
    assert [type(value) for value in back.metadata.values()] == [int, str, float]


@pytest.mark.parametrize("text", ["日本語", "a\ud800b", "\ud83d\ude00", "\U0001f600", "a\0\r\n", ""])
def test_text_comes_back_as_it_was(store: SQLiteDocumentStore, text: str) -> None:
    store.mset([(text, Document(text))])
    (back,) = store.mget([text])
    assert back is not None
    assert back.page_content == text
    assert list(store.yield_keys()) == [text]


@pytest.mark.parametrize("value", [object(), {"in": [np.zeros(2)]}, {"a": {1: complex(1, 2)}}, lambda: None])
def test_metadata_that_would_not_come_back_is_refused_and_nothing_is_written(
    store: SQLiteDocumentStore, value: object
) -> None:
    with pytest.raises(SettingError, match="must be plain values, got"):
        store.mset([("good", Document("t")), ("bad", Document("t", metadata={"value": value}))])
    assert list(store.yield_keys()) == []
    with pytest.raises(SettingError, match="the store keeps Documents, got str"):
        store.mset([("bad", "text")])


def test_what_is_changed_after_reading_or_writing_is_not_changed_in_the_store(store: SQLiteDocumentStore) -> None:
    given = Document("text", metadata={"list": [1]})
    store.mset([("key", given)])
    given.metadata["list"].append(2)
    (back,) = store.mget(["key"])
    assert back is not None
    back.metadata["list"].append(3)
    assert store.mget(["key"]) == [Document("text", metadata={"list": [1]})]


async def test_a_store_is_used_from_many_tasks(store: SQLiteDocumentStore) -> None:
    await asyncio.gather(*(store.amset([(f"{number}", Document(str(number)))]) for number in range(50)))
    found = await store.amget([f"{number}" for number in range(50)])
    assert [document.page_content for document in found if document] == [f"{number}" for number in range(50)]


def test_a_store_is_opened_again_and_shares_its_file_with_another_table(tmp_path: Path) -> None:
    with SQLiteDocumentStore(tmp_path / "s.db") as one, SQLiteDocumentStore(one.path, "others") as other:
        one.mset([("a", THREE[0])])
        assert list(other.yield_keys()) == []
        again = pickle.loads(pickle.dumps(one))
        assert again.mget(["a"]) == [THREE[0]]
        again.close()
    assert "s.db" in repr(one)
    with pytest.raises(SettingError, match="is closed"):
        one.mget(["a"])


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    child = subprocess.Popen([sys.executable, "-c", KILLED, path], env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(40)]
    os.kill(child.pid, signal.SIGKILL)
    said += child.stdout.readlines()
    child.wait()
    child.stdout.close()
    acknowledged = [line.strip() for line in said if line.endswith("\n")]
    assert len(acknowledged) >= 40
    with SQLiteDocumentStore(path) as store:
        assert store.mget(acknowledged) == [
            Document("x" * 3000, metadata={"number": int(number)}) for number in acknowledged
        ]
        assert len(list(store.yield_keys())) - len(acknowledged) in (0, 1)
