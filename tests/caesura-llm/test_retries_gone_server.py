"""A server that is not there ends the run at once; one that goes away in the middle of it is waited for."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import openai
import pytest
from fakes.servers.conversations import async_chat, chat, passages
from fakes.servers.openai_server import OpenAIServer

from caesura_llm.driver import Driver
from caesura_llm.openai import openai_vectors
from caesura_llm.propositions import Propositions
from caesura_llm.report import Report
from caesura_llm.retries import Pace, classify_error, is_refused_connection

pytestmark = pytest.mark.enable_socket
hows = pytest.mark.parametrize("how", ["sync", "async"])
PATIENT = Pace(base=0.05, cap=0.2, timeout=20)


class Passing:
    """A server that goes away after some replies, and is back a little later, at the same port."""

    def __init__(self) -> None:
        self.first = OpenAIServer()
        self.second: OpenAIServer | None = None

    def go_and_return(self) -> None:
        self.first.__exit__()
        self.second = OpenAIServer(port=self.first.port)
        threading.Timer(0.2, self.second.__enter__).start()


@contextmanager
def passing() -> Iterator[Passing]:
    one = Passing()
    one.first.__enter__()
    yield one
    assert one.second is not None
    one.second.ready.wait(600)
    one.second.__exit__()


def run(server: OpenAIServer, how: str, conversation: Any, driver: Driver, report: Report) -> list[Any]:
    if how == "sync":
        return driver.run(conversation, chat(server), report=report)[0]

    async def main() -> list[Any]:
        async with async_chat(server).client as client:
            asking = async_chat(server).__class__(client, "test-model")
            return (await driver.arun(conversation, asking, report=report))[0]

    return asyncio.run(main())


@hows
@pytest.mark.parametrize("on_failure", ["raise", "keep"])
def test_a_server_that_is_not_there_is_the_clients_own_error_at_once_and_one_log_line(
    how: str, on_failure: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with OpenAIServer() as server:
        pass
    report = Report()
    with pytest.raises(openai.APIConnectionError) as caught:
        run(server, how, Propositions(passages(60), budget=1, on_failure=on_failure), Driver(), report)
    assert any("before the server had said anything" in note for note in caught.value.__notes__)
    assert report.retries == 0
    assert report.calls <= 8
    assert report.seconds < 15  # six retries take 15 s at the least
    (record,) = (one for one in caplog.records if one.name.startswith("caesura_llm"))
    assert record.levelno == logging.ERROR
    assert "APIConnectionError" in record.message


@pytest.mark.thorough
@hows
def test_a_server_that_goes_away_in_the_middle_is_asked_again(how: str, caplog: pytest.LogCaptureFixture) -> None:
    def progress(finished: int, _: int) -> None:
        if finished >= 3 and server.second is None:
            server.go_and_return()

    report = Report()
    with passing() as server:
        driver = Driver(PATIENT, progress=progress)
        found = run(server.first, how, Propositions(passages(30), budget=1), driver, report)
        assert server.second is not None
        assert server.second.calls >= 10
    assert len(found) == 30
    assert report.retried["APIConnectionError"] >= 1
    assert not [one for one in caplog.records if one.name.startswith("caesura_llm")]


def test_an_embedder_that_was_answered_before_waits_for_its_server() -> None:
    with passing() as server:
        embed = openai_vectors(openai.OpenAI(base_url=server.first.url, api_key="any"), "m", pace=PATIENT)
        before = embed(["tea"])
        server.go_and_return()
        assert np.array_equal(embed(["tea"]), before)
    assert embed.report.retried["APIConnectionError"] >= 1


def test_a_connection_that_was_cut_is_no_refused_one() -> None:
    with OpenAIServer(plan=["drop"]) as server, pytest.raises(openai.APIConnectionError) as cut:
        chat(server)(Propositions(passages(1)).pending()[0])
    with pytest.raises(openai.APIConnectionError) as refused:
        chat(server)(Propositions(passages(1)).pending()[0])
    assert [is_refused_connection(one.value) for one in (cut, refused)] == [False, True]
    circle = ValueError("a")
    circle.__cause__ = circle
    assert not is_refused_connection(circle)


class CodedError(Exception):
    """As SDKs raise for what a server says in the middle of a stream."""

    def __init__(self, said: str, **fields: Any) -> None:
        super().__init__(said)
        vars(self).update(fields)


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (CodedError("It failed.", type="server_error"), "retry"),  # openai
        (CodedError("Overloaded", status_code=200, body={"error": {"type": "overloaded_error"}}), "retry"),  # anthropic
        (CodedError("the runner has stopped", status_code=-1), "retry"),  # ollama
        (ValueError("server_error: It failed."), "retry"),  # langchain-openai
        (ValueError("ResponseError(code='rate_limit_exceeded', message='Slow down.')"), "retry"),  # and of a response
        (CodedError("It failed.", type="invalid_request_error"), "stop"),
        (ValueError("It failed."), "stop"),
    ],
)
def test_what_a_server_says_in_a_stream_is_a_fault_that_may_pass_where_it_says_so(error: Exception, what: str) -> None:
    assert classify_error(error).what == what
