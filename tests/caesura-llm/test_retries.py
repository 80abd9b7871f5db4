"""When what is sent: told the time, never waiting, so that every pause can be named exactly."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from fakes.servers.conversations import model, passages
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ReplyError, SettingError
from caesura_llm.driver import Driver, client_name
from caesura_llm.propositions import PassageResult, Propositions
from caesura_llm.report import Prices, Report
from caesura_llm.retries import Pace, Scheduler, Task, classify_error


class Status(Exception):  # noqa: N818
    """What clients raise: a status code, and headers on the response."""

    def __init__(self, status: int, headers: dict[str, str] | None = None, code: str | None = None) -> None:
        super().__init__(f"status {status}")
        self.status_code, self.code = status, code
        self.response = type("Response", (), {"headers": headers or {}})()


def started(count: int, budget: int = 1, **settings: Any) -> tuple[Scheduler[PassageResult], Propositions, Report]:
    conversation, report = Propositions(passages(count), budget=budget, on_failure="keep"), Report()
    return Scheduler(conversation, Pace(**{"random": lambda: 1.0, **settings}), report), conversation, report


def answer(scheduler: Scheduler[PassageResult], tasks: list[Task]) -> None:
    for task in tasks:
        scheduler.accept(task, model(task.request))


def test_no_more_are_in_flight_than_allowed() -> None:
    scheduler, conversation, _ = started(10, max_concurrency=3)
    first = scheduler.due(0)
    assert len(first) == 3
    assert scheduler.due(1) == []
    answer(scheduler, first[:2])
    assert len(scheduler.due(2)) == 2
    assert not scheduler.is_done()
    assert len(conversation.finished()) == 2


def test_waits_double_up_to_the_cap_and_then_it_is_given_up() -> None:
    scheduler, conversation, report = started(1, max_retries=4, base=1, cap=5)
    now, waits = 0.0, []
    for _ in range(4):
        (task,) = scheduler.due(now)
        scheduler.fail(task, Status(500), now)
        assert scheduler.due(now) == []
        waits.append(scheduler.wait(now))
        now += waits[-1] or 0
    assert waits == [1, 2, 4, 5]
    (task,) = scheduler.due(now)
    scheduler.fail(task, Status(500), now)
    (found,) = conversation.finished()
    assert found.failure is not None
    assert "status 500" in found.failure.reason
    assert scheduler.is_done()
    assert report.retries == 4
    assert report.retried == {"Status": 4}


@pytest.mark.parametrize(("chance", "wait"), [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)])
def test_chance_spreads_waits_over_the_upper_half(chance: float, wait: float) -> None:
    scheduler, _, _ = started(1, base=2, random=lambda: chance)
    scheduler.fail(scheduler.due(0)[0], ConnectionError(), 0)
    assert scheduler.wait(0) == wait


@pytest.mark.parametrize(
    "headers", [{"retry-after": "7"}, {"Retry-After": "7.0"}, {"retry-after-ms": "7000", "retry-after": "60"}]
)
def test_what_the_server_asks_for_is_waited_by_all(headers: dict[str, str]) -> None:
    scheduler, _, _ = started(10, max_concurrency=2, base=0.1)
    first, second = scheduler.due(0)
    scheduler.fail(first, Status(429, headers), 0)
    answer(scheduler, [second])
    assert scheduler.due(6.9) == []
    assert scheduler.wait(5) == 2
    assert [task.attempt for task in scheduler.due(7)] == [1, 0]


def test_retry_after_may_be_a_date() -> None:
    when = datetime.now(UTC) + timedelta(seconds=100)
    after = classify_error(Status(503, {"retry-after": format_datetime(when, usegmt=True)})).after
    assert after is not None
    assert 90 < after <= 100
    assert classify_error(Status(503, {"retry-after": "soon"})).after is None
    assert classify_error(Status(503, {"retry-after": format_datetime(when - timedelta(days=1))})).after == 0


def test_a_wait_beyond_patience_ends_the_run_with_the_error() -> None:
    scheduler, _, _ = started(1, patience=60)
    with pytest.raises(Status) as caught:
        scheduler.fail(scheduler.due(0)[0], Status(429, {"retry-after": "3600"}), 0)
    assert "3600 s, over patience=60" in caught.value.__notes__[0]


def test_a_call_that_takes_too_long_is_made_again_and_its_late_reply_ignored() -> None:
    scheduler, conversation, report = started(1, timeout=10, base=1)
    (task,) = scheduler.due(0)
    assert scheduler.wait(4) == 6
    assert scheduler.expire(9.9) == []
    assert scheduler.expire(10) == [task]
    scheduler.accept(task, model(task.request))
    assert conversation.finished() == []
    assert report.retried == {"TimeoutError": 1}
    answer(scheduler, scheduler.due(11))
    assert len(conversation.finished()) == 1


def test_requests_that_ask_the_same_are_one_call() -> None:
    same = passages(1) * 5
    conversation, report = Propositions(same, budget=1), Report()
    scheduler = Scheduler(conversation, Pace(), report)
    (task,) = scheduler.due(0)
    answer(scheduler, [task])
    assert [len(each.propositions) for each in conversation.finished()] == [2] * 5
    assert scheduler.is_done()
    assert report.shared == 4


def test_the_same_is_rejected_for_all_that_ask_it() -> None:
    conversation = Propositions(passages(1) * 3, budget=1, on_failure="keep")
    scheduler = Scheduler(conversation, Pace(), Report())
    scheduler.fail(scheduler.due(0)[0], Status(400), 0)
    assert [each.failure is None for each in conversation.finished()] == [False] * 3


def test_a_server_that_is_gone_is_not_asked_for_every_passage() -> None:
    scheduler, conversation, _ = started(100, max_retries=0, max_streak=5, max_concurrency=1)
    for _ in range(4):
        scheduler.fail(scheduler.due(0)[0], ConnectionError("down"), 0)
    with pytest.raises(ConnectionError, match="down"):
        scheduler.fail(scheduler.due(0)[0], ConnectionError("down"), 0)
    assert len(conversation.tally.failures) == 4


def test_a_reply_between_failures_ends_the_streak() -> None:
    scheduler, conversation, _ = started(100, max_retries=0, max_streak=2, max_concurrency=1)
    for _ in range(20):
        scheduler.fail(scheduler.due(0)[0], ConnectionError("down"), 0)
        answer(scheduler, scheduler.due(0))
    assert len(conversation.tally.failures) == 20


def test_a_server_that_keeps_refusing_is_named_after_the_first_seconds_and_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scheduler, conversation, report = started(4, max_retries=6, base=0.5, cap=30, max_streak=99)
    now, said = 0.0, []
    while not scheduler.is_done():
        before = len(caplog.records)
        for task in scheduler.due(now):
            scheduler.fail(task, Status(429), now)
        new = [record for record in caplog.records[before:] if record.name == "caesura_llm.retries"]
        said += [(now, record.levelname, record.getMessage()) for record in new]
        now += scheduler.wait(now) or 0
    assert report.retries == 24
    asked = "at most 6 times a request: Status: status 429"
    assert said == [  # the waits are 0.5, 1, 2, 4, 8 and 16 s
        (1.5, "WARNING", f"no reply for 2 s, asked again in 2 s, {asked}"),
        (15.5, "WARNING", f"no reply for 16 s, asked again in 16 s, {asked}"),
    ]
    assert len(conversation.tally.failures) == 4


@pytest.mark.thorough
@given(st.lists(st.sampled_from(["reply", "fault", "late"]), max_size=60))
def test_no_fault_is_told_while_replies_come_and_none_lasts_untold(what: list[str]) -> None:
    scheduler, _, _ = started(100, max_retries=9, base=1, cap=1, max_streak=999, max_concurrency=1)
    said, handler = list[str](), logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("caesura_llm.retries")
    logger.addHandler(handler)
    now = since = 0.0
    silent = told = False
    try:
        for one in what:
            tasks = scheduler.due(now)
            if not tasks:
                now += scheduler.wait(now) or 0
                continue
            now += 10 if one == "late" else 0
            if one == "reply":
                answer(scheduler, tasks)
                silent = told = False
                continue
            since, silent = (since, True) if silent else (now, True)
            before = len(said)
            scheduler.fail(tasks[0], Status(500), now)
            told = told or len(said) > before
            assert told == (now + 1 - since >= 3)
    finally:
        logger.removeHandler(handler)


@pytest.mark.parametrize("error", [Status(401), Status(404), Status(429, code="insufficient_quota"), KeyError("x")])
def test_what_no_retry_helps_is_raised_at_once(error: Exception) -> None:
    scheduler, _, report = started(5)
    with pytest.raises(type(error)) as caught:
        scheduler.fail(scheduler.due(0)[0], error, 0)
    assert caught.value is error
    assert "attempt 1" in caught.value.__notes__[0]
    assert report.retries == 0


def kind(name: str, base: type[Exception] = Exception) -> Exception:
    """An error of a library that is not installed: all that is known is its name."""
    return type(name, (base,), {})()


@pytest.mark.parametrize(
    ("error", "what"),
    [
        *((Status(status), "retry") for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        *((Status(status), "reject") for status in (400, 413, 422)),
        *((Status(status), "stop") for status in (401, 402, 403, 404)),
        (TimeoutError(), "retry"),
        (ConnectionResetError(), "retry"),
        (kind("APIConnectionError"), "retry"),
        (kind("ReadTimeout"), "retry"),
        (kind("RemoteProtocolError"), "retry"),
        (kind("ServiceUnavailable"), "retry"),
        (kind("ThrottlingException"), "retry"),
        (json.JSONDecodeError("x", "y", 0), "retry"),
        (kind("LengthFinishReasonError"), "reject"),
        (ReplyError("x"), "reject"),
        (TypeError("x"), "stop"),
        (ValueError("x"), "stop"),
        (KeyboardInterrupt(), "stop"),
    ],
    ids=repr,
)
def test_errors_are_told_by_status_or_name(error: BaseException, what: str) -> None:
    assert classify_error(error).what == what


def test_a_status_is_found_where_other_libraries_have_it() -> None:
    for name in ("status", "code", "http_status"):
        error = Exception()
        setattr(error, name, 503)
        assert classify_error(error).what == "retry"
    boto = Exception()
    boto.response = {"ResponseMetadata": {"HTTPStatusCode": 400}}  # type: ignore[attr-defined]
    assert classify_error(boto).what == "reject"


@pytest.mark.parametrize(
    "settings",
    [
        {"max_concurrency": 0},
        {"max_retries": -1},
        {"base": -1},
        {"cap": "x"},
        {"timeout": 0},
        {"random": 1},
        {"max_streak": 0},
    ],
)
def test_a_pace_is_checked_at_the_door(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        Pace(**settings)


def test_a_client_without_a_name_cannot_be_journalled() -> None:
    with pytest.raises(SettingError, match="must have a `name`"):
        client_name(model, object())
    assert client_name(model, None) == ""


def test_a_report_says_what_was_spent() -> None:
    report = Report(Prices(2.0, 8.0), items=3, finished=3, calls=4, input_tokens=1_000_000, output_tokens=500_000)
    assert report.cost == 6.0
    assert "cost 6.0000" in str(report)
    assert Report().cost is None


@pytest.mark.parametrize("settings", [{"pace": 3}, {"pace": None}, {"prices": "low"}, {"progress": 3}], ids=str)
def test_what_a_driver_cannot_use_is_refused_at_the_door(settings: dict[str, Any]) -> None:
    (name, value) = next(iter(settings.items()))
    with pytest.raises(SettingError, match=rf"^{name} must be .*, got {value!r}$"):
        Driver(**settings)
