"""A store's keys are any text and as many as there are; a prefix means itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from caesura_store.sqlite_store import AT_ONCE, Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as made:
        yield made


@pytest.mark.thorough
def test_more_keys_than_one_statement_takes(store: Store) -> None:
    number = 70_000  # more variables than any build of SQLite allows
    keys = [f"{at:06}" for at in range(number)]
    store.put((key, key.encode()) for key in keys)
    assert store.get(keys) == [key.encode() for key in keys]
    assert list(store.keys()) == keys
    assert store.delete(keys[1:]) == number - 1


@pytest.mark.parametrize("number", [AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE])
def test_keys_come_whole_at_the_edge_of_a_page(store: Store, number: int) -> None:
    store.put((f"{at:05}", b"") for at in range(number))
    assert len(set(store.keys())) == len(list(store.keys())) == number


ODD = [
    *("", "a", "a%", "a%b", "a_", "a_b", "ab", "a*", "a?", "A", "a\0", "a\0b", "\xe9", "e\u0301", "\u65e5\u672c"),
    *("\U0001f600", "\uffff", "\U0010ffff", "\U0010ffff\U0010ffff", "\ud800", "\ud800x", "\udfff"),
    *("a'b", 'a"b', "a;--"),
]


def test_keys_and_prefixes_are_any_text_and_mean_themselves(store: Store) -> None:
    store.put((key, repr(key).encode()) for key in ODD)
    assert store.get(ODD) == [repr(key).encode() for key in ODD]
    assert list(store.keys()) == sorted(ODD)
    for prefix in ODD:
        expected = [key for key in sorted(ODD) if key.startswith(prefix)]
        assert list(store.keys(prefix)) == expected
        assert len(list(store.keys(prefix))) == len(expected)


@pytest.mark.parametrize("prefix", ODD)
def test_deleting_by_prefix_deletes_those_and_no_other(store: Store, prefix: str) -> None:
    store.put((key, b"") for key in ODD)
    assert store.delete(list(store.keys(prefix))) == sum(key.startswith(prefix) for key in ODD)
    assert list(store.keys()) == sorted(key for key in ODD if not key.startswith(prefix))


@pytest.mark.thorough
def test_keys_may_be_deleted_while_they_are_gone_through(store: Store) -> None:
    store.put((f"{at:05}", b"") for at in range(3 * AT_ONCE))
    for key in store.keys():  # noqa: SIM118 - no dict
        store.delete([key])
    assert len(list(store.keys())) == 0
