"""Which request is sent when: at most so many at once, again after a fault, no two alike. Pure: it is told the time."""

from __future__ import annotations

import heapq
import json
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from caesura.checks import check_callable, check_int, check_number
from caesura.errors import ReplyError
from caesura_llm.conversation import Conversation, Reply, Request
from caesura_llm.report import Report

AGAIN = frozenset([408, 409, 425, 429])
"""Of the status codes under 500, those of a fault that may pass."""
OF_THE_REQUEST = frozenset([400, 413, 414, 422, 451])
"""The codes of what is wrong with one request: another may be answered."""
_PASSING = (
    "timeout", "connect", "protocolerror", "readerror", "writeerror", "ratelimit", "throttl", "unavailable",
    "overloaded",
)  # fmt: skip
"""What names of errors without a status hold, where they are of the wire."""
_REFUSING = ("lengthfinishreason", "contentfilter", "contextwindow", "contextoverflow", "refusal")
_SPENT = ("insufficient_quota", "billing_hard_limit_reached")


class Verdict(NamedTuple):
    """retry: the same again. reject: not this request, but the others. stop: no request will do better.

    after: seconds that the server asks to wait. all: it asks that of every request, not of this alone.
    """

    what: Literal["retry", "reject", "stop"]
    after: float | None = None
    all: bool = False


def judged(error: BaseException) -> Verdict:
    """An error that a client raised -> what to do. An error that is no fault of the wire or the request stops all."""
    if not isinstance(error, Exception):
        return Verdict("stop")
    names = " ".join(kind.__name__ for kind in type(error).__mro__).lower()
    status = _status(error)
    if status is not None:
        if _code(error) in _SPENT:
            return Verdict("stop")
        if status in AGAIN or status >= 500:
            return Verdict("retry", _after(error), status in (429, 503))
        if status in OF_THE_REQUEST:
            return Verdict("reject")
        return Verdict("stop")
    if isinstance(error, ReplyError) or any(name in names for name in _REFUSING):
        return Verdict("reject")
    passing = isinstance(error, (TimeoutError, ConnectionError, json.JSONDecodeError))
    if passing or any(name in names for name in _PASSING):
        return Verdict("retry", _after(error))
    return Verdict("stop")


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    told: Any = response.get("ResponseMetadata", {}) if isinstance(response, Mapping) else {}
    found = (
        getattr(error, "status_code", None),
        getattr(error, "status", None),
        getattr(error, "http_status", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
        told.get("HTTPStatusCode") if isinstance(told, Mapping) else None,
    )
    for one in found:
        if isinstance(one, int) and not isinstance(one, bool) and 400 <= one < 600:
            return int(one)
    return None


def _code(error: Exception) -> str:
    """What the server calls it, beside the status."""
    return str(getattr(error, "code", None) or getattr(error, "type", None) or "")


def _after(error: Exception) -> float | None:
    """Seconds, of the headers Retry-After (a number or a date) and retry-after-ms."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    if not hasattr(headers, "get"):
        return None
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0), ("Retry-After", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
            except (TypeError, ValueError):
                continue
        return max(0.0, seconds) if isfinite(seconds) else None
    return None


R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Pace:
    """How to ask.

    max_concurrency: requests in flight at once. max_retries: further calls for a request after faults that may pass:
    time-outs, lost connections, status 408, 409, 425, 429 and from 500 on. base, cap: seconds before the first retry,
    doubled for each further one up to the cap, of which a random share from a half to all is waited; what the server
    asks for in Retry-After is waited in full, by all requests with 429 and 503, unless it is over `patience` seconds:
    then the run ends with the error. timeout: seconds for one call; None: what the client has. max_streak: so many
    requests given up in a row, with no reply between, end the run with the last one's error.
    """

    max_concurrency: int = 8
    max_retries: int = 6
    base: float = 0.5
    cap: float = 30.0
    patience: float = 300.0
    timeout: float | None = 120.0
    max_streak: int = 10
    random: Callable[[], float] = field(default=random.random, repr=False)

    def __post_init__(self) -> None:
        check_int("max_concurrency", self.max_concurrency, 1)
        check_int("max_retries", self.max_retries, 0)
        check_int("max_streak", self.max_streak, 1)
        for name in ("base", "cap", "patience"):
            check_number(name, getattr(self, name), 0, 1e6)
        if self.timeout is not None:
            check_number("timeout", self.timeout, 0.001, 1e6)
        check_callable(self, "random")


@dataclass(slots=True, eq=False)
class Task:
    """One call: a request, and which attempt at it this is, from 0."""

    request: Request
    attempt: int = 0
    deadline: float = float("inf")


class Schedule(Generic[R]):
    """A conversation's requests, in time. The caller sends what `due` returns, and says what became of it.

    Errors that no retry helps are raised by `failed`, with a note; those of one request are given to the conversation.
    """

    def __init__(self, conversation: Conversation[R], pace: Pace, report: Report) -> None:
        self.conversation: Conversation[R] = conversation
        self.pace: Pace = pace
        self.report: Report = report
        self._known: set[int] = set()
        self._queue: deque[Task] = deque()
        self._later: list[tuple[float, int, Task]] = []
        self._flying: dict[str, Task] = {}
        self._twins: dict[str, list[Request]] = {}
        self._paused = 0.0
        self._streak = 0

    def due(self, now: float) -> list[Task]:
        """The calls to start now."""
        for request in self.conversation.pending():
            if request.number not in self._known:
                self._known.add(request.number)
                self._queue.append(Task(request))
        while self._later and self._later[0][0] <= now:
            self._queue.appendleft(heapq.heappop(self._later)[2])
        found: list[Task] = []
        while self._queue and now >= self._paused and len(self._flying) < self.pace.max_concurrency:
            task = self._queue.popleft()
            key = task.request.key
            if key in self._flying:
                self._twins.setdefault(key, []).append(task.request)
                self.report.shared += 1
                continue
            task.deadline = now + (self.pace.timeout or float("inf"))
            self._flying[key] = task
            found.append(task)
        return found

    def wait(self, now: float) -> float | None:
        """Seconds until there may be something to do, if nothing arrives; None: only an arrival brings it."""
        times = [task.deadline for task in self._flying.values()]
        if len(self._flying) < self.pace.max_concurrency:
            times += [max(self._paused, when) for when, _, _ in self._later[:1]]
            times += [self._paused] if self._queue else []
        earliest = min(times, default=float("inf"))
        return None if earliest == float("inf") else max(0.0, earliest - now)

    @property
    def done(self) -> bool:
        """Whether every request that there was is answered. `due` knows of new ones."""
        return not self._known

    def succeeded(self, task: Task, reply: Reply) -> None:
        """A reply came. One to a call that was given up is ignored: its retry finds it in the journal."""
        if self._landed(task):
            self._streak = 0
            for request in self._settled(task):
                self.conversation.accept(request, reply)

    def expired(self, now: float) -> list[Task]:
        """The calls whose time is over, counted as failed. The caller drops them."""
        found = [task for task in self._flying.values() if task.deadline <= now]
        for task in found:
            self.failed(task, TimeoutError(f"no reply within {self.pace.timeout:g} s"), now)
        return found

    def failed(self, task: Task, error: BaseException, now: float) -> None:
        """A call raised an error: it is made again later, or given up."""
        if not self._landed(task):
            return
        verdict = judged(error)
        if verdict.what == "retry" and task.attempt < self.pace.max_retries:
            if (verdict.after or 0) > self.pace.patience:
                error.add_note(f"the server asks to wait {verdict.after:g} s, over patience={self.pace.patience:g}")
                raise error
            delay = min(self.pace.cap, self.pace.base * 2.0 ** min(task.attempt, 60)) * (0.5 + self.pace.random() / 2)
            delay = max(delay, verdict.after or 0)
            if verdict.all and verdict.after:
                self._paused = max(self._paused, now + verdict.after)
            self.report.retries += 1
            self.report.retried[type(error).__name__] += 1
            again = Task(task.request, task.attempt + 1)
            heapq.heappush(self._later, (now + delay, task.request.number, again))
            return
        self._streak += 1
        if verdict.what == "stop" or (verdict.what == "retry" and self._streak >= self.pace.max_streak):
            error.add_note(f"raised by the client in attempt {task.attempt + 1} at request {task.request.number}")
            raise error
        for request in self._settled(task):
            self.conversation.reject(request, error)

    def _landed(self, task: Task) -> bool:
        if self._flying.get(task.request.key) is not task:
            return False
        del self._flying[task.request.key]
        return True

    def _settled(self, task: Task) -> list[Request]:
        """The request, and those that asked the same meanwhile."""
        key = task.request.key
        requests = [task.request, *self._twins.pop(key, ())]
        for request in requests:
            self._known.remove(request.number)
        return requests
