"""Any chat model of LangChain as a client: what it is asked, what is read of its replies, what it is known by."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_llm_fakes import Plain, documents, llm
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from openai_server import OpenAIServer

from caesura.errors import SettingError
from caesura.llm.conversation import Image, Message, Reply, Request
from caesura.llm.schemas import PASSAGES_OF_TEXTS
from langchain_caesura import PropositionTransformer
from langchain_caesura.llm.chat import Chat, Client
from langchain_caesura.llm.models import once, structures

pytestmark = pytest.mark.enable_socket  # ChatOpenAI looks what a socket can do when it is made
ASKED = Request((Message("system", "Be brief."), Message("user", "Tea {is} hot?")), PASSAGES_OF_TEXTS)


def replied(message: AIMessage) -> Reply:
    return Chat(FakeMessagesListChatModel(responses=[message]))(ASKED)


@pytest.mark.parametrize(
    ("metadata", "stop"),
    [
        ({"finish_reason": "stop"}, "stop"),
        ({}, "stop"),
        ({"finish_reason": "length"}, "length"),
        ({"stop_reason": "max_tokens"}, "length"),  # Anthropic
        ({"finish_reason": "MAX_TOKENS"}, "length"),  # Google
        ({"stopReason": "max_tokens"}, "length"),  # Bedrock
        ({"done_reason": "length"}, "length"),  # Ollama
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),  # OpenAI Responses
        ({"finish_reason": "content_filter"}, "refused"),
        ({"finish_reason": "SAFETY"}, "refused"),
        ({"stop_reason": "refusal"}, "refused"),
        ({"incomplete_details": {"reason": "content_filter"}}, "refused"),
    ],
)
def test_why_a_reply_ends_is_read_in_every_providers_words(metadata: dict[str, Any], stop: str) -> None:
    assert replied(AIMessage("Tea.", response_metadata=metadata)) == Reply("Tea.", stop)  # type: ignore[arg-type]


def test_what_was_paid_is_read_of_the_usage_metadata_or_the_providers_own() -> None:
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    assert replied(AIMessage("a", usage_metadata=usage)) == Reply("a", "stop", 7, 3)  # type: ignore[arg-type]
    told = {"token_usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    assert replied(AIMessage("a", response_metadata=told)) == Reply("a", "stop", 7, 3)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (AIMessage([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Tea."}]), "Tea."),
        (AIMessage("", tool_calls=[{"name": "x", "args": {"a": "é"}, "id": "1"}]), '{"a": "é"}'),
        (AIMessage("", invalid_tool_calls=[{"name": "x", "args": "{'a'", "id": "1", "error": None}]), "{'a'"),
    ],
)
def test_the_words_of_a_reply_are_its_text_or_what_it_calls_the_form_with(message: AIMessage, text: str) -> None:
    assert replied(message).text == text


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("", additional_kwargs={"refusal": "No."}),
        AIMessage([{"type": "refusal", "refusal": "No."}]),
    ],
)
def test_a_refusal_is_one_wherever_it_stands(message: AIMessage) -> None:
    assert replied(message) == Reply("No.", "refused")


class Raising(Plain):
    """A model whose library raises this once, and then replies."""

    error: Any = None

    def _generate(self, *arguments: Any, **more: Any) -> Any:
        if not self.calls:
            self._asked.append([])
            raise self.error
        return super()._generate(*arguments, **more)


@pytest.mark.parametrize(
    "error",
    [
        OutputParserException("no tool was called", llm_output="Well, tea."),  # Anthropic's, where the model thinks
        IndexError("list index out of range"),
        TypeError("Received response with null value for 'choices'."),
    ],
)
def test_an_error_that_is_about_the_reply_is_a_reply_to_repair(error: Exception) -> None:
    transformer = PropositionTransformer(Raising(error=error))
    assert len(transformer.transform_documents(documents()[1:2])) == 3
    assert (transformer.report.calls, transformer.report.repairs) == (2, 1)


class ModelRefusalError(Exception):
    """As newer versions of langchain-core have it."""


@pytest.mark.parametrize("error", [openai.ContentFilterFinishReasonError(), ModelRefusalError("No.")])
def test_an_error_that_says_that_the_model_refused_fails_the_passage_alone(error: Exception) -> None:
    transformer = PropositionTransformer(Raising(error=error), on_failure="keep", budget=1)
    found = transformer.transform_documents(documents())
    assert sorted(one.metadata["kept"] for one in found) == [False] * 3 + [True] * 3
    assert transformer.report.calls == 2


def test_any_other_error_is_the_users_to_see() -> None:
    with pytest.raises(KeyError, match="mine"):
        PropositionTransformer(Raising(error=KeyError("mine")), on_failure="keep").transform_documents(documents())


def test_what_is_said_is_said_as_it_is() -> None:
    model = Plain()
    Chat(model)(Request((Message("system", '{"passages"'), Message("user", "Passage 1:\n    {braces} %s"))))
    assert [(one.type, one.content) for one in model.asked[0]] == [
        ("system", '{"passages"'),
        ("human", "Passage 1:\n    {braces} %s"),
    ]


def test_an_image_goes_over_the_wire() -> None:
    with OpenAIServer() as server:
        Chat(llm(server))(Request((Message("user", "What?", (Image.of(b"\x89PNG"), Image("https://a.b/c.png"))),)))
    text, *images = server.requests[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "What?"}
    assert [one["image_url"]["url"] for one in images] == ["data:image/png;base64,iVBORw==", "https://a.b/c.png"]


def test_structured_output_is_used_where_the_model_has_it() -> None:
    assert structures(ChatOpenAI(api_key="x"))  # type: ignore[arg-type]
    assert not structures(FakeListChatModel(responses=["a"]))
    assert not structures(GenericFakeChatModel(messages=iter([])))
    with pytest.raises(NotImplementedError):
        Chat(FakeListChatModel(responses=["a"]), structured=True)(ASKED)


def test_a_model_without_structured_output_is_asked_in_words() -> None:
    reply = json.dumps({"passages": [{"number": 1, "propositions": [{"text": "Tea.", "sentences": [1]}]}]})
    model = FakeListChatModel(responses=[f"Here you are:\n```json\n{reply}\n```"])
    found = PropositionTransformer(model).transform_documents(documents()[1:2])
    assert [one.page_content for one in found] == ["Tea."]


# -- what it is known by -----------------------------------------------------------------------------------------------


def name(model: Any, structured: Any = None) -> str:
    return Client(model, structured).name


def chat_openai(**settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "m", "api_key": "sk-secret", **settings})


def test_what_changes_replies_is_in_the_name_and_what_does_not_is_not() -> None:
    own = name(chat_openai())
    for settings in (
        {"model": "b"}, {"temperature": 0.3}, {"top_p": 0.5}, {"seed": 1}, {"max_tokens": 9},
        {"reasoning_effort": "low"}, {"model_kwargs": {"user": "a"}}, {"extra_body": {"top_k": 3}},
    ):  # fmt: skip
        assert name(chat_openai(**settings)) != own
    for settings in (
        {"max_retries": 7}, {"timeout": 3}, {"api_key": "other"}, {"base_url": "http://x/v1"}, {"verbose": True},
        {"tags": ["a"]}, {"metadata": {"a": 1}}, {"streaming": True},
    ):  # fmt: skip
        assert name(chat_openai(**settings)) == own
    assert len({name(chat_openai(), structured) for structured in (None, False, "function_calling")}) == 3


def test_no_secret_is_in_the_name() -> None:
    models = [
        chat_openai(
            default_headers={"Authorization": "sk-secret"}, model_kwargs={"extra_headers": {"x-api-key": "sk-secret"}}
        ),
        AzureChatOpenAI(azure_endpoint="https://a", api_version="1", azure_deployment="d", api_key="sk-secret"),  # type: ignore[arg-type]
    ]
    assert all("sk-secret" not in name(model) for model in models)


def test_a_name_is_the_same_in_every_process() -> None:
    """No address of an object, no order of a set."""

    class Odd(Plain):
        thing: Any = None
        options: Any = None

    assert name(Odd(thing=object(), options={"b": [1, (2, None)], "a": object()})) == (
        '["plain", {"flavour": "plain", "options": {"a": "builtins:object", "b": [1, [2, null]]}, "refusing": false, '
        '"thing": "builtins:object"}, false]'
    )


# -- retries -----------------------------------------------------------------------------------------------------------


def test_every_client_of_a_copy_asks_once_and_the_original_is_untouched() -> None:
    model = chat_openai(max_retries=4)
    copy = once(model)
    clients = (copy.root_client, copy.root_async_client, copy.client._client, copy.async_client._client)  # type: ignore[attr-defined]
    assert [client.max_retries for client in clients] == [0] * 4
    assert copy.max_retries == 0  # type: ignore[attr-defined]
    assert [model.root_client.max_retries, model.client._client.max_retries] == [4, 4]


def test_what_a_cached_property_made_is_made_again() -> None:
    """As langchain-anthropic has its clients."""
    from functools import cached_property

    class Caching(Plain):
        max_retries: int = 2

        @cached_property
        def sdk(self) -> str:
            return f"retries {self.max_retries}"

    model = Caching()
    assert (model.sdk, once(model).sdk, model.sdk) == ("retries 2", "retries 0", "retries 2")  # type: ignore[attr-defined]


def test_a_setting_of_the_client_that_cannot_be_is_refused() -> None:
    with pytest.raises(SettingError, match="its constructor"):
        Client(Plain().bind(stop=["x"]))  # type: ignore[arg-type]
