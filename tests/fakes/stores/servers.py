"""Real servers on this machine, which are there until a test ends."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"


@contextmanager
def server(command: list[Any], port: int, **settings: Any) -> Iterator[None]:
    """A server that is there until the end, which listens when this begins."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([*map(str, command)], stdout=said, stderr=said, **settings)
        try:
            for _ in range(300):
                with socket.socket() as probe:
                    if probe.connect_ex((HOST, port)) == 0:
                        break
                if process.poll() is not None:
                    said.seek(0)
                    raise RuntimeError(said.read().decode(errors="replace")[-2000:])
                time.sleep(0.1)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgres(folder: Path, port: int, binaries: Path) -> Iterator[None]:
    """A Postgres server, of the user `postgres` where we are root, as which it refuses to run."""
    settings: dict[str, Any] = {"cwd": folder}
    if os.getuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        settings |= {"user": "postgres", "group": "postgres", "extra_groups": []}
    data = folder / "data"
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        capture_output=True,
        **settings,
    )
    options = ["-c", f"listen_addresses={HOST}", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    with server([binaries / "postgres", "-D", data, "-p", port, *options], port, **settings):
        time.sleep(0.5)  # it listens before it answers
        yield
