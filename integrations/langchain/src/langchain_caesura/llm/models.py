"""A chat model in, one that asks once out, and what tells its replies from another's: its settings, without secrets."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel

from caesura.plain import plain, without_secrets

TRANSPORT = frozenset(
    ["max_retries", "timeout", "request_timeout", "default_request_timeout", "stream", "streaming", "stream_usage"]
)
"""What a model's replies do not depend on."""


def structures(llm: BaseChatModel) -> bool:
    """Whether a model has structured output."""
    kind = type(llm)
    return (
        kind.with_structured_output is not BaseChatModel.with_structured_output
        or kind.bind_tools is not BaseChatModel.bind_tools
    )


def once(llm: BaseChatModel) -> BaseChatModel:
    """A copy that asks once; the SDK's clients that it holds are told so too, those of openai, anthropic, groq."""
    fields = type(llm).model_fields
    copy = llm.model_copy(update={"max_retries": 0} if "max_retries" in fields else {})
    for name, value in list(vars(copy).items()):
        if name not in fields:
            del vars(copy)[name]  # what a cached property has made, with retries: it is made again
        elif callable(getattr(value, "with_options", None)):
            vars(copy)[name] = value.with_options(max_retries=0)
        elif callable(getattr(getattr(value, "_client", None), "with_options", None)):
            vars(copy)[name] = type(value)(value._client.with_options(max_retries=0))  # a resource of such a client
    return copy


def settings(llm: BaseChatModel) -> dict[str, Any]:
    """What a model says identifies it, else its own plain fields; the same in every process, without secrets."""
    said = dict(llm._identifying_params)
    if not said:
        said = {name: getattr(llm, name) for name in type(llm).model_fields if name not in BaseChatModel.model_fields}
    found: dict[str, Any] = without_secrets(plain({key: one for key, one in said.items() if key not in TRANSPORT}))
    return found
