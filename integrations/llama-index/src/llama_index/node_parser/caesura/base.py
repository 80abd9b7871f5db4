"""LlamaIndex documents or nodes in, nodes out: takes texts, asks the embedder, wraps chunks. Sync and async alike."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal, Self, cast

from llama_index.core import Settings
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import ConfigDict, Field, PrivateAttr, SerializeAsAny, WithJsonSchema
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import IdFuncCallable, build_nodes_from_splits, default_id_func
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeRelationship, TextNode
from llama_index.core.utils import get_tokenizer, get_tqdm_iterable

import caesura
from caesura.adapter import Memory, adrive, chunk_id, chunk_limits, parts, segment
from caesura.background import Background
from caesura.errors import SettingError
from caesura.size import tokens
from caesura.splitter import Segmentation, Splitter
from caesura.text.sentences import sentences
from caesura.types import Cut, Limits, Sizer, View
from caesura.vectors import Requests, drive
from llama_index.node_parser.caesura.embedding import StaticEmbedding
from llama_index.node_parser.caesura.nodes import metadata_size, origin
from llama_index.node_parser.caesura.settings import found, loaded, must_pickle, named, without_secrets

dispatcher = get_dispatcher(__name__)

Function = Annotated[Callable[[str], Any], WithJsonSchema({"type": "string"})]
FUNCTIONS = ("sentence_splitter", "tokenizer", "id_func")


class SemanticSplitter(NodeParser):
    """What all splitters share: an embedder, a size in tokens, nodes that know their place.

    A node's text is an exact slice of its document (`start_char_idx`, `end_char_idx`), and its content with metadata
    measures at most `chunk_size` tokens. Ids are made of document id, span and text, so that the same document gives
    the same ids; they are as stable as the document ids are. An empty document gives no nodes.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    embed_model: SerializeAsAny[BaseEmbedding] | Literal["settings"] | None = Field(
        default=None, description="None: the embedded model. 'settings': Settings.embed_model."
    )
    chunk_size: int | None = Field(
        default=512, description="The most tokens a node may have, metadata counted; None: any."
    )
    min_chunk_size: int = Field(default=0, description="Nodes under so many tokens join a neighbour where that fits.")
    calibrated: bool = Field(default=True, description="Whether vectors are centred on the embedder's background.")
    background: list[float] | None = Field(
        default=None, description="The background to use; None: calibrate on first use."
    )
    sentence_splitter: Function | None = Field(
        default=None, description="str -> list of str, or edges; None: caesura.sentences."
    )
    tokenizer: Function | None = Field(default=None, description="str -> list; None: LlamaIndex's global tokenizer.")
    cache_tag: str | None = Field(default=None, description="What a cache knows a function without a name by.")

    _memory: Memory = PrivateAttr(default_factory=Memory)

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses. None means the default."""
        return cls(**{name: value for name, value in settings.items() if value is not None or name == "chunk_size"})

    @abstractmethod
    def _cut(self) -> tuple[Cut, View | None]:
        """The settings' cut, and its view if it has one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._splitter(size=len)  # so that a bad setting is refused here, and not at the first document

    # -- the work ---------------------------------------------------------------------------------------------------

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        model = self._model()

        def embed(texts: Sequence[str]) -> Any:
            if self.embed_model is None:
                return StaticEmbedding.embedder(texts)
            return model.get_text_embedding_batch(list(texts), show_progress)

        return self._wrapped(nodes, drive(self._segment(nodes, model), embed), show_progress)

    @dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        model = self._model()

        def aembed(texts: list[str]) -> Awaitable[Any]:
            if self.embed_model is None:
                return asyncio.to_thread(StaticEmbedding.embedder, texts)
            return model.aget_text_embedding_batch(texts, show_progress)

        made = await adrive(self._segment(nodes, model), aembed)
        return await asyncio.to_thread(self._wrapped, nodes, made, show_progress)

    def _model(self) -> BaseEmbedding:
        if self.embed_model == "settings":
            return Settings.embed_model
        return StaticEmbedding() if self.embed_model is None else self.embed_model

    def _splitter(self, size: Sizer) -> Splitter:
        cut, view = self._cut()
        if self.background is not None and not self.calibrated:
            raise SettingError(
                "a background is what vectors are centred on: give it with calibrated=True, or leave it out"
            )
        return Splitter(
            limits=chunk_limits(self.chunk_size, self.min_chunk_size),
            size=size,
            segment=sentences if self.sentence_splitter is None else parts(self.sentence_splitter),
            view=view,
            cut=cut,
            background=None if self.background is None else Background(self.background),
        )

    def _size(self) -> Sizer:
        tokenizer = self.tokenizer or get_tokenizer()
        return len if tokenizer is list else tokens(tokenizer)

    def _segment(self, nodes: Sequence[BaseNode], model: BaseEmbedding) -> Requests[list[Segmentation]]:
        splitter = self._splitter(self._size())
        if self.calibrated and splitter.background is None and isinstance(model, StaticEmbedding):
            splitter = replace(splitter, background=model.background)
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        limits = [self._limits(node, splitter.size) for node in nodes]
        return segment(splitter, texts, limits, embedder=model, memory=self._memory, calibrated=self.calibrated)

    def _limits(self, node: BaseNode, size: Sizer) -> Limits:
        """What is left of `chunk_size` once the node's metadata is counted."""
        if self.chunk_size is None:
            return Limits(None, self.min_chunk_size)
        taken = metadata_size(node, size) if self.include_metadata and node.metadata else 0
        if taken >= self.chunk_size:
            raise SettingError(
                f"the metadata of document {node.node_id!r} takes {taken} tokens, which leaves no room in "
                f"chunk_size={self.chunk_size}: raise chunk_size, or name keys in excluded_embed_metadata_keys and "
                f"excluded_llm_metadata_keys"
            )
        room = self.chunk_size - taken
        return Limits(room, min(self.min_chunk_size, room))

    # -- the records ------------------------------------------------------------------------------------------------

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Segmentation], show_progress: bool) -> list[BaseNode]:
        pairs = get_tqdm_iterable(list(zip(nodes, made, strict=True)), show_progress, "Parsing nodes")
        return [wrapped for node, segmentation in pairs for wrapped in self._nodes(node, segmentation)]

    def _nodes(self, node: BaseNode, segmentation: Segmentation) -> list[TextNode]:
        chunks, first = segmentation.chunks(), origin(node)

        def content_id(number: int, document: BaseNode) -> str:
            chunk = chunks[number]
            return chunk_id(document.node_id, 0, chunk.start, chunk.end, chunk.text)

        id_func = cast(IdFuncCallable, content_id if self.id_func is default_id_func else self.id_func)
        made = build_nodes_from_splits([chunk.text for chunk in chunks], node, id_func=id_func)
        for wrapped, chunk in zip(made, chunks, strict=True):
            wrapped.embedding = None
            if first is not None:
                wrapped.start_char_idx, wrapped.end_char_idx = first + chunk.start, first + chunk.end
        return made

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """What the base class does, save that offsets are kept, not searched for, and that chained nodes get a NEXT."""
        for node in nodes:
            parent = parent_doc_map.get(node.ref_doc_id or "")
            if parent is not None and self.include_metadata:
                node.metadata = {**parent.metadata, **node.metadata}
            if parent is not None and parent.source_node is not None:
                node.relationships[NodeRelationship.SOURCE] = parent.source_node
        if self.include_prev_next_rel:
            for (node, info), (following, next_info) in pairwise((node, node.as_related_node_info()) for node in nodes):
                if node.ref_doc_id is not None and node.ref_doc_id == following.ref_doc_id:
                    node.relationships[NodeRelationship.NEXT] = next_info
                    following.relationships[NodeRelationship.PREVIOUS] = info
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
        if isinstance(self.embed_model, BaseEmbedding):
            data["embed_model"] = without_secrets(self.embed_model.to_dict())
        data["resolved"] = {"caesura": caesura.__version__}
        if self.embed_model == "settings":
            data["resolved"]["embed_model"] = without_secrets(Settings.embed_model.to_dict())
        if self.tokenizer is None and self.chunk_size is not None:
            data["resolved"]["tokenizer"] = str(getattr(get_tokenizer(), "func", get_tokenizer()))
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
            settings["embed_model"] = loaded(settings["embed_model"])
        return cls(**settings)

    def __getstate__(self) -> dict[str, Any]:
        for name in (*FUNCTIONS, "embed_model"):
            must_pickle(name, getattr(self, name))
        return super().__getstate__()
