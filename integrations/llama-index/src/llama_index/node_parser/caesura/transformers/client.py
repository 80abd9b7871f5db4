"""Client of any LLM of LlamaIndex, for a `Driver`: one request, one reply, no retries of its own."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from inspect import unwrap
from itertools import product
from typing import Any, Self

from llama_index.core.base.llms.types import CacheControl, CachePoint, ChatMessage, ChatResponse, ImageBlock, TextBlock
from llama_index.core.bridge.pydantic import BaseModel, ConfigDict, create_model
from llama_index.core.llms import LLM, CustomLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.prompts import ChatPromptTemplate
from llama_index.core.types import PydanticProgramMode
from llama_index.core.utils import get_tokenizer
from pydantic import ValidationError

from caesura.errors import SettingError
from caesura.sansio import Awaiting
from caesura_llm.clients import get_field, identifying_settings, refuse_page, stop_reason, token_usage
from caesura_llm.conversation import Image, Message, Reply, Request, Schema
from caesura_store.secrets import known_settings
from caesura_store.setting_keys import canonical, import_path
from llama_index.node_parser.caesura.transformers.capture import CAPTURED

ANTHROPIC = "Anthropic_LLM"
"""The kind of LLM whose provider caches only what is marked."""
TRANSPORT = ("max_retries", "timeout", "request_timeout", "reuse_client", "num_workers", "verbose", "keep_alive")
"""Settings that do not change an LLM's replies."""
REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason", "finishReason")
"""Names under which libraries say why a reply ends."""
_SIMPLE: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


@dataclass(frozen=True, slots=True)
class LLMClient:
    """An LLM -> what a `Driver` asks. structured: whether replies are asked for by its own `structured_predict`. name:
    what they are journalled under. system: what it is told before all else. It asks a `client_copy` of the LLM.
    """

    llm: LLM
    structured: bool
    name: str
    system: str | None = None

    @classmethod
    def of(cls, llm: LLM, structured: bool | None) -> Self:
        """An LLM, and whether it is asked by forms, if the user said so -> its client."""
        structured = uses_structured_output(llm, structured)
        settings = identifying_settings(_without_transport(llm))
        name = json.dumps([import_path(type(llm)), settings, structured], sort_keys=True)
        return cls(llm, structured, name, llm.system_prompt)

    def ask(self, request: Request) -> Reply:
        """Asks the LLM. Raises what it raises, except an error that only says that a reply cannot be read."""
        messages = self._messages(request)
        form = self._form(request)
        with _reply_in_error(messages, self.llm) as excuse:
            if isinstance(form, Schema):
                excuse.predicted = self.llm.structured_predict(pydantic_model(form), _verbatim(messages))
            else:
                self.llm.chat(messages, **form)
        return excuse.reply()

    async def aask(self, request: Request) -> Reply:
        """`ask`, awaited. An LLM that runs in this process, whose `achat` is its `chat`, is asked in a thread."""
        if unwrap(type(self.llm).achat) is unwrap(CustomLLM.achat):
            return await Awaiting().compute(self.ask, request)
        messages = self._messages(request)
        form = self._form(request)
        with _reply_in_error(messages, self.llm) as excuse:
            if isinstance(form, Schema):
                excuse.predicted = await self.llm.astructured_predict(pydantic_model(form), _verbatim(messages))
            else:
                await self.llm.achat(messages, **form)
        return excuse.reply()

    def _form(self, request: Request) -> Schema | dict[str, Any]:
        """The form that the LLM's own way to structured output is given, or what a chat is asked with.

        That of `OpenAIResponses` knows neither its settings nor what a reply has cost: it is asked in a chat.
        """
        schema = request.schema
        if schema is None or not self.structured:
            return {}
        if all(kind.__name__ != "OpenAIResponses" for kind in type(self.llm).__mro__):
            return schema
        return {
            "text": {"format": {"type": "json_schema", "name": schema.name, "schema": schema.value, "strict": True}}
        }

    def _messages(self, request: Request) -> list[ChatMessage]:
        first = [Message("system", self.system)] if self.system else []
        return [message_of(one, self.llm.class_name() == ANTHROPIC) for one in (*first, *request.messages)]


def reply_settings(llm: LLM) -> dict[str, Any]:
    """An LLM -> the settings that its replies depend on, without secrets."""
    settings: dict[str, Any] = known_settings(canonical(_without_transport(llm)))
    return settings


def _without_transport(llm: LLM) -> dict[str, Any]:
    return {name: value for name, value in llm.to_dict().items() if name not in TRANSPORT}


def uses_structured_output(llm: LLM, wanted: bool | None = None) -> bool:
    """Whether an LLM is asked by forms. wanted: by the user; None: where it says that it sees to them itself."""
    if wanted is not None:
        return wanted
    if getattr(llm, "pydantic_program_mode", None) == PydanticProgramMode.LLM:
        return False
    own = getattr(llm, "_should_use_structure_outputs", None)
    if own is not None and own():
        return True
    if isinstance(llm, FunctionCallingLLM):
        said: bool | None = getattr(llm, "is_function_calling_model", None)  # Ollama's metadata ask the server first
        return llm.metadata.is_function_calling_model if said is None else said
    return own is None and unwrap(type(llm).structured_predict) is not unwrap(LLM.structured_predict)


def message_of(message: Message, marked: bool = False) -> ChatMessage:
    """A message with its images, as LlamaIndex has it. marked: with a mark after what other requests begin with too."""
    cut = message.shared if marked else 0
    first = (
        [TextBlock(text=message.text[:cut]), CachePoint(cache_control=CacheControl(type="ephemeral"))] if cut else []
    )
    blocks = [*first, TextBlock(text=message.text[cut:]), *map(_image, message.images)]
    return ChatMessage(role=message.role, blocks=blocks)


def _image(image: Image) -> ImageBlock:
    head, _, data = image.url.partition(";base64,")
    if head.startswith("data:"):
        return ImageBlock(image=b64decode(data), image_mimetype=head.removeprefix("data:"))
    return ImageBlock(url=image.url)


def read_responses(responses: Sequence[ChatResponse], messages: list[ChatMessage]) -> Reply:
    """Responses -> the last one as a reply, with the tokens of all."""
    last = responses[-1]
    text, (reason, refusal) = _text(last), _end(last)
    tokens = tuple(map(sum, zip(*_spent_tokens(responses, messages), strict=True)))
    if refusal or reason == "refused":
        return Reply(refusal or text or "content filter", "refused", *tokens)
    return Reply(text, reason, *tokens)


def _text(response: ChatResponse) -> str:
    """The text of a response; the arguments, where it calls our form as a function."""
    message = response.message
    blocks: list[Any] = list(message.blocks)
    calls = [block.tool_kwargs for block in blocks if getattr(block, "block_type", "") == "tool_call"]
    for call in () if calls else message.additional_kwargs.get("tool_calls") or ():
        function = get_field(call, "function") or call
        calls += [one for name in ("arguments", "input") if (one := get_field(function, name)) is not None][:1]
    if calls:
        return calls[0] if isinstance(calls[0], str) else json.dumps(calls[0], ensure_ascii=False)
    return message.content or ""


def _end(response: ChatResponse) -> tuple[Any, str]:
    """Why a response ends, and the words of a refusal."""
    raw = response.raw
    choices = get_field(raw, "choices") or get_field(raw, "candidates")
    first = choices[0] if isinstance(choices, Sequence) and choices else raw
    places = (first, raw, response.additional_kwargs, response.message.additional_kwargs)
    reasons = []
    for place, name in product(places, REASONS):
        reasons.append(get_field(place, name))
    reasons = list(filter(None, [*reasons, get_field(get_field(raw, "incomplete_details"), "reason")]))
    refusal = get_field(get_field(first, "message"), "refusal") or response.additional_kwargs.get("refusal")
    return stop_reason(reasons[0] if reasons else None), refusal if isinstance(refusal, str) else ""


def _spent_tokens(responses: Sequence[ChatResponse], messages: list[ChatMessage]) -> list[tuple[int, int, int]]:
    """The tokens of each response that the server counted, as `token_usage` has them, else those that we count."""
    spent = []
    for response in responses:
        raw, tokens = response.raw, None
        for account in (get_field(raw, "usage"), get_field(raw, "usage_metadata"), response.additional_kwargs, raw):
            tokens = token_usage(account) if tokens is None else tokens
        spent.append(count_tokens(messages, _text(response)) if tokens is None else tokens)
    return spent


def count_tokens(messages: Sequence[ChatMessage], text: str) -> tuple[int, int, int]:
    """Counts tokens by LlamaIndex's tokenizer, without images, where no server says them."""
    tokenizer = get_tokenizer()
    return sum(len(tokenizer(message.content or "")) for message in messages), len(tokenizer(text)), 0


@dataclass(slots=True)
class _ReplyInError:
    """A reply from the responses, or else from what the LLM predicted or said in an error."""

    responses: list[ChatResponse]
    messages: list[ChatMessage]
    predicted: Any = None
    said: str | None = None

    def reply(self) -> Reply:
        if self.responses:
            return read_responses(self.responses, self.messages)
        text = self.said
        if text is None:  # the LLM has a way of its own to the server
            text = self.predicted.model_dump_json() if isinstance(self.predicted, BaseModel) else ""
        return Reply(text, "stop", *count_tokens(self.messages, text))


@contextmanager
def _reply_in_error(messages: list[ChatMessage], llm: LLM) -> Iterator[_ReplyInError]:
    """Gives what takes the reply, whose responses it captures.

    An error that says that a reply came and could not be read is no error: we read it ourselves, or ask again.
    """
    responses: list[ChatResponse] = []
    excuse = _ReplyInError(responses, messages)
    token = CAPTURED.set(responses)
    try:
        yield excuse
    except ValidationError as error:
        if not responses:
            value = error.errors()[0]["input"]
            excuse.said = value if isinstance(value, str) else str(error)
    except Exception as error:
        if not responses and not _looked_for_nothing(error):
            if isinstance(error, AttributeError) and error.name == "choices":
                refuse_page(error.obj, llm)
            raise
        excuse.said = f"{type(error).__name__}: {error}"
    finally:
        CAPTURED.reset(token)


def _looked_for_nothing(error: Exception) -> bool:
    """Returns whether an error means that a reply had no choices, no message or no content."""
    return isinstance(error, (IndexError, KeyError)) or (
        isinstance(error, (TypeError, AttributeError)) and "'NoneType'" in str(error)
    )


@lru_cache(maxsize=64)
def pydantic_model(schema: Schema) -> type[BaseModel]:
    """A schema of objects, lists and simple values -> a model of the same form. Raises `SettingError` for another."""
    model: type[BaseModel] = _type(schema.value, schema.name.title())
    return model


def _type(schema: dict[str, Any], name: str) -> Any:
    kind = schema.get("type")
    if kind == "object":
        fields: dict[str, Any] = {
            key: (_type(value, f"{name}_{key}"), ...) for key, value in schema["properties"].items()
        }
        return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    if kind == "array":
        return list[_type(schema["items"], f"{name}_item")]  # type: ignore[misc]
    if kind not in _SIMPLE:
        raise SettingError(f"a schema must be of objects, arrays and simple values, got {schema!r:.80}")
    return _SIMPLE[kind]


class _Verbatim(ChatPromptTemplate):  # type: ignore[no-redef]
    """Messages without formatting: braces in them belong to the document."""

    def format_messages(self, llm: Any = None, **_: Any) -> list[ChatMessage]:
        return list(self.message_templates)


def _verbatim(messages: list[ChatMessage]) -> _Verbatim:
    return _Verbatim(message_templates=messages)  # type: ignore[call-arg]
