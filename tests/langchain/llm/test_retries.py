"""A copy of the model asks once, whatever clients it holds; the user's own stays as it is."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pytest
from langchain_llm_fakes import Plain
from langchain_openai import ChatOpenAI

from caesura.errors import SettingError
from langchain_caesura.llm.chat import Client
from langchain_caesura.llm.models import once

pytestmark = pytest.mark.enable_socket  # ChatOpenAI looks what a socket can do when it is made


def chat_openai(**settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "m", "api_key": "sk-secret", **settings})


def test_every_client_of_a_copy_asks_once_and_the_original_is_untouched() -> None:
    model = chat_openai(max_retries=4)
    copy = once(model)
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
    assert (model.sdk, once(model).sdk, model.sdk) == ("retries 2", "retries 0", "retries 2")  # type: ignore[attr-defined]


def test_a_setting_of_the_client_that_cannot_be_is_refused() -> None:
    with pytest.raises(SettingError, match="its constructor"):
        Client(Plain().bind(stop=["x"]))  # type: ignore[arg-type]
