"""Texts in, rows out: the embedded model as LangChain embeddings, and what else may be given as embeddings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, cast

from langchain_core.embeddings import Embeddings

from caesura.adapter import EmbedFunction
from caesura.adapter_embedder import check_embedder
from caesura.background import Background
from caesura_static import StaticEmbedder


class StaticEmbeddings(Embeddings):
    """The static model that ships with Caesura. Deterministic, offline, megabytes per second.

    >>> len(StaticEmbeddings().embed_query("Where does the ferry leave?")) == StaticEmbedder().dimension
    True
    """

    embedder: ClassVar[StaticEmbedder] = StaticEmbedder()

    @property
    def background(self) -> Background:
        """The model's own background, which ships with it."""
        return Background(self.embedder.background)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text."""
        rows: list[list[float]] = self.embedder(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row; questions are embedded as documents are."""
        return self.embed_documents([text])[0]


def checked(embeddings: Embeddings | EmbedFunction) -> Embeddings | EmbedFunction:
    """What was given as embeddings, if it can be used as such. Raises `SettingError`."""
    if not callable(getattr(embeddings, "embed_documents", None)) or isinstance(embeddings, type):
        check_embedder("embeddings", "have embed_documents(texts), as LangChain's Embeddings do", embeddings)
    return embeddings


def function_of(embeddings: Embeddings | EmbedFunction) -> EmbedFunction:
    """What was given as embeddings -> the function that embeds."""
    if type(embeddings) is StaticEmbeddings:
        return StaticEmbeddings.embedder  # the same rows, and not by way of lists of float
    function: EmbedFunction | None = getattr(embeddings, "embed_documents", None)
    return cast(EmbedFunction, embeddings) if function is None else function


def awaited_of(embeddings: Embeddings | EmbedFunction) -> Callable[[list[str]], Awaitable[Any]]:
    """What was given as embeddings -> the function that embeds and is awaited; in a thread where it has none."""
    own: Callable[[list[str]], Awaitable[Any]] | None = getattr(embeddings, "aembed_documents", None)
    if own is None or type(embeddings) is StaticEmbeddings:
        return lambda texts: asyncio.to_thread(function_of(embeddings), texts)
    return own
