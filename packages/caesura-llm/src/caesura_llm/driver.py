"""A conversation and a client in, results out in order: by threads, or on the event loop. Nothing that came is lost.

Each reply is in the journal before anyone sees it. Stopping early, by Ctrl-C, cancellation, an error or the end of a
`for` that reads `stream`, loses no more than the calls in flight.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from caesura.errors import SettingError
from caesura_llm.conversation import AsyncChat, Chat, Conversation, Reply
from caesura_llm.journal import Journal, Memory
from caesura_llm.report import Prices, Report
from caesura_llm.retries import Pace, Schedule, Task

Progress: TypeAlias = Callable[[int, int], object]
"""Called with the items finished and the items read so far, after each change."""


@contextmanager
def bar(description: str, shown: bool = True) -> Iterator[Progress | None]:
    """Gives what a `Driver` takes as progress while the bar is there; None where none is to be shown."""
    if not shown:
        yield None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        yield _line(description)
        sys.stderr.write("\n")
        return
    with tqdm(total=0, desc=description) as meter:

        def advance(finished: int, read: int) -> None:
            meter.total = read
            meter.update(finished - meter.n)

        yield advance


def _line(description: str) -> Progress:
    def advance(finished: int, read: int) -> Any:
        sys.stderr.write(f"\r{description}: {finished} of {read}")
        sys.stderr.flush()

    return advance


R = TypeVar("R")


class Run(Generic[R]):
    """A schedule, the clock, the journal and the report, where they meet. Calls may ask it in threads."""

    def __init__(self, schedule: Schedule[R], name: str, journal: Journal | None, progress: Progress | None) -> None:
        self.report: Report = schedule.report
        self._schedule, self._name, self._journal, self._progress = schedule, name, journal, progress
        self._begun = time.monotonic()
        self._lock = threading.Lock()
        self._told = (0, 0)

    def recalled(self, task: Task) -> Reply | None:
        """The journal's reply; without one the call is counted."""
        reply = None if self._journal is None else self._journal.get(self._name, task.request)
        with self._lock:
            self.report.journalled += reply is not None
            self.report.calls += reply is None
        return reply

    def paid(self, task: Task, reply: Reply) -> None:
        """Keeps a reply and counts its tokens."""
        with self._lock:
            self.report.input_tokens += reply.input_tokens
            self.report.output_tokens += reply.output_tokens
        if self._journal is not None:
            self._journal.put(self._name, task.request, reply)

    def due(self) -> list[Task]:
        return self._schedule.due(time.monotonic())

    def wait(self) -> float | None:
        return self._schedule.wait(time.monotonic())

    def expire(self) -> list[Task]:
        return self._schedule.expired(time.monotonic())

    def settle(self, task: Task, outcome: Reply | BaseException) -> None:
        if isinstance(outcome, BaseException):
            self._schedule.failed(task, outcome, time.monotonic())
        else:
            self._schedule.succeeded(task, outcome)

    def results(self) -> list[R]:
        """Those that are ready; brings report and progress up to date."""
        found = self._schedule.conversation.finished()
        self.tell()
        return found

    def tell(self) -> None:
        """Brings report and progress up to date."""
        tally = self._schedule.conversation.tally
        self.report.items, self.report.finished = tally.items, tally.finished
        self.report.repairs, self.report.dropped = tally.repairs, +tally.dropped
        self.report.failures = sorted(tally.failures, key=lambda one: one.item)
        self.report.seconds = time.monotonic() - self._begun
        told = (tally.finished, tally.items)
        if self._progress is not None and told != self._told:
            self._told = told
            self._progress(*told)

    def ended(self) -> bool:
        return self._schedule.done and not self._schedule.conversation.pending()


def named(client: object, journal: object) -> str:
    """A client's name for the journal. Raises `SettingError` where there is a journal and no name."""
    name = getattr(client, "name", None)
    if journal is not None and not (isinstance(name, str) and name):
        raise SettingError(
            "a client whose replies are journalled must have a `name`: the model and every option that changes its "
            f"replies, got {name!r} of {client!r:.80}"
        )
    return name if isinstance(name, str) else ""


@dataclass(frozen=True, slots=True)
class Driver:
    """How a conversation is driven. One may drive many, at once too.

    journal: where replies are kept and found again; the client then needs a `name`. prices: for the report's cost.

    Calls raise what the client raises where no retry helps, and `ReplyError` where an item fails and is not kept.
    """

    pace: Pace = field(default_factory=Pace)
    journal: Journal | None = None
    prices: Prices | tuple[float, ...] | None = None
    progress: Progress | None = None

    def report(self) -> Report:
        """A new report, to pass to `stream`."""
        return Report(self.prices)

    def run(self, conversation: Conversation[R], client: Chat) -> tuple[list[R], Report]:
        """All results, and what they cost."""
        report = self.report()
        return list(self.stream(conversation, client, report)), report

    async def arun(self, conversation: Conversation[R], client: AsyncChat) -> tuple[list[R], Report]:
        """`run`, with a client that is awaited."""
        report = self.report()
        return [one async for one in self.astream(conversation, client, report)], report

    def stream(self, conversation: Conversation[R], client: Chat, report: Report | None = None) -> Iterator[R]:
        """Yields each result when it and all before it are there. A call runs in a thread, in the caller's context."""
        run = self._run(conversation, client, report)
        box: queue.SimpleQueue[tuple[Task, Any]] = queue.SimpleQueue()

        def call(task: Task) -> None:
            try:
                reply: Any = run.recalled(task)
                if reply is None:
                    reply = client(task.request)
                    run.paid(task, reply)
            except BaseException as error:
                reply = error
            box.put((task, reply))

        try:
            while True:
                for task in run.due():
                    thread = threading.Thread(target=contextvars.copy_context().run, args=(call, task), daemon=True)
                    thread.start()
                yield from run.results()
                if run.ended():
                    return
                try:
                    run.settle(*box.get(timeout=run.wait()))
                    while True:
                        run.settle(*box.get_nowait())
                except queue.Empty:
                    run.expire()
        finally:
            run.tell()

    async def astream(
        self, conversation: Conversation[R], client: AsyncChat, report: Report | None = None
    ) -> AsyncIterator[R]:
        """`stream`, with a client that is awaited, as tasks of the running loop; the journal is used in threads."""
        run = self._run(conversation, client, report)
        calls: dict[asyncio.Task[Reply], Task] = {}

        async def call(task: Task) -> Reply:
            reply = await asyncio.to_thread(run.recalled, task) if self.journal else run.recalled(task)
            if reply is None:
                reply = await client(task.request)
                if self.journal:
                    await _through(asyncio.to_thread(run.paid, task, reply))
                else:
                    run.paid(task, reply)
            return reply

        try:
            while True:
                calls.update((asyncio.create_task(call(task)), task) for task in run.due())
                for result in run.results():
                    yield result
                if run.ended():
                    return
                wait = run.wait()
                if not calls:
                    await asyncio.sleep(wait or 0)
                    continue
                done, _ = await asyncio.wait(calls, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                for ready in done:
                    run.settle(calls.pop(ready), _outcome(ready))
                late = set(run.expire())
                for ready in [ready for ready, task in calls.items() if task in late]:
                    del calls[ready]
                    ready.cancel()
        finally:
            run.tell()
            for ready in calls:
                ready.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    def _run(self, conversation: Conversation[R], client: object, report: Report | None) -> Run[R]:
        report = self.report() if report is None else report
        return Run(Schedule(conversation, self.pace, report), named(client, self.journal), self.journal, self.progress)


async def _through(work: Coroutine[Any, Any, None]) -> None:
    """Awaits it to its end, and is cancelled only then: what has arrived is kept."""
    doing = asyncio.ensure_future(work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def _outcome(ready: asyncio.Task[Reply]) -> Any:
    if ready.cancelled():
        return asyncio.CancelledError("the client's call was cancelled")
    return ready.exception() or ready.result()


@dataclass(frozen=True, slots=True)
class HostRun:
    """How the conversations of a run are driven, and the report that adds them up."""

    report: Report
    pace: Pace
    prices: Prices | None
    show_progress: bool

    @contextmanager
    def of(self, journal: Journal, name: str, doing: str) -> Iterator[tuple[Driver, Report]]:
        """Gives what drives a conversation, and the report to fill. name: the client's. doing: what a bar calls it.

        Where replies are kept in memory alone, those that led to failures are not: the next run asks again.
        """
        own = Report(self.prices)
        try:
            with bar(doing, self.show_progress) as progress:
                yield Driver(self.pace, journal, self.prices, progress), own
        finally:
            self.report.include(own)
            if isinstance(journal, Memory):
                journal.forget(name, own.failures)
