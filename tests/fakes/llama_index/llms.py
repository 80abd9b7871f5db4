"""What the tests of language-model work in LlamaIndex share: the real client, documents, and LLMs of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from fakes.llama_index.parsers import content
from fakes.servers.openai_model import answer
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Document
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.bridge.pydantic import BaseModel
from llama_index.core.llms import CustomLLM
from llama_index.core.schema import BaseNode
from llama_index.llms.openai_like import OpenAILike

from llama_index.node_parser.caesura import (
    AgenticSplitter,
    ContextTransformer,
    DescriptionTransformer,
    PropositionTransformer,
    QuestionTransformer,
    SummaryTransformer,
)

EVERY = [
    PropositionTransformer,
    AgenticSplitter,
    ContextTransformer,
    SummaryTransformer,
    QuestionTransformer,
    DescriptionTransformer,
]
FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "function": {"is_function_calling_model": True},
    "schema": {"should_use_structured_outputs": True},
}
"""The ways in which such a server is asked for a form."""
TEXT = 'Anna keeps {dark} "bees". She sells honey; it is good.\nThe market opens at {{six}}.'
ONE = [Document(text=TEXT, id_="anna")]
every = pytest.mark.parametrize("kind", EVERY)
hows = pytest.mark.parametrize("how", ["sync", "async"])
forms = pytest.mark.parametrize("form", FORMS)


def like(server: OpenAIServer, **settings: Any) -> OpenAILike:
    """The real client, at the server."""
    given = {"model": "m", "api_key": "sk-topsecret", "is_chat_model": True, **settings}
    return OpenAILike(api_base=server.url, **given)


def told(count: int, sentences: int = 4) -> list[Document]:
    """Documents, no two alike."""
    words = ("tea", "ice", "bread", "honey")
    texts = [" ".join(f"Fact {k} of {n} is about {words[k % 4]}." for k in range(sentences)) for n in range(count)]
    return [Document(text=text, id_=f"d{n}", metadata={"n": n}) for n, text in enumerate(texts)]


def made(parser: Any, how: str, nodes: Sequence[BaseNode]) -> list[BaseNode]:
    """What a parser makes, called or awaited."""
    return list(parser(nodes) if how == "sync" else asyncio.run(parser.acall(nodes)))


def whole() -> list[dict[str, Any]]:
    """What the propositions of `ONE` are where nothing goes wrong."""
    with OpenAIServer() as server:
        return content(PropositionTransformer(like(server))(ONE))


class Plain(CustomLLM):
    """An LLM that completes texts, and says nothing of tokens."""

    temperature: float = 0.0

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="plain")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        system, _, user = prompt.partition("\nuser: ")
        user = user.rpartition("\nassistant:")[0]
        return CompletionResponse(
            text=answer([{"role": "system", "content": system}, {"role": "user", "content": user}])
        )

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


class OwnWay(Plain):
    """An LLM with a way of its own to structured output, which neither `chat` nor anything else hears of."""

    def structured_predict(self, output_cls: type[BaseModel], prompt: Any, llm_kwargs: Any = None, **args: Any) -> Any:
        return output_cls.model_validate_json(self.said(prompt.format_messages()))

    async def astructured_predict(self, output_cls: Any, prompt: Any, llm_kwargs: Any = None, **args: Any) -> Any:
        return self.structured_predict(output_cls, prompt)

    def said(self, messages: list[ChatMessage]) -> str:
        return answer([{"role": str(one.role.value), "content": one.content} for one in messages])

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        raise AssertionError("it has a way of its own")
