"""Bytes by key on disk: what was acknowledged is there, whoever else writes, and whenever the process ends."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import caesura
from caesura.errors import SettingError
from caesura.store import AT_ONCE, Store

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(caesura.__file__).parents[1])}

ENDLESS = """
import sys
from caesura.store import Store
store = Store(sys.argv[1])
number = 0
while True:
    store.put([(f"{number}/{part}", bytes([part]) * 5000) for part in range(3)])
    print(number, flush=True)
    number += 1
"""

SOME = """
import sys
from caesura.store import Store
for number in range(40):
    with Store(sys.argv[1]) as store:
        store.put([(f"{sys.argv[2]}/{number}", sys.argv[2].encode())])
        store.put([("shared", sys.argv[2].encode())])
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as made:
        yield made


# -- what it is ------------------------------------------------------------------------------------------------------


def test_what_was_put_comes_back_in_the_order_asked_for(store: Store) -> None:
    store.put([("a", b"1"), ("b", b""), ("c", bytes(range(256)))])
    assert store.get(["c", "a", "none", "b", "a"]) == [bytes(range(256)), b"1", None, b"", b"1"]
    assert store.count() == 3


def test_a_value_is_written_over_and_the_last_of_two_counts(store: Store) -> None:
    store.put([("a", b"1")])
    store.put([("a", b"2"), ("a", bytearray(b"3"))])
    assert store.get(["a"]) == [b"3"]
    assert store.count() == 1


def test_deleting_says_how_many_were_there_and_touches_no_other(store: Store) -> None:
    store.put([("a", b"1"), ("b", b"2"), ("c", b"3")])
    assert store.delete(["a", "none", "a", "c"]) == 2
    assert store.delete(["a"]) == 0
    assert store.delete([]) == 0
    assert list(store.keys()) == ["b"]


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


ODD = ["", "a", "a%", "a%b", "a_", "a_b", "ab", "a*", "a?", "A", "a\0", "a\0b", "\xe9", "e\u0301", "\u65e5\u672c"]
ODD += ["\U0001f600", "\uffff", "\U0010ffff", "\U0010ffff\U0010ffff", "\ud800", "\ud800x", "\udfff"]
ODD += ["a'b", 'a"b', "a;--"]


def test_keys_and_prefixes_are_any_text_and_mean_themselves(store: Store) -> None:
    store.put((key, repr(key).encode()) for key in ODD)
    assert store.get(ODD) == [repr(key).encode() for key in ODD]
    assert list(store.keys()) == sorted(ODD)
    for prefix in ODD:
        expected = [key for key in sorted(ODD) if key.startswith(prefix)]
        assert list(store.keys(prefix)) == expected
        assert store.count(prefix) == len(expected)


@pytest.mark.parametrize("prefix", ODD)
def test_deleting_by_prefix_deletes_those_and_no_other(store: Store, prefix: str) -> None:
    store.put((key, b"") for key in ODD)
    assert store.delete_prefix(prefix) == sum(key.startswith(prefix) for key in ODD)
    assert list(store.keys()) == sorted(key for key in ODD if not key.startswith(prefix))


def test_keys_may_be_deleted_while_they_are_gone_through(store: Store) -> None:
    store.put((f"{at:05}", b"") for at in range(3 * AT_ONCE))
    for key in store.keys():  # noqa: SIM118 - no dict
        store.delete([key])
    assert store.count() == 0


def test_tables_of_one_file_do_not_meet(path: Path) -> None:
    with Store(path, "replies") as one, Store(path, "vectors") as other, Store(path, "Replies") as again:
        one.put([("a", b"1")])
        assert other.get(["a"]) == [None]
        assert again.get(["a"]) == [b"1"]


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


# -- all or nothing --------------------------------------------------------------------------------------------------


def test_a_call_that_fails_has_written_nothing(store: Store) -> None:
    def pairs() -> Iterator[tuple[str, bytes]]:
        yield "a", b"1"
        raise KeyError("the caller's own")

    for wrong in ([("a", b"1"), ("b", "text")], [("a", b"1"), (2, b"2")], [("a", b"1"), ("b", None)]):
        with pytest.raises(SettingError, match="must be"):
            store.put(wrong)
    with pytest.raises(KeyError):
        store.put(pairs())
    assert store.count() == 0
    store.put([("a", b"1")])


@pytest.mark.parametrize("sure", range(3))
def test_what_was_acknowledged_is_there_after_a_kill(path: Path, sure: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", ENDLESS, path], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(20 + 17 * sure)]
    os.kill(child.pid, signal.SIGKILL)
    said += child.stdout.readlines()
    child.wait()
    child.stdout.close()
    acknowledged = [int(line) for line in said if line.endswith("\n")]
    with Store(path) as store:
        kept = {int(key.split("/")[0]) for key in store.keys()}  # noqa: SIM118 - no dict
        assert kept >= set(acknowledged)
        assert len(kept) - len(acknowledged) in (0, 1)
        for number in kept:  # each call is whole
            assert store.get([f"{number}/{part}" for part in range(3)]) == [bytes([part]) * 5000 for part in range(3)]
        store.put([("after", b"1")])


def test_processes_write_at_once_and_nothing_is_lost(path: Path) -> None:
    names = ["one", "two", "three", "four"]
    children = [subprocess.Popen([sys.executable, "-c", SOME, path, name], env=ENVIRONMENT) for name in names]
    assert [child.wait() for child in children] == [0] * 4
    with Store(path) as store:
        assert {key for key in store.keys() if "/" in key} == {f"{n}/{at}" for n in names for at in range(40)}  # noqa: SIM118
        assert store.get(["shared"])[0] in [name.encode() for name in names]


def test_threads_share_a_store(store: Store) -> None:
    wrong: list[object] = []

    def work(name: int) -> None:
        for at in range(30):
            store.put([(f"{name}/{at}/{part}", b"x") for part in range(3)])
            if store.count(f"{name}/{at}/") != 3 or store.get([f"{name}/{at}/0"]) != [b"x"]:
                wrong.append((name, at))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert store.count() == 6 * 30 * 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_opens_its_own_connection(store: Store) -> None:
    store.put([("parent", b"1")])
    child = os.fork()
    if child == 0:
        try:
            store.put([("child", store.get(["parent"])[0] or b"")])
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert store.get(["parent", "child"]) == [b"1", b"1"]


def test_import_caesura_does_not_load_it() -> None:
    code = "import sys, caesura; raise SystemExit('caesura.store' in sys.modules or 'sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=False).returncode == 0
