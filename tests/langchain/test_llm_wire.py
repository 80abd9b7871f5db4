"""LangChain's own OpenAI client against a server that misbehaves: what the user of a transformer gets."""

from __future__ import annotations

from functools import cache
from typing import Any

import openai
import pytest
from langchain_core.documents import Document
from langchain_llm_fakes import FAST, documents, llm, made, many
from openai_model import MALFORMED
from openai_server import FAULTS, OpenAIServer, seeded

from caesura.errors import ReplyError
from caesura.llm.schedule import Pace
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


@pytest.mark.parametrize("how", ["sync", "async"])
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


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("fault", ["timeout", "drip"])
async def test_a_reply_that_does_not_come_or_drips_is_asked_for_again(fault: str, how: str) -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), pace=Pace(base=0.001, timeout=1))
        await made(transformer, ONE, how)  # the client is loaded
        server.plan = iter([fault])
        found = await made(transformer, ONE, how)
    assert transformer.report.retried == {"TimeoutError": 1}
    assert found == whole()


@pytest.mark.parametrize("how", ["sync", "async"])
@each_method
async def test_a_refusal_fails_its_passage_alone_and_says_why(method: Any, how: str) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server), on_failure="keep", structured=method)
        found = await made(transformer, ONE, how)
    (failure,) = transformer.report.failures
    assert (failure.document_id, failure.reason) == ("bees", "the model refused: 'I cannot help with that.'")
    assert all(one.metadata["kept"] for one in found)
    assert [one.page_content for one in found] == [ONE[0].page_content[a:b] for a, b in ((0, 23), (24, 52), (53, 77))]
    with OpenAIServer(plan=["refusal"]) as server, pytest.raises(ReplyError, match="document 'bees' failed: the model"):
        await made(PropositionTransformer(llm(server), structured=method), ONE, how)


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_what_no_retry_helps_is_the_clients_own_error(how: str) -> None:
    with OpenAIServer() as server, pytest.raises(openai.AuthenticationError):
        await made(PropositionTransformer(llm(server, api_key="wrong"), on_failure="keep"), ONE, how)
    assert server.calls == 1
    with OpenAIServer(plan=["quota"]) as server, pytest.raises(openai.RateLimitError):
        await made(PropositionTransformer(llm(server), on_failure="keep"), ONE, how)
    assert server.calls == 1
    with OpenAIServer(plan=["400"] * 9) as server:
        transformer = PropositionTransformer(llm(server), on_failure="keep")
        assert all(one.metadata["kept"] for one in await made(transformer, ONE, how))
    assert "It went wrong" in transformer.report.failures[0].reason


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_retries_are_ours_alone_and_the_users_model_keeps_its_own(how: str) -> None:
    with OpenAIServer(plan=["500"] * 4) as server:
        model = llm(server, max_retries=5)
        transformer = PropositionTransformer(model, pace=Pace(base=0.001, cap=0.002, max_retries=3))
        with pytest.raises(ReplyError, match="It went wrong"):
            await made(transformer, ONE, how)
    assert server.calls == transformer.report.calls == 4
    assert (model.max_retries, model.root_client.max_retries) == (5, 5)


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_one_reply_in_twenty_is_faulty_and_no_document_is_lost(how: str) -> None:
    given = many(120)
    plan = seeded(0.05, 4, [fault for fault in FAULTS if fault not in ("timeout", "drip")])
    with OpenAIServer(plan=plan) as server:
        transformer = PropositionTransformer(llm(server), pace=FAST, on_failure="keep", budget=1)
        found = await made(transformer, given, how)
    assert list(dict.fromkeys(one.metadata["parent_id"] for one in found)) == [one.id for one in given]
    kept = {one.metadata["parent_id"] for one in found if one.metadata["kept"]}
    assert kept == {failure.document_id for failure in transformer.report.failures}
    assert sum(count for fault, count in server.served.items() if fault != "ok") >= 3
    assert server.has_seen(transformer.report.calls)
    assert transformer.report.calls <= 1.15 * 120


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_so_many_are_in_flight_at_once(how: str) -> None:
    with OpenAIServer(latency=0.3) as server:
        await made(PropositionTransformer(llm(server), max_concurrency=5, budget=1), many(30), how)
    assert server.most_flying == 5


async def test_the_report_adds_up_what_prices_make_of_tokens(capsys: Any) -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), prices=(0.4, 1.6), show_progress=True)
        await made(transformer, documents(), "sync")
    report = transformer.report
    assert report.cost == pytest.approx((0.4 * server.prompt_tokens + 1.6 * server.completion_tokens) / 1e6)
    assert (report.items, report.finished) == (2, 2)
    assert "Propositions: 100%" in capsys.readouterr().err
