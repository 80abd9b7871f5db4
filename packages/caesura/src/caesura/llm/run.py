"""One run of a conversation: calls to start out; what became of each in, to the schedule, journal and report."""

from __future__ import annotations

import threading
import time
from typing import Generic, TypeVar

from caesura.errors import SettingError
from caesura.llm.conversation import Reply
from caesura.llm.journal import Journal
from caesura.llm.progress import Progress
from caesura.llm.report import Report
from caesura.llm.schedule import Schedule, Task

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
