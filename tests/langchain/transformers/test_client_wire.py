"""LangChain's OpenAI client at a server with one fault: the user gets all, and the report says at what cost."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from fakes.langchain.llms import FAST, documents, llm, made, sync_and_async
from fakes.servers.openai_model import MALFORMED
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document

from caesura_llm.retries import Pace
from langchain_caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket
ONE = documents()[:1]
EXPECTED: dict[str, dict[str, Any]] = {
    "429": {"calls": 2, "retries": 1},
    "500": {"calls": 2, "retries": 1},
    "drop": {"calls": 2, "retries": 1},
    "length": {"calls": 2},
    "empty": {"calls": 2, "repairs": 1},
    "null": {"calls": 2, "repairs": 1},
    "numbers": {"calls": 2, "repairs": 1, "dropped": {"numbers": 3}},
    "prose": {"calls": 2, "repairs": 1},
    "truncated": {"calls": 2},
    **{form: {"calls": 1} for form in MALFORMED if form not in ("prose", "truncated")},
}
each_method = pytest.mark.parametrize("method", [None, "function_calling", False], ids=["schema", "tool", "plain"])


@cache
def whole() -> list[Document]:
    with OpenAIServer() as server:
        return list(PropositionTransformer(llm(server)).transform_documents(ONE))


@pytest.mark.thorough
@sync_and_async
@each_method
@pytest.mark.parametrize("fault", EXPECTED)
async def test_after_one_fault_the_user_gets_all_and_the_report_says_what_it_took(
    fault: str, method: Any, how: str
) -> None:
    with OpenAIServer(plan=[fault]) as server:
        transformer = PropositionTransformer(llm(server), pace=FAST, structured=method)
        found = await made(transformer, ONE, how)
    report = transformer.report
    wanted = {"retries": 0, "repairs": 0, "dropped": {}, "failures": [], **EXPECTED[fault]}
    assert {name: getattr(report, name) for name in wanted} == wanted
    assert [one.page_content for one in found] == [one.page_content for one in whole()]
    assert [one.metadata for one in found] == [one.metadata for one in whole()]
    assert server.calls == report.calls
    if not report.retries and fault != "empty":  # with no choices, LangChain does not tell what was paid
        assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)


@each_method
async def test_each_way_of_asking_asks_for_its_own_form(method: Any) -> None:
    with OpenAIServer() as server:
        await made(PropositionTransformer(llm(server), structured=method), ONE, "sync")
    (body,) = server.requests
    assert ("response_format" in body, "tools" in body) == (method is None, method == "function_calling")


@pytest.mark.thorough
@sync_and_async
@pytest.mark.parametrize("fault", ["timeout", "drip"])
async def test_a_reply_that_does_not_come_or_drips_is_asked_for_again(fault: str, how: str) -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), pace=Pace(base=0.001, timeout=3))
        await made(transformer, ONE, how)  # the client is loaded
        server.plan = iter([fault])
        found = await made(transformer, ONE, how)
    assert transformer.report.retried == {"TimeoutError": 1}
    assert found == whole()
