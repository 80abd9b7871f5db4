"""Ray Data runs SplitBatch: nothing is lost, whatever dies on the way."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fakes.servers.openai_server import OpenAIServer, seeded
from fakes.splitters.ray_data import found, given, in_actors, wanted
from fakes.splitters.split_batch import SPLITTER, Fatal, Told, documents, from_server, processes

from caesura_scale.batch import SplitBatch
from caesura_scale.files import SplitFile
from caesura_static import StaticEmbedder

pytestmark = pytest.mark.usefixtures("cluster")
COUNT = 5000


@pytest.mark.parametrize("calls", [1, 3])
def test_actors_that_die_at_the_first_calls_lose_nothing(calls: int, tmp_path: Path) -> None:
    assert found(in_actors(given(400), partial(Fatal, str(tmp_path), calls))) == wanted(400)
    assert len(processes(tmp_path)) >= 2
    assert len(list(tmp_path.glob("0-killed-*"))) == calls


def test_workers_killed_at_random_while_5000_documents_go_through(tmp_path: Path) -> None:
    dice, done, killed = random.Random(0), threading.Event(), list[int]()

    def kill() -> None:
        while not done.is_set() and len(killed) < 6:
            alive = [pid for pid in processes(tmp_path) if pid not in killed and psutil.pid_exists(pid)]
            if alive:
                killed.append(dice.choice(alive))
                os.kill(killed[-1], signal.SIGKILL)
            done.wait(dice.random() * 2)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        made = found(in_actors(given(COUNT, 100), partial(Told, str(tmp_path), 0.05), 25))
    finally:
        done.set()
        killer.join()
    assert made == wanted(COUNT)
    assert len(killed) >= 3


def test_an_embedding_server_that_fails_two_calls_in_a_hundred() -> None:
    faults = ["429", "500", "drop"]
    with OpenAIServer(keep=False) as well:
        expected = wanted(COUNT, load=partial(from_server, well.url))
    with OpenAIServer(plan=seeded(0.02, 3, faults), keep=False) as server:
        made = found(in_actors(given(COUNT), partial(from_server, server.url), 25))
        failed = sum(server.served[fault] for fault in faults)
    assert made == expected
    assert failed >= 3


DRIVER = """
import sys, ray
from functools import partial
from fakes.splitters.split_batch import SPLITTER, Told
from caesura_scale.batch import SplitBatch
from caesura_scale.files import SplitFile
address, told, out, *paths = sys.argv[1:]
ray.init(address, log_to_driver=False)
split = SplitFile(SplitBatch(SPLITTER, partial(Told, told, 0.05)), out, "1", rows=25)
ray.data.from_items(paths).repartition(len(paths)).map(lambda row: split(row["item"])._asdict()).materialize()
"""


def test_a_driver_killed_and_started_again_over_a_partly_written_folder(cluster: str, tmp_path: Path) -> None:
    dice, out, told, paths = random.Random(1), tmp_path / "out", tmp_path / "told", list[str]()
    told.mkdir()
    for number in range(50):
        paths.append(str(tmp_path / f"{number:02}.parquet"))
        pq.write_table(pa.table(documents(COUNT)).slice(100 * number, 100), paths[-1])
    command = [sys.executable, "-c", DRIVER, cluster, str(told), str(out), *paths]
    done = [0]
    for _ in range(3):
        driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        enough = done[-1] + dice.randrange(3, 12)
        while len(list(out.glob("part-*"))) < enough:
            assert driver.poll() is None
            time.sleep(0.01)
        driver.kill()
        driver.wait()
        done.append(len(list(out.glob("part-*"))))
    assert done[-1] < 50
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=True)
    split = SplitFile(SplitBatch(SPLITTER, StaticEmbedder), out, "1")
    parts = [split(path) for path in paths]
    assert not any(part.made for part in parts)
    split.prune(parts)
    table = pq.read_table(out).to_pydict()
    assert sorted(zip(*table.values(), strict=True)) == wanted(COUNT)
