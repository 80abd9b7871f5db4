"""What the real OpenAI-like client sends for a transformer: forms, prompts, many at once; and what is no LLM."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from fakes.llama_index.llms import FORMS, ONE, forms, hows, like, made, told, whole
from fakes.llama_index.parsers import content
from fakes.servers.conversations import FAST
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document, Settings
from llama_index.core.llms import MockLLM
from llama_index.llms.openai_like import OpenAILike

from caesura import SettingError
from llama_index.node_parser.caesura import PropositionTransformer, SummaryTransformer

pytestmark = pytest.mark.enable_socket


@forms
def test_the_form_is_asked_for_in_the_llms_own_way(form: str) -> None:
    if not FORMS[form].keys() <= OpenAILike.model_fields.keys():
        pytest.skip(f"this version of OpenAILike has no {form}")
    with OpenAIServer() as server:
        PropositionTransformer(like(server, **FORMS[form]))(ONE)
        PropositionTransformer(like(server, **FORMS[form]), structured=False)(ONE)
    asked, plain = server.requests
    assert ("tools" in asked, "response_format" in asked) == (form == "function", form == "schema")
    assert not {"tools", "response_format"} & plain.keys()
    if form == "schema":
        schema = asked["response_format"]["json_schema"]
        assert (schema["strict"], schema["schema"]["required"]) == (True, ["passages"])


@pytest.mark.parametrize(
    ("kind", "setting"), [(openai.OpenAI, "openai_client"), (openai.AsyncOpenAI, "async_openai_client")]
)
async def test_a_client_of_ones_own_is_told_not_to_retry_and_stays_open(kind: Any, setting: str) -> None:
    with OpenAIServer(plan=["500"]) as server:
        own = kind(base_url=server.url, api_key="k", max_retries=5)
        llm = like(server, **{setting: own})
        parser = PropositionTransformer(llm, pace=FAST)
        calls = []
        for _ in range(2):
            await parser.acall(ONE) if kind is openai.AsyncOpenAI else parser(ONE)
            assert parser.report is not None
            calls.append(parser.report.calls)
        assert not own.is_closed()
        await own.close() if kind is openai.AsyncOpenAI else own.close()
    assert calls == [2, 1]  # had the client tried again by itself, we had not
    assert server.calls == 3
    assert (llm.max_retries, own.max_retries) == (3, 5)  # the user's are as they were


@pytest.mark.thorough
@hows
def test_so_many_are_in_flight_at_once_over_one_llm(how: str) -> None:
    with OpenAIServer(latency=0.3) as server:
        made(SummaryTransformer(like(server), budget=1, max_concurrency=5), how, told(15))
    assert server.most_flying == server.connections == 5


@hows
@forms
def test_the_llms_system_prompt_comes_first_and_once(form: str, how: str) -> None:
    with OpenAIServer() as server:
        made(PropositionTransformer(like(server, system_prompt="Be brief.", **FORMS[form])), how, ONE)
    said = [(one["role"], str(one["content"])) for one in server.requests[0]["messages"]]
    assert [role for role, _ in said] == ["system", "system", "user"]
    assert said[0][1] == "Be brief."


@hows
def test_settings_llm_is_asked_where_none_is_given(how: str) -> None:
    parser = PropositionTransformer()
    with OpenAIServer() as server:
        Settings.llm = like(server)
        assert content(made(parser, how, ONE)) == whole()
    assert server.calls == 1


async def test_in_a_running_loop_the_sync_way_works() -> None:
    with OpenAIServer() as server:
        assert content(PropositionTransformer(like(server))(ONE)) == whole()


@pytest.mark.parametrize("llm", ["gpt-4.1", OpenAIServer, MockLLM().as_structured_llm(Document)])
def test_another_object_is_no_llm(llm: Any) -> None:
    with pytest.raises(SettingError, match="llm must be an LLM of LlamaIndex"):
        PropositionTransformer(llm)
