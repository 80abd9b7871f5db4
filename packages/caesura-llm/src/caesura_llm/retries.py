"""Retry policy for model requests: what an error means, how often and when to ask again, how many at once."""

from __future__ import annotations

import heapq
import json
import logging
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from caesura.checks import check_callable, check_int, check_number
from caesura.errors import ReplyError, SettingError
from caesura_llm.conversation import Conversation, Reply, Request, describe_failure
from caesura_llm.report import Report

R = TypeVar("R")
logger: logging.Logger = logging.getLogger(__name__)

RETRIED = frozenset([408, 409, 425, 429])
"""Status codes under 500 of faults that may pass."""
REJECTED = frozenset([400, 413, 414, 422, 451])
"""Status codes of a fault of one request. Another request may be answered."""
UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError, RecursionError)
"""Errors of a body that is no JSON, no UTF-8 or nested too deep. The next body may be whole."""
QUIET, REPEATED = 3.0, 10.0
"""Seconds without a reply, those of the next wait included, after which a warning says so, and says so again."""
_PASSING_NAMES = (
    "timeout", "connect", "protocolerror", "readerror", "writeerror", "ratelimit", "throttl", "unavailable",
    "overloaded",
)  # fmt: skip
"""Words in the names of connection errors without a status."""
_REFUSAL_NAMES = ("lengthfinishreason", "contentfilter", "contextwindow", "contextoverflow", "refusal")
_SPENT_CODES = ("insufficient_quota", "billing_hard_limit_reached")
_PASSING_CODES = ("server_error", "rate_limit_exceeded", "overloaded_error", "api_error")
"""Codes of faults that may pass, as servers send them in the middle of a stream whose status was 200."""
_REFUSED_NAMES = ("connecterror", "connectorerror", "connectionrefused", "gaierror", "newconnectionerror")


class Decision(NamedTuple):
    """retry: the same again. reject: not this request, but the others. stop: no request will do better.

    after: seconds that the server asks to wait. all: it asks that of every request, not of this alone.
    """

    what: Literal["retry", "reject", "stop"]
    after: float | None = None
    all: bool = False


def classify_error(error: BaseException) -> Decision:
    """An error that a client raised -> what to do. An error of neither the connection nor the request stops the run."""
    if not isinstance(error, Exception):
        return Decision("stop")
    names = " ".join(kind.__name__ for kind in type(error).__mro__).lower()
    status = _status(error)
    if status is not None:
        if _error_code(error) in _SPENT_CODES:
            return Decision("stop")
        if status in RETRIED or status >= 500:
            return Decision("retry", _retry_after(error), status in (429, 503))
        if status in REJECTED:
            return Decision("reject")
        return Decision("stop")
    if isinstance(error, ReplyError) or any(name in names for name in _REFUSAL_NAMES):
        return Decision("reject")
    if isinstance(error, (TimeoutError, ConnectionError, *UNREADABLE)) or any(name in names for name in _PASSING_NAMES):
        return Decision("retry", _retry_after(error))
    return Decision("retry" if _failed_in_stream(error) else "stop")


def _failed_in_stream(error: Exception) -> bool:
    """Whether a server said within a stream that it cannot go on: by a code, in the text of LangChain's ValueError, or
    as Ollama's client has it, by a status that is none."""
    said = str(error)[:200] if type(error) is ValueError else f"{_error_code(error)} {getattr(error, 'body', '')}"
    return getattr(error, "status_code", None) == -1 or any(code in said for code in _PASSING_CODES)


def is_refused_connection(error: BaseException | None) -> bool:
    """Whether an error, or what it was raised for, says that there is no server, or that it takes no connection."""
    for _ in range(20):  # a chain may be a circle
        names = " ".join(kind.__name__ for kind in type(error).__mro__).lower()
        if any(name in names for name in _REFUSED_NAMES):
            return True
        error = error and (error.__cause__ or error.__context__)
    return False


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    metadata: Any = response.get("ResponseMetadata", {}) if isinstance(response, Mapping) else {}
    candidates = (
        getattr(error, "status_code", None),
        getattr(error, "status", None),
        getattr(error, "http_status", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
        metadata.get("HTTPStatusCode") if isinstance(metadata, Mapping) else None,
    )
    for code in candidates:
        if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600:
            return int(code)
    return None


def _error_code(error: Exception) -> str:
    """The server's code of an error, beside the status."""
    return str(getattr(error, "code", None) or getattr(error, "type", None) or "")


def _retry_after(error: Exception) -> float | None:
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


@dataclass(frozen=True, slots=True)
class Pace:
    """The retry policy, and the number of requests at once.

    max_concurrency: the number of requests at once. max_retries: how often a request is sent again after a fault that
    may pass: a time-out, a lost connection, status 408, 409, 425, 429, or 500 and above. base: seconds before the first
    retry. Each further wait is twice as long, up to `cap`, and a random share of a half to all of it is waited. If the
    server says in Retry-After how long to wait, that is waited in full; after 429 and 503, by all requests. cap: the
    most seconds between two retries. patience: the most seconds that a server may ask to wait. If it asks for more, the
    run ends with the error. timeout: seconds for one call. None: what the client has. max_streak: if so many requests
    in a row are given up, with no reply between, the run ends with the error of the last. random: returns a number from
    0 to 1, from which the share is made.
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


def check_pace(pace: object) -> Pace:
    """Returns the pace. Raises `SettingError` unless it is a `Pace`."""
    if not isinstance(pace, Pace):
        raise SettingError(f"pace must be a Pace, as Pace(max_concurrency=3), got {pace!r:.80}")
    return pace


@dataclass(slots=True, eq=False)
class Task:
    """One call: a request, and which attempt at it this is, from 0."""

    request: Request
    attempt: int = 0
    deadline: float = float("inf")


class Scheduler(Generic[R]):
    """A conversation's requests, in time; it is told the time. The caller makes the calls that are `due`, and says what
    became of each by `accept` or `fail`.

    Errors that no retry helps are raised by `fail`, with a note; those of one request are given to the conversation. Of
    requests that ask the same, one is sent. While nothing but faults comes, warnings in the log say so.

    reached: whether the server has said something before. Until it has, a connection that is refused ends the run, with
    an error in the log; later it is a fault that may pass.
    """

    def __init__(self, conversation: Conversation[R], pace: Pace, report: Report, reached: bool = False) -> None:
        self._conversation, self._pace, self._report = conversation, pace, report
        self._open: set[int] = set()
        self._queue: deque[Task] = deque()
        self._later: list[tuple[float, int, Task]] = []
        self._in_flight: dict[str, Task] = {}
        self._twins: dict[str, list[Request]] = {}
        self._paused = 0.0
        self._streak = 0
        self._reached = reached
        self._silent: float | None = None  # since when there have been faults, and no reply
        self._warned = -float("inf")

    def due(self, now: float) -> list[Task]:
        """Returns the calls to start now."""
        for request in self._conversation.pending():
            if request.number not in self._open:
                self._open.add(request.number)
                self._queue.append(Task(request))
        while self._later and self._later[0][0] <= now:
            self._queue.appendleft(heapq.heappop(self._later)[2])
        tasks: list[Task] = []
        while self._queue and now >= self._paused and len(self._in_flight) < self._pace.max_concurrency:
            task = self._queue.popleft()
            key = task.request.key
            if key in self._in_flight:
                self._twins.setdefault(key, []).append(task.request)
                self._report.shared += 1
                continue
            task.deadline = now + (self._pace.timeout or float("inf"))
            self._in_flight[key] = task
            tasks.append(task)
        return tasks

    def wait(self, now: float) -> float | None:
        """Seconds until there may be something to do, if nothing arrives; None: only an arrival brings it."""
        times = [task.deadline for task in self._in_flight.values()]
        if len(self._in_flight) < self._pace.max_concurrency:
            times += [max(self._paused, when) for when, _, _ in self._later[:1]]
            times += [self._paused] if self._queue else []
        earliest = min(times, default=float("inf"))
        return None if earliest == float("inf") else max(0.0, earliest - now)

    def is_done(self) -> bool:
        """Returns whether every request is answered and the conversation has no more."""
        return not self._open and not self._conversation.pending()

    def accept(self, task: Task, reply: Reply) -> None:
        """Takes the reply of a call. It is ignored if the call was given up: the retry finds it in the journal."""
        if self._land(task):
            self._streak, self._reached = 0, True
            self._silent, self._warned = None, -float("inf")
            for request in self._close_requests(task):
                self._conversation.accept(request, reply)

    def expire(self, now: float) -> list[Task]:
        """Lets calls fail whose time is over, and returns them. The caller drops them."""
        late = [task for task in self._in_flight.values() if task.deadline <= now]
        for task in late:
            self.fail(task, TimeoutError(f"no reply within {self._pace.timeout:g} s"), now)
        return late

    def fail(self, task: Task, error: BaseException, now: float) -> None:
        """Takes the error of a call, which is made again later or given up."""
        if not self._land(task):
            return
        decision = classify_error(error)
        if not self._reached and is_refused_connection(error):
            logger.error("no server takes connections, nothing is asked again: %s", describe_failure(error))
            error.add_note(
                f"raised by the client at request {task.request.number}, before the server had said anything"
            )
            raise error
        self._reached = True
        if decision.what == "retry" and task.attempt < self._pace.max_retries:
            self._retry(task, error, decision, now)
            return
        self._streak += 1
        if decision.what == "stop" or (decision.what == "retry" and self._streak >= self._pace.max_streak):
            error.add_note(f"raised by the client in attempt {task.attempt + 1} at request {task.request.number}")
            raise error
        for request in self._close_requests(task):
            self._conversation.reject(request, error)

    def _retry(self, task: Task, error: BaseException, decision: Decision, now: float) -> None:
        """Queues the next attempt, or raises the error where the server asks to wait too long for it."""
        pace, after = self._pace, decision.after or 0
        if after > pace.patience:
            error.add_note(f"the server asks to wait {after:g} s, over patience={pace.patience:g}")
            raise error
        delay = min(pace.cap, pace.base * 2.0 ** min(task.attempt, 60)) * (0.5 + pace.random() / 2)
        if decision.all and after:
            self._paused = max(self._paused, now + after)
        self._report.retries += 1
        self._report.retried[type(error).__name__] += 1
        wait = max(delay, after)
        heapq.heappush(self._later, (now + wait, task.request.number, Task(task.request, task.attempt + 1)))
        self._silent = now if self._silent is None else self._silent
        if now + wait - self._silent >= QUIET and now - self._warned >= REPEATED:
            self._warned = now
            logger.warning(
                "no reply for %.0f s, asked again in %.0f s, at most %d times a request: %s",
                now - self._silent,
                wait,
                pace.max_retries,
                describe_failure(error),
            )

    def _land(self, task: Task) -> bool:
        """Removes a call from those in flight -> whether it was there."""
        if self._in_flight.get(task.request.key) is not task:
            return False
        del self._in_flight[task.request.key]
        return True

    def _close_requests(self, task: Task) -> list[Request]:
        """Closes the request and those that asked the same meanwhile -> these requests."""
        requests = [task.request, *self._twins.pop(task.request.key, ())]
        for request in requests:
            self._open.remove(request.number)
        return requests
