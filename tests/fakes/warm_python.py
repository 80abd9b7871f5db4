"""A Python that starts within milliseconds: a program runs in a fork of a process that has the frameworks imported.

`CAESURA_FRESH=1` makes it the interpreter itself, in which nothing is imported: `nox -s thorough` runs all programs so.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = "CAESURA_WARM"


def warm_python() -> str:
    """What runs `PATH ...`, `-c PROGRAM ...` or `-m MODULE ...` as `sys.executable` does."""
    if os.environ.get("CAESURA_FRESH") or sys.platform != "linux":  # elsewhere few libraries survive a fork
        return sys.executable
    if FOLDER not in os.environ:
        start_server()
    return str(Path(os.environ[FOLDER]) / "python")


def start_server() -> None:
    """One for all processes of a run: conftest.py starts it in the one that starts the others."""
    folder = Path(tempfile.mkdtemp(prefix="caesura-"))
    program = Path(__file__).with_name("warm_client.py").read_text("utf-8")
    client = folder / "python"
    client.write_text(f"#!{sys.executable} -IS\n{program}", encoding="utf-8")
    client.chmod(0o700)
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
    command = [sys.executable, "-X", "utf8", str(Path(__file__).with_name("warm_server.py")), str(folder / "socket")]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kept)
    assert server.stdout
    assert server.stdout.readline() == b"ready\n"
    os.environ[FOLDER] = str(folder)
    atexit.register(server.communicate)  # it ends when its standard input does, or with this process
