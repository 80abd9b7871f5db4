"""A SQLite file in, a connection to it out: opened on use, for one thread at a time, anew in a forked process."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

from caesura.errors import SettingError
from caesura.sqlite.opening import opened, told


class Connection:
    """The connection of a process to one table. timeout: seconds that a statement waits. name: what errors call it."""

    def __init__(self, path: Path, table: str, timeout: float, name: str) -> None:
        self._settings = path, table, timeout
        self._name = name
        self._lock = threading.Lock()
        self._held: sqlite3.Connection | None = None
        self._closed = False
        _OPEN.add(self)

    @contextmanager
    def using(self, begin: str = "") -> Iterator[sqlite3.Connection]:
        """The connection, to one thread at a time, inside a transaction if `begin` starts one."""
        path, _, timeout = self._settings
        with self._lock, told(path, f"in {self._name}, after up to {timeout:g} s"):
            if self._closed:
                raise SettingError(f"{self._name} is closed: open another one")
            if self._held is None:
                self._held = opened(*self._settings)
            connection = self._held
            if begin:
                connection.execute(begin)
            try:
                yield connection
                if begin:
                    connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Lets go of the file, for good."""
        with self._lock:
            self._closed = True
            if self._held is not None:
                self._held.close()
                self._held = None

    def __del__(self) -> None:
        if self._held is not None:
            self.close()


_OPEN: WeakSet[Connection] = WeakSet()
_LEFT: list[sqlite3.Connection | None] = []


def _forked() -> None:
    """In a forked child: SQLite allows no use of the parent's connections, not even closing them."""
    for connection in list(_OPEN):
        _LEFT.append(connection._held)
        connection._held, connection._lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
