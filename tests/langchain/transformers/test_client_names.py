"""What a model's replies are known by: all that changes them, no secret, the same in every process."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.llms import Plain
from langchain_openai import AzureChatOpenAI, ChatOpenAI

from langchain_caesura.transformers.client import ChatModelClient

pytestmark = pytest.mark.enable_socket  # ChatOpenAI looks what a socket can do when it is made


def name(model: Any, structured: Any = None) -> str:
    return ChatModelClient(model, structured).name


def chat_openai(**settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "m", "api_key": "sk-secret", **settings})


def test_what_changes_replies_is_in_the_name_and_what_does_not_is_not() -> None:
    own = name(chat_openai())
    for settings in (
        {"model": "b"}, {"temperature": 0.3}, {"top_p": 0.5}, {"seed": 1}, {"max_tokens": 9},
        {"reasoning_effort": "low"}, {"model_kwargs": {"suffix": "a"}}, {"extra_body": {"top_k": 3}},
    ):  # fmt: skip
        assert name(chat_openai(**settings)) != own
    for settings in (
        {"max_retries": 7}, {"timeout": 3}, {"api_key": "other"}, {"base_url": "http://x/v1"}, {"verbose": True},
        {"tags": ["a"]}, {"metadata": {"a": 1}}, {"streaming": True},
    ):  # fmt: skip
        assert name(chat_openai(**settings)) == own
    assert len({name(chat_openai(), structured) for structured in (None, False, "function_calling")}) == 3


def test_replies_of_two_servers_are_kept_apart_whatever_their_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(model: Any) -> str:
        return ChatModelClient(model).key

    urls = ["http://x/v1", "http://y/v1", "http://me:sk-secret@x/v1", "http://x/v1?key=sk-secret"]
    keys = [key(chat_openai(base_url=url)) for url in urls]
    assert keys[0] == keys[2] == keys[3] != keys[1]
    assert key(chat_openai()).startswith(f"{name(chat_openai())} https://")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://z/v1")
    assert key(chat_openai()) == f"{name(chat_openai())} http://z/v1/"
    other = chat_openai(model="b", base_url="http://y/v1").bind(seed=1)
    assert key(chat_openai(base_url="http://x/v1").with_fallbacks([other])).endswith(" http://x/v1 http://y/v1")
    azure = {"api_version": "1", "azure_deployment": "d", "api_key": "sk-secret"}
    own = AzureChatOpenAI(azure_endpoint="https://a", **azure)  # type: ignore[arg-type]
    assert key(own).endswith(" https://a")
    assert "sk-secret" not in key(own)


def test_no_secret_is_in_the_name() -> None:
    models = [
        chat_openai(base_url="http://me:sk-secret@x/v1"),
        chat_openai(
            default_headers={"Authorization": "sk-secret"}, model_kwargs={"extra_headers": {"x-api-key": "sk-secret"}}
        ),
        AzureChatOpenAI(azure_endpoint="https://a", api_version="1", azure_deployment="d", api_key="sk-secret"),  # type: ignore[arg-type]
    ]
    assert all("sk-secret" not in name(model) for model in models)


def test_a_name_is_the_same_in_every_process() -> None:
    """No address of an object, no order of a set; settings of no known name are in a digest."""

    class Odd(Plain):
        thing: Any = None
        options: Any = None

    assert name(Odd(thing=object(), options={"stop": [1, (2, None)], "n": object()})) == (
        '["plain", {"options": {"n": "builtins:object", "stop": [1, [2, null]]}, '
        '"others": "87b1b1ca-3836-59fe-16d5-5bf7dd3d47b7", "refusing": false}, false]'
    )
