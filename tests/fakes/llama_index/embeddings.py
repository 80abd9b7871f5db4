"""Embeddings of words: one that keeps what it was asked, one that is awaited, one with a key."""

from __future__ import annotations

import asyncio
import re
from typing import Any
from zlib import crc32

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from caesura.background import TEXTS


class Words(BaseEmbedding):
    """Sixteen columns: how often words of each of sixteen kinds occur. Keeps what it was asked."""

    embed_batch_size: int = 2048

    _calls: list[list[str]] = PrivateAttr(default_factory=list)
    _batches: list[list[str]] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return cls.__name__

    @property
    def all_calls(self) -> list[list[str]]:
        """The texts of every call of the public batch method."""
        return self._calls

    @property
    def batches(self) -> list[list[str]]:
        """The texts of every batch."""
        return self._batches

    @property
    def calls(self) -> list[list[str]]:
        """`all_calls`, calibration aside."""
        return [call for call in self._calls if call != list(TEXTS)]

    @property
    def calibrations(self) -> int:
        return sum(call == list(TEXTS) for call in self._calls)

    def row(self, text: str) -> list[float]:
        row = [0.0] * 16
        for word in re.findall(r"\w+", text.lower()):
            row[crc32(word.encode("utf-8", "surrogatepass")) % 16] += 1.0
        return row

    def rows(self, texts: list[str]) -> Any:
        return [self.row(text) for text in texts]

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> Any:
        self._calls.append(list(texts))
        return super().get_text_embedding_batch(texts, show_progress, **kwargs)

    async def aget_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> Any:
        self._calls.append(list(texts))
        return await super().aget_text_embedding_batch(texts, show_progress, **kwargs)

    def _get_text_embeddings(self, texts: list[str]) -> Any:
        self._batches.append(list(texts))
        return self.rows(texts)

    async def _aget_text_embeddings(self, texts: list[str]) -> Any:
        self._batches.append(list(texts))
        return self.rows(texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.row(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.row(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.row(query)


class AsyncWords(Words):
    """Answers only where it is awaited."""

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False, **kwargs: Any) -> Any:
        raise AssertionError("a sync method was called from async code")

    def _get_text_embeddings(self, texts: list[str]) -> Any:
        raise AssertionError("a sync method was called from async code")

    def _get_text_embedding(self, text: str) -> list[float]:
        raise AssertionError("a sync method was called from async code")

    async def _aget_text_embeddings(self, texts: list[str]) -> Any:
        await asyncio.sleep(0)
        return await super()._aget_text_embeddings(texts)


class KeyedWords(Words):
    """An embedding with a key, and headers among its settings."""

    api_key: str = "sk-topsecret"
    api_base: str = "http://localhost"
    additional_kwargs: dict[str, Any] = {}  # noqa: RUF012 - pydantic copies it
