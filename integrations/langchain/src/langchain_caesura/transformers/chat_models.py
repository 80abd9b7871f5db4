"""Chat models as people have them: alone, or within `with_fallbacks`, `with_retry`, `bind`, `with_config`, and models
that a config chooses among. Of each: what is asked, in which form, and by what its replies are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableBinding, RunnableConfig, RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase, RunnableParallel
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import DynamicRunnable

from caesura.errors import SettingError
from caesura_llm.clients import identifying_settings
from caesura_store.secrets import known_settings

Model: TypeAlias = Runnable[LanguageModelInput, BaseMessage]
"""A chat model, alone or within bindings, retries or fallbacks of LangChain."""
TRANSPORT = frozenset(
    [
        "max_retries", "timeout", "request_timeout", "default_request_timeout", "stream", "streaming", "stream_usage",
        "disable_streaming", "keep_alive",
    ]
)  # fmt: skip
"""Settings that do not change a model's replies."""
URLS = ("base_url", "api_base", "api_url", "endpoint")
"""How the names of settings end that say at which server a model is asked."""
CLIENTS = ("root_client", "_client")
"""Where models keep the clients of OpenAI, and of Ollama, which may read the server's URL from the environment."""


def single_attempt(model: object, config: RunnableConfig) -> Model:
    """A model, and the config of a call -> copies of its chat models that ask once, within bindings, and these within
    fallbacks. What a config chooses is chosen; `with_retry` is left out. Raises `SettingError` for anything else.
    """
    if isinstance(model, BaseChatModel):
        return single_attempt_copy(model)
    if type(model).__name__ == "_ConfigurableModel":  # of `init_chat_model`, in a package that may not be there
        return single_attempt(model._model(config), config)  # type: ignore[attr-defined]
    if isinstance(model, DynamicRunnable):
        chosen, inner = model.prepare(config)
        return _bound(single_attempt(chosen, inner), RunnableBinding(bound=chosen, config=model.config or {}))
    if isinstance(model, RunnableBindingBase):
        return _bound(single_attempt(model.bound, merge_configs(model.config, config)), model)
    if isinstance(model, RunnableWithFallbacks) and model.exception_key is None:
        return _map_fallbacks(model, lambda one: single_attempt(one, config))
    kind = f"an instance of {model.__name__}" if isinstance(model, type) else "a LangChain chat model"
    raise SettingError(
        f"llm must be {kind}, as ChatOpenAI(...), or one with fallbacks (without exception_key), retries, bound or "
        f"configurable options; got {model!r:.80}. A chain of more than that is none: prompts and parsers are ours"
    )


def _map_fallbacks(model: RunnableWithFallbacks[Any, Any], change: Callable[[Any], Any]) -> Model:
    """Applies a change to each model of fallbacks."""
    runnable, *fallbacks = map(change, model.runnables)
    return model.model_copy(update={"runnable": runnable, "fallbacks": fallbacks})


def _bound(model: Model, binding: RunnableBindingBase[Any, Any]) -> Model:
    """Adds a binding to a model; within fallbacks, to each of them."""
    if isinstance(model, RunnableWithFallbacks):
        return _map_fallbacks(model, lambda one: _bound(one, binding))
    return RunnableBinding(
        bound=model, kwargs=binding.kwargs, config=binding.config, config_factories=binding.config_factories
    )


def with_form(model: Any, form: dict[str, Any], structured: bool | str | None) -> Any:
    """Asks a model, maybe within bindings, for replies in a form, if it should and can give them."""
    if isinstance(model, RunnableBindingBase):
        return model.model_copy(update={"bound": with_form(model.bound, form, structured)})
    if not takes_forms(model, structured):
        return model
    method = {"method": structured} if isinstance(structured, str) else {}
    chain = model.with_structured_output(form, include_raw=True, **method)
    return _model_of(chain) or chain


def _model_of(chain: Any) -> Any:
    """What a chain for structured output asks, before any parser, which would be a run of its own; None if unknown."""
    first = chain.first if isinstance(chain, RunnableSequence) else None
    asked = first.steps__.get("raw") if isinstance(first, RunnableParallel) else None
    while isinstance(asked, RunnableSequence):  # where a model thinks, what looks whether it has called the form
        asked = asked.first
    inner = asked
    while isinstance(inner, RunnableBindingBase):
        inner = inner.bound
    return asked if isinstance(inner, BaseChatModel) else None


def takes_forms(llm: BaseChatModel, structured: bool | str | None) -> bool | str:
    """Whether, or by which method, a chat model is told to reply in a form. structured: as the user said."""
    if structured is not None:
        return structured
    kind = type(llm)
    return (
        kind.with_structured_output is not BaseChatModel.with_structured_output
        or kind.bind_tools is not BaseChatModel.bind_tools
    )


def identify(model: Any, structured: bool | str | None) -> list[Any]:
    """What a model's replies depend on: its kind, its settings with those that are bound to it, its form; those of each
    fallback. The same in every process, without secrets."""
    if isinstance(model, RunnableWithFallbacks):
        return ["fallbacks", *(identify(one, structured) for one in model.runnables)]
    added: dict[str, Any] = {}
    while isinstance(model, RunnableBindingBase):
        added = {**model.kwargs, **added}
        model = model.bound
    bound = plain_settings(added)
    return [model._llm_type, chat_model_settings(model), takes_forms(model, structured), *([bound] if bound else [])]


def chat_model_settings(llm: BaseChatModel) -> dict[str, Any]:
    """The parameters that a model names as identifying, or else its own fields."""
    data = dict(llm._identifying_params)
    if not data:
        data = {name: getattr(llm, name) for name in type(llm).model_fields if name not in BaseChatModel.model_fields}
    return plain_settings(data)


def server_urls(model: Any) -> list[str]:
    """The URLs of the servers that a model and its fallbacks are asked at, where they say so, without logins."""
    if isinstance(model, RunnableWithFallbacks):
        return [url for one in model.runnables for url in server_urls(one)]
    while isinstance(model, RunnableBindingBase):
        model = model.bound
    urls = [getattr(model, name) for name in type(model).model_fields if name.endswith(URLS)]
    urls = [url for url in urls if isinstance(url, str)]
    clients = [] if urls else [client for name in CLIENTS if (client := getattr(model, name, None)) is not None]
    clients = [own if hasattr(own, "base_url") else getattr(own, "_client", None) for own in clients]
    urls += [str(url) for own in clients if (url := getattr(own, "base_url", None))]
    known: list[str] = known_settings(urls)
    return known


def plain_settings(data: dict[str, Any]) -> dict[str, Any]:
    """The settings that replies depend on, the same in every process, without secrets."""
    return identifying_settings({key: one for key, one in data.items() if key not in TRANSPORT})


def single_attempt_copy(llm: BaseChatModel) -> BaseChatModel:
    """A copy that asks once; the SDK's clients that it holds are told so too, those of openai, anthropic, groq. A
    stream says what it has cost, unless the user said that it should not."""
    fields = type(llm).model_fields
    wanted = {"max_retries": 0, "stream_usage": True, "streaming": False}
    if getattr(llm, "stream_usage", None) is False:
        del wanted["stream_usage"]
    if not llm.disable_streaming:  # which ChatOpenAI with streaming=True fails at
        del wanted["streaming"]
    copy = llm.model_copy(update={name: value for name, value in wanted.items() if name in fields})
    for name, value in list(vars(copy).items()):
        if name not in fields:
            del vars(copy)[name]  # what a cached property has made, with retries: it is made again
        elif callable(getattr(value, "with_options", None)):
            vars(copy)[name] = value.with_options(max_retries=0)
        elif callable(getattr(getattr(value, "_client", None), "with_options", None)):
            vars(copy)[name] = type(value)(value._client.with_options(max_retries=0))  # a resource of such a client
    getattr(copy, "_serialized", None)  # made now: two threads that make it at once fail in Python 3.12 and later
    return copy
