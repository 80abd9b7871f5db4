"""SplitFile killed at any time and started again: every document is there once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from fakes.documents.split_file import chunks, cutting, pq, wanted

WORKER = """
import sys
from fakes.splitters.split_batch import SPLITTER
from caesura_scale.batch import SplitBatch
from caesura_scale.files import SplitFile
from caesura_static import StaticEmbedder
split = SplitFile(SplitBatch(SPLITTER, StaticEmbedder), sys.argv[1], "1", rows=1)
for path in sys.argv[2:]:
    split(path)
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_killed_at_any_time_and_started_again_every_document_is_there_once(paths: list[str], tmp_path: Path) -> None:
    dice, out = random.Random(0), tmp_path / "out"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    for kill in range(6):
        worker = subprocess.Popen([sys.executable, "-c", WORKER, out, *paths], env=environment)
        before = {path.name for path in out.iterdir()} if out.exists() else set()
        while not out.exists() or {path.name for path in out.iterdir()} == before:
            if worker.poll() is not None:
                break  # all parts are there
            time.sleep(0.002)
        time.sleep(dice.random() * 0.02)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        seen = list(out.glob("part-*"))
        assert all(pq.read_metadata(path).num_rows >= 0 for path in seen), kill
    assert list(out.glob(".part-*"))  # it was killed in the middle of a part
    split = cutting(tmp_path)
    parts = [split(path) for path in paths]
    split.prune(parts)
    assert chunks(tmp_path) == wanted()
    assert len(list(out.iterdir())) == len(paths)
    assert np.unique([row[5] for row in chunks(tmp_path)]).size == len(wanted())
