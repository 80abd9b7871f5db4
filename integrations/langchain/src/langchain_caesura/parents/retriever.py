"""Parent document retriever: it searches small texts and returns the larger ones that they are parts of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.storage.locks import KeyLock
from langchain_caesura.documents import iter_documents, storage_names
from langchain_caesura.hierarchy import SemanticHierarchySplitter
from langchain_caesura.parents.indexing import DOCUMENTS, Indexer, batches
from langchain_caesura.parents.records import RETRIES, Owner
from langchain_caesura.parents.search import (
    SearchType,
    check_query,
    check_threshold,
    group_hits,
    hits_over,
    nearest_hits,
    rank_results,
    warn_of_missing,
)
from langchain_caesura.parents.splitting import DocumentInput, ParentSplitter, group_inputs
from langchain_caesura.stores import SQLiteDocumentStore

WIDENING = 4
"""Times as many small texts are fetched, where those that were found lead to too few parents."""


class ParentDocumentRetriever(DocumentIndex):
    """Indexes small texts, finds them, and returns the `k` parents that they belong to, best first.

    Parents are the documents themselves, or what `parent_splitter` cuts of them; children are cut by `child_splitter`,
    and views (summaries, questions, propositions) are small texts of your own that point to a document. What is
    returned is a copy with ``relevance_score`` and ``matches`` in its metadata: each small text found, with its score
    and its place in the document. All ids are made of content. Adding again is safe, replaces what has changed and
    costs nothing for what has not; a failure at any point leaves nothing that is found and cannot be returned.

    A document is known by the `ids` given with it, by its metadata under `source_id_key`, by its own id, or else by its
    content, and then an edited one is another one. Threads and event loops that share the document store take turns at
    a document, and with a `SQLiteDocumentStore` so do processes of one machine: the last one's stays.

    Several retrievers may share a document store: what one stores, replaces and deletes is its own. They are told apart
    by `id_key`, by the name of the vector store's collection, index or table, and by how they cut. With another way of
    cutting a retriever is still known by its rows, which its vector store has; where that cannot say which rows it has,
    how they cut tells no two apart. Two that are alike in all of this, such as two vector stores in memory with the
    same splitters, are one: give each its own `id_key`.
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
    def _check_names(cls, settings: Any) -> Any:
        if isinstance(settings, dict) and cls.model_config.get("extra") != "allow":
            check_names(cls.__name__, settings, cls.model_fields)
        return settings

    @model_validator(mode="after")
    def _check_settings(self) -> ParentDocumentRetriever:
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
        return run(self._search(Blocking(), query, k, {**self.search_kwargs, **kwargs}))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        return await self._search(Awaiting(), query, k, {**self.search_kwargs, **kwargs})

    async def _search(self, calls: Calls, query: str, k: int | None, options: dict[str, Any]) -> list[Document]:
        """Returns the `k` best parents, or in merge mode parents and children; fewer where there are not so many.

        A parent that is not there went with an older version of its document, after the search, or was lost. So it is
        searched again, by when the new version can be found, until none is missing that was not missing before.
        """
        if k is not None:
            check_int("k", k, 1)
        check_query(query)
        k = k or self.k
        wanted = min(max(int(options.pop("k", None) or k * self.over_fetch), k), max(self.max_fetch, k))
        threshold = check_threshold(options.pop("score_threshold", None), self.search_type)
        parents: dict[str, Document | None] = {}
        missing: set[str] = set()
        retries = RETRIES
        while True:
            hits = await nearest_hits(calls, self.vectorstore, query, wanted, self.search_type, options)
            near = hits_over(hits, threshold, self.vectorstore)
            groups = await calls.compute(group_hits, near, self.id_key, self.merge_ratio)
            keys = [group.parent for group in groups if group.parent is not None]
            if new := [key for key in keys if parents.get(key) is None]:
                documents = await calls.call(self.docstore.mget, self.docstore.amget, new)
                parents |= zip(new, documents, strict=True)
            before, missing = missing, {key for key in keys if parents[key] is None}
            if retries and not missing <= before:
                retries -= 1
                continue
            results = await calls.compute(rank_results, groups, parents, self.merge_ratio, self.score)
            if len(results) >= k or len(hits) < wanted or len(near) < len(hits) or wanted >= self.max_fetch:
                warn_of_missing(sorted(missing & before))
                return results[:k]
            wanted = min(wanted * WIDENING, self.max_fetch)

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
        return run(self._add(Blocking(), documents, ids, views, self.source_id_key, force))

    async def aadd_documents(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None = None,
        *,
        views: Iterable[Document] = (),
        force: bool = False,
    ) -> list[str]:
        """`add_documents`, through the async calls of splitters and stores."""
        return await self._add(Awaiting(), documents, ids, views, self.source_id_key, force)

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """Deletes documents by their ids, with all that is stored for them; an unknown id is no fault."""
        return run(self._delete(Blocking(), ids))

    async def adelete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """`delete`, through the async calls of the stores."""
        return await self._delete(Awaiting(), ids)

    # -- LangChain's indexing API -----------------------------------------------------------------------------------

    def upsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """What `langchain_core.indexing.index` calls: stores documents under their own ids, and embeds them anew."""
        names = run(self._add(Blocking(), items, None, kwargs.get("views", ()), None, force=True))
        return UpsertResponse(succeeded=names, failed=[])

    async def aupsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """`upsert`, through the async calls of splitters and stores."""
        names = await self._add(Awaiting(), items, None, kwargs.get("views", ()), None, force=True)
        return UpsertResponse(succeeded=names, failed=[])

    def get(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """The parents that are stored for these documents."""
        return run(self._indexer(Blocking()).get(_check_ids(ids)))

    async def aget(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """`get`, through the document store's async calls."""
        return await self._indexer(Awaiting()).get(_check_ids(ids))

    # -- the work ---------------------------------------------------------------------------------------------------

    async def _add(
        self,
        calls: Calls,
        documents: Iterable[Document],
        ids: Sequence[str] | None,
        views: Iterable[Document],
        source_id_key: str | None,
        force: bool,
    ) -> list[str]:
        inputs, names = await calls.compute(self._inputs, documents, ids, views, source_id_key)
        splitter = self._splitter()
        for some in batches(inputs, DOCUMENTS):
            lock = self._lock(some)
            try:
                await calls.call(lock.__enter__, lock.__aenter__)
                await self._indexer(calls).add({name: inputs[name] for name in some}, splitter, force)
            finally:
                lock.__exit__()
        return names

    async def _delete(self, calls: Calls, ids: Sequence[str] | None) -> DeleteResponse:
        deleted: list[str] = []
        for some in batches(dict.fromkeys(_check_ids(ids)), DOCUMENTS):
            lock = self._lock(some)
            try:
                await calls.call(lock.__enter__, lock.__aenter__)
                deleted += await self._indexer(calls).delete(some)
            finally:
                lock.__exit__()
        return DeleteResponse(num_deleted=len(deleted), succeeded=deleted, num_failed=0, failed=[])

    def _inputs(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None,
        views: Iterable[Document],
        source_id_key: str | None,
    ) -> tuple[dict[str, DocumentInput], list[str]]:
        """What was given for each name, and the name of each document. Raises `SettingError`."""
        rows, texts = list(iter_documents(documents)), list(iter_documents(views, "views"))
        if texts and (self.parent_splitter is not None or isinstance(self.child_splitter, SemanticHierarchySplitter)):
            raise SettingError(
                "views lead to whole documents, but a parent_splitter or a SemanticHierarchySplitter returns parts of "
                "them: cut first, with split_documents(), and add the chunks with their views to one without a "
                "parent_splitter, whose child_splitter cuts to one size, or is None"
            )
        names = storage_names(rows, ids, source_id_key)
        several = ids is None and source_id_key is not None
        return group_inputs(rows, names, texts, id_key=self.id_key, several=several), names

    def _lock(self, names: Iterable[str]) -> KeyLock:
        """No other writer of these documents meanwhile. Released without a coroutine, which a signal may leave."""
        path = self.docstore.path if isinstance(self.docstore, SQLiteDocumentStore) else None
        return KeyLock(self.docstore, names, path)

    def _splitter(self) -> ParentSplitter:
        return ParentSplitter(
            child_splitter=self.child_splitter,
            parent_splitter=self.parent_splitter,
            id_key=self.id_key,
            child_metadata_fields=self.child_metadata_fields,
        )

    def _indexer(self, calls: Calls) -> Indexer:
        return Indexer(
            calls=calls,
            vectorstore=self.vectorstore,
            docstore=self.docstore,
            owner=Owner.of(self.id_key, self.vectorstore, self._splitter().settings()),
            batch_size=self.batch_size,
        )


def _check_ids(ids: Sequence[str] | None) -> list[str]:
    """What was given as ids -> the same as a list. Raises `SettingError`."""
    if ids is None or isinstance(ids, str):
        raise SettingError(f"ids must be a list of the documents' ids, got {ids!r}")
    names = list(ids)
    if other := [name for name in names if not isinstance(name, str)]:
        raise SettingError(f"ids must be str, as add_documents() returns them, got {other[0]!r}")
    return names
