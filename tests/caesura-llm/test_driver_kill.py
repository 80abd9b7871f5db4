"""A run that is killed goes on where it stopped: asked twice is at most what was in flight; the result is the same."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes.servers.openai_server import OpenAIServer

WORKER = Path(__file__).with_name("worker.py")
PASSAGES, KILLS, IN_FLIGHT = 100, 3, 8


def start(server: OpenAIServer, path: Path, kind: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, WORKER, server.url, path, str(PASSAGES), kind], stdout=subprocess.PIPE)


@pytest.mark.thorough
@pytest.mark.enable_socket
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize(("kind", "name"), [("propositions", b'"passage"'), ("contexts", b'"text"')])
def test_killed_again_and_again_it_pays_twice_for_no_more_than_was_in_flight(
    kind: str, name: bytes, tmp_path: Path
) -> None:
    """`benchmarks/llm.py` kills twenty times."""
    dice = random.Random(0)
    with OpenAIServer(latency=0.02, keep=False) as server:
        for _ in range(KILLS):
            before = server.calls
            worker = start(server, tmp_path / "replies.db", kind)
            enough = before + dice.randrange(1, 25)
            while server.calls < enough:
                assert worker.poll() is None
                time.sleep(0.002)
            worker.kill()
            worker.communicate()
        last = start(server, tmp_path / "replies.db", kind)
        found, _ = last.communicate()
        assert last.returncode == 0
        twice = sum(count - 1 for count in server.seen.values())
        assert server.calls > PASSAGES - 1
        assert len(server.seen) == PASSAGES
        assert twice <= KILLS * IN_FLIGHT
        undisturbed, _ = start(server, tmp_path / "fresh.db", kind).communicate()
    assert found == undisturbed
    assert found.count(name) >= PASSAGES
