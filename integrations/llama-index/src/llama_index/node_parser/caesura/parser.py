"""LlamaIndex documents or nodes in, nodes out: asks the embedder for texts, sync or async, and files its settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, cast

from llama_index.core import Settings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, Field, PrivateAttr
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode, Document
from llama_index.core.utils import get_tokenizer

import caesura
from caesura.adapter import EmbedFunction, parts
from caesura.background import Background
from caesura.errors import SettingError
from caesura.size import tokens
from caesura.text.sentences import units
from caesura.types import Limits, Sizer
from caesura.work import Memory, Stages, Work
from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.settings import (
    EmbedModel,
    Function,
    TakenEmbedModel,
    found,
    loaded,
    must_pickle,
    named,
    tokenizer_name,
    type_name,
    without_secrets,
)

dispatcher = get_dispatcher(__name__)

FUNCTIONS = ("sentence_splitter", "tokenizer", "id_func")


class SemanticParser(NodeParser):
    """What splitters and the hierarchy share: embedder, tokenizer, sentences, and settings that a cache can see."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    embed_model: TakenEmbedModel = Field(
        default=None,
        description="None: the embedded model. 'settings': Settings.embed_model. Or a function: list of str -> rows.",
    )
    calibrated: bool = Field(default=True, description="Whether vectors are centred on the embedder's background.")
    background: list[float] | None = Field(
        default=None, description="The background to use; None: calibrate on first use."
    )
    sentence_splitter: Function | None = Field(
        default=None, description="str -> list of str, or edges; None: caesura.units."
    )
    tokenizer: Function | None = Field(default=None, description="str -> list; None: LlamaIndex's global tokenizer.")
    cache_tag: str | None = Field(default=None, description="What a cache knows a function without a name by.")

    _memory: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def from_defaults(cls, embed_model: EmbedModel = None, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses. None means the default, save for `chunk_size`."""
        given = {name: value for name, value in settings.items() if value is not None or name == "chunk_size"}
        return cls(embed_model=embed_model, **given)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._stages(len if self.tokenizer is None else self._size())  # so that a bad setting is refused here

    # -- what subclasses say; not abstract: LlamaIndex would report a span for each -----------------------------------

    def _stages(self, size: Sizer) -> Stages[Any]:
        """The settings -> a Splitter or a Hierarchy. Raises `SettingError`."""
        raise NotImplementedError

    def _limited(
        self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer
    ) -> tuple[Stages[Any], list[str], list[Limits] | None]:
        """The texts of the nodes, what their metadata leaves them, and the stages that cut them."""
        raise NotImplementedError

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        """What the stages made of each node -> nodes."""
        raise NotImplementedError

    # -- the work ---------------------------------------------------------------------------------------------------

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        model = self._model()

        def embed(texts: Sequence[str]) -> Any:
            if self.embed_model is None:
                return StaticEmbedding.embedder(texts)
            if isinstance(model, BaseEmbedding):
                return model.get_text_embedding_batch(list(texts), show_progress)
            return model(list(texts))

        return self._wrapped(nodes, self._work(nodes, model).run(embed), show_progress)

    @dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        model = self._model()

        def aembed(texts: list[str]) -> Awaitable[Any]:
            if self.embed_model is None:
                return asyncio.to_thread(StaticEmbedding.embedder, texts)
            if isinstance(model, BaseEmbedding):
                return model.aget_text_embedding_batch(texts, show_progress)
            return asyncio.to_thread(model, texts)

        made = await self._work(nodes, model).arun(aembed)
        return await asyncio.to_thread(self._wrapped, nodes, made, show_progress)

    def _model(self) -> BaseEmbedding | EmbedFunction:
        if isinstance(self.embed_model, str):
            return Settings.embed_model
        return StaticEmbedding() if self.embed_model is None else self.embed_model

    def _shared(self, size: Sizer) -> dict[str, Any]:
        """The settings that a Splitter and a Hierarchy have in common."""
        if self.background is not None and not self.calibrated:
            raise SettingError(
                "a background is what vectors are centred on: give it with calibrated=True, or leave it out"
            )
        return {
            "size": size,
            "segment": units if self.sentence_splitter is None else parts(self.sentence_splitter),
            "background": None if self.background is None else Background(self.background),
        }

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

    def _work(self, nodes: Sequence[BaseNode], model: BaseEmbedding | EmbedFunction) -> Work[Any]:
        def prepare() -> tuple[Stages[Any], list[str], list[Limits] | None]:
            size = self._size()
            stages, texts, limits = self._limited(self._stages(size), nodes, size)
            if self.calibrated and stages.background is None and isinstance(model, StaticEmbedding):
                stages = replace(cast(Any, stages), background=model.background)
            return stages, texts, limits

        return Work(prepare, model, self._memory, self.calibrated)

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """Nothing: the base class would search for each text and overwrite exact offsets. `nodes_of` did the rest."""
        return nodes

    # -- what a cache, a file and another process see -----------------------------------------------------------------

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """All settings as plain values, without secrets: what `from_dict` and a pipeline's cache key are made of.

        Raises `SettingError` for a function without a name of its own, unless `cache_tag` says which it is.
        """
        data = super().to_dict(**kwargs)
        for name in FUNCTIONS:
            value = getattr(self, name)
            unset = value is None or value is default_id_func
            data[name] = None if unset else named(name, value, self.cache_tag)
        model = self._model()
        if isinstance(self.embed_model, BaseEmbedding):
            data["embed_model"] = without_secrets(self.embed_model.to_dict())
        elif not isinstance(model, BaseEmbedding):
            data["embed_model"] = named("embed_model", model, self.cache_tag)
        data["resolved"] = {
            "caesura": caesura.__version__,
            "embed_model": type_name(model),
            "tokenizer": tokenizer_name(get_tokenizer(), self.cache_tag) if self.tokenizer is None else None,
        }
        if isinstance(model, StaticEmbedding):
            data["resolved"]["static"] = model.embedder.version
        if isinstance(model, BaseEmbedding) and self.embed_model == "settings":
            data["resolved"]["settings"] = without_secrets(model.to_dict())
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """What `to_dict` returned -> the splitter. Arguments take the place of entries.

        Functions are imported by their name. Raises `SettingError` for what has to be passed.
        """
        given = {**data, **kwargs}
        settings = {name: value for name, value in given.items() if name not in ("class_name", "resolved")}
        for name in FUNCTIONS:
            value = settings.get(name)
            if value is None:
                settings.pop(name, None)
            elif not callable(value):
                settings[name] = found(name, value)
        if "embed_model" in settings:
            settings["embed_model"] = loaded(settings["embed_model"], data.get("resolved", {}).get("embed_model"))
        return cls(**settings)

    def __getstate__(self) -> dict[str, Any]:
        for name in (*FUNCTIONS, "embed_model"):
            must_pickle(name, getattr(self, name))
        return super().__getstate__()
