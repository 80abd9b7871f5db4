"""How a chat model is asked: in its words or by its form, by a copy of it that does not retry."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import pytest
from fakes.langchain.llms import Plain, documents, llm
from fakes.servers.openai_server import OpenAIServer
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_openai import ChatOpenAI

from caesura.errors import SettingError
from caesura_llm.conversation import Image, Message, Request
from caesura_llm.prompts import PASSAGES_OF_TEXTS
from langchain_caesura import PropositionTransformer
from langchain_caesura.transformers.chat_models import single_attempt_copy, takes_forms
from langchain_caesura.transformers.client import ChatModelClient

pytestmark = pytest.mark.enable_socket  # ChatOpenAI looks what a socket can do when it is made
ASKED = Request((Message("system", "Be brief."), Message("user", "Tea {is} hot?")), PASSAGES_OF_TEXTS)


def test_what_is_said_is_said_as_it_is() -> None:
    model = Plain()
    ChatModelClient(model).ask(
        Request((Message("system", '{"passages"'), Message("user", "Passage 1:\n    {braces} %s")))
    )
    assert [(one.type, one.content) for one in model.asked[0]] == [
        ("system", '{"passages"'),
        ("human", "Passage 1:\n    {braces} %s"),
    ]


def test_an_image_goes_over_the_wire() -> None:
    with OpenAIServer() as server:
        ChatModelClient(llm(server)).ask(
            Request((Message("user", "What?", (Image.of(b"\x89PNG"), Image("https://a.b/c.png"))),))
        )
    text, *images = server.requests[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "What?"}
    assert [one["image_url"]["url"] for one in images] == ["data:image/png;base64,iVBORw==", "https://a.b/c.png"]


def test_structured_output_is_used_where_the_model_has_it() -> None:
    assert takes_forms(ChatOpenAI(api_key="x"), None)  # type: ignore[arg-type]
    assert not takes_forms(FakeListChatModel(responses=["a"]), None)
    assert not takes_forms(GenericFakeChatModel(messages=iter([])), None)
    with pytest.raises(NotImplementedError):
        ChatModelClient(FakeListChatModel(responses=["a"]), structured=True).ask(ASKED)


def test_a_model_without_structured_output_is_asked_in_words() -> None:
    reply = json.dumps({"passages": [{"number": 1, "propositions": [{"text": "Tea.", "sentences": [1]}]}]})
    model = FakeListChatModel(responses=[f"Here you are:\n```json\n{reply}\n```"])
    found = PropositionTransformer(model).transform_documents(documents()[1:2])
    assert [one.page_content for one in found] == ["Tea."]


def chat_openai(**settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "m", "api_key": "sk-secret", **settings})


def test_every_client_of_a_copy_asks_once_and_the_original_is_untouched() -> None:
    model = chat_openai(max_retries=4)
    copy = single_attempt_copy(model)
    clients = (copy.root_client, copy.root_async_client, copy.client._client, copy.async_client._client)  # type: ignore[attr-defined]
    assert [client.max_retries for client in clients] == [0] * 4
    assert copy.max_retries == 0  # type: ignore[attr-defined]
    assert [model.root_client.max_retries, model.client._client.max_retries] == [4, 4]


def test_what_a_cached_property_made_is_made_again() -> None:
    """As langchain-anthropic has its clients."""

    class Caching(Plain):
        max_retries: int = 2

        @cached_property
        def sdk(self) -> str:
            return f"retries {self.max_retries}"

    model = Caching()
    assert (model.sdk, single_attempt_copy(model).sdk, model.sdk) == ("retries 2", "retries 0", "retries 2")  # type: ignore[attr-defined]


def test_a_setting_of_the_client_that_cannot_be_is_refused() -> None:
    with pytest.raises(SettingError, match="A chain of more than that is none"):
        ChatModelClient(Plain() | StrOutputParser())  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="without exception_key"):
        ChatModelClient(Plain().with_fallbacks([Plain()], exception_key="error"))
