"""A splitter's settings and nodes in, nodes of one size out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import BaseNode
from llama_index.core.utils import get_tqdm_iterable

from caesura.adapter import chunk_limits
from caesura.splitter import Splitter
from caesura.types import Cut, Sizer, View
from caesura.work import Stages
from llama_index.node_parser.caesura.fitting import chunks_of
from llama_index.node_parser.caesura.nodes import link, nodes_of, text_of
from llama_index.node_parser.caesura.parser import Ready, SemanticParser
from llama_index.node_parser.caesura.room import little_room, room_of


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

    def _ready(self, stages: Stages[Any], nodes: Sequence[BaseNode], size: Sizer) -> Ready:
        texts = [text_of(node) for node in nodes]
        if self.chunk_size is None or not self.include_metadata:
            return Ready(stages, texts)
        rooms = [room_of(node, text, size, self.chunk_size) for node, text in zip(nodes, texts, strict=True)]
        limits = [room.limits(size, self.min_chunk_size) for room in rooms]
        return Ready(stages, texts, limits, little_room(rooms, size))

    def _wrapped(self, nodes: Sequence[BaseNode], made: list[Any], show_progress: bool) -> list[BaseNode]:
        size, counted = self._size(), self.chunk_size if self.include_metadata else None
        id_func = None if self.id_func is default_id_func else self.id_func
        wrapped: list[BaseNode] = []
        for node, segmentation in get_tqdm_iterable(
            list(zip(nodes, made, strict=True)), show_progress, "Parsing nodes"
        ):
            chunks = chunks_of(node, segmentation, size, counted)
            own = nodes_of(node, [(0, chunk) for chunk in chunks], id_func, self.include_metadata)
            if self.embed_chunks and chunks:
                for each, vector in zip(own, segmentation.vectors(chunks).tolist(), strict=True):
                    each.embedding = vector
            wrapped += own
        if self.include_prev_next_rel:
            link(wrapped, BaseNode.as_related_node_info)  # with metadata, as LlamaIndex's own do
        return wrapped
