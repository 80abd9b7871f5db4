"""A client of the package `openai` in, one that `Driver` can ask out. (``pip install "caesura[openai]"``)"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from caesura.errors import SettingError
from caesura.llm.completions import reply_of, written
from caesura.llm.conversation import Reply, Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI  # type: ignore[import-not-found, unused-ignore]


@dataclass(frozen=True, slots=True)
class _Chat:
    """client: its retries are switched off, the `Driver` retries. options: further arguments of every call, as
    ``{"temperature": 0}``. structured: whether the server takes ``response_format`` with a JSON schema. limit: how it
    calls the reply's maximum of tokens; older servers say "max_tokens"."""

    client: Any
    model: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    structured: bool = True
    limit: str = "max_completion_tokens"

    def __post_init__(self) -> None:
        object.__setattr__(self, "client", checked(self.client, asynchronous=isinstance(self, async_openai_chat)))
        if not isinstance(self.model, str) or not self.model:
            raise SettingError(f'model must be the name of a model, as "gpt-4.1-mini", got {self.model!r}')

    @property
    def name(self) -> str:
        """What replies are journalled under."""
        options = {name: value for name, value in self.options.items() if name != "extra_headers"}  # keys, no settings
        return json.dumps([self.model, options, self.structured], sort_keys=True, default=repr)

    def _arguments(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = {"model": self.model, "messages": [written(one) for one in request.messages]}
        if request.max_tokens is not None:
            found[self.limit] = request.max_tokens
        if request.schema is not None and self.structured:
            described = {"name": request.schema.name, "schema": request.schema.value, "strict": True}
            found["response_format"] = {"type": "json_schema", "json_schema": described}
        return {**found, **self.options}


@dataclass(frozen=True, slots=True)
class openai_chat(_Chat):  # noqa: N801 - used as a function: openai_chat(client, model)
    """An ``openai.OpenAI`` and a model's name -> a `Chat`, Request -> Reply. Raises what the package raises."""

    client: OpenAI

    def __call__(self, request: Request) -> Reply:
        return reply_of(self.client.chat.completions.create(**self._arguments(request)))


@dataclass(frozen=True, slots=True)
class async_openai_chat(_Chat):  # noqa: N801 - used as a function
    """An ``openai.AsyncOpenAI`` and a model's name -> an `AsyncChat`."""

    client: AsyncOpenAI

    async def __call__(self, request: Request) -> Reply:
        return reply_of(await self.client.chat.completions.create(**self._arguments(request)))


def checked(client: Any, asynchronous: bool) -> Any:
    """The client without retries of its own. `ImportError` without the package, `SettingError` for another object."""
    try:
        import openai  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise ImportError(f'this needs the package openai, {error}: pip install "caesura[openai]"') from error
    kind = openai.AsyncOpenAI if asynchronous else openai.OpenAI
    if not isinstance(client, kind):
        raise SettingError(f"client must be an openai.{kind.__name__}, got {client!r:.80}")
    return client.with_options(max_retries=0)
