"""What the tests of `caesura_llm` share: loops without a client, replies as dicts, a pace that does not wait."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import openai
from fakes.servers.openai_model import answer
from fakes.servers.openai_server import OpenAIServer

from caesura_llm.conversation import Conversation, Reply, Request
from caesura_llm.openai import async_openai_chat, openai_chat
from caesura_llm.passages import Passage
from caesura_llm.retries import Pace

R = TypeVar("R")
FAST = Pace(base=0.001, cap=0.002, timeout=20)


def said(value: Any, stop: Any = "stop") -> Reply:
    """A reply of this text, or of this value as JSON."""
    return Reply(value if isinstance(value, str) else json.dumps(value), stop)


def model(request: Request) -> Reply:
    """The reply of the server's model, without the server."""
    return Reply(answer([{"role": one.role, "content": one.text} for one in request.messages]))


def converse(
    conversation: Conversation[R],
    client: Callable[[Request], Reply | BaseException],
    choose: Callable[[list[Request]], Request] = lambda pending: pending[0],
) -> tuple[list[R], list[Request]]:
    """Answers one pending request after another, in any order -> the results, and the requests."""
    results, asked = list(conversation.finished()), []
    while pending := conversation.pending():
        request = choose(pending)
        asked.append(request)
        outcome = client(request)
        if isinstance(outcome, BaseException):
            conversation.reject(request, outcome)
        else:
            conversation.accept(request, outcome)
        results += conversation.finished()
    return results + conversation.finished(), asked


def in_turn(replies: Iterable[Reply | BaseException]) -> Callable[[Request], Reply | BaseException]:
    """A client that gives these replies."""
    waiting = iter(replies)

    def answer(request: Request) -> Reply | BaseException:
        reply = next(waiting, None)
        assert reply is not None, f"one request more than there are replies: {request.messages[-1].text!r:.200}"
        return reply

    return answer


def chat(server: OpenAIServer, **settings: Any) -> openai_chat:
    """The real client, at the server."""
    return openai_chat(openai.OpenAI(base_url=server.url, api_key="any"), "test-model", **settings)


def async_chat(server: OpenAIServer, **settings: Any) -> async_openai_chat:
    """The real client that is awaited."""
    return async_openai_chat(openai.AsyncOpenAI(base_url=server.url, api_key="any"), "test-model", **settings)


def passages(count: int, sentences: int = 2) -> list[Passage]:
    """Passages, no two alike, of one document."""
    found, start = [], 0
    for number in range(count):
        text = " ".join(f"Fact {number} of kind {k} is that tea is hot." for k in range(sentences))
        found.append(Passage(text, "tea.txt", start))
        start += len(text) + 1
    return found
