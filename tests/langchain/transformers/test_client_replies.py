"""Any chat model's reply: why it ends, what was paid, its words or its refusal, in every provider's terms."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage

from caesura_llm.conversation import Message, Reply, Request
from caesura_llm.prompts import PASSAGES_OF_TEXTS
from langchain_caesura.transformers.client import ChatModelClient

ASKED = Request((Message("system", "Be brief."), Message("user", "Tea {is} hot?")), PASSAGES_OF_TEXTS)


def replied(message: AIMessage) -> Reply:
    return ChatModelClient(FakeMessagesListChatModel(responses=[message])).ask(ASKED)


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
