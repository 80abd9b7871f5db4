"""Names in, the right to write under them out: one writer at a time for each, of threads, event loops and processes.

Not loaded by `import caesura`. The document stores of both plugins are written to in turns.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterable
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Self

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PAUSE = 0.01
"""Seconds between two looks whether the others are done: no thread is blocked that they may need to get there."""

_guard = threading.Lock()
_queue: list[KeyLock] = []
"""Who has a turn or waits for one, in the order of asking."""
_files: dict[Path, int] = {}
"""Never closed: a process that closes a file loses all its locks on it."""


class KeyLock:
    """A context, sync or async: entered when nobody else writes under any of the names, and others wait till it ends.

    store: what is written to. path: its file, if it has one. Threads and event loops take turns where the store is the
    same object, or has the same file; processes of one machine where it has the same file, but on Windows. The system
    ends the turn of a process that is killed.

    All names are taken at once or none, so that no two wait for each other, and in the order in which they were asked
    for. alone: whether in this process the turn is at the whole store; other processes wait for the names alone.

    >>> with KeyLock("store", ["a", "b"]), KeyLock("store", ["c"]):
    ...     print("neither waits for the other")
    neither waits for the other
    """

    def __init__(self, store: object, names: Iterable[str], path: Path | None = None, alone: bool = False) -> None:
        self._store, self._path = store, path  # the store is held: its id is that of no other meanwhile
        where = id(store) if path is None else path
        self._names = set(names)
        self._keys = {(where, name) for name in ([""] if alone else self._names)}
        self._waits = self._has = False

    def __enter__(self) -> Self:
        try:
            while not self._take():
                time.sleep(PAUSE)
        except BaseException:
            self.__exit__()
            raise
        return self

    async def __aenter__(self) -> Self:
        try:
            while not self._take():
                await asyncio.sleep(PAUSE)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with _guard:
            _queue.remove(self)
            if self._has:
                self._unlock(self._names)
            self._waits = self._has = False

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _take(self) -> bool:
        with _guard:
            if not self._waits:
                self._waits = True
                _queue.append(self)
            before = takewhile(lambda other: other is not self, _queue)
            self._has = all(self._keys.isdisjoint(other._keys) for other in before) and self._lock()
            return self._has

    def _lock(self) -> bool:
        """Keeps other processes out, if none of them is in."""
        if fcntl is None or self._path is None:
            return True
        file = _opened(self._path)
        done: list[str] = []
        for name in self._names:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
            except (BlockingIOError, PermissionError):
                self._unlock(done)
                return False
            done.append(name)
        return True

    def _unlock(self, names: Iterable[str]) -> None:
        if fcntl is not None and self._path is not None:
            for name in names:
                fcntl.lockf(_files[self._path], fcntl.LOCK_UN, 1, _place(name))


def _opened(path: Path) -> int:
    """A store's file -> the one beside it of which each name has a byte to lock; it stays empty."""
    file = _files.get(path)
    if file is None or not os.fstat(file).st_nlink:  # deleted, with its folder, and perhaps there again
        file = _files[path] = os.open(f"{path}-turns", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    return file


def _place(name: str) -> int:
    return int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:7], "big")


def _forked() -> None:
    """In a forked child: the parent's turns are not the child's."""
    global _guard
    _guard = threading.Lock()
    _queue.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
