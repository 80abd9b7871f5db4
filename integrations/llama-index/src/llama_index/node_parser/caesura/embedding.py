"""The embedded model as a LlamaIndex embedding: texts in, lists of floats out, without a key or a network."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from llama_index.core.base.embeddings.base import BaseEmbedding, Embedding
from llama_index.core.bridge.pydantic import Field

from caesura.background import Background
from caesura_static import StaticEmbedder


class StaticEmbedding(BaseEmbedding):
    """The static model that ships with Caesura. Deterministic, offline, megabytes per second.

    Use it as ``Settings.embed_model`` too, where no key and no network is to be needed.
    """

    model_name: str = Field(default="caesura-static", description="The name of the embedding model.")
    embed_batch_size: int = Field(default=2048, description="Texts per call.", gt=0, le=2048)

    embedder: ClassVar[StaticEmbedder] = StaticEmbedder()

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "StaticEmbedding"

    @property
    def background(self) -> Background:
        """The model's own background, which ships with it."""
        return Background(self.embedder.background)

    def _get_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        rows: list[Embedding] = self.embedder(texts).tolist()
        return rows

    def _get_text_embedding(self, text: str) -> Embedding:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> Embedding:
        return self._get_text_embedding(query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[Embedding]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)

    async def _aget_text_embedding(self, text: str) -> Embedding:
        return (await self._aget_text_embeddings([text]))[0]

    async def _aget_query_embedding(self, query: str) -> Embedding:
        return await self._aget_text_embedding(query)
