"""The settings of parsers that say which embedder and which tokenizer they use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from llama_index.core import Settings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import BeforeValidator, Field, PrivateAttr, SerializeAsAny, WithJsonSchema
from llama_index.core.embeddings.loading import RECOGNIZED_EMBEDDINGS, load_embed_model
from llama_index.core.embeddings.utils import resolve_embed_model
from llama_index.core.instrumentation import NullEventHandler, NullSpanHandler, root_manager  # type: ignore[attr-defined]
from llama_index.core.utils import get_tokenizer

from caesura.background import Background
from caesura.checks import require_embedder
from caesura.errors import SettingError
from caesura.host.session import BackgroundCache
from caesura.host.settings import given_background
from caesura.sansio import Awaiting
from caesura.sizers import tokens
from caesura.types import Embed, Sizer
from caesura_static import LoadedEmbedder, StaticEmbedder
from caesura_store.secrets import known_settings
from caesura_store.setting_keys import canonical, package_path
from llama_index.node_parser.caesura.embeddings import STATIC, StaticEmbedding, abatch_of
from llama_index.node_parser.caesura.serialization import SerializableParser, check_pickles, from_plain, to_plain

Function: TypeAlias = Annotated[Callable[..., Any], WithJsonSchema({"type": "string"})]
EmbedModel: TypeAlias = BaseEmbedding | Embed | Literal["settings"] | None
"""What embeds sentences: a model, a function, LlamaIndex's `Settings.embed_model`, or None, the built-in model."""


def index_embedding(given: Any) -> BaseEmbedding:
    """What is given to an index as embed_model -> an embedding. Raises `SettingError` for anything else."""
    if given is None:
        return Settings.embed_model
    if not isinstance(given, (BaseEmbedding, str)) and (isinstance(given, type) or not hasattr(given, "embed_query")):
        remedy = (
            f"call it, {given.__name__}()"
            if isinstance(given, type)
            else "derive a class from BaseEmbedding that asks it"
        )
        raise SettingError(f"embed_model must be an embedding of LlamaIndex, got {given!r:.120}: {remedy}")
    return resolve_embed_model(given)


def _check_embed_model(value: Any) -> Any:
    """Returns what was given as embed_model. Raises `SettingError`, which pydantic passes on, for what cannot serve."""
    by_name = isinstance(value, str) and value == "settings"
    if value is not None and not by_name and not isinstance(value, BaseEmbedding):
        require_embedder("embed_model", "be an embedding of LlamaIndex, 'settings' or None", value)
    return value


TakenEmbedModel: TypeAlias = Annotated[
    SerializeAsAny[BaseEmbedding] | Function | Literal["settings"] | None, BeforeValidator(_check_embed_model)
]


def embedding_from_dict(data: Any, wanted: str | None, trusted: bool) -> Any:
    """What `to_dict` says of an embedding -> the embedding.

    It may be ours, one that LlamaIndex knows how to load, or a function that has a name.
    """
    if not isinstance(data, (str, dict)) or data == "settings":
        return data
    if isinstance(data, str) or "class_name" not in data:
        return from_plain("embed_model", data, trusted)
    name = data["class_name"]
    model: BaseEmbedding | None = None
    if name == StaticEmbedding.class_name():
        model = StaticEmbedding.from_dict(data)
    elif name in RECOGNIZED_EMBEDDINGS:
        model = load_embed_model(data)
    if model is None or (wanted is not None and package_path(type(model)) != wanted):
        raise SettingError(
            f"from_dict() cannot make an embedding of class {wanted or name}: pass it, from_dict(data, embed_model=…)"
        )
    return model


class EmbeddingParser(SerializableParser):
    """Settings of an embedder and a tokenizer."""

    embed_model: TakenEmbedModel = Field(
        default=None,
        repr=False,  # which would show its key
        description="What embeds the sentences. None: the built-in model. 'settings': Settings.embed_model. Or a "
        "function that takes a list of texts and returns a row of numbers for each.",
    )
    calibrated: bool = Field(
        default=True,
        description="Whether what all vectors of the embedder have in common, its background, is subtracted.",
    )
    background: list[float] | None = Field(
        default=None, description="That background. None: it is measured, by one call at the first text."
    )
    sentence_splitter: Function | None = Field(
        default=None,
        description="A function that takes a text and returns its sentences, or the places where they begin and end. "
        "None: our rules.",
    )
    tokenizer: Function | None = Field(
        default=None,
        description="A function that takes a text and returns its tokens. None: LlamaIndex's global tokenizer.",
    )

    functions: ClassVar[tuple[str, ...]] = ("sentence_splitter", "tokenizer", "id_func")

    _cache: BackgroundCache = PrivateAttr(default_factory=BackgroundCache)

    def _model(self) -> BaseEmbedding | Embed:
        if isinstance(self.embed_model, str):
            return Settings.embed_model
        return STATIC if self.embed_model is None else self.embed_model

    def _embed(
        self, model: BaseEmbedding | Embed, show_progress: bool
    ) -> tuple[Embed, Callable[[list[str]], Awaitable[Any]]]:
        """A model as a function, and as an awaited one."""
        if isinstance(model, StaticEmbedding) and not show_progress and _is_unheard(model):
            model = model.embedder  # the same rows, and not by way of lists of float
        if not isinstance(model, BaseEmbedding):
            function = model
            return function, lambda texts: Awaiting().compute(function, texts)
        batch, abatch = model.get_text_embedding_batch, abatch_of(model)
        return (lambda texts: batch(texts, show_progress)), (lambda texts: abatch(texts, show_progress))

    def _own_background(self) -> Background | None:
        """Returns the background that was given, if any. Raises `SettingError` if it cannot serve."""
        return given_background(self.background, self.calibrated)

    def _size(self) -> Sizer:
        return token_sizer(get_tokenizer() if self.tokenizer is None else self.tokenizer)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """See `SerializableParser`."""
        data = super().to_dict(**kwargs)
        own, model = self.embed_model, self._model()
        if isinstance(own, BaseEmbedding):
            data["embed_model"] = known_settings(canonical(own.to_dict()))
        elif own is not None and not isinstance(own, str):
            data["embed_model"] = to_plain("embed_model", own, self.cache_tag)
        data["resolved"]["embed_model"] = package_path(StaticEmbedding if own is None else type(model))
        data["resolved"]["tokenizer"] = (
            _tokenizer_name(get_tokenizer(), self.cache_tag) if self.tokenizer is None else None
        )
        embedder = model.embedder if isinstance(model, StaticEmbedding) else model
        if isinstance(embedder, (StaticEmbedder, LoadedEmbedder)):
            data["resolved"]["static"] = embedder.version
        if isinstance(own, str):
            data["resolved"]["settings"] = known_settings(canonical(Settings.embed_model.to_dict()))
        return data

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        if "embed_model" in settings:
            settings["embed_model"] = embedding_from_dict(settings["embed_model"], resolved.get("embed_model"), trusted)

    def __getstate__(self) -> dict[str, Any]:
        check_pickles("embed_model", self.embed_model)
        return super().__getstate__()


def token_sizer(tokenizer: Callable[[str], Any]) -> Sizer:
    """Returns the sizer of a tokenizer. Raises `SettingError` if a call shows that it returns no list of tokens."""
    if tokenizer is list:
        return len
    probe = tokenizer("a b")
    if isinstance(probe, (str, Mapping)) or not hasattr(probe, "__len__"):
        raise SettingError(
            f"tokenizer must return a list of tokens, got {type(probe).__name__} from {tokenizer!r:.80}: pass its "
            f"encode function, or tokenizer=list to count characters"
        )
    return tokens(tokenizer)


def _is_unheard(model: StaticEmbedding) -> bool:
    """Whether only its caller would notice a call of the model: it is no heir, and has no handler, cache or limiter."""
    seen = (getattr(model, name, None) for name in ("embeddings_cache", "rate_limiter"))
    if type(model) is not StaticEmbedding or model.callback_manager.handlers or any(each is not None for each in seen):
        return False
    silent = NullEventHandler, NullSpanHandler
    dispatchers = list(root_manager.dispatchers.values())
    handlers = (each for one in dispatchers for each in (*one.event_handlers, *one.span_handlers))
    return all(type(handler) in silent for handler in handlers)


def _tokenizer_name(value: Callable[..., Any], cache_tag: str | None) -> Any:
    """Returns the name of LlamaIndex's global tokenizer; its default is named after the encoding of tiktoken's."""
    encoding = getattr(getattr(getattr(value, "func", None), "__self__", None), "name", None)
    return f"tiktoken:{encoding}" if encoding else to_plain("the global tokenizer", value, cache_tag)
