"""What a process and all under it spend, looked at ten times a second -> processor seconds until any time."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import numpy as np
import psutil


class Meter:
    """``with Meter() as meter: …`` -> `meter.at(time)`: processor seconds of this process and all under it until then.

    Looks ten times a second, because engines end processes whose times nobody is told.
    """

    def __enter__(self) -> Meter:
        self._spent: dict[int, float] = {}
        self._looks: list[tuple[float, float]] = []
        self._look()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    def at(self, when: float) -> float:
        return float(np.interp(when, *zip(*self._looks, strict=True)))

    def _watch(self) -> None:
        while not self._done.wait(0.1):
            self._look()

    def _look(self) -> None:
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                self._spent[process.pid] = sum(process.cpu_times()[:2])
        self._looks.append((time.monotonic(), sum(self._spent.values())))
