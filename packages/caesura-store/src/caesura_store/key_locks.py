"""Locks by key: one writer at a time under each name, of threads, event loops and processes.

A handler of a signal may raise between any two lines here. So nothing but a `KeyLock` holds the files that it locked:
what is dropped at any point is released, by the interpreter and the system. The library filelock keeps no such promise:
after an interrupt in its `acquire`, a file stayed locked until the process ended, and it takes seven times as long.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import Future, InvalidStateError, wait
from contextlib import suppress
from hashlib import sha256
from io import FileIO
from itertools import takewhile
from pathlib import Path
from typing import Self
from weakref import ref

from caesura.errors import SettingError
from caesura_store.sqlite_store import release_in_child

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

_guard = threading.RLock()  # a handler of a signal, or a garbage collection, may come here within it
"""No loop stands right under it: where Python 3.13 jumps back in one, a signal passes by the end of `with`."""
_queue: list[ref[KeyLock]] = []
"""Who has a lock or waits for one, in the order of asking."""


class KeyLock:
    """A context, sync or async: entered when nobody else writes under any of the names, and others wait till it ends.

    store: what is written to. path: its file, if it has one. Threads and event loops wait for each other where the
    store is the same object, or has the same file; processes of one machine where it has the same file. The system
    releases the locks of a process that is killed, and an exception at any point, Ctrl-C or a signal's, those that it
    leaves. The files that are locked are empty, in a folder ``….db-locks`` beside the store's. They can be deleted
    while no process uses the store.

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
        self._keys: set[tuple[object, str]] = {(where, name) for name in ([""] if alone else distinct)}
        self._paths = [] if path is None else sorted({lock_path(path, name) for name in distinct})
        self._files: dict[str, FileIO] = {}  # those that are locked, by path; the locks of one process share them
        self._loop: asyncio.AbstractEventLoop | None = None  # the event loop that it is awaited in
        self._call = Future[None]()  # done when it may be its turn

    def __enter__(self) -> Self:
        try:
            while (pause := self._take()) is not None:
                self._check_can_end()
                wait([self._call], pause)
        except BaseException:
            self.__exit__()
            raise
        return self

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        try:
            while (pause := self._take()) is not None:
                await asyncio.wait([asyncio.wrap_future(self._call)], timeout=pause)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._release()
        except BaseException:  # a signal came into it
            self._release()
            raise

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def _take(self) -> float | None:
        """Takes a place in the queue, and the locks if nobody before has one of the keys, nor another process the
        files.

        Returns how long to wait for a call until the next try; None if the locks are taken.
        """
        with _guard:
            self._call = Future()
            if self not in list_locks():
                _queue.append(ref(self, _call_waiting))
            if any(not self._keys.isdisjoint(other._keys) for other in self._before()):
                return PATIENCE
            return None if self._lock_files() else PAUSE

    def _before(self) -> Iterable[KeyLock]:
        """Those that asked before."""
        return takewhile(lambda other: other is not self, list_locks())

    def _check_can_end(self) -> None:
        """Raises `SettingError` where a sync call, made in an event loop, waits for a coroutine of the same loop."""
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            return
        if any(other._loop is here and not self._keys.isdisjoint(other._keys) for other in self._before()):
            raise SettingError(
                "a sync call would wait for ever for an awaited one of the same event loop, which writes the same "
                "documents: await the async method, such as adelete() in the place of delete()"
            )

    def _lock_files(self) -> bool:
        """Keeps other processes out, if none of them is in."""
        for path in self._paths:
            held = (file for other in list_locks() if (file := other._files.get(path)) and not file.closed)
            file = next(held, None) or _open_locked(path)
            if file is None:
                self._unlock_files()
                return False
            self._files[path] = file
        return True

    def _unlock_files(self) -> None:
        shared = [file for other in list_locks() if other is not self for file in other._files.values()]
        for file in self._files.values():
            if file not in shared:
                file.close()
        self._files.clear()

    def _release(self) -> None:
        """Gives up the place in the queue and the locks, whether it had them or not."""
        with _guard:
            self._unlock_files()
            _queue[:] = [each for each in _queue if each() not in (self, None)]
        _call_waiting()


def lock_path(path: Path, name: str) -> str:
    """A store's file and a name -> the file beside it that is locked."""
    number = int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:7], "big") % STRIPES
    return f"{path}-locks/{number:02}"


def list_locks() -> list[KeyLock]:
    """The locks in the queue, but for those that were dropped."""
    return [lock for each in _queue if (lock := each()) is not None]


def _open_locked(path: str) -> FileIO | None:
    """Opens a lock file that no other process has, else None. It is locked until it is closed or dropped."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError as error:
        raise SettingError(f"{folder} must be a folder, for lock files: move or delete what is there") from error
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


def _call_waiting(_: object = None) -> None:
    """Calls all locks: each looks whether it is its turn."""
    for lock in list_locks():
        with suppress(InvalidStateError):  # it was called before
            lock._call.set_result(None)


def _reset_after_fork() -> None:
    """In a forked child: the parent's locks are not the child's, and stay the parent's when the child closes a file."""
    for lock in list_locks():
        for file in lock._files.values():
            file.close()
    _queue.clear()
    release_in_child(_guard)


if hasattr(os, "register_at_fork"):  # guarded, so that no thread has a file that the child does not know of
    os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_reset_after_fork)
