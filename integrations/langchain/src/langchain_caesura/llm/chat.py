"""Any chat model of LangChain in, a client of `caesura.llm` out: one request, one reply, no retries of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from caesura.errors import SettingError
from caesura.llm.conversation import Reply, Request, Schema
from langchain_caesura.llm.messages import excused, message_of, replied
from langchain_caesura.llm.models import once, settings, structures

SUMMARY = "The reply, in the form asked for."


@dataclass(frozen=True, slots=True)
class Client:
    """A chat model -> what a `Driver` asks; its own retries are switched off where it has them, the driver retries.

    structured: whether replies are asked for by `with_structured_output`; a str: with this as its ``method``; None: as
    it does by itself, where the model has it. How long a reply may be is the model's own setting.
    """

    llm: BaseChatModel
    structured: bool | str | None = None
    _forms: dict[Schema, Runnable[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.llm, BaseChatModel):
            kind = f"an instance of {self.llm.__name__}" if isinstance(self.llm, type) else "a LangChain chat model"
            raise SettingError(
                f"llm must be {kind}, as ChatOpenAI(...); got {self.llm!r:.80}. Options that .bind() would add go into "
                "its constructor; retries are ours"
            )
        if self.structured is not None and not isinstance(self.structured, (bool, str)):
            raise SettingError(f"structured must be True, False, None or a method's name, got {self.structured!r:.80}")
        if self.structured is None:
            object.__setattr__(self, "structured", structures(self.llm))
        object.__setattr__(self, "llm", once(self.llm))

    @property
    def name(self) -> str:
        """What replies are journalled under: the model, and each setting that its replies depend on. No secrets."""
        return json.dumps([self.llm._llm_type, settings(self.llm), self.structured], sort_keys=True)

    def _asked(self, request: Request) -> tuple[Runnable[Any, Any], list[BaseMessage]]:
        model: Runnable[Any, Any] = self.llm
        if request.schema is not None and self.structured:
            if request.schema not in self._forms:
                self._forms[request.schema] = self._formed(request.schema)
            model = self._forms[request.schema]
        return model, [message_of(one) for one in request.messages]

    def _formed(self, schema: Schema) -> Runnable[Any, Any]:
        method = {"method": self.structured} if isinstance(self.structured, str) else {}
        form = {**schema.value, "title": schema.name, "description": SUMMARY}
        return self.llm.with_structured_output(form, include_raw=True, **method)


class Chat(Client):
    """A client for threads. Raises what the model raises, but where that says that a reply was cut off or empty."""

    def __call__(self, request: Request) -> Reply:
        model, messages = self._asked(request)
        try:
            return replied(model.invoke(messages))
        except Exception as error:
            return excused(error)


class AsyncChat(Client):
    """A client that is awaited."""

    async def __call__(self, request: Request) -> Reply:
        model, messages = self._asked(request)
        try:
            return replied(await model.ainvoke(messages))
        except Exception as error:
            return excused(error)
