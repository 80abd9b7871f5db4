"""What a document store has acknowledged is there after a kill in the middle of writing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from fakes.warm_python import warm_python
from langchain_core.documents import Document

from langchain_caesura import SQLiteDocumentStore

KILLED = """
import sys
from langchain_caesura import SQLiteDocumentStore
from langchain_core.documents import Document
store = SQLiteDocumentStore(sys.argv[1])
number = 0
while True:
    store.mset([(str(number), Document("x" * 3000, metadata={"number": number}))])
    print(number, flush=True)
    number += 1
"""


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    child = subprocess.Popen([warm_python(), "-c", KILLED, path], env=environment, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(40)]
    os.kill(child.pid, signal.SIGKILL)
    said += child.stdout.readlines()
    child.wait()
    child.stdout.close()
    acknowledged = [line.strip() for line in said if line.endswith("\n")]
    assert len(acknowledged) >= 40
    with SQLiteDocumentStore(path) as store:
        assert store.mget(acknowledged) == [
            Document("x" * 3000, metadata={"number": int(number)}) for number in acknowledged
        ]
        assert len(list(store.yield_keys())) - len(acknowledged) in (0, 1)
