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
from typing import Any, NamedTuple, Self

try:  # here, since a child that is forked while a thread imports it would wait for that thread
    import filelock
except ImportError:
    filelock = None  # type: ignore[assignment]

PAUSE = 0.01
"""Seconds between two looks whether the others are done: no thread is blocked that they may need to get there."""
STRIPES = 64
"""Lock files beside a store. Names that share one wait for each other in other processes, which does no harm."""


class _Ticket:
    """A place in the queue: the keys that are locked in this process, and the files that keep other processes out."""

    def __init__(self, keys: set[tuple[object, str]], files: list[str]) -> None:
        self.keys, self.files = keys, files


class _FileHolders(NamedTuple):
    """A lock file that this process has, and the tickets that it has it for."""

    lock: Any
    tickets: set[_Ticket]


_guard = threading.RLock()  # a garbage collection within it may release another lock
_queue: list[_Ticket] = []
"""Who has a lock or waits for one, in the order of asking."""
_files: dict[str, _FileHolders] = {}


class KeyLock:
    """A context, sync or async: entered when nobody else writes under any of the names, and others wait till it ends.

    store: what is written to. path: its file, if it has one. Threads and event loops wait for each other where the
    store is the same object, or has the same file; processes of one machine where it has the same file. The system
    releases the locks of a process that is killed, and an exception at any point, Ctrl-C or a signal's, those that it
    leaves.

    All names are taken at once or none, so that no two wait for each other, and in the order in which they were asked
    for. alone: whether in this process the whole store is locked; other processes wait for the names alone.

    >>> with KeyLock("store", ["a", "b"]), KeyLock("store", ["c"]):
    ...     print("neither waits for the other")
    neither waits for the other
    """

    _ticket = _Ticket(set(), [])  # where a signal comes into the constructor

    def __init__(self, store: object, names: Iterable[str], path: Path | None = None, alone: bool = False) -> None:
        self._store = store  # held, so that its id is that of no other meanwhile
        where = id(store) if path is None else path
        distinct = set(names)
        keys: set[tuple[object, str]] = {(where, name) for name in ([""] if alone else distinct)}
        self._ticket = _Ticket(keys, [] if path is None else sorted({_stripe(path, name) for name in distinct}))

    def __enter__(self) -> Self:
        try:
            while not _take(self._ticket):
                time.sleep(PAUSE)
        except BaseException:
            _release(self._ticket)
            raise
        return self

    async def __aenter__(self) -> Self:
        try:
            while not _take(self._ticket):
                await asyncio.sleep(PAUSE)
        except BaseException:
            _release(self._ticket)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        _release(self._ticket)

    async def __aexit__(self, *_: object) -> None:
        _release(self._ticket)

    def __del__(self) -> None:
        _release(self._ticket)  # a signal may raise in `__exit__` before its first line


def _take(ticket: _Ticket) -> bool:
    """Takes a place in the queue, and the locks if nobody before it has one of its keys."""
    with _guard:
        if ticket not in _queue:
            _queue.append(ticket)
        before = takewhile(lambda other: other is not ticket, list(_queue))
        return all(ticket.keys.isdisjoint(other.keys) for other in before) and _lock_files(ticket)


def _lock_files(ticket: _Ticket) -> bool:
    """Keeps other processes out, if none of them is in."""
    if not ticket.files:
        return True
    if filelock is None:
        raise ImportError('locks between processes need filelock: pip install "caesura[locks]"')
    for file in ticket.files:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        holders = _files.setdefault(file, _FileHolders(filelock.FileLock(file, thread_local=False), set()))
        try:
            if not holders.tickets:
                holders.lock.acquire(blocking=False)
        except filelock.Timeout:
            _unlock_files(ticket)
            return False
        holders.tickets.add(ticket)
    return True


def _unlock_files(ticket: _Ticket) -> None:
    for file in ticket.files:
        holders = _files.get(file)
        if holders is not None:
            holders.tickets.discard(ticket)
            if not holders.tickets:
                holders.lock.release()
                _files.pop(file, None)


def _release(ticket: _Ticket) -> None:
    """Gives up the place in the queue and the locks, whether it had them or not."""
    with _guard:
        try:
            _unlock_files(ticket)
        finally:
            if ticket in _queue:
                _queue.remove(ticket)


def _stripe(path: Path, name: str) -> str:
    """A store's file and a name -> the file beside it that is locked."""
    number = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:7], "big") % STRIPES
    return f"{path}-locks/{number:02}"


def _reset_after_fork() -> None:
    """In a forked child: the parent's locks are not the child's."""
    global _guard
    _guard = threading.RLock()
    _queue.clear()
    _files.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
