"""Index of a hierarchy: documents are written to it, and found by their smallest nodes."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from inspect import signature
from typing import Any, Self

from llama_index.core import Settings, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.data_structs.data_structs import IndexDict
from llama_index.core.embeddings.utils import EmbedType, resolve_embed_model
from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TransformComponent
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.utils import iter_batch
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.plugin.merging import Score
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.storage.locks import KeyLock
from llama_index.node_parser.caesura.hierarchy_parser import SemanticHierarchyParser
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.merging import MergingRetriever
from llama_index.node_parser.caesura.retrieval.writer import Changes, Writer, group_by_document

logger: logging.Logger = logging.getLogger(__name__)

MAX_SEARCHES = 10
"""Searches more at most, where another thread wrote during the last."""

OPTIONS: frozenset[str] = frozenset(signature(VectorIndexRetriever.__init__).parameters) - {
    "self",
    "index",
    "similarity_top_k",
    "kwargs",
} | {"vector_store_kwargs"}


class RetryingRetriever(VectorIndexRetriever):
    """LlamaIndex's own, which searches again where what it found was taken away before it could be fetched.

    A vector store without texts (`SimpleVectorStore`) returns ids, of which LlamaIndex then fetches the nodes: a writer
    in another thread may come between, or into the search itself. New rows are there before old ones go, so that the
    next search finds them. What two searches in a row cannot fetch is lost: it is left out, with a warning in the log.
    """

    def __init__(self, index: VectorStoreIndex, similarity_top_k: int, **options: Any) -> None:
        """As LlamaIndex's. Raises `SettingError` for an option that it would silently ignore, or a number under 1."""
        check_int("similarity_top_k", similarity_top_k, 1)
        for name in sorted(options.keys() - OPTIONS):
            near = get_close_matches(name, ["similarity_top_k", "merge_ratio", "score", "fill_gaps", *OPTIONS], 1)
            meant = f"is {near[0]} meant? " if near else ""
            raise SettingError(
                f"as_retriever() has no option {name}: {meant}VectorIndexRetriever's are {sorted(OPTIONS)}"
            )
        super().__init__(index, similarity_top_k=similarity_top_k, **options)

    def _get_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        return run(self._search(Blocking(), query_bundle_with_embeddings))

    async def _aget_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        return await self._search(Awaiting(), query_bundle_with_embeddings)

    async def _search(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        left, lost, fault = MAX_SEARCHES, False, ""
        while True:
            try:
                if lost:
                    return await self._search_fetchable(calls, query)
                return await calls.call(super()._get_nodes_with_embeddings, super()._aget_nodes_with_embeddings, query)
            except (
                KeyError,
                RuntimeError,
            ) as error:  # a node that is gone; a dict that changed while it was gone through
                if self._vector_store.stores_text or not left:
                    raise
                left -= 1
                lost = lost or (isinstance(error, KeyError) and repr(error) == fault)
                fault = repr(error)

    async def _search_fetchable(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        """A query -> those of the rows found whose nodes are in the document store."""
        store, rows = self._vector_store, self._index.index_struct.nodes_dict
        wanted = self._build_vector_store_query(query)
        result = await calls.call(store.query, store.aquery, wanted, **self._kwargs)
        names = [rows.get(row, row) for row in result.ids or ()]
        scores: Sequence[float | None] = result.similarities or [None] * len(names)
        fetch, afetch = self._docstore.get_nodes, self._docstore.aget_nodes
        nodes = {node.node_id: node for node in await calls.call(fetch, afetch, names, raise_error=False)}
        for name in names:
            if name not in nodes:
                logger.warning(
                    "%s was found and is left out, as it is not in the docstore: another index wrote its document to "
                    "it, or it was lost. upsert() the document again, and give each vector store a docstore of its "
                    "own: SQLiteDocumentStore(path, namespace=...)",
                    name,
                )
        found = zip(names, scores, strict=True)
        return [NodeWithScore(node=nodes[name], score=score) for name, score in found if name in nodes]


class HierarchyIndex:
    """Documents, indexed by their smallest nodes; nodes of all levels are in the document store.

    It is written to by `upsert` and `delete` alone, each safe to repeat: an unchanged document costs no embedding, a
    changed one leaves nothing of its old self, one that is given twice is there once. Documents are known by their ids:
    give them ids of your own, LlamaIndex's default is random.

    Whatever fails in the middle of a write, all that can be found can be returned with its parents: nodes go into the
    document store before vectors into the vector store, and out of it after them. What was not finished is done again
    by the next `upsert` of the document. Threads, event loops and several indexes that share the document store take
    turns; with a `SQLiteDocumentStore`, processes of one machine do too.

    storage_context: or vector_store and docstore, which should live equally long: `SQLiteDocumentStore` beside a vector
    store on the disk. Without any, both are in memory, and `persist` and `load` are their way to the disk. A vector
    store that is new to the docstore, or was emptied, is filled by the next `upsert`. Two vector stores that both stay
    need docstores of their own, or namespaces: a document that one index changes is gone from the other, until it is
    written there too.
    transformations: what makes nodes of documents, by default `SemanticHierarchyParser()`; nodes without children, and
    every `IndexNode` (of a summary, a question), are embedded. embed_model: for the nodes, by default
    `Settings.embed_model`. batch_size: documents that are embedded and written together.
    """

    def __init__(
        self,
        storage_context: StorageContext | None = None,
        *,
        vector_store: BasePydanticVectorStore | None = None,
        docstore: BaseDocumentStore | None = None,
        transformations: Sequence[TransformComponent] | None = None,
        embed_model: EmbedType | None = None,
        batch_size: int = 256,
    ) -> None:
        """See the class. Raises `SettingError`."""
        check_int("batch_size", batch_size, 1)
        _check_stores(storage_context=storage_context, vector_store=vector_store, docstore=docstore)
        if storage_context is not None and (vector_store is not None or docstore is not None):
            raise SettingError("give a storage_context, or a vector_store and a docstore, not both")
        if vector_store is not None and docstore is None:
            raise SettingError(
                "a vector_store needs a docstore that lives as long as it does, else parents are gone when it is "
                "opened again: pass docstore=SQLiteDocumentStore(path), or SimpleDocumentStore() if you persist it"
            )
        context = storage_context or StorageContext.from_defaults(docstore=docstore, vector_store=vector_store)
        self.transformations: list[TransformComponent] = (
            [SemanticHierarchyParser()] if transformations is None else _check_transformations(transformations)
        )
        self.embed_model: BaseEmbedding = (
            Settings.embed_model if embed_model is None else resolve_embed_model(embed_model)
        )
        self.batch_size = batch_size
        self.storage_context = context
        self.docstore: BaseDocumentStore = context.docstore
        known = [struct for struct in context.index_store.index_structs() if isinstance(struct, IndexDict)]
        if len(known) > 1:
            raise SettingError(f"storage_context holds {len(known)} vector indexes: give a hierarchy one of its own")
        self.vector_index: VectorStoreIndex = VectorStoreIndex(
            nodes=None if known else [],
            index_struct=known[0] if known else None,
            storage_context=context,
            embed_model=self.embed_model,
            transformations=self.transformations,
        )
        store = self.vector_index.vector_store
        if type(store).delete_nodes is BasePydanticVectorStore.delete_nodes:
            raise SettingError(f"vector_store must be able to delete nodes, which {type(store).__name__} is not")

    @classmethod
    def from_documents(cls, documents: Sequence[BaseNode], show_progress: bool = False, **settings: Any) -> Self:
        """The constructor, and an `upsert`."""
        index = cls(**settings)
        index.upsert(documents, show_progress)
        return index

    @classmethod
    def load(
        cls,
        persist_dir: str | os.PathLike[str],
        *,
        vector_store: BasePydanticVectorStore | None = None,
        docstore: BaseDocumentStore | None = None,
        **settings: Any,
    ) -> Self:
        """What `persist` wrote -> the index. vector_store and docstore: those that keep themselves elsewhere.

        settings: `transformations` and `embed_model` as they were: they are not in the folder, and documents made with
        others count as changed. Raises `SettingError` where there is nothing to load.
        """
        _check_stores(vector_store=vector_store, docstore=docstore)
        folder = os.fspath(persist_dir)
        try:
            context = StorageContext.from_defaults(docstore=docstore, vector_store=vector_store, persist_dir=folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SettingError(
                f"persist_dir={folder!r} holds nothing to load ({error}): name the folder that persist(folder) wrote, "
                f"and pass a vector_store and a docstore that keep themselves elsewhere"
            ) from error
        return cls(context, **settings)

    def persist(self, persist_dir: str | os.PathLike[str]) -> None:
        """Writes the stores that are in memory into a folder. Those on the disk need it not."""
        self.storage_context.persist(persist_dir=os.fspath(persist_dir))

    def as_retriever(
        self,
        similarity_top_k: int = 12,
        merge_ratio: float = 0.5,
        score: Score = "max",
        fill_gaps: bool = True,
        **options: Any,
    ) -> MergingRetriever:
        """A retriever that finds `similarity_top_k` of the smallest nodes and merges them.

        options: those of `VectorIndexRetriever`, such as `filters` or `vector_store_query_mode`. Raises `SettingError`
        for one that there is not. While others write, each document is found as it was or as it becomes.
        """
        # not vector_index.as_retriever(): it may restrict the search to the ids of the IndexNodes
        leaves = RetryingRetriever(self.vector_index, similarity_top_k, **options)
        return MergingRetriever(leaves, self.docstore, merge_ratio, score, fill_gaps)

    def upsert(self, documents: Sequence[BaseNode], show_progress: bool = False) -> Changes:
        """Adds the documents that are new, and puts those that have changed in the place of what they were.

        Nodes of one document (of the same SOURCE) are taken together, and have to be given together. Raises
        `SettingError` where two documents have one id, before anything is written.
        """
        changes = Changes()
        for batch, lock in self._locked_batches(group_by_document(documents)):
            with lock:
                changes = changes.plus(run(self._writer(Blocking()).upsert(batch, show_progress)))
        return changes

    async def aupsert(self, documents: Sequence[BaseNode], show_progress: bool = False) -> Changes:
        """As `upsert`, by the awaited methods of transformations, embedder and stores."""
        changes = Changes()
        for batch, lock in self._locked_batches(group_by_document(documents)):
            async with lock:
                changes = changes.plus(await self._writer(Awaiting()).upsert(batch, show_progress))
        return changes

    def delete(self, document_id: str) -> None:
        """Deletes a document's rows from both stores, and no other's. Nothing happens if there are none."""
        with self._lock([_check_document_id(document_id)]):
            run(self._writer(Blocking()).delete(document_id))

    async def adelete(self, document_id: str) -> None:
        """As `delete`, by the awaited methods of the stores."""
        async with self._lock([_check_document_id(document_id)]):
            await self._writer(Awaiting()).delete(document_id)

    def _locked_batches(self, groups: dict[str, list[BaseNode]]) -> Iterator[tuple[dict[str, list[BaseNode]], KeyLock]]:
        """Documents by id -> `batch_size` of them at a time, and the lock to write to them under."""
        for names in iter_batch(list(groups), self.batch_size):
            yield {name: groups[name] for name in names}, self._lock(names)

    def _lock(self, names: Sequence[str]) -> KeyLock:
        path = self.docstore.path if isinstance(self.docstore, SQLiteDocumentStore) else None
        return KeyLock(self.docstore, names, path, alone=True)  # LlamaIndex's stores in memory are not for two threads

    def _writer(self, calls: Calls) -> Writer:
        return Writer(self.vector_index, self.docstore, self.transformations, self.embed_model, calls)


def _check_document_id(document_id: str) -> str:
    if not isinstance(document_id, str):
        raise SettingError(f"document_id must be the id of one document, a str, got {document_id!r:.80}")
    return document_id


def _check_stores(**stores: Any) -> None:
    """Raises `SettingError` for what is none of LlamaIndex's stores."""
    kinds = {"storage_context": StorageContext, "vector_store": BasePydanticVectorStore, "docstore": BaseDocumentStore}
    for name, store in stores.items():
        if store is not None and not isinstance(store, kinds[name]):
            raise SettingError(f"{name} must be a {kinds[name].__name__} of LlamaIndex, got {store!r:.80}")


def _check_transformations(given: Any) -> list[TransformComponent]:
    """What is given as transformations -> a list. Raises `SettingError` for what is none."""
    wanted = "transformations must be a list of node parsers and other TransformComponents, got"
    if isinstance(given, (TransformComponent, str, type)) or not isinstance(given, Iterable):
        raise SettingError(f"{wanted} {given!r:.80}: pass [SemanticHierarchyParser()], or another parser, in a list")
    components = list(given)
    for each in components:
        if not isinstance(each, TransformComponent):
            remedy = f": call it, {each.__name__}()" if isinstance(each, type) else ""
            raise SettingError(f"{wanted} {each!r:.80}{remedy}")
    return components
