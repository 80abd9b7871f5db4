"""Threads that stop at every call of a store, to be let go on one by one, or killed there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from caesura_store.sqlite_store import Store


class Killed(BaseException):
    """What a thread that is killed ends with."""


class Stepped(threading.Thread):
    """A thread that waits at every call of a store until it is let go on."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work, self.result, self.error = work, None, None
        self.passes, self.stops = threading.Semaphore(0), threading.Semaphore(0)
        self.is_killed = self.is_done = False
        self.start()
        self.stops.acquire()

    def run(self) -> None:
        try:
            self.stop()
            self.result = self.work()
        except Killed:
            pass
        except BaseException as error:
            self.error = error
        self.is_done = True
        self.stops.release()

    def stop(self) -> None:
        """Waits, in this thread."""
        self.stops.release()
        self.passes.acquire()
        if self.is_killed:
            raise Killed

    def step(self, calls: int) -> None:
        """Lets it make so many calls, or come to its end."""
        while calls and not self.is_done:
            calls -= 1
            self.passes.release()
            self.stops.acquire()

    def end(self) -> Any:
        """Lets it come to its end. Returns its result."""
        while not self.is_done:
            self.step(1)
        if self.error is not None:
            raise self.error
        return self.result

    def kill(self) -> None:
        """Lets it make no call any more."""
        self.is_killed = True
        self.end()


def wait() -> None:
    """Stops a thread that is stepped."""
    thread = threading.current_thread()
    if isinstance(thread, Stepped):
        thread.stop()


@contextmanager
def stopping_files(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within it, a stepped thread stops before each look into a file of SQLite too."""
    run = Store.run

    def stopped(self: Store, work: Any, begin: str = "") -> Any:
        wait()
        return run(self, work, begin)

    with patch.context() as patched:
        patched.setattr(Store, "run", stopped)
        yield
