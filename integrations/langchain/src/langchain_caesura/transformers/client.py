"""Any chat model of LangChain in, a client of `caesura_llm` out: one request, one reply, no retries of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable

from caesura.errors import SettingError
from caesura.identity import canonical, without_secrets
from caesura_llm.clients import token_usage, reply_of, stop_reason
from caesura_llm.conversation import Message, Reply, Request, Schema

WHY = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def message_of(message: Message) -> BaseMessage:
    """A message of ours -> LangChain's."""
    kind = SystemMessage if message.role == "system" else HumanMessage
    if not message.images:
        return kind(message.text)
    images = [{"type": "image_url", "image_url": {"url": image.url}} for image in message.images]
    return kind([{"type": "text", "text": message.text}, *images])


def read_reply(returned: Any) -> Reply:
    """What a model, or its structured output, returned -> its words as they came, whatever was made of them."""
    message = returned["raw"] if isinstance(returned, Mapping) and "raw" in returned else returned
    if not isinstance(message, AIMessage):
        raise SettingError(f"a chat model must return an AIMessage, got {returned!r:.80}")
    spent = token_usage(message.usage_metadata or message.response_metadata.get("token_usage")) or (0, 0)
    text, told = _text(message), message.response_metadata
    refusal = _refusal(message)
    why = stop_reason(next((told[name] for name in WHY if told.get(name)), _incomplete(told)))
    if refusal or why == "refused":
        return Reply(refusal or text or "content filter", "refused", *spent)
    return Reply(text, why, *spent)


def _text(message: AIMessage) -> str:
    """What it says; where it calls our form as a tool, the arguments."""
    for call in message.tool_calls:
        return json.dumps(call["args"], ensure_ascii=False)
    for wrong in message.invalid_tool_calls:
        return wrong["args"] or ""
    return str(message.text)


def _refusal(message: AIMessage) -> str:
    said = message.additional_kwargs.get("refusal")
    blocks = message.content if isinstance(message.content, list) else []
    said = said or next((one.get("refusal") for one in blocks if isinstance(one, dict) and one.get("refusal")), None)
    return said if isinstance(said, str) else ""


def _incomplete(told: Mapping[str, Any]) -> object:
    details = told.get("incomplete_details")
    return details.get("reason") if isinstance(details, Mapping) else None


def reply_in_error(error: Exception) -> Reply:
    """An error that a reply made a library raise -> that reply; any other is raised."""
    completion = getattr(error, "completion", None)  # openai's, for one that was cut off or filtered
    if getattr(completion, "choices", None):
        return reply_of(completion)
    message = getattr(error, "raw_message", None)  # LangChain's, for one that refuses
    if isinstance(message, AIMessage):
        return read_reply(message)
    if isinstance(error, OutputParserException):  # where a model that thinks did not call the form
        return Reply(error.llm_output or "")
    if isinstance(error, IndexError) or (isinstance(error, (KeyError, TypeError)) and "choices" in str(error)):
        return Reply("")  # it had no choices
    raise error


TRANSPORT = frozenset(
    ["max_retries", "timeout", "request_timeout", "default_request_timeout", "stream", "streaming", "stream_usage"]
)
"""What a model's replies do not depend on."""


def has_structured_output(llm: BaseChatModel) -> bool:
    """Whether a model has structured output."""
    kind = type(llm)
    return (
        kind.with_structured_output is not BaseChatModel.with_structured_output
        or kind.bind_tools is not BaseChatModel.bind_tools
    )


def single_attempt_copy(llm: BaseChatModel) -> BaseChatModel:
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


def reply_settings(llm: BaseChatModel) -> dict[str, Any]:
    """What a model says identifies it, else its own plain fields; the same in every process, without secrets."""
    said = dict(llm._identifying_params)
    if not said:
        said = {name: getattr(llm, name) for name in type(llm).model_fields if name not in BaseChatModel.model_fields}
    found: dict[str, Any] = without_secrets(canonical({key: one for key, one in said.items() if key not in TRANSPORT}))
    return found


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
            object.__setattr__(self, "structured", has_structured_output(self.llm))
        object.__setattr__(self, "llm", single_attempt_copy(self.llm))

    @property
    def name(self) -> str:
        """What replies are journalled under: the model, and each setting that its replies depend on. No secrets."""
        return json.dumps([self.llm._llm_type, reply_settings(self.llm), self.structured], sort_keys=True)

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
            return read_reply(model.invoke(messages))
        except Exception as error:
            return reply_in_error(error)


class AsyncChat(Client):
    """A client that is awaited."""

    async def __call__(self, request: Request) -> Reply:
        model, messages = self._asked(request)
        try:
            return read_reply(await model.ainvoke(messages))
        except Exception as error:
            return reply_in_error(error)
