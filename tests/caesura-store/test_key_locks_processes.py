"""One writer at a time for each name: processes that share a file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes.stores.locks import free

from caesura_store import key_locks as turns
from caesura_store.key_locks import KeyLock

GIVEN_BACK = "given-back"
HOLDER = f"""
import sys
from pathlib import Path
from caesura_store.key_locks import KeyLock
path = Path(sys.argv[1])
print("asks", flush=True)
with KeyLock(object(), sys.argv[2:], path):
    print("in after it" if path.with_name({GIVEN_BACK!r}).exists() else "in", flush=True)
    sys.stdin.readline()
print("out", flush=True)
"""


def asking(path: Path, *names: str) -> subprocess.Popen[str]:
    """Another process that asks for its turn when this returns."""
    made = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "asks\n"
    return made


def holder(path: Path, *names: str) -> subprocess.Popen[str]:
    """Another process that has its turn when this returns."""
    made = asking(path, *names)
    assert made.stdout is not None
    assert made.stdout.readline() == "in\n"
    return made


@pytest.mark.thorough
def test_alone_is_the_whole_store_here_and_its_names_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "nodes.db"
    other = holder(path, "a")
    assert free(KeyLock(object(), ["b"], path, alone=True))
    assert not free(KeyLock(object(), ["a"], path, alone=True))
    other.communicate("\n")
    with KeyLock(object(), ["b"], path, alone=True):
        assert not free(KeyLock(object(), ["c"], path, alone=True))


def test_processes_take_turns_at_one_file_and_a_killed_one_is_out(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    other = holder(path, "a", "b")
    try:
        assert not free(KeyLock(object(), ["c", "b"], path))
        assert free(KeyLock(object(), ["c"], path)), "what was locked of a refused turn is free again"
        assert free(KeyLock(object(), ["a"], tmp_path / "other.db"))
    finally:
        other.kill()
        other.communicate()
    assert free(KeyLock(object(), ["a", "b"], path))


@pytest.mark.thorough
def test_names_that_share_a_lock_file_wait_in_other_processes_alone(tmp_path: Path) -> None:
    path, names = tmp_path / "parents.db", [str(number) for number in range(turns.STRIPES + 1)]
    files = {turns.lock_path(path, name): name for name in names}
    one = next(name for name in names if name not in files.values())
    other = files[turns.lock_path(path, one)]
    with KeyLock(object(), [one], path), KeyLock(object(), [other], path):
        pass
    assert free(KeyLock(object(), [one], path))
    process = holder(path, one)
    assert not free(KeyLock(object(), [other], path))
    process.communicate("\n")
    assert free(KeyLock(object(), [other], path))


@pytest.mark.thorough
def test_another_process_waits_for_this_one(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    with KeyLock(object(), ["a"], path):
        other = asking(path, "a")
        time.sleep(5 * turns.PAUSE)  # in which it would be in, did it not wait
        (tmp_path / GIVEN_BACK).touch()
    assert other.communicate("\n")[0] == "in after it\nout\n"


@pytest.mark.thorough
def test_a_folder_that_was_deleted_and_made_again_has_turns_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "parents.db"
    with KeyLock(object(), ["a"], path):
        pass
    shutil.rmtree(f"{path}-locks")
    other = holder(path, "a")
    assert not free(KeyLock(object(), ["a"], path))
    other.communicate("\n")


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_neither_has_its_parents_lock_nor_keeps_or_ends_it(tmp_path: Path) -> None:
    path, (reading, writing) = tmp_path / "parents.db", os.pipe()
    with KeyLock(object(), ["a"], path) as lock:
        child = os.fork()
        if child == 0:
            lock.__exit__()
            os.write(writing, b"free" if free(KeyLock(object(), ["a"], path)) else b"held")
            signal.pause()
        assert os.read(reading, 4) == b"held"
    process = holder(path, "a")
    process.communicate("\n")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)
