"""Client of any chat model of LangChain, for a `Driver`: one request, one reply, no retries of its own."""

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
from caesura_llm.clients import read_reply as read_completion
from caesura_llm.clients import stop_reason, token_usage
from caesura_llm.conversation import Message, Reply, Request, Schema

REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
"""Where libraries say why a reply ends."""
TRANSPORT = frozenset(
    ["max_retries", "timeout", "request_timeout", "default_request_timeout", "stream", "streaming", "stream_usage"]
)
"""What a model's replies do not depend on."""
ANTHROPIC = "anthropic-chat"
"""The kind of model whose provider keeps in its cache what it is told to."""
FORM = "The reply, in the form asked for."


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

    def ask(self, request: Request) -> Reply:
        """Raises what the model raises, but where that says that a reply was cut off or empty."""
        try:
            return read_reply(self._model(request).invoke(self._messages(request)))
        except Exception as error:
            return reply_in_error(error)

    async def aask(self, request: Request) -> Reply:
        """`ask`, awaited."""
        try:
            return read_reply(await self._model(request).ainvoke(self._messages(request)))
        except Exception as error:
            return reply_in_error(error)

    def _messages(self, request: Request) -> list[BaseMessage]:
        messages = messages_of(request)
        return _mark_shared(messages, request) if self.llm._llm_type == ANTHROPIC else messages

    def _model(self, request: Request) -> Runnable[Any, Any]:
        """The model, told the form of the reply where it takes one."""
        schema = request.schema
        if schema is None or not self.structured:
            return self.llm
        if schema not in self._forms:
            method = {"method": self.structured} if isinstance(self.structured, str) else {}
            form = {**schema.value, "title": schema.name, "description": FORM}
            self._forms[schema] = self.llm.with_structured_output(form, include_raw=True, **method)
        return self._forms[schema]


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
    getattr(copy, "_serialized", None)  # made now: two threads that make it at once fail in Python 3.12 and later
    return copy


def reply_settings(llm: BaseChatModel) -> dict[str, Any]:
    """What a model says identifies it, else its own plain fields; the same in every process, without secrets."""
    data = dict(llm._identifying_params)
    if not data:
        data = {name: getattr(llm, name) for name in type(llm).model_fields if name not in BaseChatModel.model_fields}
    own: dict[str, Any] = without_secrets(canonical({key: one for key, one in data.items() if key not in TRANSPORT}))
    return own


def messages_of(request: Request) -> list[BaseMessage]:
    """A request -> its messages, as LangChain has them."""
    return [_message(message) for message in request.messages]


def _mark_shared(messages: list[BaseMessage], request: Request) -> list[BaseMessage]:
    """What Anthropic is to keep in its cache ends with a mark; others find it by themselves."""
    for message, asked in zip(messages, request.messages, strict=True):
        if asked.shared:
            first = {"type": "text", "text": asked.text[: asked.shared], "cache_control": {"type": "ephemeral"}}
            message.content = [first, {"type": "text", "text": asked.text[asked.shared :]}]
    return messages


def _message(message: Message) -> BaseMessage:
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
    text, metadata, refusal = _text(message), message.response_metadata, _refusal(message)
    reason = stop_reason(next((metadata[name] for name in REASONS if metadata.get(name)), _incomplete(metadata)))
    if refusal or reason == "refused":
        return Reply(refusal or text or "content filter", "refused", *spent)
    return Reply(text, reason, *spent)


def _text(message: AIMessage) -> str:
    """What it says; where it calls our form as a tool, the arguments."""
    for call in message.tool_calls:
        return json.dumps(call["args"], ensure_ascii=False)
    for wrong in message.invalid_tool_calls:
        return wrong["args"] or ""
    return str(message.text)


def _refusal(message: AIMessage) -> str:
    blocks = message.content if isinstance(message.content, list) else []
    refusals = [message.additional_kwargs.get("refusal")]
    refusals += [block.get("refusal") for block in blocks if isinstance(block, dict)]
    refusal = next(filter(None, refusals), None)
    return refusal if isinstance(refusal, str) else ""


def _incomplete(metadata: Mapping[str, Any]) -> object:
    details = metadata.get("incomplete_details")
    return details.get("reason") if isinstance(details, Mapping) else None


def reply_in_error(error: Exception) -> Reply:
    """An error that a reply made a library raise -> that reply; any other is raised."""
    completion = getattr(error, "completion", None)  # openai's, for one that was cut off or filtered
    if getattr(completion, "choices", None):
        return read_completion(completion)
    message = getattr(error, "raw_message", None)  # LangChain's, for one that refuses
    if isinstance(message, AIMessage):
        return read_reply(message)
    if isinstance(error, OutputParserException):  # where a model that thinks did not call the form
        return Reply(error.llm_output or "")
    if isinstance(error, IndexError) or (isinstance(error, (KeyError, TypeError)) and "choices" in str(error)):
        return Reply("")  # it had no choices
    raise error
