"""Vector stores that know less than others, or refuse what others take: what a retriever meets in the wild."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from fakes.langchain.stores import ClockedVectors
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore


class NoLookup(ClockedVectors):
    """A store that cannot say what it has."""

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        raise NotImplementedError


class NoNames(ClockedVectors):
    """A store that returns rows without their ids."""

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [row.model_copy(update={"id": None}) for row in super().get_by_ids(ids)]


class Strict(ClockedVectors):
    """A store that refuses to add an id that it has, or to delete one that it has not, as FAISS does."""

    index_to_docstore_id: ClassVar[dict[int, str]] = {}
    """By which FAISS is known."""

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        assert not set(ids or ()) & set(self.store)
        return super().add_documents(documents, ids)

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> None:
        assert set(ids or ()) <= set(self.store)
        super().delete(ids)


class NoScores(InMemoryVectorStore):
    """A store that finds and does not say how near."""

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in InMemoryVectorStore.similarity_search_with_score(self, query, k, **kwargs)]

    def similarity_search_with_score(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def asimilarity_search_with_score(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def asimilarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return self.similarity_search(query, k, **kwargs)


class Distances(InMemoryVectorStore):
    """A store whose scores are distances, and that has no relevance function."""

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        return [(document, 1 - score) for document, score in super().similarity_search_with_score(query, k, **kwargs)]

    async def asimilarity_search_with_score(self, *args: Any, **kwargs: Any) -> list[tuple[Document, float]]:
        return self.similarity_search_with_score(*args, **kwargs)


class Relevance(Distances):
    """A store whose scores are distances, with the function that makes relevance of them."""

    def _select_relevance_score_fn(self) -> Any:
        return lambda distance: 1 - distance
