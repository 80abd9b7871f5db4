"""One writer at a time for each name: threads, event loops, and processes that share a file."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from caesura import turns
from caesura.turns import Turn

fcntl = pytest.importorskip("fcntl")

HOLDER = """
import sys
from pathlib import Path
from caesura.turns import Turn
with Turn(object(), sys.argv[2:], Path(sys.argv[1])):
    print("in", flush=True)
    sys.stdin.readline()
print("out", flush=True)
"""


def holder(path: Path, *names: str) -> subprocess.Popen[str]:
    """Another process that has its turn when this returns."""
    made = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "in\n"
    return made


def free(turn: Turn) -> bool:
    """Whether a turn can be had now; it is given back."""
    had = turn._take()
    turn.__exit__()
    return had


def test_a_name_is_had_by_one_and_all_names_at_once_or_none() -> None:
    store = object()
    with Turn(store, ["a", "b"]):
        assert not free(Turn(store, ["b"]))
        assert not free(Turn(store, ["c", "a"]))
        assert free(Turn(store, ["c"]))
        assert free(Turn(object(), ["a"])), "another store"
    assert free(Turn(store, ["a", "b"]))


def test_a_turn_ends_with_an_exception_too() -> None:
    store = object()
    with pytest.raises(KeyError), Turn(store, ["a"]):
        raise KeyError
    assert free(Turn(store, ["a"]))


def test_threads_wait_for_each_other() -> None:
    store, inside, most = object(), [0], [0]

    def work() -> None:
        for _ in range(20):
            with Turn(store, ["a"]):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert most == [1]
    assert free(Turn(store, ["a"]))


async def test_tasks_wait_without_holding_up_their_loop_and_one_that_is_cancelled_leaves() -> None:
    store = object()
    with Turn(store, ["a"]):
        waiting = asyncio.create_task(_entered(store))
        await asyncio.sleep(3 * turns.PAUSE)
        assert not waiting.done()
        waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await _entered(store)


async def test_who_asks_first_is_first() -> None:
    store, order = object(), list[int]()

    async def work(number: int, *names: str) -> None:
        async with Turn(store, names):
            order.append(number)

    with Turn(store, ["a"]):
        tasks = [asyncio.create_task(work(number, *names)) for number, names in enumerate(["ab", "b", "a", "c", "bc"])]
        await asyncio.sleep(3 * turns.PAUSE)
    await asyncio.gather(*tasks)
    assert order[0] == 3, "it waits for nobody"
    assert [number for number in order if number in (0, 1, 4)] == [0, 1, 4]
    assert order.index(0) < order.index(2)


def test_alone_is_the_whole_store_here_and_its_names_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "nodes.db"
    other = holder(path, "a")
    assert free(Turn(object(), ["b"], path, alone=True))
    assert not free(Turn(object(), ["a"], path, alone=True))
    other.communicate("\n")
    with Turn(object(), ["b"], path, alone=True):
        assert not free(Turn(object(), ["c"], path, alone=True))


async def _entered(store: object) -> None:
    async with Turn(store, ["a"]):
        pass


def test_processes_take_turns_at_one_file_and_a_killed_one_is_out(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    other = holder(path, "a", "b")
    try:
        assert not free(Turn(object(), ["c", "b"], path))
        assert free(Turn(object(), ["c"], path)), "what was locked of a refused turn is free again"
        assert free(Turn(object(), ["a"], tmp_path / "other.db"))
    finally:
        other.kill()
        other.communicate()
    assert free(Turn(object(), ["a", "b"], path))


def test_another_process_waits_for_this_one(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    with Turn(object(), ["a"], path):
        other = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path), "a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.5)
    assert other.communicate("\n")[0] == "in\nout\n"


def test_a_folder_that_was_deleted_and_made_again_has_turns_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    with Turn(object(), ["a"], path):
        pass
    Path(f"{path}-turns").unlink()
    other = holder(path, "a")
    assert not free(Turn(object(), ["a"], path))
    other.communicate("\n")
