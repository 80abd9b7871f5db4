"""Embeddings for LangChain: the static model, and the vectors that splitting has cost already."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, cast

from langchain_core.embeddings import Embeddings

from caesura.background import Background
from caesura.checks import check_embedder
from caesura.types import Embed
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


def check_embeddings(embeddings: Embeddings | Embed) -> Embeddings | Embed:
    """What was given as embeddings, if it can be used as such. Raises `SettingError`."""
    if not callable(getattr(embeddings, "embed_documents", None)) or isinstance(embeddings, type):
        check_embedder("embeddings", "have embed_documents(texts), as LangChain's Embeddings do", embeddings)
    return embeddings


def embed_function(embeddings: Embeddings | Embed) -> Embed:
    """What was given as embeddings -> the function that embeds."""
    if type(embeddings) is StaticEmbeddings:
        return StaticEmbeddings.embedder  # the same rows, and not by way of lists of float
    function: Embed | None = getattr(embeddings, "embed_documents", None)
    return cast(Embed, embeddings) if function is None else function


def aembed_function(embeddings: Embeddings | Embed) -> Callable[[list[str]], Awaitable[Any]]:
    """What was given as embeddings -> the function that embeds and is awaited; in a thread where it has none."""
    own: Callable[[list[str]], Awaitable[Any]] | None = getattr(embeddings, "aembed_documents", None)
    if own is None or type(embeddings) is StaticEmbeddings:
        return lambda texts: asyncio.to_thread(embed_function(embeddings), texts)
    return own


class ChunkEmbeddings(Embeddings):
    """The embeddings of a splitter, which know the chunks that it made: those are not embedded again.

    What a splitter with ``embed_chunks=True`` has as its `chunk_embeddings`, for the vector store that its chunks go
    into: a chunk's vector is the mean of its sentences', weighted by their sizes. All else goes to the model. Of the
    last `most` chunks the vectors are known; an older one would be embedded again.
    """

    def __init__(self, embeddings: Embeddings | Embed, most: int = 100_000) -> None:
        self.embeddings: Embeddings | Embed = embeddings
        self.most: int = most
        self.known: dict[str, list[float]] = {}

    def keep(self, texts: list[str], rows: list[list[float]]) -> None:
        """Takes in the vectors of some chunks."""
        for text, row in zip(texts, rows, strict=True):
            self.known.pop(text, None)  # so that it is the newest
            self.known[text] = row
        while len(self.known) > self.most:
            self.known.pop(next(iter(self.known)), None)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Texts -> one row per text; those of known chunks cost nothing."""
        rows = {text: self.known.get(text) for text in texts}
        missing = [text for text, row in rows.items() if row is None]
        rows.update(zip(missing, embed_function(self.embeddings)(missing) if missing else (), strict=True))
        return [_as_floats(rows[text]) for text in texts]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """`embed_documents`, through the model's `aembed_documents`."""
        rows = {text: self.known.get(text) for text in texts}
        missing = [text for text, row in rows.items() if row is None]
        rows.update(zip(missing, await aembed_function(self.embeddings)(missing) if missing else (), strict=True))
        return [_as_floats(rows[text]) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """A question -> its row, as the model makes it."""
        if isinstance(self.embeddings, Embeddings):
            return self.embeddings.embed_query(text)
        return _as_floats(embed_function(self.embeddings)([text])[0])

    async def aembed_query(self, text: str) -> list[float]:
        """`embed_query`, through the model's `aembed_query`."""
        if isinstance(self.embeddings, Embeddings):
            return await self.embeddings.aembed_query(text)
        return _as_floats((await aembed_function(self.embeddings)([text]))[0])


def _as_floats(row: Any) -> list[float]:
    return row if isinstance(row, list) else [float(value) for value in row]
