"""What a library says of a reply in, what `Reply` says out: why it ends and what was paid. For writers of clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from caesura_llm.conversation import Message, Reply

_CUT = frozenset(
    ["length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded"]
)
_REFUSED = frozenset(
    [
        "content_filter", "content_filtered", "refusal", "safety", "blocklist", "prohibited_content", "spii",
        "recitation", "guardrail_intervened", "image_safety", "error_toxic",
    ]
)  # fmt: skip
_PAID = (
    ("input_tokens", "output_tokens"),
    ("prompt_tokens", "completion_tokens"),
    ("prompt_token_count", "candidates_token_count"),
    ("inputTokens", "outputTokens"),
    ("prompt_eval_count", "eval_count"),
)


def stopped(reason: object) -> Literal["stop", "length", "refused"]:
    """A library's word for the end of a reply, or its enum -> ours; anything unknown is an end like any other.

    >>> stopped("MAX_TOKENS"), stopped("content_filter"), stopped("end_turn"), stopped(None)
    ('length', 'refused', 'stop', 'stop')
    """
    word = str(getattr(reason, "name", reason)).casefold()
    return "length" if word in _CUT else "refused" if word in _REFUSED else "stop"


def paid(usage: object) -> tuple[int, int] | None:
    """A library's account of a call, as a mapping or an object -> the tokens in and out; None where it says nothing.

    >>> paid({"prompt_tokens": 12, "completion_tokens": 3}), paid({"total": 15})
    ((12, 3), None)
    """
    for names in _PAID:
        found = [entry(usage, name) for name in names]
        if any(isinstance(one, int) and one > 0 for one in found):
            into, out = (one if isinstance(one, int) else 0 for one in found)
            return into, out
    return None


def entry(value: object, name: str) -> Any:
    """What a mapping or an object has under a name; None where it has nothing.

    >>> entry({"a": 1}, "a"), entry(3, "real"), entry(None, "a")
    (1, 3, None)
    """
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


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
