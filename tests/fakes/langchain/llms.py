"""What the tests of LangChain's work with a language model share: documents, the real client, a plain model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from fakes.servers.openai_model import answer
from fakes.servers.openai_server import OpenAIServer
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from caesura_llm.retries import Pace
from langchain_caesura.transformers.llm_transformer import LLMTransformer

FAST = Pace(base=0.001, cap=0.002, timeout=20)
BEES = 'Anna keeps "dark" bees. She sells honey; it is good.\nThe market opens at six.'
TEA = "Tea is hot.\n\nIce is cold. Both are sold."
HOWS = ("sync", "async", "lazy", "alazy")
every_how = pytest.mark.parametrize("how", HOWS)
sync_and_async = pytest.mark.parametrize("how", HOWS[:2])


def llm(server: OpenAIServer, **settings: Any) -> ChatOpenAI:
    """The real client, at the server."""
    return ChatOpenAI(**{"model": "test-model", "base_url": server.url, "api_key": "any", **settings})


def documents() -> list[Document]:
    return [
        Document(BEES, id="bees", metadata={"source": "bees.md", "title": "Bees", "tags": ["a", {"b": 1}]}),
        Document(TEA, metadata={"source": "tea.md"}),
        Document(" \n", id="blank"),
    ]


def many(count: int, length: int = 2) -> list[Document]:
    """Documents, no two alike."""
    return [
        Document(" ".join(f"Fact {number} of kind {k} is that tea is hot." for k in range(length)), id=f"d{number}")
        for number in range(count)
    ]


async def made(transformer: LLMTransformer, given: Sequence[Document], how: str) -> list[Document]:
    """What a transformer makes of documents, by each of its ways."""
    if how == "sync":
        return list(transformer.transform_documents(given))
    if how == "async":
        return list(await transformer.atransform_documents(given))
    if how == "lazy":
        return list(transformer.lazy_transform_documents(iter(given)))
    return [one async for one in transformer.alazy_transform_documents(iter(given))]


class Plain(BaseChatModel):
    """A chat model without structured output, tools, usage or an account of itself: the server's, asked directly."""

    flavour: str = "plain"
    refusing: bool = False
    _asked: list[Any] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[list[BaseMessage]]:
        return self._asked

    @property
    def calls(self) -> int:
        return len(self._asked)

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self._asked.append(messages)
        roles = {"system": "system", "human": "user"}
        said = answer([{"role": roles[one.type], "content": one.content} for one in messages])
        told = {"finish_reason": "content_filter"} if self.refusing else {}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(said, response_metadata=told))])
