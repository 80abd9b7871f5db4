"""Locks by key: one writer at a time under each name, of threads, event loops and processes.

A handler of a signal may raise between any two lines here. So nothing but a `KeyLock` holds its ticket, and nothing but
tickets hold the files that are locked: what is dropped at any point is released, by the interpreter and the system.
The library filelock keeps no such promise: after an interrupt in its `acquire`, a file stayed locked until the process
ended, and it takes seven times as long.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from io import FileIO
from itertools import takewhile
from pathlib import Path
from typing import Self
from weakref import ref

from caesura.errors import SettingError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PAUSE = 0.01
"""Seconds between two looks whether another process is done: a file that is unlocked tells nobody."""
PATIENCE = 1.0
"""Seconds until a look whether this process is done, if nobody has called: a signal may have stopped who was to."""
STRIPES = 64
"""Lock files beside a store. Names that share one wait for each other in other processes, which does no harm."""


class _Ticket:
    """A place in the queue: the keys that are locked in this process, and the paths that keep other processes out."""

    def __init__(self, keys: set[tuple[object, str]], paths: list[str]) -> None:
        self.keys, self.paths = keys, paths
        self.files: dict[str, FileIO] = {}  # those that it has locked, by path; tickets of one process share them
        self.loop: asyncio.AbstractEventLoop | None = None  # the event loop that it is awaited in
        self.called = asyncio.Event()  # for who awaits it
        self.bell = threading.Lock()  # for who waits in a thread: locked until it is called
        self.bell.acquire()

    def call(self) -> None:
        """Wakes who waits with this ticket."""
        with suppress(RuntimeError):  # it was called before, or its event loop is closed
            if self.loop is None:
                self.bell.release()
            else:
                self.loop.call_soon_threadsafe(self.called.set)


_guard = threading.RLock()  # a handler of a signal, or a garbage collection, may come here within it
"""No loop stands right under it: where Python 3.13 jumps back in one, a signal passes by the end of `with`."""
_queue: list[ref[_Ticket]] = []
"""Who has a lock or waits for one, in the order of asking."""


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

    def __init__(self, store: object, names: Iterable[str], path: Path | None = None, alone: bool = False) -> None:
        self._store = store  # held, so that its id is that of no other meanwhile
        where = id(store) if path is None else path
        distinct = set(names)
        keys: set[tuple[object, str]] = {(where, name) for name in ([""] if alone else distinct)}
        self._ticket = _Ticket(keys, [] if path is None else sorted({lock_path(path, name) for name in distinct}))

    def enter_now(self) -> bool:
        """Enters if that needs no waiting. Returns whether it did; if not, it leaves the queue."""
        entered = _take(self._ticket) is None
        if not entered:
            self.__exit__()
        return entered

    def __enter__(self) -> Self:
        try:
            while (pause := _take(self._ticket)) is not None:
                _check_can_end(self._ticket)
                self._ticket.bell.acquire(timeout=pause)
        except BaseException:
            self.__exit__()
            raise
        return self

    async def __aenter__(self) -> Self:
        ticket = self._ticket
        ticket.loop = asyncio.get_running_loop()
        try:
            while (pause := _take(ticket)) is not None:
                alarm = ticket.loop.call_later(pause, ticket.called.set)
                try:
                    await ticket.called.wait()
                finally:
                    alarm.cancel()
                ticket.called.clear()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            _release(self._ticket)
        except BaseException:  # a signal came into it
            _release(self._ticket)
            raise

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()


def lock_path(path: Path, name: str) -> str:
    """A store's file and a name -> the file beside it that is locked."""
    number = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:7], "big") % STRIPES
    return f"{path}-locks/{number:02}"


def _take(ticket: _Ticket) -> float | None:
    """Takes a place in the queue, and the locks if nobody before it has one of its keys, nor another process its files.

    Returns how long to wait for a call until the next try; None if the locks are taken.
    """
    with _guard:
        asking = list_tickets()
        if ticket not in asking:
            _queue.append(ref(ticket, _call_waiting))
            asking.append(ticket)
        before = takewhile(lambda other: other is not ticket, asking)
        if not all(ticket.keys.isdisjoint(other.keys) for other in before):
            return PATIENCE
        return None if _lock_files(ticket, asking) else PAUSE


def _check_can_end(ticket: _Ticket) -> None:
    """Raises `SettingError` where a sync call, made in an event loop, waits for a coroutine of the same loop."""
    try:
        here = asyncio.get_running_loop()
    except RuntimeError:
        return
    before = takewhile(lambda other: other is not ticket, list_tickets())
    if any(other.loop is here and not ticket.keys.isdisjoint(other.keys) for other in before):
        raise SettingError(
            "a sync call would wait for ever for an awaited one of the same event loop, which writes the same "
            "documents: await the async method, such as adelete() in the place of delete()"
        )


def list_tickets() -> list[_Ticket]:
    """The tickets in the queue, but for those that were dropped."""
    return [ticket for each in _queue if (ticket := each()) is not None]


def _others(ticket: _Ticket) -> list[_Ticket]:
    return [other for other in list_tickets() if other is not ticket]


def _lock_files(ticket: _Ticket, asking: list[_Ticket]) -> bool:
    """Keeps other processes out, if none of them is in."""
    for path in ticket.paths:
        held = (file for other in asking if (file := other.files.get(path)) is not None and not file.closed)
        file = next(held, None) or _open_locked(path)
        if file is None:
            _unlock_files(ticket)
            return False
        ticket.files[path] = file
    return True


def _open_locked(path: str) -> FileIO | None:
    """Opens a lock file that no other process has, else None. It is locked until it is closed or dropped."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = FileIO(path, "ab")
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError) and error.errno in (errno.EAGAIN, errno.EACCES):
            return None
        raise
    return file


def _unlock_files(ticket: _Ticket) -> None:
    others = _others(ticket)
    for path, file in ticket.files.items():
        if all(other.files.get(path) is not file for other in others):
            file.close()
    ticket.files.clear()


def _release(ticket: _Ticket) -> None:
    """Gives up the place in the queue and the locks, whether it had them or not."""
    with _guard:
        _unlock_files(ticket)
        _queue[:] = [ref(other, _call_waiting) for other in _others(ticket)]
    _call_waiting()


def _call_waiting(_: object = None) -> None:
    """Calls all tickets: each looks whether it is its turn."""
    for ticket in list_tickets():
        ticket.call()


def _reset_after_fork() -> None:
    """In a forked child: the parent's locks are not the child's, and stay the parent's when the child closes a file."""
    global _guard
    _guard = threading.RLock()
    for ticket in list_tickets():
        for file in ticket.files.values():
            file.close()
    _queue.clear()


if hasattr(os, "register_at_fork"):  # guarded, so that no thread has a file that the child does not know of
    os.register_at_fork(
        before=lambda: _guard.acquire(), after_in_parent=lambda: _guard.release(), after_in_child=_reset_after_fork
    )
