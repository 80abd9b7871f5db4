"""The real `openai` client, sync and async, against a server that misbehaves: what the user gets."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Any

import openai
import pytest
from fakes.servers.conversations import FAST, async_chat, chat, converse, model, passages
from fakes.servers.openai_model import MALFORMED
from fakes.servers.openai_server import FAULTS, UNREADABLE, OpenAIServer, seeded

from caesura.errors import ReplyError, SettingError
from caesura_llm.clients import read_completion
from caesura_llm.conversation import Image, Reply, Request
from caesura_llm.driver import Driver
from caesura_llm.journal import Memory
from caesura_llm.openai import openai_chat
from caesura_llm.passages import Passage
from caesura_llm.prompts import IMAGE
from caesura_llm.propositions import PassageResult, Propositions
from caesura_llm.report import Prices, Report
from caesura_llm.representations import Representations
from caesura_llm.retries import Pace

pytestmark = pytest.mark.enable_socket
ONE = [Passage('Anna keeps "dark" bees. She sells honey; it is good.\nThe market opens at six.', "anna.txt")]


def run(server: OpenAIServer, how: str, conversation: Any, driver: Driver) -> tuple[list[Any], Report]:
    if how == "sync":
        return driver.run(conversation, chat(server))

    async def main() -> tuple[list[Any], Report]:
        async with async_chat(server).client as client:
            return await driver.arun(conversation, async_chat(server).__class__(client, "test-model"))

    return asyncio.run(main())


def whole() -> list[PassageResult]:
    return converse(Propositions(ONE), model)[0]


EXPECTED = {
    "429": {"calls": 2, "retried": {"RateLimitError": 1}},
    "500": {"calls": 2, "retried": {"InternalServerError": 1}},
    "drop": {"calls": 2, "retried": {"APIConnectionError": 1}},
    "length": {"calls": 2},
    "empty": {"calls": 2, "repairs": 1},
    "null": {"calls": 2, "repairs": 1},
    "numbers": {"calls": 2, "repairs": 1, "dropped": {"numbers": 3}},
    "prose": {"calls": 2, "repairs": 1},
    "truncated": {"calls": 2},
    **{form: {"calls": 1} for form in MALFORMED if form not in ("prose", "truncated")},
}


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("fault", EXPECTED)
def test_after_one_fault_the_user_gets_all_and_the_report_says_what_it_took(fault: str, how: str) -> None:
    with OpenAIServer(plan=[fault]) as server:
        results, report = run(server, how, Propositions(ONE), Driver(FAST))
    wanted = {"retried": {}, "repairs": 0, "dropped": {}, "failures": [], **EXPECTED[fault]}
    assert {name: getattr(report, name) for name in wanted} == wanted
    assert results == whole()
    assert server.calls == report.calls
    assert server.connections == (2 if fault == "drop" else 1)  # kept alive, else
    if not report.retried:
        assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("fault", ["timeout", "drip"])
def test_a_reply_that_does_not_come_or_drips_is_asked_for_again(fault: str, how: str) -> None:
    """A client's own time-out sees no drip: each byte comes in time."""
    with OpenAIServer() as server:
        run(server, how, Propositions(ONE), Driver(FAST))  # the client is loaded
        server.plan = iter([fault])
        results, report = run(server, how, Propositions(ONE), Driver(Pace(base=0.001, timeout=3)))
    assert report.retried == {"TimeoutError": 1}
    assert results == whole()


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_refusal_fails_its_passage_alone_and_says_why(how: str) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        results, report = run(server, how, Propositions(ONE, on_failure="keep"), Driver(FAST))
    assert [failure.reason for failure in report.failures] == ["the model refused: 'I cannot help with that.'"]
    assert all(each.is_fallback for each in results[0].propositions)
    assert report.calls == 1
    with OpenAIServer(plan=["refusal"]) as server, pytest.raises(ReplyError, match="refused"):
        run(server, how, Propositions(ONE), Driver(FAST))


@pytest.mark.parametrize("how", ["sync", "async"])
def test_what_no_retry_helps_is_the_clients_own_error(how: str) -> None:
    with OpenAIServer(plan=["401"]) as server, pytest.raises(openai.AuthenticationError):
        run(server, how, Propositions(ONE, on_failure="keep"), Driver(FAST))
    assert server.calls == 1
    with OpenAIServer(plan=["quota"]) as server, pytest.raises(openai.RateLimitError):
        run(server, how, Propositions(ONE, on_failure="keep"), Driver(FAST))
    assert server.calls == 1
    with OpenAIServer(plan=["400"] * 9) as server:
        _, report = run(server, how, Propositions(ONE, on_failure="keep"), Driver(FAST))
    assert "BadRequestError" in report.failures[0].reason


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_page_of_html_is_one_error_that_names_the_url(how: str) -> None:
    with (
        OpenAIServer(plan=["page"] * 9) as server,
        pytest.raises(SettingError, match=r"server at 127.0.0.1:\d+ .*'<!doctype html>.* base URL"),
    ):
        run(server, how, Propositions(ONE, on_failure="keep"), Driver(FAST))
    assert server.calls == 1


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_server_that_keeps_saying_too_many_is_told_of_while_it_does(
    how: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura_llm.retries.QUIET", 0.05)  # seconds
    with OpenAIServer(plan=["429"] * 20) as server, pytest.raises(ReplyError, match="RateLimitError"):
        run(server, how, Propositions(ONE), Driver(Pace(base=0.02, cap=0.05, max_retries=5)))
    assert server.calls == 6
    assert [line.levelname for line in caplog.records if line.name == "caesura_llm.retries"] == ["WARNING"]
    assert re.search(
        r"no reply for \d+ s, asked again in \d+ s, at most 5 times a request: RateLimitError", caplog.text
    )


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("fault", UNREADABLE)
def test_an_answer_that_cannot_be_read_ends_its_item_and_not_the_run(fault: str, how: str) -> None:
    def plan(said: str, before: int) -> str:
        return fault if said in unreadable else "ok"

    with OpenAIServer() as server:
        run(server, how, Propositions(passages(1), budget=1), Driver(FAST))
        unreadable = set(server.seen)
        server.plan = plan
        driver = Driver(Pace(base=0.001, max_retries=1))
        results, report = run(server, how, Propositions(passages(3), budget=1, on_failure="keep"), driver)
    assert [bool(each.failure) for each in results] == [True, False, False]
    assert all(each.propositions for each in results)
    assert report.retries == 1


@pytest.mark.parametrize("body", [None, {"choices": [7]}, {"choices": [{"message": None}]}])
def test_a_completion_without_a_message_is_an_empty_reply(body: object) -> None:
    assert read_completion(body) == Reply("")


@pytest.mark.parametrize("body", [{"choices": "none"}, {"choices": [{"message": {"content": [{"text": "a"}]}}]}])
def test_a_completion_without_text_where_it_should_be_is_a_reply_error(body: object) -> None:
    with pytest.raises(ReplyError, match="must have a list of choices with a text"):
        read_completion(body)


def test_tokens_that_are_no_number_count_as_unknown() -> None:
    body = {"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": "many", "completion_tokens": 3}}
    assert read_completion(body) == Reply("a", "stop", 0, 3)


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_server_that_is_not_there_ends_the_run(how: str) -> None:
    with OpenAIServer() as server:
        pass
    with pytest.raises(openai.APIConnectionError):
        run(server, how, Propositions(passages(90), budget=1, on_failure="keep"), Driver(Pace(base=0, max_retries=1)))


def test_the_request_asks_for_structured_output_with_a_strict_schema() -> None:
    with OpenAIServer() as server:
        run(server, "sync", Propositions(ONE, max_tokens=777), Driver(FAST))
        driver = Driver(FAST)
        plain = chat(server, structured=False, limit="max_tokens", options={"temperature": 0})
        driver.run(Propositions(ONE, max_tokens=777), plain)
    first, second = server.requests
    assert first["response_format"]["json_schema"]["strict"] is True
    assert first["response_format"]["json_schema"]["schema"]["required"] == ["passages"]
    assert first["max_completion_tokens"] == 777
    assert "temperature" not in first
    assert "response_format" not in second
    assert (second["max_tokens"], second["temperature"]) == (777, 0)


def test_an_image_goes_over_the_wire() -> None:
    held = [
        Passage("Sales by year.", images=(Image.of(b"\x89PNG"),)),
        Passage("", images=(Image("https://a.b/c.png"),)),
    ]
    with OpenAIServer() as server:
        results, _ = run(server, "sync", Representations(held, prompt=IMAGE), Driver(FAST))
    assert [each.texts for each in results] == [("A picture (1) of Sales by year.",), ("A picture (1) of",)]
    urls = sorted(request["messages"][1]["content"][1]["image_url"]["url"] for request in server.requests)
    assert urls == ["data:image/png;base64,iVBORw==", "https://a.b/c.png"]


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["sync", "async"])
def test_one_reply_in_twenty_is_faulty_and_no_passage_is_lost(how: str) -> None:
    """Passages one to a request, so that each fault is one passage's. `benchmarks/llm.py` does it with 2,000."""
    held = passages(200)
    plan = seeded(0.05, 3, [fault for fault in FAULTS if fault not in ("timeout", "drip")])
    with OpenAIServer(plan=plan) as server:
        results, report = run(server, how, Propositions(held, budget=1, on_failure="keep"), Driver(FAST))
    assert [each.passage for each in results] == list(range(200))
    assert all(each.propositions and not each.uncovered for each in results)
    assert [failure.item for failure in report.failures] == [each.passage for each in results if each.failure]
    assert sum(count for fault, count in server.served.items() if fault != "ok") >= 5
    assert server.has_seen(report.calls)
    assert report.calls <= 1.15 * 200


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["sync", "async"])
def test_so_many_are_in_flight_at_once_and_results_come_in_order(how: str) -> None:
    told: list[tuple[int, int]] = []
    driver = Driver(Pace(max_concurrency=6), prices=Prices(1, 2), progress=lambda *counts: told.append(counts))
    with OpenAIServer(latency=0.2) as server:
        results, report = run(server, how, Propositions(passages(24), budget=1), driver)
    assert server.most_flying == 6
    assert [each.passage for each in results] == list(range(24))
    assert told[-1] == (24, 24)
    assert told == sorted(told)
    assert report.cost == (report.input_tokens + 2 * report.output_tokens) / 1e6


async def test_cancelled_it_cancels_its_calls() -> None:
    with OpenAIServer(latency=0.05) as server:
        async with async_chat(server).client as client:
            asking = async_chat(server).__class__(client, "m")
            task = asyncio.create_task(Driver().arun(Propositions(passages(50), budget=1), asking))
            while server.calls < 8:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            calls = server.calls
            assert asyncio.all_tasks() == {asyncio.current_task()}
    assert calls <= 16


async def test_cancelled_it_keeps_a_reply_that_has_arrived() -> None:
    class Slow(Memory):
        def put(self, client: str, request: Request, reply: Reply) -> None:
            begun.set()
            cancelled.wait(600)
            super().put(client, request, reply)

    class Client:
        name = "m"

        async def __call__(self, request: Request) -> Reply:
            return model(request)

    begun, cancelled, journal = threading.Event(), threading.Event(), Slow()
    given = passages(1)
    task = asyncio.create_task(Driver().arun(Propositions(given), Client(), journal=journal))
    await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    asyncio.get_running_loop().call_later(0.05, cancelled.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert journal.get("m", Propositions(given).pending()[0]) is not None


def test_in_a_running_loop_the_sync_way_works() -> None:
    with OpenAIServer() as server:

        async def main() -> int:
            return len(Driver(FAST).run(Propositions(passages(5)), chat(server))[0])

        assert asyncio.run(main()) == 5


def test_a_client_runs_in_the_context_of_its_caller() -> None:
    names = []

    def client(request: Request) -> Any:
        names.append(threading.current_thread().daemon)
        return model(request)

    Driver(FAST).run(Propositions(passages(3), budget=1), client)
    assert names == [True] * 3


def test_another_object_is_no_client() -> None:
    with pytest.raises(SettingError, match=r"must be an openai\.OpenAI"):
        openai_chat(object(), "m")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="name of a model"):
        openai_chat(openai.OpenAI(api_key="x"), "")
