"""Methods of others and an action in, the seconds that it took out, by what they were spent on."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from tables import Row

OURS = ("cutting", "rest")


class Clock:
    """Adds up seconds by what they were spent on; time inside an inner call is the inner one's.

    now: what tells the time; `time.process_time` counts what all threads of this process work.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self.now = now
        self.seconds: dict[str, float] = dict.fromkeys(OURS, 0.0)
        self.open: list[str] = ["rest"]
        self.since = self.now()

    def switch(self) -> None:
        """Gives the time since the last switch to what is going on."""
        now = self.now()
        self.seconds[self.open[-1]] += now - self.since
        self.since = now

    def around(self, owner: object, name: str, what: str) -> None:
        """Puts the clock around a method of a class, or a function of a module."""
        self.seconds.setdefault(what, 0.0)
        method: Callable[..., Any] = getattr(owner, name)

        @wraps(method)
        def timed(*args: Any, **kwargs: Any) -> Any:
            self.switch()
            self.open.append(what)
            try:
                return method(*args, **kwargs)
            finally:
                self.switch()
                self.open.pop()

        setattr(owner, name, timed)

    def measured(self, what: str, action: Callable[[], object], rows: Callable[[], int]) -> Row:
        """Does it -> a row: the rows that are stored then, seconds by what they were spent on, the share of ours."""
        self.seconds = dict.fromkeys(self.seconds, 0.0)
        self.since = self.now()
        action()
        self.switch()
        total = sum(self.seconds.values())
        row: Row = {"what": what, "rows": rows(), "seconds": total, **self.seconds}
        return row | {"cutting and rest, %": 100 * sum(self.seconds[name] for name in OURS) / total}
