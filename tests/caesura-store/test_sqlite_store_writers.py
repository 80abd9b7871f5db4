"""What a store acknowledged is there, whoever else writes; test_kills.py has the kills."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import caesura
from caesura_store.sqlite_store import Store

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(caesura.__file__).parents[1])}

SOME = """
import sys
from caesura_store.sqlite_store import Store
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


@pytest.mark.thorough
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
            if len(list(store.keys(f"{name}/{at}/"))) != 3 or store.get([f"{name}/{at}/0"]) != [b"x"]:
                wrong.append((name, at))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(list(store.keys())) == 6 * 30 * 3
