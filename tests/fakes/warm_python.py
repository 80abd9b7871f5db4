"""A Python that starts within milliseconds: a program runs in a fork of a process that has the frameworks imported.

`CAESURA_FRESH=1` makes it the interpreter itself, in which nothing is imported: `nox -s thorough` runs all programs so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

CLIENT = """#!{python} -IS
import _socket, marshal, os, signal, sys
server = _socket.socket(_socket.AF_UNIX)
server.connect({socket!r})
asked = marshal.dumps({{"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
server.sendmsg([len(asked).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(asked)
child = int.from_bytes(server.recv(4), "big")
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(child, number))
status = int.from_bytes(server.recv(4), "big", signed=True)
if status < 0:
    signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def warm_python() -> str:
    """What runs `PATH ...`, `-c PROGRAM ...` or `-m MODULE ...` as `sys.executable` does."""
    fresh = os.environ.get("CAESURA_FRESH", "") or sys.platform != "linux"  # fork() is for few elsewhere
    return sys.executable if fresh else _started()


@cache
def _started() -> str:
    folder = Path(tempfile.mkdtemp(prefix="caesura-"))
    path, client = folder / "socket", folder / "python"
    client.write_text(CLIENT.format(python=sys.executable, socket=str(path)), encoding="utf-8")
    client.chmod(0o700)
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
    command = [sys.executable, "-X", "utf8", str(Path(__file__).with_name("warm_server.py")), str(path)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=kept)
    assert server.stdout
    assert server.stdout.readline() == b"ready\n"  # and it ends when its standard input does, with this process
    return str(client)
