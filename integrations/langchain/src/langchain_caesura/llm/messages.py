"""Our messages in, LangChain's out; what a chat model returned or raised in, our reply out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from caesura.errors import SettingError
from caesura.llm.clients import paid, stopped
from caesura.llm.completions import reply_of
from caesura.llm.conversation import Message, Reply

WHY = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def message_of(message: Message) -> BaseMessage:
    """A message of ours -> LangChain's."""
    kind = SystemMessage if message.role == "system" else HumanMessage
    if not message.images:
        return kind(message.text)
    images = [{"type": "image_url", "image_url": {"url": image.url}} for image in message.images]
    return kind([{"type": "text", "text": message.text}, *images])


def replied(returned: Any) -> Reply:
    """What a model, or its structured output, returned -> its words as they came, whatever was made of them."""
    message = returned["raw"] if isinstance(returned, Mapping) and "raw" in returned else returned
    if not isinstance(message, AIMessage):
        raise SettingError(f"a chat model must return an AIMessage, got {returned!r:.80}")
    spent = paid(message.usage_metadata or message.response_metadata.get("token_usage")) or (0, 0)
    text, told = _text(message), message.response_metadata
    refusal = _refusal(message)
    why = stopped(next((told[name] for name in WHY if told.get(name)), _incomplete(told)))
    if refusal or why == "refused":
        return Reply(refusal or text or "content filter", "refused", *spent)
    return Reply(text, why, *spent)


def _text(message: AIMessage) -> str:
    """What it says; where it calls our form as a tool, the arguments."""
    for call in message.tool_calls:
        return json.dumps(call["args"], ensure_ascii=False)
    for wrong in message.invalid_tool_calls:
        return wrong["args"] or ""
    return str(message.text)


def _refusal(message: AIMessage) -> str:
    said = message.additional_kwargs.get("refusal")
    blocks = message.content if isinstance(message.content, list) else []
    said = said or next((one.get("refusal") for one in blocks if isinstance(one, dict) and one.get("refusal")), None)
    return said if isinstance(said, str) else ""


def _incomplete(told: Mapping[str, Any]) -> object:
    details = told.get("incomplete_details")
    return details.get("reason") if isinstance(details, Mapping) else None


def excused(error: Exception) -> Reply:
    """An error that a reply made a library raise -> that reply; any other is raised."""
    completion = getattr(error, "completion", None)  # openai's, for one that was cut off or filtered
    if getattr(completion, "choices", None):
        return reply_of(completion)
    message = getattr(error, "raw_message", None)  # LangChain's, for one that refuses
    if isinstance(message, AIMessage):
        return replied(message)
    if isinstance(error, OutputParserException):  # where a model that thinks did not call the form
        return Reply(error.llm_output or "")
    if isinstance(error, IndexError) or (isinstance(error, (KeyError, TypeError)) and "choices" in str(error)):
        return Reply("")  # it had no choices
    raise error
