"""Stores that fail, refuse, keep books or know less than others: what the tests of the retriever are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_fakes import Bag

from langchain_caesura import ParentDocumentRetriever
from langchain_caesura.parents.records import RECORDS, Record


class BrokenError(Exception):
    """What a store raises when its time has come."""


@dataclass
class Clock:
    """Counts the calls that write to any store, and fails the n-th, before or after it has written."""

    at: int = -1
    after: bool = False
    calls: list[str] = field(default_factory=list)

    def write(self, name: str, action: Any) -> Any:
        number = len(self.calls)
        self.calls.append(name)
        if number == self.at and not self.after:
            raise BrokenError(name)
        returned = action()
        if number == self.at:
            raise BrokenError(name)
        return returned


class ClockedVectors(InMemoryVectorStore):
    """An exact store in memory that writes under a clock, and refuses what no store should be asked for."""

    def __init__(self, embedding: Embeddings, clock: Clock | None = None, most: int = 5000) -> None:
        super().__init__(embedding)
        self.clock, self.most, self.read = clock or Clock(), most, Counter[str]()

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        assert ids is not None
        assert 0 < len(documents) == len(ids) == len(set(ids)) <= self.most
        for document in documents:
            assert all(type(value) in (str, int, float, bool) for value in document.metadata.values()), document
        return self.clock.write("vectors.add", lambda: super(ClockedVectors, self).add_documents(documents, ids=ids))

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> None:
        assert ids is not None
        assert 0 < len(ids) <= self.most
        self.clock.write("vectors.delete", lambda: super(ClockedVectors, self).delete(ids))

    async def aadd_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        return self.add_documents(documents, ids)

    async def adelete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> None:
        self.delete(ids)

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        self.read["search"] += 1
        return super().similarity_search_with_score(query, k, **kwargs)

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        self.read["get_by_ids"] += 1
        return super().get_by_ids(ids)


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


class ClockedDocuments(InMemoryStore):
    """A document store in memory that writes under a clock."""

    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__()
        self.clock, self.asked = clock or Clock(), Counter[str]()

    def mget(self, keys: Sequence[str]) -> list[Any]:
        self.asked.update(keys)
        return super().mget(keys)

    def mset(self, key_value_pairs: Sequence[tuple[str, Any]]) -> None:
        self.clock.write("documents.set", lambda: super(ClockedDocuments, self).mset(key_value_pairs))

    def mdelete(self, keys: Sequence[str]) -> None:
        self.clock.write("documents.delete", lambda: super(ClockedDocuments, self).mdelete(keys))

    async def amget(self, keys: Sequence[str]) -> list[Any]:
        return self.mget(keys)

    async def amset(self, key_value_pairs: Sequence[tuple[str, Any]]) -> None:
        self.mset(key_value_pairs)

    async def amdelete(self, keys: Sequence[str]) -> None:
        self.mdelete(keys)

    def yield_keys(self, prefix: str | None = None) -> Iterator[str]:
        raise AssertionError("a document store was gone through")


def retriever(vectors: InMemoryVectorStore | None = None, **settings: Any) -> ParentDocumentRetriever:
    """A retriever over exact stores in memory, with bags of words for vectors."""
    settings.setdefault("docstore", InMemoryStore())
    return ParentDocumentRetriever(vectorstore=vectors or ClockedVectors(Bag()), **settings)


def rows(made: ParentDocumentRetriever) -> dict[str, dict[str, Any]]:
    """What is in the vector store, by id."""
    return dict(made.vectorstore.store)


def kept(made: ParentDocumentRetriever) -> dict[str, Document]:
    """The parents in the document store, by key."""
    return {key: value for key, value in made.docstore.store.items() if not key.startswith("caesura/")}


def stored(made: ParentDocumentRetriever) -> dict[str, Any]:
    """All that is in the document store, by key; of records, what they hold and not in which order it was written."""
    documents = made.docstore.store.items()
    records = {key: Record.read(value) for key, value in documents if key.startswith(RECORDS)}
    unordered = {key: replace(one, children=sorted(one.children)) for key, one in records.items()}
    return {**dict(documents), **unordered}


def sound(made: ParentDocumentRetriever) -> bool:
    """Whether every row that can be found leads to a parent that can be returned."""
    return {row["metadata"][made.id_key] for row in rows(made).values()} <= set(kept(made))
