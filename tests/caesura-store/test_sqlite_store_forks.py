"""A child that is forked at any moment can read and write at once, and neither it nor its parent loses anything."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fakes.stores.versioned_stores import KINDS, SLOTS, Ledger

from caesura.errors import SettingError
from caesura_store import sqlite_store
from caesura_store.sqlite_store import Store

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.db") as made:
        made.put([("parent", b"1")])
        yield made


def fork(work: Callable[[], object]) -> int:
    """Starts a child that works and ends, with 0 unless the work raises; it is killed after a while."""
    child = os.fork()
    if child == 0:
        import signal
        import traceback

        signal.alarm(60)
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def end(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def writing(store: Store) -> Iterator[Callable[[], None]]:
    """Another thread is in the midst of a transaction. Yields what lets it end."""
    begun, go = threading.Event(), threading.Event()
    thread = threading.Thread(target=store.run, args=(lambda _: (begun.set(), go.wait(60)), "BEGIN IMMEDIATE"))
    thread.start()
    begun.wait(60)
    try:
        yield go.set
    finally:
        go.set()
        thread.join()


def test_what_a_child_wrote_is_there_though_its_parent_closes_the_file_meanwhile(store: Store) -> None:
    (reading, told), (waiting, tell) = os.pipe(), os.pipe()

    def work() -> None:
        store.put([("first", b"1")])
        os.write(told, b"x")
        os.read(waiting, 1)
        store.put([("second", b"2")])

    child = fork(work)
    os.read(reading, 1)
    store.close()
    os.write(tell, b"x")
    assert end(child) == 0
    with Store(store.path) as again:
        assert again.get(["parent", "first", "second"]) == [b"1", b"1", b"2"]


def test_a_fork_waits_for_a_transaction_of_another_thread_and_its_child_writes_at_once(store: Store) -> None:
    with writing(store) as let_end:
        threading.Timer(0.1, let_end).start()
        child = fork(lambda: store.put([("child", b"2")]))
    store.put([("after", b"3")])
    assert end(child) == 0
    assert store.get(["parent", "child", "after"]) == [b"1", b"2", b"3"]


def test_a_fork_within_a_transaction_leaves_it_to_the_parent(store: Store) -> None:
    """The child is told why it cannot use the file; what it was at as it was forked is not committed by it."""

    try:
        child = store.run(lambda _: os.fork(), "BEGIN IMMEDIATE")
    except SettingError as error:  # in the child
        other = None
        try:
            Store(store.path)
        except SettingError as opened:
            other = str(opened)
        os._exit(not (str(store.path) in str(error) and "spawn" in str(error) and str(error) == other))
    assert end(child) == 0
    store.put([("after", b"3")])
    assert store.get(["parent", "after"]) == [b"1", b"3"]


def test_a_fork_does_not_wait_for_ever(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "FORK_PATIENCE", 0.05)

    def work() -> None:
        with pytest.raises(SettingError, match="spawn"):
            store.put([("child", b"2")])
        Store(tmp_path / "other.db").put([("child", b"2")])

    with writing(store):
        child = fork(work)
        assert end(child) == 0
    store.put([("after", b"3")])


def test_a_store_in_memory_keeps_what_it_has_and_begins_anew_in_the_child() -> None:
    store = Store.in_memory()
    store.put([("parent", b"1")])

    def work() -> None:
        assert store.get(["parent"]) == [None]
        store.put([("child", b"2")])

    assert end(fork(work)) == 0
    assert list(store.keys()) == ["parent"]


def test_a_child_forks_in_its_turn(store: Store) -> None:
    def work() -> None:
        store.put([("child", b"2")])
        assert end(fork(lambda: store.put([("grandchild", b"3")]))) == 0
        assert store.get(["parent", "child", "grandchild"]) == [b"1", b"2", b"3"]

    assert end(fork(work)) == 0
    assert store.get(["parent", "child", "grandchild"]) == [b"1", b"2", b"3"]


def test_threads_that_fork_at_once_do_not_wait_for_each_other(store: Store, tmp_path: Path) -> None:
    other, codes = Store(tmp_path / "other.db"), list[int]()

    def work(number: int) -> None:
        for _ in range(3):
            store.put([(str(number), b"1")])
            other.put([(str(number), b"1")])
            codes.append(end(fork(lambda: (other.put([("child", b"2")]), store.put([("child", b"2")])))))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 9


@pytest.mark.parametrize("start", ["multiprocessing", "preexec_fn", "subprocess"])
def test_other_ways_to_start_a_process_leave_the_store_usable(store: Store, start: str) -> None:
    with writing(store) as let_end:
        threading.Timer(0.05, let_end).start()
        if start == "multiprocessing":
            process = multiprocessing.get_context("fork").Process(target=store.put, args=([("child", b"2")],))
            process.start()
            process.join()
            assert process.exitcode == 0
        else:
            hook = (lambda: None) if start == "preexec_fn" else None
            subprocess.run([sys.executable, "-c", ""], check=True, preexec_fn=hook)
    store.put([("after", b"3")])
    assert store.get(["parent", "after"]) == [b"1", b"3"]


@pytest.mark.parametrize("kind", KINDS)
def test_children_that_are_forked_while_four_threads_write_write_too(kind: str, tmp_path: Path) -> None:
    make, stop = KINDS[kind](), threading.Event()
    store = make(tmp_path)
    store.write(0, 0)
    ledgers, faults = [Ledger() for _ in range(SLOTS - 1)], list[BaseException]()

    def work(slot: int) -> None:
        try:
            for version in itertools.count(slot + SLOTS, SLOTS):
                ledgers[slot].write(store, version)
                if stop.is_set():
                    return
        except BaseException as fault:
            faults.append(fault)

    def write(version: int) -> None:
        store.write(SLOTS - 1, version)
        store.names()

    threads = [threading.Thread(target=work, args=(slot,)) for slot in range(SLOTS - 1)]
    for thread in threads:
        thread.start()
    codes = []
    for number in range(100):
        version = number * SLOTS + SLOTS - 1
        codes.append(end(fork(lambda: write(version))))  # noqa: B023 - it is called before the next
        time.sleep(0.003 * (number % 5))
    stop.set()
    for thread in threads:
        thread.join()
    assert (codes, faults) == ([0] * 100, [])
    assert store.read(SLOTS - 1, {version}) == {version}
    for slot, ledger in enumerate(ledgers):
        assert store.read(slot, {ledger.done[slot]}) == {ledger.done[slot]}
    store.close()


def test_a_fork_waits_until_a_dropped_store_is_closed(tmp_path: Path) -> None:
    """Else the child could wait for ever for a lock that SQLite has in the memory of its parent."""
    begun, closed = threading.Event(), list[bool]()

    class SlowStore(Store):
        def close(self) -> None:
            begun.set()
            time.sleep(0.2)
            super().close()
            closed.append(True)

    def drop() -> None:
        SlowStore(tmp_path / "store.db").put([("parent", b"1")])

    thread = threading.Thread(target=drop)
    thread.start()
    begun.wait(60)

    def work() -> None:
        assert closed
        Store(tmp_path / "store.db").put([("child", b"1")])

    assert end(fork(work)) == 0
    thread.join()
