"""One writer at a time for each name: threads and event loops of one process."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from fakes.stores.locks import free

from caesura.errors import SettingError
from caesura_store import key_locks as turns
from caesura_store.key_locks import KeyLock


def test_a_name_is_had_by_one_and_all_names_at_once_or_none() -> None:
    store = object()
    with KeyLock(store, ["a", "b"]):
        assert not free(KeyLock(store, ["b"]))
        assert not free(KeyLock(store, ["c", "a"]))
        assert free(KeyLock(store, ["c"]))
        assert free(KeyLock(object(), ["a"])), "another store"
    assert free(KeyLock(store, ["a", "b"]))


def test_a_turn_ends_with_an_exception_too() -> None:
    store = object()
    with pytest.raises(KeyError), KeyLock(store, ["a"]):
        raise KeyError
    assert free(KeyLock(store, ["a"]))


def test_a_lock_that_nobody_has_any_more_is_free(tmp_path: Path) -> None:
    """A signal may come in anywhere, even where a lock is released."""
    lock = KeyLock("store", ["a"], tmp_path / "store.db").__enter__()
    assert not free(KeyLock("store", ["a"], tmp_path / "store.db"))
    del lock
    assert free(KeyLock("store", ["a"], tmp_path / "store.db"))


def test_threads_wait_for_each_other() -> None:
    store, inside, most = object(), [0], [0]

    def work() -> None:
        for _ in range(20):
            with KeyLock(store, ["a"]):
                inside[0] += 1
                time.sleep(0)  # another thread runs
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert most == [1]
    assert free(KeyLock(store, ["a"]))


async def test_tasks_wait_without_holding_up_their_loop_and_one_that_is_cancelled_leaves() -> None:
    store = object()
    with KeyLock(store, ["a"]):
        waiting = asyncio.create_task(_entered(store))
        await asyncio.sleep(3 * turns.PAUSE)
        assert not waiting.done()
        waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await _entered(store)


def test_a_file_in_the_place_of_the_folder_of_lock_files_is_named(tmp_path: Path) -> None:
    path, other = tmp_path / "nodes.db", tmp_path / "nodes.db-locks"
    other.write_text("a diary")
    with (
        pytest.raises(SettingError, match=r"nodes\.db-locks must be a folder, .* move or delete"),
        KeyLock(path, "a", path),
    ):
        pass
    assert other.read_text() == "a diary"
    other.unlink()
    assert free(KeyLock(path, "a", path))


async def test_who_asks_first_is_first() -> None:
    store, order = object(), list[int]()

    async def work(number: int, *names: str) -> None:
        async with KeyLock(store, names):
            order.append(number)

    with KeyLock(store, ["a"]):
        tasks = [asyncio.create_task(work(number, *names)) for number, names in enumerate(["ab", "b", "a", "c", "bc"])]
        await asyncio.sleep(3 * turns.PAUSE)
    await asyncio.gather(*tasks)
    assert order[0] == 3, "it waits for nobody"
    assert [number for number in order if number in (0, 1, 4)] == [0, 1, 4]
    assert order.index(0) < order.index(2)


async def _entered(store: object) -> None:
    async with KeyLock(store, ["a"]):
        pass
