"""What parsers that embed share: whose vectors, centred on what, and what counts tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar

from llama_index.core import Settings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.utils import get_tokenizer

from caesura.adapter import EmbedFunction, own_background
from caesura.background import Background
from caesura.errors import SettingError
from caesura.plain import kind_of, plain, without_secrets
from caesura.size import tokens
from caesura.types import Sizer
from caesura.work import Memory
from llama_index.node_parser.caesura.embed_models import Function, TakenEmbedModel, loaded
from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.filing import Filed
from llama_index.node_parser.caesura.functions import must_pickle, named, tokenizer_name


class Embeds(Filed):
    """Settings of an embedder and a tokenizer."""

    embed_model: TakenEmbedModel = Field(
        default=None,
        repr=False,  # which would show its key
        description="None: the embedded model. 'settings': Settings.embed_model. Or a function: list of str -> rows.",
    )
    calibrated: bool = Field(default=True, description="Whether vectors are centred on the embedder's background.")
    background: list[float] | None = Field(
        default=None, description="The background to use; None: calibrate on first use."
    )
    sentence_splitter: Function | None = Field(
        default=None, description="str -> list of str, or edges; None: our sentence rules."
    )
    tokenizer: Function | None = Field(default=None, description="str -> list; None: LlamaIndex's global tokenizer.")

    functions: ClassVar[tuple[str, ...]] = ("sentence_splitter", "tokenizer", "id_func")

    _memory: Memory = PrivateAttr(default_factory=Memory)

    def _model(self) -> BaseEmbedding | EmbedFunction:
        if isinstance(self.embed_model, str):
            return Settings.embed_model
        return StaticEmbedding() if self.embed_model is None else self.embed_model

    def _embed(
        self, model: BaseEmbedding | EmbedFunction, show_progress: bool
    ) -> tuple[Callable[[Sequence[str]], Any], Callable[[list[str]], Awaitable[Any]]]:
        """The embedder, and its awaited twin."""

        def embed(texts: Sequence[str]) -> Any:
            if self.embed_model is None:
                return StaticEmbedding.embedder(texts)
            if isinstance(model, BaseEmbedding):
                return model.get_text_embedding_batch(list(texts), show_progress)
            return model(list(texts))

        def aembed(texts: list[str]) -> Awaitable[Any]:
            if self.embed_model is None:
                return asyncio.to_thread(StaticEmbedding.embedder, texts)
            if isinstance(model, BaseEmbedding):
                return model.aget_text_embedding_batch(texts, show_progress)
            return asyncio.to_thread(model, texts)

        return embed, aembed

    def _own_background(self) -> Background | None:
        """The one that was given. Raises `SettingError` where it cannot serve."""
        return own_background(self.background, self.calibrated)

    def _size(self) -> Sizer:
        if self.tokenizer is list:
            return len
        tokenizer = self.tokenizer or get_tokenizer()
        probe = tokenizer("a b")
        if isinstance(probe, (str, Mapping)) or not hasattr(probe, "__len__"):
            raise SettingError(
                f"tokenizer must return a list of tokens, got {type(probe).__name__} from {tokenizer!r:.80}: pass its "
                f"encode function, or tokenizer=list to count characters"
            )
        return tokens(tokenizer)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """See `Filed`."""
        data = super().to_dict(**kwargs)
        model = self._model()
        if isinstance(self.embed_model, BaseEmbedding):
            data["embed_model"] = without_secrets(plain(self.embed_model.to_dict()))
        elif not isinstance(model, BaseEmbedding):
            data["embed_model"] = named("embed_model", model, self.cache_tag)
        data["resolved"]["embed_model"] = kind_of(type(model))
        data["resolved"]["tokenizer"] = (
            tokenizer_name(get_tokenizer(), self.cache_tag) if self.tokenizer is None else None
        )
        if isinstance(model, StaticEmbedding):
            data["resolved"]["static"] = model.embedder.version
        if isinstance(model, BaseEmbedding) and self.embed_model == "settings":
            data["resolved"]["settings"] = without_secrets(plain(model.to_dict()))
        return data

    @classmethod
    def _revive(cls, settings: dict[str, Any], resolved: dict[str, Any], trusted: bool) -> None:
        super()._revive(settings, resolved, trusted)
        if "embed_model" in settings:
            settings["embed_model"] = loaded(settings["embed_model"], resolved.get("embed_model"), trusted)

    def __getstate__(self) -> dict[str, Any]:
        must_pickle("embed_model", self.embed_model)
        return super().__getstate__()
