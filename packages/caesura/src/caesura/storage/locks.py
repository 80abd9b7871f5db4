"""Locks by key: one writer at a time under each name, of threads, event loops and processes.

Not loaded by `import caesura`. (``pip install "caesura[locks]"``) The document stores of both plugins are written to
under such locks.
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
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from filelock import FileLock

PAUSE = 0.01
"""Seconds between two looks whether the others are done: no thread is blocked that they may need to get there."""
STRIPES = 64
"""Lock files beside a store. Names that share one wait for each other in other processes, which does no harm."""

_guard = threading.Lock()
_queue: list[KeyLock] = []
"""Who has a lock or waits for one, in the order of asking."""


class KeyLock:
    """A context, sync or async: entered when nobody else writes under any of the names, and others wait till it ends.

    store: what is written to. path: its file, if it has one. Threads and event loops wait for each other where the
    store is the same object, or has the same file; processes of one machine where it has the same file. The system
    releases the locks of a process that is killed.

    All names are taken at once or none, so that no two wait for each other, and in the order in which they were asked
    for. alone: whether in this process the whole store is locked; other processes wait for the names alone.

    >>> with KeyLock("store", ["a", "b"]), KeyLock("store", ["c"]):
    ...     print("neither waits for the other")
    neither waits for the other
    """

    def __init__(self, store: object, names: Iterable[str], path: Path | None = None, alone: bool = False) -> None:
        self._store = store  # held, so that its id is that of no other meanwhile
        where = id(store) if path is None else path
        distinct = set(names)
        self._keys = {(where, name) for name in ([""] if alone else distinct)}
        self._files = [] if path is None else sorted({_stripe(path, name) for name in distinct})
        self._locks: list[FileLock] = []
        self._waits = False

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
            self._unlock()
            self._waits = False

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _take(self) -> bool:
        """Takes its place in the queue, and the locks if nobody before it has one of its names."""
        with _guard:
            if not self._waits:
                self._waits = True
                _queue.append(self)
            before = takewhile(lambda other: other is not self, _queue)
            return all(self._keys.isdisjoint(other._keys) for other in before) and self._lock()

    def _lock(self) -> bool:
        """Keeps other processes out, if none of them is in."""
        if not self._files:
            return True
        try:
            from filelock import FileLock, Timeout
        except ImportError as error:
            raise ImportError(
                f'locks between processes need filelock, {error}: pip install "caesura[locks]"'
            ) from error
        for file in self._files:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            lock = FileLock(file, thread_local=False, is_singleton=True)  # it counts how often this process has it
            try:
                lock.acquire(blocking=False)
            except Timeout:
                self._unlock()
                return False
            self._locks.append(lock)
        return True

    def _unlock(self) -> None:
        while self._locks:
            self._locks.pop().release()


def _stripe(path: Path, name: str) -> str:
    """A store's file and a name -> the file beside it that is locked."""
    number = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:7], "big") % STRIPES
    return f"{path}-locks/{number:02}"


def _reset_after_fork() -> None:
    """In a forked child: the parent's locks are not the child's."""
    global _guard
    _guard = threading.Lock()
    _queue.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
