"""An embedding of one's own for LlamaIndex that embeds a document's nodes together, and keeps books."""

from __future__ import annotations

from typing import Any

from fakes.embedders.document_embedders import Together, document_rows
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr


class TogetherEmbedding(BaseEmbedding):
    """texts: what came otherwise than as a document's chunks. awaited: whether it is only to be had by awaiting it."""

    awaited: bool = False

    _own: Together = PrivateAttr(default_factory=Together)
    _texts: list[str] = PrivateAttr(default_factory=list)

    @property
    def documents(self) -> list[list[str]]:
        return self._own.documents

    @property
    def questions(self) -> list[str]:
        return self._own.questions

    @property
    def texts(self) -> list[str]:
        return self._texts

    def runs(self, chunks: list[str]) -> list[list[str]]:
        return self._own.runs(chunks)

    def embed_document(self, chunks: list[str]) -> object:
        assert not self.awaited, "the async path called embed_document"
        return self._own.embed_document(chunks)

    async def aembed_document(self, chunks: list[str]) -> object:
        return self._own.embed_document(chunks)

    def _get_text_embedding(self, text: str) -> Any:
        assert not self.awaited, "the async path called the sync method"
        self._texts.append(text)
        return document_rows([text])[0].tolist()

    async def _aget_text_embedding(self, text: str) -> Any:
        self._texts.append(text)
        return document_rows([text])[0].tolist()

    def _get_query_embedding(self, query: str) -> Any:
        return self._own.embed_query(query).tolist()

    async def _aget_query_embedding(self, query: str) -> Any:
        return self._get_query_embedding(query)
