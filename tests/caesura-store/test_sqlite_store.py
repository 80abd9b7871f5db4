"""Bytes by key on disk: what was put comes back, or nothing of a call is there."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura.errors import SettingError
from caesura_store.sqlite_store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as made:
        yield made


def test_what_was_put_comes_back_in_the_order_asked_for(store: Store) -> None:
    store.put([("a", b"1"), ("b", b""), ("c", bytes(range(256)))])
    assert store.get(["c", "a", "none", "b", "a"]) == [bytes(range(256)), b"1", None, b"", b"1"]
    assert len(list(store.keys())) == 3


def test_a_value_is_written_over_and_the_last_of_two_counts(store: Store) -> None:
    store.put([("a", b"1")])
    store.put([("a", b"2"), ("a", bytearray(b"3"))])
    assert store.get(["a"]) == [b"3"]
    assert len(list(store.keys())) == 1


def test_deleting_says_how_many_were_there_and_touches_no_other(store: Store) -> None:
    store.put([("a", b"1"), ("b", b"2"), ("c", b"3")])
    assert store.delete(["a", "none", "a", "c"]) == 2
    assert store.delete(["a"]) == 0
    assert store.delete([]) == 0
    assert list(store.keys()) == ["b"]


def test_keys_that_are_there_are_told_without_their_values(store: Store) -> None:
    store.put([(f"{number}\ud800", b"") for number in range(1200)])
    assert store.present([*(f"{number}\ud800" for number in range(600)), "none"]) == {
        f"{number}\ud800" for number in range(600)
    }


def test_an_update_writes_what_is_made_of_a_value_with_all_else_or_nothing(store: Store) -> None:
    def count(value: bytes | None) -> list[tuple[str, bytes]]:
        return [("n", b"1" if value is None else b"%d" % (int(value) + 1))]

    def fail(value: bytes | None) -> list[tuple[str, bytes]]:
        raise KeyboardInterrupt

    store.update("n", count, [("a", b"1"), ("b", b"2")])
    store.update("n", count, gone=["a", "none"])
    with pytest.raises(KeyboardInterrupt):
        store.update("n", fail, [("c", b"3")], ["b"])
    assert store.get(["n", "a", "b", "c"]) == [b"2", None, b"2", None]


def test_tables_of_one_file_do_not_meet(path: Path) -> None:
    tables = ["replies", "vectors", "Replies", "REPLIES", "_replies", "ä", "Ä"]
    stores = {table: Store(path, table) for table in tables}
    for table, store in stores.items():
        store.put([("a", table.encode())])
    for table in tables:
        assert stores[table].get(["a"]) == [table.encode()]
        with Store(path, table) as again:
            assert again.get(["a"]) == [table.encode()]


def test_a_store_opens_again_from_its_pickle_and_in_new_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store("new/folders/s.db", "t", 5) as store:
        store.put([("a", b"1")])
        monkeypatch.chdir(tmp_path / "new")
        with pickle.loads(pickle.dumps(store)) as again:
            assert (again.path, again.table, again.timeout) == (store.path, "t", 5)
            assert again.get(["a"]) == [b"1"]


def test_a_call_that_fails_has_written_nothing(store: Store) -> None:
    def pairs() -> Iterator[tuple[str, bytes]]:
        yield "a", b"1"
        raise KeyError("the caller's own")

    for wrong in ([("a", b"1"), ("b", "text")], [("a", b"1"), (2, b"2")], [("a", b"1"), ("b", None)]):
        with pytest.raises(SettingError, match="must be"):
            store.put(wrong)
    with pytest.raises(KeyError):
        store.put(pairs())
    assert len(list(store.keys())) == 0
    store.put([("a", b"1")])
