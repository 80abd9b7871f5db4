"""A conversation and a client in, results out in order: by threads, or on the event loop. Nothing that came is lost.

Each reply is in the journal before anyone sees it. Stopping early, by Ctrl-C, cancellation, an error or the end of a
`for` that reads `stream`, loses no more than the calls in flight.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from caesura.llm.conversation import AsyncChat, Chat, Conversation, Reply
from caesura.llm.journal import Journal
from caesura.llm.progress import Progress
from caesura.llm.report import Prices, Report
from caesura.llm.run import Run, named
from caesura.llm.schedule import Pace, Schedule, Task

R = TypeVar("R")


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
