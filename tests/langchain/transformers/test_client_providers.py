"""Anthropic's, Ollama's and Azure's clients, at a server of their shape: all comes, each fault is seen to."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fakes.langchain.llms import FAST, documents, made, sync_and_async
from fakes.langchain.runs import Runs, tree
from fakes.servers.openai_server import OpenAIServer
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_ollama import ChatOllama
from langchain_openai import AzureChatOpenAI

from langchain_caesura import PropositionTransformer
from langchain_caesura.transformers.client import ChatModelClient

pytestmark = [pytest.mark.thorough, pytest.mark.enable_socket]
ONE = documents()[:1]


def anthropic(server: OpenAIServer, **settings: Any) -> ChatAnthropic:
    return ChatAnthropic(**{"model": "claude-m", "base_url": server.root, "api_key": "sk-secret", **settings})


def ollama(server: OpenAIServer, **settings: Any) -> ChatOllama:
    return ChatOllama(model="m", base_url=server.root, **settings)


def azure(server: OpenAIServer, **settings: Any) -> AzureChatOpenAI:
    given = {
        "azure_endpoint": server.root,
        "api_version": "2024-10-21",
        "azure_deployment": "d",
        "api_key": "sk-secret",
    }
    return AzureChatOpenAI(**given, **settings)


MODELS: dict[str, Callable[[OpenAIServer], BaseChatModel]] = {
    "Anthropic": anthropic,
    "Anthropic, streaming": lambda server: anthropic(server, streaming=True),
    "Ollama": ollama,
    "Azure": azure,
    "Azure, streaming": lambda server: azure(server, streaming=True),
}
models = pytest.mark.parametrize("name", MODELS)
each_method = pytest.mark.parametrize("method", [None, "function_calling", False], ids=["own", "tool", "plain"])


@each_method
@models
@pytest.mark.parametrize("fault", ["length", "prose"])
async def test_the_user_gets_all_and_the_report_equals_the_servers_counts(fault: str, name: str, method: Any) -> None:
    runs = Runs()
    with OpenAIServer(plan=[fault]) as server:
        transformer = PropositionTransformer(MODELS[name](server), structured=method)
        found = transformer.transform_documents(ONE, config={"callbacks": [runs]})
    report = transformer.report
    assert len(found) == 3
    assert (report.calls, report.retries) == (2, 0)
    assert (report.input_tokens, report.output_tokens) == (server.prompt_tokens, server.completion_tokens)
    kind = ("llm", type(MODELS[name](server)).__name__)
    assert tree(runs.roots[0]) == ("chain", "PropositionTransformer", [kind, kind])


@sync_and_async
@models
@pytest.mark.parametrize("fault", ["429", "drop", "broken"])
async def test_a_fault_of_the_wire_is_asked_again_once(fault: str, name: str, how: str) -> None:
    streams = "streaming" in name or name == "Ollama"
    with OpenAIServer(plan=[fault]) as server:
        transformer = PropositionTransformer(MODELS[name](server), pace=FAST)
        found = await made(transformer, ONE, how)
    assert len(found) == 3
    again = 1 if fault != "broken" or streams else 0
    assert (transformer.report.calls, transformer.report.retries, server.calls) == (1 + again, again, 1 + again)


@models
async def test_a_server_that_is_not_there_is_an_error_at_once_and_in_the_log(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with OpenAIServer() as server:
        pass
    transformer = PropositionTransformer(MODELS[name](server), on_failure="keep")
    for how in ("sync", "async"):
        with pytest.raises(Exception, match=r"(?i)connect") as caught:
            await made(transformer, documents(), how)
        assert "SettingError" not in type(caught.value).__name__
        assert (transformer.report.calls, transformer.report.retries) == (1, 0)
    warned = [one for one in caplog.records if one.name.startswith("caesura_llm")]
    assert [one.levelno for one in warned] == [logging.ERROR] * 2


async def test_a_wrong_key_ends_the_run_and_a_refusal_fails_its_passage_alone() -> None:
    with OpenAIServer(plan=["401", "refusal"]) as server:
        transformer = PropositionTransformer(anthropic(server), on_failure="keep")
        with pytest.raises(Exception, match="It went wrong"):
            transformer.transform_documents(ONE)
        assert server.calls == 1
        assert all(one.metadata["kept"] for one in transformer.transform_documents(ONE))
    assert "the model refused" in transformer.report.failures[0].reason


def test_a_name_has_the_model_and_no_key() -> None:
    with OpenAIServer() as server:
        names = [ChatModelClient(make(server)).name for make in MODELS.values()]
        assert not [name for name in names if "sk-secret" in name]
        assert names[0] == names[1]
        assert len(set(names)) == 3
        assert ChatModelClient(anthropic(server, temperature=0.2)).name != names[0]
        assert ChatModelClient(ollama(server, num_ctx=99)).name != names[2]
