"""A store whose writer is killed, again and again, has all that was acknowledged and is locked by nobody."""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from pathlib import Path

import pytest
from fakes.stores.versioned_stores import KINDS, SLOTS, Ledger, VersionedStore, seconds_of_a_write

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a fork, since a fresh interpreter takes too long to start"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def write_until_killed(make: type[VersionedStore], folder: Path, first: int, seconds: float) -> int:
    """Has another process write one version after another, and kills it after a while -> how many it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            store = make(folder)
            for version in itertools.count(first):
                store.write(version % SLOTS, version)
                os.write(writing, b".")
        finally:
            os._exit(1)
    os.close(writing)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    with open(reading, "rb") as acknowledged:
        return len(acknowledged.read())


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_acknowledged_is_there_after_a_kill_and_others_can_write(kind: str, tmp_path: Path) -> None:
    make, ledger, rng = KINDS[kind](), Ledger(), random.Random(7)
    folder, version = tmp_path / "killed", 0
    took = seconds_of_a_write(make(tmp_path / "tried"))
    for _ in range(100):
        done = write_until_killed(make, folder, version, rng.random() * (0.02 + 6 * took))
        for number in range(version, version + done):
            ledger.end(number)
        version += done
        ledger.begun[version % SLOTS].append(version)
        version += 1
        store = make(folder)
        ledger.check(store)
        store.close()
    store = make(folder)
    ledger.check_mended(make, store, tmp_path / "fresh", version)
    store.close()
