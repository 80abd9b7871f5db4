"""Any LLM of LlamaIndex in, a client of `caesura.llm` out: one request, one reply, no retries of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from inspect import unwrap
from typing import Any, cast

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import LLM, CustomLLM
from llama_index.core.prompts import ChatPromptTemplate

from caesura.llm.conversation import Message, Reply, Request
from llama_index.node_parser.caesura.llm.excuse import excused
from llama_index.node_parser.caesura.llm.forms import form
from llama_index.node_parser.caesura.llm.listening import listening
from llama_index.node_parser.caesura.llm.messages import message_of


@dataclass(frozen=True, slots=True)
class Client:
    """What a `Driver` asks. llm: as `opened` gives it. structured: whether replies are asked for by its own
    `structured_predict`. name: what they are journalled under. system: what it is told before all else."""

    llm: LLM
    structured: bool
    name: str
    system: str | None = None

    def _messages(self, request: Request) -> list[ChatMessage]:
        first = [Message("system", self.system)] if self.system else []
        return [message_of(one) for one in (*first, *request.messages)]


class Chat(Client):
    """A client for threads. Raises what the LLM raises, save what a reply that cannot be read makes it raise."""

    def __call__(self, request: Request) -> Reply:
        messages = self._messages(request)
        with listening() as heard, excused(heard, messages) as excuse:
            if request.schema is not None and self.structured:
                model = form(request.schema)
                excuse.made = self.llm.structured_predict(model, _said(messages))
            else:
                self.llm.chat(messages)
        return excuse.reply()


class AsyncChat(Client):
    """A client that is awaited. An LLM that runs in this process, whose `achat` is its `chat`, is asked in a thread."""

    async def __call__(self, request: Request) -> Reply:
        if unwrap(type(self.llm).achat) is unwrap(CustomLLM.achat):
            return await asyncio.to_thread(Chat.__call__, cast(Chat, self), request)
        messages = self._messages(request)
        with listening() as heard, excused(heard, messages) as excuse:
            if request.schema is not None and self.structured:
                model = form(request.schema)
                excuse.made = await self.llm.astructured_predict(model, _said(messages))
            else:
                await self.llm.achat(messages)
        return excuse.reply()


class _Said(ChatPromptTemplate):  # type: ignore[no-redef]
    """Messages that are said as they are: braces in them are the document's."""

    def format_messages(self, llm: Any = None, **_: Any) -> list[ChatMessage]:
        return list(self.message_templates)


def _said(messages: list[ChatMessage]) -> _Said:
    return _Said(message_templates=messages)  # type: ignore[call-arg]
