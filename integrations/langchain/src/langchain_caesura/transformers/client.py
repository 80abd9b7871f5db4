"""Client of any chat model of LangChain, for a `Driver`: one request, one reply, one run, no retries of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase

from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_llm.clients import read_completion, refuse_page, stop_reason, token_usage
from caesura_llm.conversation import Message, Reply, Request, Schema
from caesura_llm.retries import classify_error, is_refused_connection
from langchain_caesura.transformers.chat_models import Model, identify, server_urls, single_attempt, with_form

REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
"""Names under which libraries say why a reply ends."""
ENDED = {*REASONS, "status"}
"""A whole reply of OpenAI's or Anthropic's library has one of these."""
ANTHROPIC = "anthropic-chat"
"""The kind of model whose provider caches only what is marked."""
FORM = "The reply, in the form asked for."


@dataclass(frozen=True, slots=True)
class ChatModelClient:
    """A model -> what a `Driver` asks; retries of its own are switched off where it has them, the driver retries.

    structured: whether replies are asked for by `with_structured_output`; a str: with this as its ``method``; None: as
    it does by itself, where the model has it. config: what chooses among configurable models. How long a reply may be
    is the model's own setting.

    Of fallbacks, the next is asked where one raises what they are for; where all do, the first error that may
    pass is raised, else the first. A reply that was cut off or refused is a reply, though a library raises it.
    """

    llm: Model
    structured: bool | str | None = None
    config: RunnableConfig = field(default_factory=RunnableConfig)
    name: str = field(init=False)
    """The model, and each setting that its replies depend on, no secrets: it enters the ids of what is made."""
    key: str = field(init=False)
    """What replies are journalled under: the name, and the URLs of servers, as two may call their models alike."""
    _asked: Model = field(init=False, repr=False)
    _forms: dict[tuple[int, Schema], Model] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.structured is not None and not isinstance(self.structured, (bool, str)):
            raise SettingError(f"structured must be True, False, None or a method's name, got {self.structured!r:.80}")
        asked = single_attempt(self.llm, self.config)
        object.__setattr__(self, "_asked", asked)
        object.__setattr__(self, "name", json.dumps(identify(asked, self.structured), sort_keys=True))
        object.__setattr__(self, "key", " ".join([self.name, *server_urls(asked)]))

    def ask(self, request: Request) -> Reply:
        """Asks the model. Raises what it raises, unless that says that a reply was cut off or empty."""
        return run(self._reply(Blocking(), self._asked, request))

    async def aask(self, request: Request) -> Reply:
        """`ask`, awaited."""
        return await self._reply(Awaiting(), self._asked, request)

    async def _reply(self, calls: Calls, model: Model, request: Request) -> Reply:
        if isinstance(model, RunnableWithFallbacks):
            errors: list[BaseException] = []
            for one in model.runnables:
                try:
                    return await self._reply(calls, one, request)
                except model.exceptions_to_handle as error:
                    errors.append(error)
            raise most_hopeful(errors)
        try:
            asked = self._in_form(model, request)
            return read_message(await calls.call(asked.invoke, asked.ainvoke, _messages(model, request)))
        except Exception as error:
            return reply_in_error(error, model)

    def _in_form(self, model: Model, request: Request) -> Model:
        """The model, told the form of the reply where it takes one."""
        schema = request.schema
        if schema is None:
            return model
        if (id(model), schema) not in self._forms:
            form = {**schema.value, "title": schema.name, "description": FORM}
            self._forms[id(model), schema] = with_form(model, form, self.structured)
        return self._forms[id(model), schema]


def most_hopeful(errors: Sequence[BaseException]) -> BaseException:
    """What fallbacks raised -> the first error that may pass, else the first: one that has a wrong key, or no server,
    keeps none from being asked again."""
    passing = (one for one in errors if classify_error(one).what == "retry" and not is_refused_connection(one))
    return next(passing, errors[0])


def _messages(model: Any, request: Request) -> list[BaseMessage]:
    """A request -> the messages for a model within bindings. The end of what Anthropic should cache is marked; other
    providers find it by themselves."""
    messages = [_message(message) for message in request.messages]
    while isinstance(model, RunnableBindingBase):
        model = model.bound
    marked = request.messages if getattr(model, "_llm_type", "") == ANTHROPIC else ()
    for message, asked in zip(messages, marked, strict=False):
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


def read_message(returned: Any) -> Reply:
    """What a model, or its structured output, returned -> its words as they came, whatever was made of them.

    Raises `ConnectionError` for a stream that ended before the reply did.
    """
    message = returned["raw"] if isinstance(returned, Mapping) and "raw" in returned else returned
    if not isinstance(message, AIMessage):
        raise SettingError(f"a chat model must return an AIMessage, got {returned!r:.80}")
    metadata, refusal = message.response_metadata, _refusal(message)
    word = next((metadata[name] for name in REASONS if metadata.get(name)), _incomplete(metadata))
    spent = token_usage(message.usage_metadata or metadata.get("token_usage"))
    if (
        metadata.get("model_provider") in ("openai", "anthropic")
        and not ENDED & metadata.keys()
        and not (spent and spent[1])
    ):
        raise ConnectionError("the stream ended before the reply did: it says neither why it ends nor what it cost")
    reason = stop_reason(word)
    text = _text(message, reason == "length")
    if refusal or reason == "refused":
        return Reply(refusal or text or "content filter", "refused", *(spent or (0, 0)))
    return Reply(text, reason, *(spent or (0, 0)))


def _text(message: AIMessage, is_cut: bool) -> str:
    """What it says; where it calls our form as a tool, the arguments. Of those that were cut off, LangChain closes what
    is open: it is opened again, so that nobody takes the last for whole."""
    for call in message.tool_calls:
        arguments = json.dumps(call["args"], ensure_ascii=False)
        return arguments.rstrip('"]}') if is_cut else arguments
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


def reply_in_error(error: Exception, model: object = None) -> Reply:
    """An error that a library raised because of a reply -> that reply. Any other error is raised again. model: what
    was asked."""
    completion = getattr(error, "completion", None)  # openai's, for one that was cut off or filtered
    if getattr(completion, "choices", None):
        return read_completion(completion)
    message = getattr(error, "raw_message", None)  # LangChain's, for one that refuses
    if isinstance(message, AIMessage):
        return read_message(message)
    if isinstance(error, OutputParserException):  # where a model that thinks did not call the form
        return Reply(error.llm_output or "")
    if isinstance(error, IndexError) or (isinstance(error, (KeyError, TypeError)) and "choices" in str(error)):
        return Reply("")  # it had no choices
    if isinstance(error, AttributeError) and error.name == "choices":
        refuse_page(error.obj, model)
    raise error
