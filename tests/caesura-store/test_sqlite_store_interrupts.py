"""A store and a lock that an exception reaches at any point, Ctrl-C or a signal's, are as good as before."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes.stores.versioned_stores import KINDS, Ledger, seconds_of_a_write, writable

from caesura.errors import SettingError
from caesura_store import key_locks as locks
from caesura_store.key_locks import KeyLock
from caesura_store.sqlite_store import Store

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals by a timer"),
]


ELSEWHERE = """
import sys
from pathlib import Path
from caesura_store.key_locks import KeyLock
with KeyLock("store", "012b", Path(sys.argv[1])):
    print("in")
"""


class InterruptedWorkError(Exception):
    """What a handler raises: a time limit of a task queue, or of a test runner."""


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise InterruptedWorkError

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def storm(work: Callable[[int], None], longest: float, interrupts: int) -> int:
    """Calls work with one number after another until so many of the calls were interrupted, each after a random while
    -> the next number."""
    rng, number = random.Random(7), 0
    while interrupts > 0:
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.random() * longest + 1e-6)
            work(number)
        except Exception as error:
            if InterruptedWorkError.__name__ not in "".join(traceback.format_exception(error)):
                raise  # Pydantic has an error of its own in the place of a handler's
            interrupts -= 1
        finally:
            number += 1
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
            except InterruptedWorkError:
                interrupts -= 1
    return number


def test_an_interrupt_while_another_process_writes_leaves_the_store_usable_and_unlocked(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = Store(path)
    store.put([("a", b"1")])
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.4, lambda: other.execute("COMMIT")).start()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    with pytest.raises(InterruptedWorkError):
        store.put([("b", b"2")])
    assert writable(path)
    store.put([("c", b"3")])
    assert store.get(["a", "b", "c"]) == [b"1", None, b"3"]


@pytest.mark.parametrize("kind", KINDS)
def test_random_interrupts_lose_nothing_that_was_acknowledged_and_hold_no_lock(kind: str, tmp_path: Path) -> None:
    make, ledger = KINDS[kind](), Ledger()
    took = seconds_of_a_write(make(tmp_path / "tried"))
    store = make(tmp_path / "storm")
    last = storm(lambda version: ledger.write(store, version), took, 1000)
    assert not locks.list_locks()
    ledger.check(store)
    ledger.check_mended(make, store, tmp_path / "fresh", last)
    store.close()


def test_random_interrupts_leave_no_lock_with_anybody(tmp_path: Path) -> None:
    path, done = tmp_path / "store.db", threading.Event()

    def lock(number: int) -> None:
        with KeyLock("store", [str(number % 3), "b"], path):
            pass

    def elsewhere() -> None:
        with KeyLock("store", "012b", path):
            done.set()

    storm(lock, 0.0003, 4000)
    assert not locks.list_locks()
    threading.Thread(target=elsewhere, daemon=True).start()
    assert done.wait(600)
    other = subprocess.run([sys.executable, "-c", ELSEWHERE, path], capture_output=True, text=True, timeout=600)
    assert other.stdout == "in\n"


def test_a_lock_keeps_no_file_open_once_it_is_released(tmp_path: Path) -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc")
    with KeyLock("store", ["a"], tmp_path / "0.db"):
        pass
    before = count()
    for number in range(20):
        with KeyLock("store", ["a", "b"], tmp_path / f"{number}.db"):
            time.sleep(0)
    assert count() == before


def test_a_handler_that_uses_the_store_within_a_call_is_told_so_and_one_that_closes_it_ends_the_call(
    tmp_path: Path,
) -> None:
    store, faults = Store(tmp_path / "store.db"), list[str]()

    def put(_: object) -> None:
        store.put([("within", b"1")])

    def write_and_close(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM entries")
        store.close()

    def work() -> None:
        store.put([("before", b"1")])
        for within, begin in ((put, ""), (write_and_close, "BEGIN IMMEDIATE")):
            try:
                store.run(within, begin)
            except SettingError as error:
                faults.append(str(error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert "in the middle of a call of this thread" in faults[0]
    assert "is closed" in faults[1]
    with Store(store.path) as again:
        assert list(again.keys()) == ["before"]


FORK = """
import ctypes, logging, os, signal, sys, threading
from functools import partial
os.register_at_fork(after_in_parent=partial(getattr(ctypes.CDLL(None), "raise"), int(signal.SIGALRM)))
from caesura_store.key_locks import KeyLock
from caesura_store.sqlite_store import Store

def interrupt(*_):
    raise KeyboardInterrupt

def write():
    with KeyLock(store, ["a"], store.path):
        store.put([("a", b"1")])

signal.signal(signal.SIGALRM, interrupt)
store = Store(sys.argv[1])
for _ in range(2):
    try:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
    except KeyboardInterrupt:
        pass
signal.signal(signal.SIGALRM, signal.SIG_IGN)
thread = threading.Thread(target=write, daemon=True)
thread.start()
thread.join(30)
sys.exit(thread.is_alive())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_signal_that_comes_at_a_fork_leaves_no_lock_with_the_parent(tmp_path: Path) -> None:
    """A signal that came meanwhile is handled as soon as the parent goes on, in the hooks of the fork."""
    subprocess.run([sys.executable, "-c", FORK, str(tmp_path / "store.db")], check=True, stderr=subprocess.DEVNULL)
