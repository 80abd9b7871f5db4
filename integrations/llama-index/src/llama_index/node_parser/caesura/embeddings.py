"""The built-in model, and models that embed a document's chunks together, as embeddings of LlamaIndex."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding, Embedding
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode
from numpy.typing import NDArray

from caesura.background import Background, background_of
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_retrieval.document_embedders import (
    ContextualModel,
    DocumentEmbedder,
    aembed_alone,
    check_document_embedder,
    embed_alone,
    embed_question,
    embed_together,
)
from caesura_retrieval.leaning import lean
from caesura_static import LoadedEmbedder, StaticEmbedder
from caesura_static.loaded import load_folder
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.serialization import CheckedSettings

STATIC = StaticEmbedder()
"""The built-in model, shared by all that name no other."""


class BatchEmbedding(CheckedSettings, BaseEmbedding):
    """An embedding that makes one row of a text as it makes several, and one of a question too."""

    def _get_text_embedding(self, text: str) -> Embedding:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> Embedding:
        return self._get_text_embedding(query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)

    async def _aget_text_embedding(self, text: str) -> Embedding:
        return (await self._aget_text_embeddings([text]))[0]

    async def _aget_query_embedding(self, query: str) -> Embedding:
        return await asyncio.to_thread(self._get_query_embedding, query)


class StaticEmbedding(BatchEmbedding):
    """Embeds texts with the built-in model: offline, deterministic, and quick on any processor.

    >>> len(StaticEmbedding().get_text_embedding("Where does the ferry leave?"))
    192

    Set it as ``Settings.embed_model`` too: then nothing needs a key or a network.

    embedder: another static model, `StaticEmbedder.load(path)`; it is filed by its path and by its content.
    """

    model_name: str = Field(default="caesura-static", description="The name of the embedding model.")
    embed_batch_size: int = Field(default=2048, description="Texts per call.", gt=0, le=2048)

    model_path: str | None = Field(default=None, description="Folder of a static model; None: the built-in model.")
    model_version: str | None = Field(default=None, description="Names that model by its content.")

    _embedder: StaticEmbedder | LoadedEmbedder = PrivateAttr(default_factory=lambda: STATIC)

    def __init__(self, embedder: StaticEmbedder | LoadedEmbedder | None = None, **settings: Any) -> None:
        if isinstance(embedder, LoadedEmbedder):
            settings |= {"model_path": str(embedder.path), "model_version": embedder.version}
            settings.setdefault("model_name", embedder.path.name)
        super().__init__(**settings)
        if self.model_path is not None:
            self._embedder = load_folder(self.model_path, self.model_version)
            self.model_version = self._embedder.version

    @property
    def embedder(self) -> StaticEmbedder | LoadedEmbedder:
        """The function that embeds."""
        return self._embedder

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "StaticEmbedding"

    @property
    def background(self) -> Background | None:
        """The model's own background, which ships with it; None for one that was loaded."""
        return background_of(self.embedder)

    async def aget_text_embedding_batch(
        self, texts: list[str], show_progress: bool = False, **kwargs: Any
    ) -> list[Embedding]:
        """`get_text_embedding_batch` in a thread, with what LlamaIndex tells its handlers of it."""
        return await asyncio.to_thread(self.get_text_embedding_batch, texts, show_progress, **kwargs)

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Gives nodes their embeddings, in a thread."""
        return await asyncio.to_thread(self.__call__, nodes, **kwargs)

    def _get_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        rows: list[Embedding] = self.embedder(texts).tolist()
        return rows


class ContextualEmbedding(ContextualModel, BatchEmbedding):
    """Wraps a model that embeds a document's chunks together, such as `caesura_llm.document_vectors.voyage_vectors`.

    Parsers with ``embed_chunks=True``, `HierarchyIndex`, and an `IngestionPipeline` that has it as its last step give
    it all nodes of a document at once. A text that comes alone, such as a sentence, or a text that an index of
    LlamaIndex's own embeds, counts as a document of its own. You need no such wrapper for an embedding of your own that
    has `embed_document`.

    model: a `caesura_retrieval.document_embedders.DocumentEmbedder`.
    """

    embed_batch_size: int = Field(default=2048, description="Texts per call.", gt=0, le=2048)

    _model: DocumentEmbedder = PrivateAttr()

    def __init__(self, model: DocumentEmbedder, **settings: Any) -> None:
        name = getattr(check_document_embedder(model), "model", None)
        settings.setdefault("model_name", name if isinstance(name, str) else type(model).__qualname__)
        super().__init__(**settings)
        self._model = model

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "ContextualEmbedding"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Gives nodes their embeddings: those of a document are embedded together."""
        run(embed_nodes_together(Blocking(), self, nodes, MetadataMode.EMBED))
        return nodes

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """The same, through the model's async calls."""
        await embed_nodes_together(Awaiting(), self, nodes, MetadataMode.EMBED)
        return nodes

    def _get_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        rows: list[Embedding] = embed_alone(self._model, texts).tolist()
        return rows

    def _get_query_embedding(self, query: str) -> Embedding:
        return embed_question(self._model, query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        rows: list[Embedding] = (await aembed_alone(self._model, texts)).tolist()
        return rows


def embeds_in_thread(model: BaseEmbedding) -> bool:
    """Whether a model is awaited in a thread: calls at the same time would be in each other's way."""
    kind, base = type(model), BaseEmbedding
    names = "_aget_text_embedding", "_aget_text_embeddings"
    return isinstance(model, StaticEmbedding) or all(getattr(kind, name) is getattr(base, name) for name in names)


def abatch_of(model: BaseEmbedding) -> Callable[..., Awaitable[list[Embedding]]]:
    """Returns what embeds texts and is awaited: in a thread, where LlamaIndex's base class would do it in the event
    loop, for a model that has no awaited method of its own."""
    if embeds_in_thread(model):
        return partial(Awaiting().compute, model.get_text_embedding_batch)
    return model.aget_text_embedding_batch


async def embed_nodes_together(
    calls: Calls, model: DocumentEmbedder, nodes: Sequence[BaseNode], mode: MetadataMode, share: float = 0.0
) -> None:
    """Gives nodes the embeddings that the model makes of all nodes of a document together, in the order given.

    mode: what is embedded of them. share: how far an embedding leans toward those around it.
    """
    groups: dict[str, list[BaseNode]] = {}
    for node in nodes:
        groups.setdefault(document_id(node), []).append(node)

    def read() -> list[list[str]]:
        return [[node.get_content(metadata_mode=mode) for node in group] for group in groups.values()]

    def keep(embedded: Sequence[NDArray[np.float32]]) -> None:
        for group, rows in zip(groups.values(), embedded, strict=True):
            for node, row in zip(group, (lean(rows, share) if share else rows).tolist(), strict=True):
                node.embedding = row

    texts = await calls.compute(read)
    await calls.compute(keep, await embed_together(calls, model, texts, [*groups]))
