"""Driver: asks any client what a conversation asks, in threads or on the event loop; results come out in order.

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
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypedDict, TypeVar, Unpack

from caesura.checks import check_callable, check_names
from caesura.errors import SettingError
from caesura.sansio import finish
from caesura_llm.conversation import AsyncChat, Chat, Conversation, Reply, check_reply
from caesura_llm.journal import Journal, Memory
from caesura_llm.report import Prices, Report, as_prices
from caesura_llm.retries import Pace, Scheduler, Task, check_pace

R = TypeVar("R")
Progress: TypeAlias = Callable[[int, int], object]
"""A function that is called after each change, with the number of items finished and the number read so far."""


class Options(TypedDict, total=False):
    """The options of one run.

    `journal` is where replies are kept and found again.

    `report` is the one to add to. None: a new one.

    `name` is what the client is called in the journal: its model and every option that changes its replies. None: the
    client's own ``name``.
    """

    journal: Journal | None
    report: Report | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Driver:
    """Runs conversations. One driver may run several at the same time.

    pace: how many requests at once, and when one is sent again. prices: for the cost in new reports. progress: called
    as items are finished. reached: whether the server has answered in an earlier run; it has where the report of a run
    has calls already.

    If a server refuses connections from the first call on, the run ends at once with the client's own error, and the
    log has an error. If it refuses them later, it may be back soon, and is asked again. If all calls fail for some
    seconds, the log has a warning that says why, and another every 10 s.

    Raises `SettingError` for a setting that cannot be used.
    """

    pace: Pace = field(default_factory=Pace)
    prices: Prices | tuple[float, ...] | None = None
    progress: Progress | None = None
    reached: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.pace, Pace):
            check_pace(self.pace)
        if self.prices is not None:
            as_prices(self.prices)
        if self.progress is not None:
            check_callable(self, "progress")

    def run(self, conversation: Conversation[R], client: Chat, **options: Unpack[Options]) -> tuple[list[R], Report]:
        """Returns all results and the report of what they cost.

        Raises what the client raises if no retry helps, `ReplyError` if an item fails and the conversation does not
        keep failures, `SettingError` for a client that has a journal and no name or returns no `Reply`, and what the
        journal raises.
        """
        options["report"] = report = self._report(options)
        return list(self.stream(conversation, client, **options)), report

    async def arun(
        self, conversation: Conversation[R], client: AsyncChat, **options: Unpack[Options]
    ) -> tuple[list[R], Report]:
        """`run`, with a client that is awaited."""
        options["report"] = report = self._report(options)
        return [result async for result in self.astream(conversation, client, **options)], report

    def stream(self, conversation: Conversation[R], client: Chat, **options: Unpack[Options]) -> Iterator[R]:
        """Yields each result when it and all before it are there. A call runs in a thread, in the caller's context.

        Raises as `run` does, after it has yielded the results that were there before.
        """
        run = _Run(self, conversation, client, self._report(options), options)
        scheduler = run.scheduler
        outcomes: queue.SimpleQueue[tuple[Task, Any]] = queue.SimpleQueue()

        def call(task: Task) -> None:
            try:
                outcome: Any = run.recall(task)
                if outcome is None:
                    outcome = client(task.request)
                    run.keep(task, outcome)
            except BaseException as error:
                outcome = error
            outcomes.put((task, outcome))

        try:
            while True:
                for task in scheduler.due(time.monotonic()):
                    thread = threading.Thread(target=contextvars.copy_context().run, args=(call, task), daemon=True)
                    thread.start()
                yield from run.results()
                if scheduler.is_done():
                    return
                try:
                    run.settle(*outcomes.get(timeout=scheduler.wait(time.monotonic())))
                    while True:
                        run.settle(*outcomes.get_nowait())
                except queue.Empty:
                    scheduler.expire(time.monotonic())
        finally:
            run.close()

    async def astream(
        self, conversation: Conversation[R], client: AsyncChat, **options: Unpack[Options]
    ) -> AsyncGenerator[R]:
        """`stream`, with a client that is awaited, as tasks of the running loop; the journal is used in threads."""
        run = _Run(self, conversation, client, self._report(options), options)
        scheduler = run.scheduler
        calls: dict[asyncio.Task[Reply], Task] = {}

        async def call(task: Task) -> Reply:
            reply = run.recall(task) if run.journal is None else await asyncio.to_thread(run.recall, task)
            if reply is None:
                reply = await client(task.request)
                if run.journal is None:
                    run.keep(task, reply)
                else:
                    await finish(asyncio.to_thread(run.keep, task, reply))
            return reply

        try:
            while True:
                calls.update((asyncio.create_task(call(task)), task) for task in scheduler.due(time.monotonic()))
                for result in run.results():
                    yield result
                if scheduler.is_done():
                    return
                wait = scheduler.wait(time.monotonic())
                if not calls:
                    await asyncio.sleep(wait or 0)
                    continue
                done, _ = await asyncio.wait(calls, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                for ready in done:
                    run.settle(calls.pop(ready), _outcome(ready))
                late = set(scheduler.expire(time.monotonic()))
                for ready in [ready for ready, task in calls.items() if task in late]:
                    del calls[ready]
                    ready.cancel()
        finally:
            run.close()
            for ready in calls:
                ready.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    def _report(self, options: Options) -> Report:
        """The report of a run, a new one where none is given. Raises `SettingError` for an option that there is not."""
        if not options.keys() <= Options.__annotations__.keys():
            check_names("a run of Driver", options, Options.__annotations__)
        report = options.get("report")
        return Report(self.prices) if report is None else report


def client_name(client: object, journal: object, name: str | None = None) -> str:
    """A client's name for the journal. Raises `SettingError` where there is a journal and no name."""
    name = getattr(client, "name", None) if name is None else name
    if journal is not None and not (isinstance(name, str) and name):
        raise SettingError(
            "a client whose replies are journalled must have a `name`: the model and every option that changes its "
            f"replies, got {name!r} of {client!r:.80}"
        )
    return name if isinstance(name, str) else ""


class _Run(Generic[R]):
    """One run of a conversation: its scheduler, journal and report. Threads may use it."""

    def __init__(
        self,
        driver: Driver,
        conversation: Conversation[R],
        client: object,
        report: Report,
        options: Options,
    ) -> None:
        self.report: Report = report
        self.journal: Journal | None = options.get("journal")
        self._name = client_name(client, self.journal, options.get("name"))
        self._conversation, self._progress = conversation, driver.progress
        self._before = copy(report)  # whose lists and counts are replaced, not changed
        reached = driver.reached or report.calls > 0
        self.scheduler: Scheduler[R] = Scheduler(conversation, driver.pace, report, reached)
        self._begun = time.monotonic()
        self._lock = threading.Lock()
        self._told = (0, 0)

    def recall(self, task: Task) -> Reply | None:
        """Returns the journal's reply; counts a call where there is none."""
        reply = None if self.journal is None else self.journal.get(self._name, task.request)
        with self._lock:
            self.report.journalled += reply is not None
            self.report.calls += reply is None
        return reply

    def keep(self, task: Task, reply: Reply) -> None:
        """Journals a reply and counts its tokens, once it is known to be one. Raises as `check_reply` does."""
        check_reply(reply)
        with self._lock:
            self.report.input_tokens += reply.input_tokens
            self.report.output_tokens += reply.output_tokens
            self.report.cached_tokens += reply.cached_tokens
        if self.journal is not None:
            self.journal.put(self._name, task.request, reply)

    def settle(self, task: Task, outcome: Reply | BaseException) -> None:
        """Gives the scheduler the reply or the error of a call."""
        if isinstance(outcome, BaseException):
            self.scheduler.fail(task, outcome, time.monotonic())
        else:
            self.scheduler.accept(task, outcome)

    def results(self) -> list[R]:
        """Updates report and progress, and returns the results that are ready."""
        self._update_report()
        return self._conversation.finished()

    def close(self) -> None:
        """Updates report and progress, and deletes from a `Memory` the replies that led to failures."""
        self._update_report()
        failures = self._conversation.tally.failures
        if failures and isinstance(self.journal, Memory):
            self.journal.forget(self._name, failures)

    def _update_report(self) -> None:
        report, before, tally = self.report, self._before, self._conversation.tally
        report.items, report.finished = before.items + tally.items, before.finished + tally.finished
        report.repairs, report.dropped = before.repairs + tally.repairs, before.dropped + tally.dropped
        report.failures = before.failures + sorted(tally.failures, key=lambda failure: failure.item)
        report.seconds = before.seconds + time.monotonic() - self._begun
        counts = (tally.finished, tally.items)
        if self._progress is not None and counts != self._told:
            self._told = counts
            self._progress(*counts)


def _outcome(ready: asyncio.Task[Reply]) -> Any:
    if ready.cancelled():
        return asyncio.CancelledError("the client's call was cancelled")
    return ready.exception() or ready.result()


@contextmanager
def bar(description: str) -> Iterator[Progress]:
    """Gives what a `Driver` takes as progress while the bar is there."""
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
