"""LlamaIndex documents or nodes in, nodes out, cut where their vectors turn, sync or async."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import Field
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode
from llama_index.core.utils import get_tqdm_iterable

from caesura.plugin.sentences import segmenter
from caesura.plugin.session import EmbeddingSession, Stages
from caesura.plugin.settings import EmbedFunction, chunk_limits
from caesura.splitter import Splitter
from caesura.text.sentences import units
from caesura.types import Cut, Limits, Sizer, View
from llama_index.node_parser.caesura.embedding import EmbedModel, EmbeddingParser, warn_caller
from llama_index.node_parser.caesura.metadata_budget import chunks_within, budget_warnings, text_budget
from llama_index.node_parser.caesura.nodes import link, build_nodes, text_of

_dispatcher = get_dispatcher(__name__)


class Prepared(NamedTuple):
    """What is to be done: the stages, the nodes' texts, what the metadata of each leaves, and what to warn of."""

    stages: Stages[Any]
    texts: list[str]
    limits: list[Limits] | None = None
    warnings: Sequence[str] = ()


class SemanticParser(EmbeddingParser):
    """What splitters and the hierarchy share: an embedder and a tokenizer drive the core's stages."""

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

    def _ready(self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer) -> Prepared:
        """The texts of the nodes, what their metadata leaves them, the stages that cut them, and what to warn of."""
        raise NotImplementedError

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        """What the stages made of each node -> nodes."""
        raise NotImplementedError

    # -- the work ---------------------------------------------------------------------------------------------------

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        model = self._model()
        embed, _ = self._embed(model, show_progress)
        made = self._work(self._prepared(nodes), model).run(embed)
        return self._wrapped(nodes, made, show_progress)

    @_dispatcher.span
    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        model = self._model()
        _, aembed = self._embed(model, show_progress)
        ready = await asyncio.to_thread(self._prepared, nodes)
        made = await self._work(ready, model).arun(aembed)
        return await asyncio.to_thread(self._wrapped, nodes, made, show_progress)

    def _shared(self, size: Sizer) -> dict[str, Any]:
        """The settings that a Splitter and a Hierarchy have in common."""
        return {
            "size": size,
            "segment": segmenter(self.sentence_splitter, units),
            "background": self._own_background(),
        }

    def _prepared(self, nodes: Sequence[BaseNode]) -> Prepared:
        size = self._size()
        return self._ready(self._stages(size), nodes, size)

    def _work(self, ready: Prepared, model: BaseEmbedding | EmbedFunction) -> EmbeddingSession[Any]:
        """Not in a thread: a warning shows the line that called."""
        for message in ready.warnings:
            warn_caller(message)
        return EmbeddingSession(ready.stages, ready.texts, model, self._memory, self.calibrated, ready.limits)


class BaseSemanticSplitter(SemanticParser):
    """What all splitters share: an embedder, a size in tokens, nodes that know their place.

    A node's text is an exact slice of its document (`start_char_idx`, `end_char_idx`), and its content with metadata
    measures at most `chunk_size` tokens. Ids are made of document id, span and text, so that the same document gives
    the same ids; they are as stable as the document ids are. An empty document gives no nodes.
    """

    chunk_size: int | None = Field(
        default=512, description="The most tokens a node may have, metadata counted; None: any."
    )
    min_chunk_size: int = Field(default=0, description="Nodes under so many tokens join a neighbour where that fits.")
    embed_chunks: bool = Field(
        default=False,
        description="Give nodes the mean of their sentences' vectors, so that an index on the same model embeds none.",
    )

    def _cut(self) -> tuple[Cut, View | None]:
        """The settings' cut, and its view if it has one. Not abstract: LlamaIndex would report a span for it."""
        raise NotImplementedError

    def _stages(self, size: Sizer) -> Splitter:
        cut, view = self._cut()
        limits = chunk_limits(self.chunk_size, self.min_chunk_size)
        return Splitter(limits=limits, cut=cut, view=view, **self._shared(size))

    def _ready(self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer) -> Prepared:
        texts = [text_of(node) for node in nodes]
        if self.chunk_size is None or not self.include_metadata:
            return Prepared(stages, texts)
        rooms = [text_budget(node, text, size, self.chunk_size) for node, text in zip(nodes, texts, strict=True)]
        limits = [room.limits(size, self.min_chunk_size) for room in rooms]
        return Prepared(stages, texts, limits, budget_warnings(rooms, size))

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        size, counted = self._size(), self.chunk_size if self.include_metadata else None
        id_func = None if self.id_func is default_id_func else self.id_func
        wrapped: list[BaseNode] = []
        for node, segmentation in get_tqdm_iterable(
            list(zip(nodes, made, strict=True)), show_progress, "Parsing nodes"
        ):
            chunks = chunks_within(node, segmentation, size, counted)
            own = build_nodes(node, [(0, chunk) for chunk in chunks], id_func, self.include_metadata)
            if self.embed_chunks and chunks:
                for each, vector in zip(own, segmentation.vectors(chunks).tolist(), strict=True):
                    each.embedding = vector
            wrapped += own
        if self.include_prev_next_rel:
            link(wrapped, BaseNode.as_related_node_info)  # with metadata, as LlamaIndex's own do
        return wrapped
