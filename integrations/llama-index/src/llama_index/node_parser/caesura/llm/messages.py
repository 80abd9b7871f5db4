"""Our messages in, LlamaIndex's out; and its responses in, our reply out."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ImageBlock, TextBlock
from llama_index.core.utils import get_tokenizer

from caesura.llm.clients import entry, paid, stopped
from caesura.llm.conversation import Image, Message, Reply


def message_of(message: Message) -> ChatMessage:
    """A message with its images, as LlamaIndex has it."""
    return ChatMessage(role=message.role, blocks=[TextBlock(text=message.text), *map(_image, message.images)])


def _image(image: Image) -> ImageBlock:
    head, _, data = image.url.partition(";base64,")
    if head.startswith("data:"):
        return ImageBlock(image=b64decode(data), image_mimetype=head.removeprefix("data:"))
    return ImageBlock(url=image.url)


def replied(heard: Sequence[ChatResponse], messages: list[ChatMessage]) -> Reply:
    """The last response as it came; all are paid for."""
    last = heard[-1]
    text, (why, refusal) = _text(last), _end(last)
    spent = [_usage(one) or counted(messages, _text(one)) for one in heard]
    tokens = sum(into for into, _ in spent), sum(out for _, out in spent)
    if refusal or why == "refused":
        return Reply(refusal or text or "content filter", "refused", *tokens)
    return Reply(text, why, *tokens)


def _text(response: ChatResponse) -> str:
    """What it says; where it calls our form as a function, the arguments."""
    message = response.message
    blocks: list[Any] = list(message.blocks)
    calls = [block.tool_kwargs for block in blocks if getattr(block, "block_type", "") == "tool_call"]
    for call in () if calls else message.additional_kwargs.get("tool_calls") or ():
        function = entry(call, "function") or call
        calls += [one for name in ("arguments", "input") if (one := entry(function, name)) is not None][:1]
    if calls:
        return calls[0] if isinstance(calls[0], str) else json.dumps(calls[0], ensure_ascii=False)
    return message.content or ""


def _end(response: ChatResponse) -> tuple[Any, str]:
    """Why it ends, and the words of a refusal."""
    raw = response.raw
    choices = entry(raw, "choices") or entry(raw, "candidates")
    first = choices[0] if isinstance(choices, Sequence) and choices else raw
    places = (first, raw, response.additional_kwargs, response.message.additional_kwargs)
    names = ("finish_reason", "stop_reason", "stopReason", "done_reason", "finishReason")
    reasons = [found for place in places for name in names if (found := entry(place, name))]
    refusal = entry(entry(first, "message"), "refusal")
    return stopped(reasons[0] if reasons else None), refusal if isinstance(refusal, str) else ""


def _usage(response: ChatResponse) -> tuple[int, int] | None:
    """The tokens that the server counted."""
    raw = response.raw
    for account in (entry(raw, "usage"), entry(raw, "usage_metadata"), response.additional_kwargs, raw):
        if (found := paid(account)) is not None:
            return found
    return None


def counted(messages: Sequence[ChatMessage], text: str) -> tuple[int, int]:
    """The tokens where no server says: by LlamaIndex's tokenizer, images aside."""
    tokenizer = get_tokenizer()
    return sum(len(tokenizer(message.content or "")) for message in messages), len(tokenizer(text))
