"""LangChain's own OpenAI client where no retry helps: refusals, bad requests, a server that is down."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from langchain_llm_fakes import documents, llm, made, sync_and_async
from openai_server import OpenAIServer

from caesura.errors import ReplyError
from caesura.llm.schedule import Pace
from langchain_caesura import PropositionTransformer

pytestmark = pytest.mark.enable_socket
ONE = documents()[:1]
each_method = pytest.mark.parametrize("method", [None, "function_calling", False], ids=["schema", "tool", "plain"])


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
    with OpenAIServer(plan=["refusal"]) as server, pytest.raises(ReplyError, match="document 'bees' failed: the model"):
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
async def test_retries_are_ours_alone_and_the_users_model_keeps_its_own(how: str) -> None:
    with OpenAIServer(plan=["500"] * 4) as server:
        model = llm(server, max_retries=5)
        transformer = PropositionTransformer(model, pace=Pace(base=0.001, cap=0.002, max_retries=3))
        with pytest.raises(ReplyError, match="It went wrong"):
            await made(transformer, ONE, how)
    assert server.calls == transformer.report.calls == 4
    assert (model.max_retries, model.root_client.max_retries) == (5, 5)
