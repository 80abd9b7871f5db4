"""Search small, return large: a retriever that finds small texts and returns what they are parts of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.indexing import DeleteResponse, DocumentIndex, UpsertResponse
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import TextSplitter
from pydantic import Field, model_validator

from caesura.checks import check_int, check_names
from caesura.errors import SettingError
from caesura.plugin.merging import Score, check_merging
from caesura.sansio import arun_steps as arun
from caesura.sansio import run_steps as run
from caesura.storage.locks import KeyLock
from langchain_caesura.documents import iter_documents
from langchain_caesura.hierarchy import SemanticHierarchySplitter
from langchain_caesura.identity import storage_names
from langchain_caesura.parents.children import Rows
from langchain_caesura.parents.indexing import DOCUMENTS, Indexer, batched
from langchain_caesura.parents.search import Searcher, SearchType
from langchain_caesura.parents.splitting import ParentSplitter, DocumentInput, group_inputs
from langchain_caesura.stores import SQLiteDocumentStore


class ParentDocumentRetriever(DocumentIndex):
    """Indexes small texts, finds them, and returns the `k` parents that they belong to, best first.

    Parents are the documents themselves, or what `parent_splitter` cuts of them; children are cut by `child_splitter`,
    and views (summaries, questions, propositions) are small texts of your own that point to a document. What is
    returned is a copy with ``relevance_score`` and ``matches`` in its metadata: each small text found, with its score
    and its place in the document. All ids are made of content. Adding again is safe, replaces what has changed and
    costs nothing for what has not; a failure at any point leaves nothing that is found and cannot be returned.

    A document is known by the `ids` given with it, by its metadata under `source_id_key`, by its own id, or else by its
    content, and then an edited one is another one. Threads and event loops that share the document store take turns at
    a document, and with a `SQLiteDocumentStore` so do processes of one machine (but on Windows): the last one's stays.
    """

    vectorstore: VectorStore
    """Where small texts are indexed and found."""
    docstore: BaseStore[str, Document]
    """Where parents are kept, such as a `SQLiteDocumentStore`; and under ``caesura/documents/`` a record of each
    document."""
    child_splitter: TextSplitter | None = None
    """What cuts children. A `SemanticHierarchySplitter` makes its largest chunks the parents and its smallest the
    children, in one pass; merge mode knows the levels between. None: views alone lead to a document."""
    parent_splitter: TextSplitter | None = None
    """What cuts parents; None: each document is one."""
    k: int = Field(default=4, ge=1)
    """How many parents are returned, in merge mode how many parents and children; ``invoke(query, k=…)`` overrides."""
    search_type: SearchType = "similarity"
    """Or "similarity_score_threshold", with ``score_threshold`` in `search_kwargs`, or "mmr"."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """What else the vector store's search takes, such as ``filter``. ``k`` is how many small texts are fetched at
    first."""
    merge_ratio: float | None = None
    """From 0 to 1: return a parent where at least this share of its children is found (0: any one of them), and else
    the children, level by level where a `SemanticHierarchySplitter` made several; None: the parent."""
    score: Score = "max"
    """What a parent's score is of its children's: "max", "mean" or "sum"."""
    over_fetch: int = Field(default=4, ge=1)
    """How many small texts are fetched at first for each parent wanted."""
    max_fetch: int = Field(default=1000, ge=1)
    """How many are fetched at most, where the first lead to too few parents: 4 times as many in each further search."""
    id_key: str = "doc_id"
    """Where in a small text's metadata its parent's key in the document store is."""
    source_id_key: str | None = None
    """Where in a document's metadata its id is, such as "source". Documents of one source, as pages are, are one."""
    child_metadata_fields: Sequence[str] | None = None
    """What children have of the metadata; None: all text, numbers and truth values, which any vector store takes."""
    batch_size: int = Field(default=1000, ge=1)
    """The most rows that one call of the vector store is given."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, settings: Any) -> Any:
        if isinstance(settings, dict) and cls.model_config.get("extra") != "allow":
            check_names(cls.__name__, settings, cls.model_fields)
        return settings

    @model_validator(mode="after")
    def _checked(self) -> ParentDocumentRetriever:
        if self.merge_ratio is not None:
            check_merging(self.merge_ratio, self.score)
        if isinstance(self.parent_splitter, SemanticHierarchySplitter):
            raise SettingError("a SemanticHierarchySplitter makes parents and children: give it as child_splitter")
        if isinstance(self.child_splitter, SemanticHierarchySplitter) and self.parent_splitter is not None:
            raise SettingError("a SemanticHierarchySplitter makes its own parents: leave parent_splitter out")
        if self.child_splitter is None and self.parent_splitter is not None:
            raise SettingError("a parent_splitter needs a child_splitter, for nothing else would lead to its parents")
        return self

    # -- searching --------------------------------------------------------------------------------------------------

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        return run(self._searcher().search(query, self._k(k), {**self.search_kwargs, **kwargs}))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        return await arun(self._searcher().search(query, self._k(k), {**self.search_kwargs, **kwargs}))

    # -- writing ----------------------------------------------------------------------------------------------------

    def add_documents(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None = None,
        *,
        views: Iterable[Document] = (),
        force: bool = False,
    ) -> list[str]:
        """Stores documents in place of what was stored under their ids -> those ids, one per document.

        views: small texts, each with the id of its document as ``parent_id`` in its metadata. force: embed what has not
        changed anew, for a new embedder. Raises `SettingError` before anything is written.
        """
        given, named = self._given(documents, ids, views, self.source_id_key)
        self._add(given, force)
        return named

    async def aadd_documents(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None = None,
        *,
        views: Iterable[Document] = (),
        force: bool = False,
    ) -> list[str]:
        """`add_documents`, through the async calls of splitters and stores."""
        given, named = await asyncio.to_thread(self._given, documents, ids, views, self.source_id_key)
        await self._aadd(given, force)
        return named

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """Deletes documents by their ids, with all that is stored for them; an unknown id is no fault."""
        gone: list[str] = []
        for some, turn in self._turns(_wanted(ids)):
            with turn:
                gone += run(self._indexer().delete(some))
        return _deleted(gone)

    async def adelete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """`delete`, through the async calls of the stores."""
        gone: list[str] = []
        for some, turn in self._turns(_wanted(ids)):
            async with turn:
                gone += await arun(self._indexer().delete(some))
        return _deleted(gone)

    # -- LangChain's indexing API -----------------------------------------------------------------------------------

    def upsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """What `langchain_core.indexing.index` calls: stores documents under their own ids, and embeds them anew."""
        given, named = self._given(items, None, kwargs.get("views", ()), None)
        self._add(given, force=True)
        return UpsertResponse(succeeded=named, failed=[])

    async def aupsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """`upsert`, through the async calls of splitters and stores."""
        given, named = await asyncio.to_thread(self._given, items, None, kwargs.get("views", ()), None)
        await self._aadd(given, force=True)
        return UpsertResponse(succeeded=named, failed=[])

    def get(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """The parents that are stored for these documents."""
        return run(self._indexer().get(_wanted(ids)))

    async def aget(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """`get`, through the document store's async calls."""
        return await arun(self._indexer().get(_wanted(ids)))

    # -- parts ------------------------------------------------------------------------------------------------------

    def _given(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None,
        views: Iterable[Document],
        source_id_key: str | None,
    ) -> tuple[dict[str, DocumentInput], list[str]]:
        rows, views = list(iter_documents(documents)), list(iter_documents(views, "views"))
        if views and (self.parent_splitter is not None or isinstance(self.child_splitter, SemanticHierarchySplitter)):
            raise SettingError(
                "views lead to whole documents, but a parent_splitter or a SemanticHierarchySplitter returns parts of "
                "them: cut first, with split_documents(), and add the chunks with their views to one without a "
                "parent_splitter, whose child_splitter cuts to one size, or is None"
            )
        named = storage_names(rows, ids, source_id_key)
        several = ids is None and source_id_key is not None
        return group_inputs(rows, named, views, self.id_key, several), named

    def _add(self, given: dict[str, DocumentInput], force: bool) -> None:
        for some, turn in self._turns(given):
            with turn:
                run(self._indexer().add({name: given[name] for name in some}, force))

    async def _aadd(self, given: dict[str, DocumentInput], force: bool) -> None:
        for some, turn in self._turns(given):
            async with turn:
                await arun(self._indexer().add({name: given[name] for name in some}, force))

    def _turns(self, names: Iterable[str]) -> Iterator[tuple[list[str], KeyLock]]:
        """Names of documents -> `DOCUMENTS` of them at a time, and the turn to write to them."""
        path = self.docstore.path if isinstance(self.docstore, SQLiteDocumentStore) else None
        return ((some, KeyLock(self.docstore, some, path)) for some in batched(dict.fromkeys(names), DOCUMENTS))

    def _searcher(self) -> Searcher:
        stores = self.vectorstore, self.docstore
        fetch = self.over_fetch, self.max_fetch
        return Searcher(*stores, self.id_key, self.search_type, self.merge_ratio, self.score, *fetch)

    def _indexer(self) -> Indexer:
        divider = ParentSplitter(
            self.child_splitter, self.parent_splitter, Rows(self.id_key, self.child_metadata_fields)
        )
        return Indexer(self.vectorstore, self.docstore, divider, self.batch_size)

    def _k(self, k: int | None) -> int:
        if k is not None:
            check_int("k", k, 1)
        return k or self.k


def _wanted(ids: Sequence[str] | None) -> list[str]:
    if ids is None or isinstance(ids, str):
        raise SettingError(f"ids must be a list of the documents' ids, got {ids!r}")
    wanted = list(ids)
    if other := [one for one in wanted if not isinstance(one, str)]:
        raise SettingError(f"ids must be str, as add_documents() returns them, got {other[0]!r}")
    return wanted


def _deleted(names: list[str]) -> DeleteResponse:
    return DeleteResponse(num_deleted=len(names), succeeded=names, num_failed=0, failed=[])
