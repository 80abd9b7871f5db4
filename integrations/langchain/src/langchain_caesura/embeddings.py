"""The embedded model as LangChain embeddings: texts in, lists of floats out, without a key or a network."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from caesura.background import Background
from caesura_static import StaticEmbedder


class StaticEmbeddings(Embeddings):
    """The static model that ships with Caesura. Deterministic, offline, megabytes per second.

    >>> len(StaticEmbeddings().embed_query("Where does the ferry leave?")) == StaticEmbedder().dimension
    True
    """

    embedder = StaticEmbedder()

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
