"""OpenAI's chat completions, as others write them too: a message in, as it is sent out; an answer in, a reply out."""

from __future__ import annotations

from typing import Any

from caesura.llm.conversation import Message, Reply


def written(message: Message) -> dict[str, Any]:
    """A message, its images after its text -> as it is sent."""
    if not message.images:
        return {"role": message.role, "content": message.text}
    images = [{"type": "image_url", "image_url": {"url": image.url}} for image in message.images]
    return {"role": message.role, "content": [{"type": "text", "text": message.text}, *images]}


def reply_of(completion: Any) -> Reply:
    """A completion as it came, whatever is missing of it. One without choices is an empty reply."""
    usage = getattr(completion, "usage", None)
    paid = (getattr(usage, "prompt_tokens", None) or 0, getattr(usage, "completion_tokens", None) or 0)
    choices = getattr(completion, "choices", None)
    if not choices:
        return Reply("", "stop", *paid)
    message, why = choices[0].message, choices[0].finish_reason
    if message is None:
        return Reply("", "stop", *paid)
    if getattr(message, "refusal", None) or why == "content_filter":
        return Reply(getattr(message, "refusal", None) or "content filter", "refused", *paid)
    return Reply(message.content or "", "length" if why == "length" else "stop", *paid)
