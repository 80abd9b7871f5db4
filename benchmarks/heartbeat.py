"""Whether the event loop goes on while documents are split, indexed and searched: the latest beat of every async door.

    python benchmarks/heartbeat.py [--megabytes 5] [--documents 25] [--doors aadd,acall] [--culprits] [--unfrozen]

Each door is awaited in an event loop in which a heart beats every 10 ms. "latest" is how late its latest beat was, in
milliseconds, and "of ours" how much of that this process was at work: the rest of a late beat is the machine's, which
did something else. "in the loop" is the most that the event loop's own thread worked between two beats, in milliseconds
of CPU: what is above it, of ours, was another thread's that kept Python's lock. "twin" is the latest beat of another
process meanwhile, which does nothing else: so late the machine alone makes a beat. "idle" is the latest beat where
nothing is done. A beat may be 50 ms late. What was made before is
frozen, `gc.freeze()`, as a server does once it is ready: else the collector of garbage looks through both frameworks,
some 150 ms at a time, in which no thread goes on. --unfrozen leaves it so.

--culprits says for each beat that is later than `LATE` what the threads were doing then, by file and line.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import heartbeat_doors
from tables import Row, Table

PERIOD = 0.01
"""Seconds between two beats."""
LATE = 0.03
"""Seconds by which a beat is late where its culprits are asked for."""
MOST = 50
"""Milliseconds by which a beat may be late."""
TWIN = f"""
import sys, threading, time
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set())).start()
print(flush=True)
latest = 0.0
while not stop.is_set():
    due = time.perf_counter() + {PERIOD}
    time.sleep({PERIOD})
    latest = max(latest, time.perf_counter() - due)
print(latest)
"""
"""The program of a process in which a heart beats alone, until its input ends."""


class Heart:
    """Beats in the running event loop, and keeps how late its latest beat was."""

    def __init__(self, culprits: Counter[str] | None = None) -> None:
        """culprits: where what the threads do at a late beat is counted."""
        self.beats: int = 0
        self.latest: float = 0.0
        """In seconds."""
        self.latest_of_ours: float = 0.0
        """Of these, seconds in which this process was at work."""
        self.longest: float = 0.0
        """Seconds of CPU that the loop's thread took at most between two beats."""
        self.due: float = float("inf")
        """When the next beat is to be."""
        self.culprits = culprits

    async def beat(self) -> None:
        """Beats until it is cancelled."""
        while True:
            worked, looped = time.process_time(), time.thread_time()
            self.due = time.perf_counter() + PERIOD
            await asyncio.sleep(PERIOD)
            late = time.perf_counter() - self.due
            self.beats += 1
            self.latest = max(self.latest, late)
            self.latest_of_ours = max(self.latest_of_ours, min(late, time.process_time() - worked))
            self.longest = max(self.longest, time.thread_time() - looped)

    def watch(self, loop_thread: int, stop: threading.Event) -> None:
        """Looks, from a thread of its own, what all threads do at a late beat."""
        while not stop.wait(PERIOD / 4):
            if self.culprits is None or time.perf_counter() < self.due + LATE:
                continue
            own = threading.get_ident()
            for thread, frame in list(sys._current_frames().items()):
                if thread != own:
                    self.culprits[("loop   " if thread == loop_thread else "thread ") + _place(frame)] += 1
            due = self.due
            while self.due == due and not stop.is_set():
                time.sleep(PERIOD / 4)


def _place(frame: Any) -> str:
    """The innermost lines of a stack."""
    lines = traceback.extract_stack(frame)[-6:]
    return " < ".join(f"{'/'.join(line.filename.split('/')[-2:])}:{line.lineno} {line.name}" for line in lines[::-1])


@contextmanager
def _twin(row: Row) -> Iterator[None]:
    """Lets a heart beat in another process, and puts into the row how late its latest beat was."""
    with subprocess.Popen([sys.executable, "-c", TWIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as twin:
        assert twin.stdout is not None
        twin.stdout.readline()
        try:
            yield
        finally:
            row["twin, ms"] = 1000 * float(twin.communicate()[0])


@contextmanager
def _collections(culprits: Counter[str] | None) -> Any:
    """Counts the collections of garbage that take longer than a beat may be late."""
    begun = [0.0]

    def look(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            begun[0] = time.perf_counter()
        elif culprits is not None and time.perf_counter() - begun[0] > LATE:
            culprits[f"collector of garbage, generation {about['generation']}"] += 1

    gc.callbacks.append(look)
    try:
        yield
    finally:
        gc.callbacks.remove(look)


async def measure(work: Callable[[], Awaitable[Any]], culprits: Counter[str] | None = None) -> Row:
    """Awaits work while the heart beats -> seconds, beats, and how late the latest was."""
    heart, stop = Heart(culprits), threading.Event()
    row: Row = {}
    with _twin(row):
        beating = asyncio.create_task(heart.beat())
        watching = threading.Thread(target=heart.watch, args=(threading.get_ident(), stop), daemon=True)
        watching.start()
        await asyncio.sleep(PERIOD)
        begun = time.perf_counter()
        try:
            with _collections(culprits):
                await work()
                seconds = time.perf_counter() - begun
                await asyncio.sleep(2 * PERIOD)  # so that the beat comes that the end of the work kept up
        finally:
            stop.set()
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
            watching.join()
    return {
        "seconds": seconds,
        "beats": heart.beats,
        "latest, ms": 1000 * heart.latest,
        "of ours, ms": 1000 * heart.latest_of_ours,
        "in the loop, ms": 1000 * heart.longest,
        **row,
    }


def main() -> None:
    """Reads the command line, measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--documents", type=int, default=25)
    parser.add_argument("--doors", default="", help="those whose names have one of these words")
    parser.add_argument("--culprits", action="store_true")
    parser.add_argument("--unfrozen", action="store_true", help="let the collector look through what was loaded before")
    options = parser.parse_args()
    texts = heartbeat_doors.make_texts(options.megabytes, options.documents)
    table = Table(f"{options.megabytes:g} MB in {options.documents} documents: the latest beat of a heart of 10 ms")
    table.rows.append({"door": "idle", **asyncio.run(measure(lambda: asyncio.sleep(2)))})
    for name, door in heartbeat_doors.DOORS.items():
        if not any(word in name for word in options.doors.split(",")):
            continue
        culprits = Counter[str]() if options.culprits else None
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            row = asyncio.run(measure_door(door, texts, folder, culprits, not options.unfrozen))
        table.rows.append({"door": name, **row})
        print(table.rows[-1], flush=True)
        for culprit, times in (culprits or Counter()).most_common(12):
            print(f"  {times:4} {culprit}", flush=True)
    late = [str(row["door"]) for row in table.rows if float(str(row["of ours, ms"])) > MOST]
    table.notes.append(f"later than {MOST} ms by our own work: {', '.join(late) or 'none'}")
    print(table.markdown())


async def measure_door(
    door: heartbeat_doors.Door, texts: list[str], folder: str, culprits: Counter[str] | None, freezes: bool
) -> Row:
    """Prepares a door, which is not measured, and measures it. freezes: what is there then."""
    work = await door(texts, folder)
    gc.collect()
    if freezes:
        gc.freeze()
    try:
        return await measure(work, culprits)
    finally:
        gc.unfreeze()


if __name__ == "__main__":
    main()
