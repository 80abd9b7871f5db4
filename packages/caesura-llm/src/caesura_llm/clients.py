"""Helpers for clients: a library's response -> a `Reply` with its text, its end and its tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from caesura.errors import ReplyError, SettingError
from caesura.ids import digest
from caesura_llm.conversation import Message, Reply
from caesura_store.secrets import known_settings
from caesura_store.setting_keys import canonical

_CUT_OFF = frozenset(
    ["length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded"]
)
_REFUSED = frozenset(
    [
        "content_filter", "content_filtered", "refusal", "safety", "blocklist", "prohibited_content", "spii",
        "recitation", "guardrail_intervened", "image_safety", "error_toxic",
    ]
)  # fmt: skip
_USAGE_FIELDS = (
    ("input_tokens", "output_tokens"),
    ("prompt_tokens", "completion_tokens"),
    ("prompt_token_count", "candidates_token_count"),
    ("inputTokens", "outputTokens"),
    ("prompt_eval_count", "eval_count"),
)

_CACHED_FIELDS = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("input_token_details", "cache_read"),
    ("cached_content_token_count",),
    ("prompt_cache_hit_tokens",),
)
_BESIDE = (
    ("cache_read_input_tokens", "cache_creation_input_tokens"),
    ("cacheReadInputTokens", "cacheWriteInputTokens"),
)
"""Fields of tokens read from and written to the cache, in accounts that do not count them as tokens in."""

_SECRET = re.compile("key|token|secret|password|credential|auth|header|cookie", re.IGNORECASE)
"""Words in the names of settings that may be secret."""


def identifying_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A model's settings -> plain values that tell it from others in the journal.

    Settings that `known_settings` keeps are shown, and numbers, truth values and None. Of other values there is only a
    digest, as ``others``, so that two models that differ in one of them are not taken for each other. A setting whose
    name may be a secret's is left out.

    >>> identifying_settings({"model": "m", "api_key": "sk-…"})
    {'model': 'm'}
    """
    plain = canonical(settings)
    known: dict[str, Any] = known_settings(plain)
    hidden: dict[str, Any] = {}
    for name, value in plain.items():
        if name not in known and not _SECRET.search(name):
            (known if value is None or isinstance(value, (int, float)) else hidden)[name] = value
    return {**known, "others": digest(json.dumps(hidden, sort_keys=True))} if hidden else known


def stop_reason(reason: object) -> Literal["stop", "length", "refused"]:
    """A library's word or enum for the end of a reply -> ours. An unknown word means a normal end.

    >>> stop_reason("MAX_TOKENS"), stop_reason("content_filter"), stop_reason("end_turn"), stop_reason(None)
    ('length', 'refused', 'stop', 'stop')
    """
    word = str(getattr(reason, "name", reason)).casefold()
    return "length" if word in _CUT_OFF else "refused" if word in _REFUSED else "stop"


def token_usage(usage: object) -> tuple[int, int, int] | None:
    """A library's account of a call, as a mapping or an object -> the tokens in and out, and those of the tokens in
    that came from the provider's cache; None where it says nothing.

    >>> token_usage({"prompt_tokens": 12, "completion_tokens": 3}), token_usage({"total": 15})
    ((12, 3, 0), None)
    >>> token_usage({"input_tokens": 2, "output_tokens": 3, "cache_read_input_tokens": 9})
    (11, 3, 9)
    """
    beside = next((counts for names in _BESIDE if any(counts := [_count(usage, name) for name in names])), [0, 0])
    cached = next((count for names in _CACHED_FIELDS if (count := _count(usage, *names))), beside[0])
    for names in _USAGE_FIELDS:
        into, out = (_count(usage, name) for name in names)
        if into or out:
            return into + sum(beside), out, cached
    return None


def _count(account: object, *names: str) -> int:
    """Follows the names into an account; returns 0 unless it finds a whole number over 0."""
    for name in names:
        account = get_field(account, name)
    return account if isinstance(account, int) and not isinstance(account, bool) and account > 0 else 0


def get_field(value: object, name: str) -> Any:
    """Returns an entry of a mapping or an attribute of an object; None where there is none.

    >>> get_field({"a": 1}, "a"), get_field(3, "real"), get_field(None, "a")
    (1, 3, None)
    """
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def refuse_page(answer: object, client: object = None) -> None:
    """Raises `SettingError` for a text in the place of an answer: a page of HTML, of a proxy or from a URL that is not
    the API's. client: what asked, or a model within bindings; the error names the host that it asks."""
    if isinstance(answer, str):
        raise SettingError(
            f"the server{_host(client)} must answer with JSON, got the text {answer[:80]!r}: check the base URL, which "
            f"for most servers ends in /v1, and whether a proxy answers in the server's place"
        )


def _host(client: Any) -> str:
    """Says which host a client asks, without what a URL has beside it; nothing where it does not say so."""
    while (inner := getattr(client, "bound", None)) is not None:
        client = inner
    for name in ("base_url", "openai_api_base", "api_base"):
        host = urlsplit(str(getattr(client, name, None) or "")).netloc.rpartition("@")[2]
        if host:
            return f" at {host}"
    return ""


def message_dict(message: Message) -> dict[str, Any]:
    """A message -> its dict for the API of OpenAI, images after the text."""
    if not message.images:
        return {"role": message.role, "content": message.text}
    images = [{"type": "image_url", "image_url": {"url": image.url}} for image in message.images]
    return {"role": message.role, "content": [{"type": "text", "text": message.text}, *images]}


def read_completion(completion: Any, client: object = None) -> Reply:
    """A chat completion of OpenAI, even an incomplete one -> a `Reply`. One without choices is an empty reply.

    Raises `ReplyError` where something else stands in the place of the choices or the text; as `refuse_page` does.
    """
    refuse_page(completion, client)
    usage = get_field(completion, "usage")
    spent = token_usage(usage) or (0, 0, 0)
    choices = get_field(completion, "choices") or [None]
    message = get_field(choices[0], "message") if isinstance(choices, list) else choices
    text, refusal = get_field(message, "content"), get_field(message, "refusal")
    if not isinstance(choices, list) or not isinstance(text or "", str):
        raise ReplyError(f"a chat completion must have a list of choices with a text, got {completion!r:.200}")
    reason = get_field(choices[0], "finish_reason")
    if message is not None and (refusal or reason == "content_filter"):
        return Reply(str(refusal or "content filter"), "refused", *spent)
    return Reply(text or "", "length" if reason == "length" else "stop", *spent)
