"""Paths, tables and keys that a store refuses, and a store that was closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.errors import SettingError
from caesura_store.sqlite_store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.mark.parametrize("path", ["", ":memory:", 3, None, "a\0b", "a\ud800b"])
def test_a_path_is_a_file(path: object) -> None:
    with pytest.raises(SettingError, match="path must be the path of a file"):
        Store(path)


def test_for_memory_the_stores_of_the_frameworks_are_named() -> None:
    with pytest.raises(SettingError, match="got ':memory:': for a store in memory take InMemoryStore of LangChain"):
        Store(":memory:")


@pytest.mark.parametrize("table", ["", 'a"b', "a b", "sqlite_x", 3])
def test_a_table_is_a_name(tmp_path: Path, table: object) -> None:
    with pytest.raises(SettingError, match="table must be a name"):
        Store(tmp_path / "s.db", table)


def test_a_closed_store_says_so(path: Path) -> None:
    store = Store(path)
    store.close()
    store.close()
    with pytest.raises(SettingError, match="is closed"):
        store.get(["a"])


@pytest.mark.parametrize("call", ["get", "delete"])
def test_one_str_is_no_list_of_keys(path: Path, call: str) -> None:
    with Store(path) as store, pytest.raises(SettingError, match=r"pass \['abc'\]"):
        getattr(store, call)("abc")
