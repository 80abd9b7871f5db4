"""Index of a hierarchy: documents are written to it, and found by their smallest nodes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from math import inf
from typing import TYPE_CHECKING, Any, Never, Self

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.data_structs.data_structs import IndexDict
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.llms.utils import LLMType
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, TransformComponent
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura.checks import check_int, check_names, check_number
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_retrieval.leaning import CONTEXT
from caesura_retrieval.parent_merging import Score
from caesura_retrieval.upkeep import Changes
from caesura_retrieval.word_index import WordIndex
from llama_index.node_parser.caesura.base import index_metadata
from llama_index.node_parser.caesura.embedding_settings import index_embedding
from llama_index.node_parser.caesura.hierarchy_parser import SemanticHierarchyParser
from llama_index.node_parser.caesura.retrieval.docstore import OWNED, Versions, find_owner, open_part
from llama_index.node_parser.caesura.retrieval.document_states import are_made_otherwise
from llama_index.node_parser.caesura.retrieval.leaf_retriever import OPTIONS, SETTINGS, LeafRetriever, check_options
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words
from llama_index.node_parser.caesura.retrieval.merging_retriever import MergingRetriever
from llama_index.node_parser.caesura.retrieval.passage_retriever import PassageRetriever
from llama_index.node_parser.caesura.retrieval.writer import Writer

BUDGET = 1000
"""The most tokens that a retriever returns by default."""
FOUND = 12
"""How many leaves are searched for by default where there is no budget."""
PEER_NAMES = {
    "embedding": "embed_model is its name here",
    "chunk_sizes": "SemanticHierarchyParser has it: transformations=[SemanticHierarchyParser(chunk_sizes=…)]",
}
"""Settings of other indexes, and what to say to a user who gives them to `HierarchyIndex`."""
CHAT_ENGINES = (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
"""The chat engines of LlamaIndex's own indexes."""


class LeafIndex(VectorStoreIndex):
    """LlamaIndex's own index. Its query and chat engines ask the retriever that `make_retriever` makes."""

    make_retriever: Callable[..., BaseRetriever] | None = None

    def as_retriever(self, **options: Any) -> BaseRetriever:
        """Makes a retriever with those options that are a retriever's."""
        assert self.make_retriever is not None  # noqa: S101 - the index sets it
        return self.make_retriever(**{name: options[name] for name in (*SETTINGS, *OPTIONS) if name in options})


class HierarchyIndex:
    """Documents, indexed by their smallest nodes, the leaves; nodes of all levels are in the document store.

    Only `upsert`, `mirror` and `delete` write to it, and each is safe to repeat. An unchanged document costs no
    embedding. A changed one leaves nothing of its old self, and what did not change in it is not embedded again.
    Documents are known by their ids. One that was given none, so that LlamaIndex's is random, is known by its
    `file_path` and `page_label`, otherwise by its text and metadata, and keeps the id that it had first.

    Readers see a document as it was until all of it is written, then as it is; also where a write fails in the middle,
    which the next `upsert` of the document finishes. Threads, event loops and several indexes that share the document
    store take turns; with a `SQLiteDocumentStore`, processes of one machine do too.

    storage_context: LlamaIndex's, instead of a vector store and a docstore. vector_store and docstore: they should live
    equally long: use `SQLiteDocumentStore` beside a vector store on the disk. By default both are in memory, and
    `persist` and `load` write and read them. The next `upsert` fills a vector store that was emptied. What the index
    writes to the docstore has a namespace of its own, named by the vector store's collection, table or index; the
    attribute `docstore` is that part of it. transformations: what makes nodes of documents, by default
    `SemanticHierarchyParser(embed_headings=True)`; nodes without children, and every `IndexNode` (of a summary, a
    question), are embedded. embed_model: for the nodes, by default `Settings.embed_model`. context: how far a leaf's
    vector leans toward those around it, as a share of its own length; 0: not at all. batch_size: how many documents are
    embedded and written together.

    The words of leaves, of the headings above them, and of the title or the file of their document, as metadata have
    it, are searched too. They are in the file of a `SQLiteDocumentStore` and a folder beside it, or in memory beside a
    `SimpleDocumentStore`. Beside another document store a search is by vectors alone.
    """

    def __init__(
        self,
        storage_context: StorageContext | None = None,
        *,
        vector_store: BasePydanticVectorStore | None = None,
        docstore: BaseDocumentStore | None = None,
        transformations: Sequence[TransformComponent] | None = None,
        embed_model: EmbedType | None = None,
        context: float = CONTEXT,
        batch_size: int = 256,
        **unknown: Never,
    ) -> None:
        """See the class. Raises `SettingError`."""
        check_names("HierarchyIndex", unknown, list(signature(HierarchyIndex).parameters)[:-1], PEER_NAMES)
        check_int("batch_size", batch_size, 1)
        check_number("context", context, 0, inf)
        stores = _make_storage_context(storage_context, vector_store, docstore)
        self.transformations: list[TransformComponent] = (
            [SemanticHierarchyParser(embed_headings=True)]
            if transformations is None
            else _check_transformations(transformations)
        )
        self.embed_model: BaseEmbedding = index_embedding(embed_model)
        self.context = context
        self.batch_size = batch_size
        docstore = stores.docstore
        if not isinstance(docstore, KVDocumentStore):
            raise SettingError(f"docstore must be a KVDocumentStore, as LlamaIndex's are, got {docstore!r:.80}")
        ids = [struct.index_id for struct in stores.index_store.index_structs()]
        known = [each.removeprefix(OWNED) for each in ids if each.startswith(OWNED)]
        owner = find_owner(docstore, stores.vector_store, known)
        struct = stores.index_store.get_index_struct(f"{OWNED}{owner}")
        self.docstore: KVDocumentStore = open_part(docstore, owner)
        self.storage_context: StorageContext = replace(stores, docstore=self.docstore)
        self.vector_index: LeafIndex = LeafIndex(
            index_struct=struct if isinstance(struct, IndexDict) else IndexDict(index_id=f"{OWNED}{owner}"),
            storage_context=self.storage_context,
            embed_model=self.embed_model,
            transformations=self.transformations,
        )
        self.vector_index.make_retriever = self.as_retriever
        self._word_index()  # so that those of a store in memory are there before anybody writes to it
        self._is_warned = False

    def __repr__(self) -> str:
        stores = {"vector_store": self.vector_index.vector_store, "docstore": self.docstore}
        said = [f"{name}={type(store).__name__}" for name, store in stores.items()]
        return f"HierarchyIndex({', '.join(said)}, embed_model={self.embed_model.model_name!r})"

    if not TYPE_CHECKING:  # to which a name that there is not is an error as it is

        def __getattr__(self, name: str) -> Any:
            if name != "insert":
                return object.__getattribute__(self, name)  # which raises what Python does
            meant = "upsert([document]) adds a document, or puts it in the place of what it was"
            raise AttributeError(f"HierarchyIndex has no insert: {meant}", name=name, obj=self)

    @classmethod
    def from_documents(cls, documents: Sequence[BaseNode], show_progress: bool = False, **settings: Any) -> Self:
        """Makes an index and upserts documents."""
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
        """Reads the index that `persist` wrote. vector_store and docstore: stores that keep themselves elsewhere.

        settings: give the same `transformations` and `embed_model` as before. They are not in the folder; documents
        that were made with others count as changed, and a warning says so. Raises `SettingError` if there is nothing to
        load.
        """
        _check_stores(vector_store=vector_store, docstore=docstore)
        folder = os.fspath(persist_dir)
        try:
            context = StorageContext.from_defaults(docstore=docstore, vector_store=vector_store, persist_dir=folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SettingError(
                f"persist_dir={folder!r} holds nothing to load ({error}): the first time, make a HierarchyIndex(); "
                f"later, name the folder that persist(folder) wrote, and pass stores that keep themselves elsewhere"
            ) from error
        index = cls(context, **settings)
        hashes = index.docstore.get_all_document_hashes()
        if are_made_otherwise(hashes, index.transformations, index.embed_model, index.context):
            warnings.warn(
                f"persist_dir={folder!r} has documents that were made with another embed_model, transformations or "
                f"context, for which questions may find wrong passages: give those, or mirror(documents) makes it anew",
                stacklevel=2,
            )
        return index

    def persist(self, persist_dir: str | os.PathLike[str]) -> None:
        """Writes the stores that are in memory into a folder. Stores on the disk do not need it."""
        self.storage_context.persist(persist_dir=os.fspath(persist_dir))

    def as_retriever(
        self,
        budget: int | None = BUDGET,
        words: float | None = None,
        similarity_top_k: int | None = None,
        merge_ratio: float = 0.5,
        score: Score = "max",
        **options: Any,
    ) -> BaseRetriever:
        """Makes a retriever of passages that fit a budget together, best first: see `PassageRetriever`.

        budget: tokens of LlamaIndex's tokenizer, metadata counted. words: how much they count beside vectors, which
        follows the question, times this; 0: not at all; by default 1, if there are words. similarity_top_k: the most
        passages, by default as many as fit. merge_ratio and score: of a parent. options: those of
        `VectorIndexRetriever`, such as `filters`. What is found are `FoundNode`s, which say why.

        budget=None makes a `MergingRetriever` over the `similarity_top_k` nearest leaves, by default 12. It has no
        words. Raises `SettingError`, also for an unknown option. While others write, each document
        is found as it was or as it becomes.
        """
        if words is not None:
            check_number("words", words, 0, inf)
        if budget is None:
            if words:
                raise SettingError(f"words={words!r} are for a budget: give one, or words=0")
            leaves = LeafRetriever(
                self.vector_index, FOUND if similarity_top_k is None else similarity_top_k, **options
            )
            return MergingRetriever(leaves, self.docstore, merge_ratio, score)
        index = None if words == 0 else self._word_index(required=words is not None)
        if index is None and words is None and not self._is_warned:
            self._is_warned = True
            warnings.warn(self._why_no_words, stacklevel=2)
        weight = 0.0 if index is None else 1.0 if words is None else words
        places = index_metadata(self.transformations).with_memory()
        words_of = None if index is None else self._word_index
        return PassageRetriever(
            self.vector_index, budget, weight, words_of, similarity_top_k, merge_ratio, score, places, **options
        )

    def as_query_engine(self, llm: LLMType | None = None, **options: Any) -> BaseQueryEngine:
        """As LlamaIndex's own indexes. options: those of `as_retriever` and of `RetrieverQueryEngine.from_args`.

        Raises `SettingError` for an option that neither has.
        """
        check_options(options, signature(RetrieverQueryEngine.from_args).parameters, "as_query_engine")
        return self.vector_index.as_query_engine(llm, **options)

    def as_chat_engine(
        self, chat_mode: ChatMode = ChatMode.BEST, llm: LLMType | None = None, **options: Any
    ) -> BaseChatEngine:
        """As LlamaIndex's own indexes. options: those of `as_query_engine` and of a chat engine's `from_defaults`.

        Raises `SettingError` for an option that none has.
        """
        makers = [RetrieverQueryEngine.from_args, *(engine.from_defaults for engine in CHAT_ENGINES)]
        known = (name for maker in makers for name in signature(maker).parameters)
        check_options(options, known, "as_chat_engine")
        return self.vector_index.as_chat_engine(chat_mode, llm, **options)

    def _word_index(self, required: bool = False) -> WordIndex | None:
        """Returns the words of the document store. required: raises `SettingError` if it cannot have some."""
        try:
            return open_leaf_words(self.docstore)
        except SettingError as error:
            if required:
                raise
            self._why_no_words = str(error)
            return None

    def upsert(self, documents: Sequence[BaseNode], show_progress: bool = False) -> Changes:
        """Adds new documents and replaces changed ones.

        Nodes of one document (of the same SOURCE) are taken together, and have to be given together. Raises
        `SettingError` before anything is written if two documents have one id.
        """
        return run(self._writer(Blocking()).upsert(documents, show_progress))

    async def aupsert(self, documents: Sequence[BaseNode], show_progress: bool = False) -> Changes:
        """As `upsert`, by the awaited methods of transformations, embedder and stores."""
        return await self._writer(Awaiting()).upsert(documents, show_progress)

    def mirror(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None = None, show_progress: bool = False
    ) -> Changes:
        """Upserts these documents and deletes all others of the index.

        scope: metadata such as ``{"user": "anna"}``; only documents that have them are deleted. Raises `SettingError`
        before anything is written if no documents are given and there are some to delete, and for a document that is
        not in the scope.
        """
        return run(self._writer(Blocking()).mirror(documents, scope, show_progress))

    async def amirror(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None = None, show_progress: bool = False
    ) -> Changes:
        """As `mirror`, by awaited methods."""
        return await self._writer(Awaiting()).mirror(documents, scope, show_progress)

    def delete(self, document_id: str) -> Changes:
        """Deletes what both stores have of a document. Returns `deleted=0` if they have nothing."""
        return run(self._writer(Blocking()).delete(document_id))

    async def adelete(self, document_id: str) -> Changes:
        """As `delete`, by the awaited methods of the stores."""
        return await self._writer(Awaiting()).delete(document_id)

    def _writer(self, calls: Calls) -> Writer:
        return Writer(
            self.vector_index,
            Versions(self.docstore, calls),
            self._word_index(),
            self.transformations,
            self.embed_model,
            self.context,
            self.batch_size,
            calls,
        )
