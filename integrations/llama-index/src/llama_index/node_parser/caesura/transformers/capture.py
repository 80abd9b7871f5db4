"""Copies of an LLM that ask once, and whose responses can be captured.

`LLM.structured_predict` returns what it could read of a reply: neither the reply, nor what that cost.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse
from llama_index.core.llms import LLM

from caesura.sansio import Awaiting, Blocking, Calls

Response = TypeVar("Response", ChatResponse, CompletionResponse)
CAPTURED: ContextVar[list[ChatResponse] | None] = ContextVar("captured", default=None)
"""The list that each response of such a copy is put into, in this context."""


def capturing_copy(llm: LLM) -> LLM:
    """Copies an LLM so that neither it nor its clients retry, and its responses are captured."""
    update: dict[str, Any] = {"system_prompt": None}  # some of LlamaIndex's ways put it first, some twice: we do
    if "max_retries" in type(llm).model_fields:
        update["max_retries"] = 0
    copy = llm.model_copy(update=update)
    for name, value in (copy.__pydantic_private__ or {}).items():
        if hasattr(value, "with_options") and hasattr(value, "max_retries"):  # a client of openai or anthropic
            setattr(copy, name, value.with_options(max_retries=0))

    def capturing(name: str) -> Callable[..., Any]:
        def ask(*arguments: Any, **options: Any) -> Any:
            with _recording() as record:
                return record(getattr(type(copy), name)(copy, *arguments, **options))

        return ask

    def acapturing(name: str) -> Callable[..., Any]:
        async def ask(*arguments: Any, **options: Any) -> Any:
            with _recording() as record:
                return record(await getattr(type(copy), name)(copy, *arguments, **options))

        return ask

    vars(copy).update({name: capturing(name) for name in ("chat", "complete")})
    vars(copy).update({name: acapturing(name) for name in ("achat", "acomplete")})
    return copy


@contextmanager
def _recording() -> Iterator[Callable[[Response], Response]]:
    """Gives a function that records a response, and drops those that it was made of: some LLMs chat by completing."""
    captured = CAPTURED.get()
    before = 0 if captured is None else len(captured)

    def record(response: Response) -> Response:
        if captured is not None:
            del captured[before:]
            captured.append(response if isinstance(response, ChatResponse) else _as_chat(response))
        return response

    yield record


def _as_chat(response: CompletionResponse) -> ChatResponse:
    message = ChatMessage(role="assistant", content=response.text)
    return ChatResponse(message=message, raw=response.raw, additional_kwargs=response.additional_kwargs)


@asynccontextmanager
async def client_copy(calls: Calls, llm: LLM) -> AsyncIterator[LLM]:
    """Gives a capturing copy, for threads or the running loop, and closes the clients that it opened."""
    copy = capturing_copy(llm)
    before = _prepare_client(copy, "_get_client" if isinstance(calls, Blocking) else "_get_aclient")
    try:
        yield copy
    finally:
        for client in _new_clients(copy, before):
            await _close(calls, client)


async def _close(calls: Calls, client: Any) -> None:
    """Closes a client; of an async one that a sync caller's LLM made, nothing is open."""
    if isinstance(calls, Awaiting) or not inspect.iscoroutinefunction(client.close):
        closing = client.close()
        if inspect.isawaitable(closing):
            await closing


def _prepare_client(copy: LLM, maker: str) -> dict[str, Any]:
    """Makes the client that an LLM keeps, so that threads share it -> the private attributes from before."""
    before = dict(copy.__pydantic_private__ or {})
    make = getattr(copy, maker, None)
    if callable(make) and getattr(copy, "reuse_client", False):
        make()
    return before


def _new_clients(copy: LLM, before: dict[str, Any]) -> list[Any]:
    """The clients that a copy has made since."""
    now = copy.__pydantic_private__ or {}
    return [
        value for name, value in now.items() if before.get(name) is None and callable(getattr(value, "close", None))
    ]
