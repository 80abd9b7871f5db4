"""A store and a lock that an exception reaches at any point, Ctrl-C or a signal's, are as good as before."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes.laws import at_least

from caesura.storage.locks import KeyLock
from caesura.storage.sqlite_store import Store

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals by a timer")


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


def storm(work: Callable[[int], None], longest: float, count: int) -> int:
    """Calls work again and again, each time interrupted after a random while -> how many of the calls were."""
    rng, interrupted = random.Random(7), 0
    for number in range(count):
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.random() * longest + 1e-6)
            work(number)
        except InterruptedWorkError:
            interrupted += 1
        finally:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
            except InterruptedWorkError:
                interrupted += 1
    return interrupted


def writable(path: Path) -> bool:
    """Whether another connection gets the write lock at once."""
    with sqlite3.connect(path, 0.2, isolation_level=None) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        other.execute("ROLLBACK")
    return True


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


def test_random_interrupts_lose_nothing_that_was_acknowledged_and_hold_no_lock(tmp_path: Path) -> None:
    store, acknowledged = Store(tmp_path / "store.db"), dict[str, bytes]()

    def write(number: int) -> None:
        value = os.urandom(500)
        store.put([(str(number % 20), value)] * 3)
        acknowledged[str(number % 20)] = value
        store.get(["1"])

    assert storm(write, 0.002, at_least(4000)) > 5
    assert writable(store.path)
    for key, value in acknowledged.items():
        assert store.get([key]) != [None]
        store.put([(key, value)])
    assert store.get(acknowledged) == list(acknowledged.values())


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
