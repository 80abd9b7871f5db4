"""Forks at the worst moment: a signal comes while the fork waits for a lock that another thread has."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType


def fork_interrupted(hold: Callable[[Callable[[], None]], object], use: Callable[[], object]) -> int:
    """Returns how a child ended that calls `use`: 0, or less than 0 where it waited for ever.

    hold: calls what it is given, with the lock held. use: takes the lock for a moment. Python ignores the exception
    that the handler raises in the fork, so that the lock is not taken before it.
    """
    waiting, held, forked, main = False, threading.Event(), threading.Event(), threading.get_ident()

    def interrupt(_: int, frame: FrameType | None) -> None:
        nonlocal waiting
        if waiting and frame is not None and frame.f_code is fork_interrupted.__code__:
            waiting = False
            raise KeyboardInterrupt

    def wait() -> None:
        held.set()
        while not forked.wait(0.02):
            signal.pthread_kill(main, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, interrupt)
    holder = threading.Thread(target=hold, args=(wait,), daemon=True)
    holder.start()
    assert held.wait(60)
    child = -1
    while child < 0:
        try:
            waiting = True
            child = os.fork()
        except KeyboardInterrupt:  # before the fork
            continue
    forked.set()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
            use()
            os._exit(0)
        finally:
            os._exit(1)
    holder.join(60)
    signal.signal(signal.SIGUSR1, before)
    after = threading.Thread(target=use, daemon=True)
    after.start()
    after.join(60)
    assert not after.is_alive(), "the parent has the lock for ever"
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
