"""LangChain's OpenAI client where a retry does not help, and where documents are many: none is lost."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from fakes.langchain.llms import FAST, documents, llm, made, many, sync_and_async
from fakes.servers.openai_server import FAULTS, OpenAIServer, seeded

from caesura.errors import ReplyError, SettingError
from caesura_llm.retries import Pace
from langchain_caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket
ONE = documents()[:1]
each_method = pytest.mark.parametrize("method", [None, "function_calling", False], ids=["schema", "tool", "plain"])


@pytest.mark.thorough
@sync_and_async
@each_method
async def test_a_refusal_fails_its_passage_alone_and_says_why(method: Any, how: str) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        transformer = PropositionTransformer(llm(server), on_failure="keep", structured=method)
        found = await made(transformer, ONE, how)
    (failure,) = transformer.report.failures
    assert (failure.document_id, failure.reason) == ("bees", "the model refused: 'I cannot help with that.'")
    assert all(one.metadata["kept"] for one in found)
    assert [one.page_content for one in found] == [ONE[0].page_content[a:b] for a, b in ((0, 23), (24, 52), (53, 77))]
    with (
        OpenAIServer(plan=["refusal"]) as server,
        pytest.raises(ReplyError, match=r"document 'bees' .*failed: the model"),
    ):
        await made(PropositionTransformer(llm(server), structured=method), ONE, how)


@sync_and_async
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


@sync_and_async
@each_method
async def test_a_page_of_html_is_one_error_that_quotes_it(method: Any, how: str) -> None:
    with OpenAIServer(plan=["page"] * 9) as server, pytest.raises(ValueError, match="<!doctype html>"):
        await made(PropositionTransformer(llm(server), on_failure="keep", structured=method), ONE, how)
    assert server.calls == 1


@sync_and_async
async def test_a_server_that_keeps_saying_too_many_is_told_of_while_it_does(
    how: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caesura_llm.retries.QUIET", 0.05)  # seconds
    pace = Pace(base=0.02, cap=0.05, max_retries=5)
    with OpenAIServer(plan=["429"] * 20) as server, pytest.raises(ReplyError, match="RateLimitError"):
        await made(PropositionTransformer(llm(server), pace=pace), ONE, how)
    assert server.calls == 6, "the client's own retries are off"
    assert "at most 5 times a request: " in caplog.text
    assert "Rate limit reached" in caplog.text


@sync_and_async
async def test_retries_are_ours_alone_and_the_users_model_keeps_its_own(how: str) -> None:
    with OpenAIServer(plan=["500"] * 4) as server:
        model = llm(server, max_retries=5)
        transformer = PropositionTransformer(model, pace=Pace(base=0.001, cap=0.002, max_retries=3))
        with pytest.raises(ReplyError, match="It went wrong"):
            await made(transformer, ONE, how)
    assert server.calls == transformer.report.calls == 4
    assert (model.max_retries, model.root_client.max_retries) == (5, 5)


@pytest.mark.thorough
@sync_and_async
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


@pytest.mark.thorough
@sync_and_async
async def test_so_many_are_in_flight_at_once(how: str) -> None:
    with OpenAIServer(latency=0.3) as server:
        await made(PropositionTransformer(llm(server), max_concurrency=5, budget=1), many(15), how)
    assert server.most_flying == 5


async def test_the_report_adds_up_what_prices_make_of_tokens(capsys: Any) -> None:
    with OpenAIServer() as server:
        transformer = PropositionTransformer(llm(server), prices=(0.4, 1.6), show_progress=True)
        await made(transformer, documents(), "sync")
    report = transformer.report
    assert report.cost == pytest.approx((0.4 * server.prompt_tokens + 1.6 * server.completion_tokens) / 1e6)
    assert (report.items, report.finished) == (2, 2)
    assert "Propositions: 100%" in capsys.readouterr().err


@sync_and_async
@pytest.mark.parametrize("bound", [False, True])
async def test_a_page_of_html_is_one_error_that_names_the_host_and_what_to_check(how: str, bound: bool) -> None:
    with OpenAIServer(plan=["page"] * 9) as server:
        model: Any = llm(server).bind(temperature=0) if bound else llm(server)
        with pytest.raises(SettingError, match=r"server at 127.0.0.1:\d+ .*<!doctype html>.* base URL.*proxy"):
            await made(PropositionTransformer(model, pace=FAST, on_failure="keep"), documents(), how)
    assert server.calls == 1
