"""OpenAI's Responses API and Ollama, through LlamaIndex's clients, at a server of their shape."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fakes.llama_index.llms import hows, like, made, told
from fakes.llama_index.parsers import content
from fakes.servers.openai_server import OpenAIServer
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM
from llama_index.llms.ollama import Ollama
from llama_index.llms.openai import OpenAIResponses

from caesura_llm.conversation import Reply
from caesura_llm.retries import Pace
from llama_index.node_parser.caesura import PropositionTransformer, QuestionTransformer
from llama_index.node_parser.caesura.transformers.client import LLMClient, read_responses

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]
FAST = Pace(base=0.001, cap=0.002, timeout=20)


def responses(server: OpenAIServer, **settings: Any) -> OpenAIResponses:
    return OpenAIResponses(model="gpt-4.1-mini", api_base=server.url, api_key="sk-topsecret", **settings)


def ollama(server: OpenAIServer, **settings: Any) -> Ollama:
    return Ollama(model="m", base_url=server.root, **settings)


LLMS: dict[str, Callable[..., LLM]] = {"OpenAI": like, "Responses": responses, "Ollama": ollama}
llms = pytest.mark.parametrize("name", LLMS)
structured = pytest.mark.parametrize("form", [None, False], ids=["own", "plain"])


def nodes(server: OpenAIServer, name: str, how: str, **settings: Any) -> tuple[list[Any], Any]:
    parser = PropositionTransformer(LLMS[name](server), splitter=None, pace=FAST, **settings)
    found = made(parser, how, told(1))
    return found, parser.report


@hows
@structured
@llms
@pytest.mark.parametrize("fault", ["429", "length"])
def test_the_user_gets_all_and_the_report_equals_the_servers_counts(fault: str, name: str, form: Any, how: str) -> None:
    with OpenAIServer() as server:
        whole, _ = nodes(server, "OpenAI", "sync")
    with OpenAIServer(plan=[fault]) as server:
        found, report = nodes(server, name, how, structured=form, prices=(0.4, 1.6))
    assert [one["text"] for one in content(found)] == [one["text"] for one in content(whole)]
    assert (report.calls, report.retries) == (2, int(fault == "429"))
    assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)
    assert report.cost == pytest.approx((0.4 * server.prompt_tokens + 1.6 * server.completion_tokens) / 1e6)


@hows
@pytest.mark.parametrize("name", ["Responses", "Ollama"])
def test_a_lost_connection_is_asked_again(name: str, how: str) -> None:
    with OpenAIServer(plan=["drop"]) as server:
        found, report = nodes(server, name, how)
    assert (len(found), report.calls, report.retries) == (4, 2, 1)


@hows
@structured
def test_a_refusal_of_the_responses_api_fails_its_passage_alone(form: Any, how: str) -> None:
    with OpenAIServer(plan=["refusal"]) as server:
        found, report = nodes(server, "Responses", how, structured=form, on_failure="keep")
    assert [one.reason for one in report.failures] == ["the model refused: 'I cannot help with that.'"]
    assert all(one.metadata["kept"] for one in found)


def test_what_the_responses_api_says_of_the_end_of_a_reply_is_read() -> None:
    for reason, stop in (("max_output_tokens", "length"), ("content_filter", "refused")):
        raw = {"status": "incomplete", "incomplete_details": {"reason": reason}, "usage": {"input_tokens": 3}}
        response = ChatResponse(message=ChatMessage(role="assistant", content="Tea."), raw=raw)
        assert read_responses([response], []) == Reply("Tea.", stop, 3, 0)  # type: ignore[arg-type]


def test_the_responses_api_is_asked_with_the_settings_of_the_llm_and_by_its_form() -> None:
    with OpenAIServer() as server:
        llm = responses(server, temperature=0.3, max_output_tokens=500, instructions="Be brief.")
        QuestionTransformer(llm, splitter=None)(told(1))
    (body,) = server.requests
    assert (body["temperature"], body["max_output_tokens"], body["instructions"]) == (0.3, 500, "Be brief.")
    assert body["text"]["format"]["strict"] is True


@hows
@llms
@pytest.mark.parametrize("on_failure", ["raise", "keep"])
def test_a_server_that_is_not_there_is_an_error_at_once_and_once_in_the_log(
    on_failure: Any, name: str, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    with OpenAIServer() as server:
        pass
    parser = PropositionTransformer(LLMS[name](server), splitter=None, budget=1, on_failure=on_failure)
    with pytest.raises(Exception, match=r"(?i)connect") as caught:
        made(parser, how, told(12))
    assert "SettingError" not in type(caught.value).__name__
    assert parser.report is not None
    assert parser.report.calls <= 8
    assert parser.report.retries == 0
    warned = [one for one in caplog.records if one.name.startswith("caesura_llm")]
    assert [one.levelno for one in warned] == [logging.ERROR]


def test_a_name_has_what_replies_depend_on_and_no_key() -> None:
    with OpenAIServer() as server:
        given = [responses(server), responses(server, temperature=0.9), ollama(server), ollama(server, json_mode=True)]
        names = [LLMClient.of(llm, None).name for llm in given]
        assert server.calls == 0
        same = [responses(server, max_retries=9, timeout=7), ollama(server, request_timeout=9, keep_alive="9m")]
        assert [LLMClient.of(llm, None).name for llm in same] == [names[0], names[2]]
    assert len(set(names)) == 4
    assert not [name for name in names if "sk-topsecret" in name]
