"""Values in pieces: one value for every call, of which some pieces are read alone; damage in any of them is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura.errors import SettingError
from caesura_store.sqlite_store import FURTHER, Store

LONG = [b"one ", b"two ", b"three"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as made:
        yield made


def rows(store: Store) -> int:
    """How many rows the table has."""
    [count] = store.run(lambda held: held.execute("SELECT count(*) FROM entries").fetchone())
    return int(count)


def test_a_value_in_pieces_is_one_value(store: Store) -> None:
    store.put([("a", LONG), ("b", b"short"), ("c", [b"alone"]), ("", LONG[:2]), ("d", [b"", b"", b""])])
    assert store.get(["b", "a", "none", "c", "", "d"]) == [b"short", b"one two three", None, b"alone", b"one two ", b""]
    assert list(store.keys()) == ["", "a", "b", "c", "d"]
    assert list(store.keys("a")) == ["a"]
    assert store.present(["a", "none"]) == {"a"}


def test_some_pieces_are_read_alone(store: Store) -> None:
    store.put([("a", LONG), ("b", b"short")])
    found = store.get_pieces({"a": [2, 7], "b": [0, 1], "none": [1]})
    assert {key: (own.total, own.found) for key, own in found.items()} == {
        "a": (3, {0: b"one ", 2: b"three"}),
        "b": (1, {0: b"short"}),
    }


def test_what_tells_a_value_apart_is_that_of_its_bytes_alone(store: Store) -> None:
    store.put([("a", LONG)])
    first = store.get_pieces({"a": ()})["a"]
    store.put([("b", b"another"), ("a", LONG)])
    assert store.get_pieces({"a": ()})["a"] == first
    for other in ([*LONG[:2], b"four"], LONG[:2], [*LONG, b""]):
        store.put([("a", other)])
        assert store.get_pieces({"a": ()})["a"].stamp != first.stamp


@pytest.mark.parametrize("other", [b"short", [b"1"], [b"1", b"2"], None])
def test_no_piece_outlives_its_value(store: Store, other: bytes | list[bytes] | None) -> None:
    store.put([("a", LONG), ("ab", LONG)])
    if other is None:
        assert store.delete(["a"]) == 1
    else:
        store.put([("a", other)])
    assert rows(store) == 3 + (0 if other is None else 1 if isinstance(other, bytes) else len(other))
    assert store.get(["ab"]) == [b"one two three"]


def test_of_a_key_that_is_given_twice_the_last_value_stays(store: Store) -> None:
    store.put([("a", LONG), ("a", b"short")])
    assert (store.get(["a"]), rows(store)) == ([b"short"], 1)
    store.put([("a", b"short"), ("a", LONG)])
    assert store.get(["a"]) == [b"one two three"]


def test_an_update_reads_and_writes_values_in_pieces(store: Store) -> None:
    store.put([("a", LONG)])
    store.update("a", lambda value: [("b", [value or b"", b"!"])], gone=["a"])
    assert (store.get(["a", "b"]), rows(store)) == ([None, b"one two three!"], 2)


@pytest.mark.parametrize("lost", [True, False])
def test_a_piece_that_is_not_as_it_was_written_is_named(tmp_path: Path, lost: bool) -> None:
    with Store(tmp_path / "store.db") as store:
        store.put([("a", LONG), ("b", b"short")])
        change = "DELETE FROM entries" if lost else "UPDATE entries SET value = zeroblob(9)"
        store.run(lambda held: held.execute(f"{change} WHERE key = ?", (b"a" + FURTHER + b"\0\0\0\2",)))
        with pytest.raises(SettingError, match=r"store\.db is damaged, the value of 'a' is not as it was written"):
            store.get(["a"])
        with pytest.raises(SettingError, match="the value of 'a'"):
            store.get_pieces({"a": [2]})
        assert store.get_pieces({"a": [1]})["a"].found == {0: b"one ", 1: b"two "}
        assert store.get(["b"]) == [b"short"]


def test_pieces_are_bytes(store: Store) -> None:
    with pytest.raises(SettingError, match="a value must be bytes, got str for the key 'a'"):
        store.put([("a", [b"1", "2"])])  # type: ignore[list-item]
    with pytest.raises(SettingError, match="a value must be bytes, got list for the key 'a'"):
        store.put([("a", [])])
    assert store.get(["a"]) == [None]
