"""The tests' server of OpenAI's API, as the measurements of language-model work take it: in this process, or alone."""

# ruff: noqa: E402 - the tests' modules have to be found first
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from fakes.servers.conversations import chat, passages
from fakes.servers.openai_server import FAULTS, OpenAIServer, seeded

__all__ = ["FAULTS", "ROOT", "OpenAIServer", "chat", "passages", "seeded", "server_process"]


class server_process:  # noqa: N801 - used as a function
    """The server as a process of its own -> its URL."""

    def __init__(self, latency: str) -> None:
        command = [sys.executable, "-m", "fakes.servers.openai_server", latency]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT / "tests")

    def __enter__(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
