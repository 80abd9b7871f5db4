"""Stores in memory that keep books and fail when they are told to: what the tests of the retriever are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore


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
        self.written: list[int] = []
        """The rows of each call that wrote some."""

    def add_documents(self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any) -> list[str]:
        assert ids is not None
        assert 0 < len(documents) == len(ids) == len(set(ids)) <= self.most
        for document in documents:
            assert all(type(value) in (str, int, float, bool) for value in document.metadata.values()), document
        self.written.append(len(documents))
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
        self.read["ids"] += len(ids)
        return super().get_by_ids(ids)


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
        assert prefix, "a document store was gone through"
        return super().yield_keys(prefix=prefix)
