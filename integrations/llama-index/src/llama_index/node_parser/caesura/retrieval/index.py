"""Index of a hierarchy: documents are written to it, and found by their smallest nodes."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from itertools import islice
from math import inf
from typing import Any, Never, Self

from llama_index.core import Settings, StorageContext, VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine, ChatMode
from llama_index.core.embeddings.utils import EmbedType
from llama_index.core.indices.registry import INDEX_STRUCT_TYPE_TO_INDEX_CLASS
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.llms.utils import LLMType, resolve_llm
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore, RefDocInfo
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura.checks import check_int, check_names, check_number
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_documents.caller_warning import warn_caller
from caesura_retrieval.leaning import CONTEXT
from caesura_retrieval.parent_merging import Score
from caesura_retrieval.row_plan import RowMemory
from caesura_retrieval.upkeep import Changes
from caesura_retrieval.word_index import WordIndex
from llama_index.node_parser.caesura.base import index_metadata
from llama_index.node_parser.caesura.embedding_settings import index_embedding
from llama_index.node_parser.caesura.hierarchy_parser import SemanticHierarchyParser
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import check_documents, count_in_document
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore, Versions, find_owner, open_part
from llama_index.node_parser.caesura.retrieval.document_states import RANDOM_ID, are_made_otherwise
from llama_index.node_parser.caesura.retrieval.index_settings import (
    PEER_NAMES,
    check_no_options,
    check_stores,
    check_transformations,
    make_storage_context,
    warn_of_short_lived,
)
from llama_index.node_parser.caesura.retrieval.leaf_retriever import OPTIONS, SETTINGS, LeafRetriever, check_options
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words
from llama_index.node_parser.caesura.retrieval.merging_retriever import MergingRetriever
from llama_index.node_parser.caesura.retrieval.packed_stores import (
    STRUCT_TYPE,
    HierarchyStruct,
    PackingContext,
    check_folder,
    check_packed,
    find_damaged,
    find_structs,
    unpack_stores,
)
from llama_index.node_parser.caesura.retrieval.passage_retriever import PassageRetriever
from llama_index.node_parser.caesura.retrieval.writer import Writer
from llama_index.node_parser.caesura.vector_store_quirks import rows_in_memory

logger: logging.Logger = logging.getLogger(__name__)
_dispatcher = get_dispatcher(__name__)
BUDGET = 1000
"""The most tokens that a retriever returns by default."""
FOUND = 12
"""How many leaves are searched for by default where there is no budget."""
FEW = 20
"""How many documents of a file are looked at when it is opened."""
CHAT_ENGINES: Mapping[ChatMode, Any] = {
    ChatMode.BEST: CondensePlusContextChatEngine,
    ChatMode.CONDENSE_PLUS_CONTEXT: CondensePlusContextChatEngine,
    ChatMode.CONDENSE_QUESTION: CondenseQuestionChatEngine,
    ChatMode.CONTEXT: ContextChatEngine,
    ChatMode.SIMPLE: SimpleChatEngine,
}
"""The chat engines of LlamaIndex's own indexes, by their mode."""


class HierarchyIndex(VectorStoreIndex):
    """Indexes documents and finds the passages that answer a question, by vectors and by words.

    >>> from llama_index.core import Document
    >>> from llama_index.node_parser.caesura import StaticEmbedding
    >>> index = HierarchyIndex(embed_model=StaticEmbedding())
    >>> index.upsert([Document(text="The ferry leaves at nine.", id_="a")])
    Changes(added=1, updated=0, unchanged=0, deleted=0)
    >>> index.as_retriever(budget=10).retrieve("When does the ferry leave?")[0].text
    'The ferry leaves at nine.'

    It cuts each document into nodes of several sizes. The vector store has the vectors of the smallest, the leaves; the
    document store has all nodes. A retriever joins the leaves that it finds into passages.

    It is a `VectorStoreIndex`: whatever takes an index takes it, and `load_index_from_storage` loads it. It reads with
    LlamaIndex's code. It writes with code of its own, which is safe to repeat: LlamaIndex's own writes nodes, vectors
    and hashes one after another, so a stop between them leaves a document half or twice. `upsert` adds and updates, and
    says how many documents. `mirror` also deletes all others. `insert`, `update_ref_doc` and `refresh_ref_docs` are
    `upsert` under LlamaIndex's names, and return what these return.

    An unchanged document costs no embedding. Of a changed document, nothing old is left, and only what has changed is
    embedded. Documents are known by their ids. If LlamaIndex made a random id, the document is known by its `file_path`
    and `page_label`, otherwise by its text and metadata, and keeps its first id.

    Readers see the old version of a document until the new one is written whole. This holds if a write fails in the
    middle too: the next `upsert` of the document finishes it. Threads, event loops and several indexes that share the
    document store write a document one after another. With a `SQLiteDocumentStore`, processes of one machine do so too.

    nodes: nodes to begin with, as `insert_nodes` takes them. objects: references to begin with, each with what it leads
    to as its `obj`; a folder does not keep that, so give them to `load` too. storage_context: LlamaIndex's, instead of
    a vector store and a docstore. vector_store: where the vectors of the leaves are; by default in memory, and
    `persist` and `load` write and read it. The next `upsert` fills one that was emptied. docstore: where all nodes are;
    by default in memory. With a vector store on disk, use `SQLiteDocumentStore`. The index writes to a namespace of its
    own, named by the vector store's collection, table or index, and its attribute `docstore` is that part.
    transformations: what makes nodes of documents, by default `SemanticHierarchyParser(embed_headings=True)`; nodes
    without children, and every `IndexNode` (of a summary, a question), are embedded. embed_model: what embeds the
    nodes, and the questions of its retrievers; by default `Settings.embed_model`. context: how much of the vectors
    around it is added to a leaf's vector, as a share of the leaf's own length; 0: nothing. batch_size: how many
    documents are embedded and written together at most; fewer, where they have more than 500,000 characters.
    index_struct: as LlamaIndex's own indexes have it. callback_manager: the handlers of LlamaIndex's events.
    show_progress: whether bars show how far it is.

    A search also looks at words: those of the leaves, of the headings above them, and of the document's title or file
    name in its metadata. They are in the file of a `SQLiteDocumentStore` and a folder beside it, or in memory beside a
    `SimpleDocumentStore`. With any other document store, a search uses vectors alone.
    """

    index_struct_cls: type[HierarchyStruct] = HierarchyStruct

    def __init__(
        self,
        nodes: Sequence[BaseNode] | None = None,
        *,
        objects: Sequence[IndexNode] | None = None,
        storage_context: StorageContext | None = None,
        vector_store: BasePydanticVectorStore | None = None,
        docstore: BaseDocumentStore | None = None,
        transformations: Sequence[TransformComponent] | None = None,
        embed_model: EmbedType | None = None,
        context: float = CONTEXT,
        batch_size: int = 256,
        index_struct: HierarchyStruct | None = None,
        callback_manager: CallbackManager | None = None,
        show_progress: bool = False,
        **unknown: Never,
    ) -> None:
        """See the class. Raises `SettingError`."""
        check_names("HierarchyIndex", unknown, list(signature(HierarchyIndex).parameters)[:-1], PEER_NAMES)
        check_int("batch_size", batch_size, 1)
        check_number("context", context, 0, inf)
        if isinstance(nodes, StorageContext):
            raise SettingError("nodes must be a list of nodes, got a StorageContext: name it, storage_context=…")
        if index_struct is not None and not isinstance(index_struct, HierarchyStruct):
            raise SettingError(f"index_struct must be that of a HierarchyIndex, got {index_struct!r:.80}")
        stores = make_storage_context(storage_context, vector_store, docstore)
        made_by: list[TransformComponent] = (
            [SemanticHierarchyParser(embed_headings=True)]
            if transformations is None
            else check_transformations(transformations)
        )
        whole = stores.docstore
        if not isinstance(whole, KVDocumentStore):
            raise SettingError(f"docstore must be a KVDocumentStore, as LlamaIndex's are, got {whole!r:.80}")
        is_unpacked = unpack_stores(stores)
        structs = find_structs(stores)
        if index_struct is not None:  # as it is now that it was unpacked
            index_struct = next((each for each in structs if each.index_id == index_struct.index_id), index_struct)
            structs = [index_struct, *structs]
        owner = find_owner(whole, stores.vector_store, [each.owner for each in structs])
        if index_struct is None:
            new = HierarchyStruct(owner=owner)
            index_struct = next((each for each in structs if each.owner == owner), new)
        part = open_part(whole, owner)
        super().__init__(
            embed_model=index_embedding(embed_model),
            index_struct=index_struct,
            storage_context=PackingContext.of(stores, part, partial(getattr, self, "index_struct")),
            transformations=made_by,
            callback_manager=callback_manager,
            show_progress=show_progress,
        )
        self.transformations = made_by
        self.context = context
        self.batch_size = batch_size
        self._whole = whole
        self._is_warned = False
        self._is_checked = False
        self._memory: tuple[BaseEmbedding, dict[str, Any], RowMemory] | None = None
        if not is_unpacked:  # words of a store in memory are there before anybody writes to it; here nobody can yet
            self._word_index()
        self._warn_of_others(part)
        if storage_context is not None:
            warn_of_short_lived(part, stores.vector_store)
        if nodes or objects:
            self.insert_nodes([*(nodes or ()), *(objects or ())])

    def __repr__(self) -> str:
        stores = {"vector_store": self.vector_store, "docstore": self.docstore}
        said = [f"{name}={type(store).__name__}" for name, store in stores.items()]
        return f"HierarchyIndex({', '.join(said)}, embed_model={self.embed_model.model_name!r})"

    # -- what it is made of -------------------------------------------------------------------------------------------

    @property
    def docstore(self) -> KVDocumentStore:
        """The part of the document store that the index has to itself."""
        assert isinstance(self._docstore, KVDocumentStore)  # noqa: S101 - what `__init__` opened
        return self._docstore

    @property
    def index_struct(self) -> HierarchyStruct:
        """What an index store knows of the index."""
        assert isinstance(self._index_struct, HierarchyStruct)  # noqa: S101 - what `__init__` checked
        return self._index_struct

    @property
    def transformations(self) -> list[TransformComponent]:
        """What makes nodes of documents. Documents that others made count as changed."""
        return self._transformations

    @transformations.setter
    def transformations(self, transformations: Sequence[TransformComponent]) -> None:
        self._transformations = check_transformations(transformations)

    @property
    def embed_model(self) -> BaseEmbedding:
        """What embeds nodes and questions. Documents that another one embedded count as changed."""
        return self._embed_model

    @embed_model.setter
    def embed_model(self, embed_model: EmbedType | None) -> None:
        self._embed_model = index_embedding(embed_model)

    @property
    def ref_doc_info(self) -> dict[str, RefDocInfo]:
        """The documents by their ids: the ids of the nodes of each, and its metadata."""
        return self.docstore.get_all_ref_doc_info() or {}

    def _warn_of_others(self, part: KVDocumentStore) -> None:
        """Warns of documents that were made by other settings: an embedder finds wrong passages among another's
        vectors. In a file the first few are looked at."""
        names: Iterable[str] = ()
        if isinstance(part, SQLiteDocumentStore):
            names = islice(part.kvstore.names(part._metadata_collection), FEW)
        elif isinstance(part, SimpleDocumentStore):
            names = part._kvstore.get_all(part._metadata_collection)
        hashes = (part.get_document_hash(name) for name in names)
        if are_made_otherwise(filter(None, hashes), self.transformations, self.embed_model, self.context):
            warn_caller(
                "the index has documents that were made with another embed_model, transformations or context, for "
                "which questions may find wrong passages: give those, or mirror(documents) makes it anew"
            )

    def _describe_lost_rows(self) -> str:
        """Returns a warning, once, of documents in a file whose rows a vector store in memory does not have: it was not
        persisted, or not loaded. They are not found."""
        part, rows = self.docstore, rows_in_memory(self.vector_store)
        if self._is_checked or rows is None or not isinstance(part, SQLiteDocumentStore):
            return ""
        self._is_checked = True
        states = run(Versions(part, Blocking()).states([*part.kvstore.names(part._metadata_collection)]))
        written = [state.row for state in states.values() if state.row]
        lost = sum(row not in rows for row in written)
        if not lost:
            return ""
        return (
            f"{lost} of {len(written)} documents have no vectors, so they are not found: they are in {part!r}, and "
            f"their vectors were in memory. upsert(documents) or mirror(documents) makes them anew; "
            f"HierarchyIndex.load(folder, docstore=…) reads those that persist(folder) wrote"
        )

    def set_index_id(self, index_id: str) -> None:
        """As LlamaIndex's own: names the index in a folder. Warns where it is named already: indexes over the same
        stores are one."""
        own = [each.index_id for each in find_structs(self.storage_context) if each.owner == self.index_struct.owner]
        if names := [name for name in own if name != index_id and not RANDOM_ID.fullmatch(name)]:
            warn_caller(
                f"the index {index_id!r} is the index {names[0]!r}, since both have the same vector store and "
                f"docstore: each returns, mirrors and deletes the documents of both. Give another index a "
                f"vector store of its own, such as another collection"
            )
        super().set_index_id(index_id)

    # -- stores in a folder -------------------------------------------------------------------------------------------

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[BaseNode],
        storage_context: StorageContext | None = None,
        show_progress: bool = False,
        callback_manager: CallbackManager | None = None,
        transformations: Sequence[TransformComponent] | None = None,
        **settings: Any,
    ) -> Self:
        """Makes an index of these settings and upserts documents. Raises `SettingError` as `upsert` does."""
        index = cls(
            storage_context=storage_context,
            callback_manager=callback_manager,
            transformations=transformations,
            show_progress=show_progress,
            **settings,
        )
        index.upsert(documents)
        return index

    @classmethod
    def from_vector_store(
        cls, vector_store: BasePydanticVectorStore, embed_model: EmbedType | None = None, **settings: Any
    ) -> Self:
        """Opens an index by its vector store. Raises `SettingError` without the `docstore` that its nodes are in."""
        return cls(vector_store=vector_store, embed_model=embed_model, **settings)

    @classmethod
    def load(
        cls,
        persist_dir: str | os.PathLike[str],
        *,
        vector_store: BasePydanticVectorStore | None = None,
        docstore: BaseDocumentStore | None = None,
        **settings: Any,
    ) -> Self:
        """Reads the index that `persist` wrote, as `load_index_from_storage` does. vector_store and docstore: stores
        that keep themselves elsewhere.

        settings: give the same `transformations` and `embed_model` as before. They are not in the folder; documents
        that were made with others count as changed, and a warning says so. Raises `SettingError` if there is nothing to
        load, if another kind of index wrote the folder, and for a damaged file, which it names.
        """
        check_stores(vector_store=vector_store, docstore=docstore)
        check_folder(persist_dir)
        folder = os.fspath(persist_dir)
        try:
            context = StorageContext.from_defaults(docstore=docstore, vector_store=vector_store, persist_dir=folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SettingError(
                f"persist_dir={folder!r} holds nothing to load ({error}): the first time, make a HierarchyIndex(); "
                f"later, name the folder that persist(folder) wrote, and pass stores that keep themselves elsewhere"
            ) from error
        except ValueError as error:
            raise SettingError(
                f"persist_dir={folder!r} has a damaged file, {find_damaged(folder)} ({error}): restore it from a copy, "
                f"or make the index anew of its documents"
            ) from error
        check_packed(context, folder)
        return cls(storage_context=context, **settings)

    def persist(self, persist_dir: str | os.PathLike[str]) -> None:
        """Writes the stores that are in memory into a folder, as `storage_context.persist` does. Stores on the disk do
        not need it.

        Nodes and vectors are packed in the file of the index store: `HierarchyIndex.load` and `load_index_from_storage`
        read them, `SimpleVectorStore.from_persist_dir` finds none.

        Raises `SettingError` if `persist_dir` is no path of a folder.
        """
        check_folder(persist_dir)
        self.storage_context.persist(persist_dir=os.fspath(persist_dir))

    # -- finding ------------------------------------------------------------------------------------------------------

    def as_retriever(
        self,
        budget: int | None = BUDGET,
        words: float | None = None,
        similarity_top_k: int | None = None,
        merge_ratio: float = 0.5,
        score: Score = "max",
        similarity_cutoff: float | None = None,
        show_pages: bool = False,
        **options: Any,
    ) -> BaseRetriever:
        """Makes a retriever of passages that fit a budget together, best first.

        budget: the maximum number of tokens of all passages together, by LlamaIndex's tokenizer, with metadata. words:
        how much the words of a question count: 2 is twice as much as by default, 0 is not at all; by default 1, if
        there is an index of words. similarity_top_k: the maximum number of passages, by default as many as fit.
        merge_ratio: a parent is returned if at least this share of its children was found and it fits. score: how a
        parent's score is made from those of its children: "max", "mean" or "sum". similarity_cutoff: the similarity
        that the leaf nearest to the question must have, as the vector store scores it, or else nothing is found.
        show_pages: whether a language model is shown the pages of each passage, so that it can cite them, and the file
        of a document without a title. options: those of `VectorIndexRetriever`, such as `filters`.

        The results are `FoundNode`s, which say why they were found. While others write, each document is found as it
        was or as it becomes. With ``budget=None``, the retriever is a `MergingRetriever` over the `similarity_top_k`
        nearest leaves, by default 12, and does not search by words.

        Raises `SettingError`, also for an unknown option.
        """
        if words is not None:
            check_number("words", words, 0, inf)
        options = {
            "callback_manager": self._callback_manager,
            "object_map": self._object_map,
            "describe_lost": self._describe_lost_rows,
            "similarity_cutoff": similarity_cutoff,
            **options,
        }
        if budget is None:
            if words:
                raise SettingError(f"words={words!r} are for a budget: give one, or words=0")
            leaves = LeafRetriever(self, FOUND if similarity_top_k is None else similarity_top_k, **options)
            return MergingRetriever(leaves, self.docstore, merge_ratio, score, show_pages=show_pages)
        index = None if words == 0 else self._word_index(required=words is not None)
        if index is None and words is None and not self._is_warned:
            self._is_warned = True
            warn_caller(self._why_no_words)
        weight = 0.0 if index is None else 1.0 if words is None else words
        places = index_metadata(self.transformations).with_memory()
        words_of = None if index is None else self._word_index
        own = budget, weight, words_of, similarity_top_k, merge_ratio, score, places, show_pages
        return PassageRetriever(self, *own, **options)

    def as_query_engine(self, llm: LLMType | None = None, **options: Any) -> BaseQueryEngine:
        """As LlamaIndex's own indexes. options: those of `as_retriever`, here with show_pages=True by default, and of
        `RetrieverQueryEngine.from_args`.

        Raises `SettingError` for an option that neither has.
        """
        check_options(options, signature(RetrieverQueryEngine.from_args).parameters, "as_query_engine")
        own, others = _divide(options)
        return RetrieverQueryEngine.from_args(self.as_retriever(**own), llm=self._find_llm(llm), **others)

    def as_chat_engine(
        self, chat_mode: ChatMode = ChatMode.BEST, llm: LLMType | None = None, **options: Any
    ) -> BaseChatEngine:
        """As LlamaIndex's own indexes. options: those of `as_query_engine` and of a chat engine's `from_defaults`.

        Raises `SettingError` for an option that none has, and for a mode that there is not.
        """
        makers = [RetrieverQueryEngine.from_args, *(engine.from_defaults for engine in CHAT_ENGINES.values())]
        check_options(options, (name for maker in makers for name in signature(maker).parameters), "as_chat_engine")
        engine = CHAT_ENGINES.get(chat_mode)
        if engine is None:
            raise SettingError(
                f"chat_mode must be one of {', '.join(CHAT_ENGINES)}, got {chat_mode!r}; an agent of LlamaIndex takes "
                f"the index by QueryEngineTool.from_defaults(index.as_query_engine())"
            )
        own, others = _divide(options)
        sources: dict[str, Any] = {}
        if engine is CondenseQuestionChatEngine:
            sources = {"query_engine": self.as_query_engine(llm, **options)}
        elif engine is not SimpleChatEngine:
            sources = {"retriever": self.as_retriever(**own)}
        return engine.from_defaults(**sources, llm=self._find_llm(llm), **others)

    def _find_llm(self, llm: LLMType | None) -> Any:
        return resolve_llm(llm, callback_manager=self._callback_manager) if llm else Settings.llm

    def _word_index(self, required: bool = False) -> WordIndex | None:
        """Returns the words of the document store. required: raises `SettingError` if it cannot have some."""
        try:
            return open_leaf_words(self.docstore)
        except SettingError as error:
            if required:
                raise
            self._why_no_words = str(error)
            return None

    # -- writing ------------------------------------------------------------------------------------------------------

    @_dispatcher.span
    def upsert(self, documents: Sequence[BaseNode], show_progress: bool = False) -> Changes:
        """Adds new documents and replaces changed ones.

        Nodes of one document (of the same SOURCE) are taken together, and have to be given together. Raises
        `SettingError` before anything is written if two documents have one id; and for a document with the id of
        another user's, before that is written.
        """
        return run(self._writer(Blocking()).upsert(documents, show_progress or self._show_progress))

    @_dispatcher.span
    async def aupsert(self, documents: Sequence[BaseNode], show_progress: bool = False) -> Changes:
        """As `upsert`, by the awaited methods of transformations, embedder and stores."""
        return await self._writer(Awaiting()).upsert(documents, show_progress or self._show_progress)

    @_dispatcher.span
    def mirror(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None = None, show_progress: bool = False
    ) -> Changes:
        """Upserts these documents and deletes all others of the index.

        scope: metadata such as ``{"user": "anna"}``; only documents that have them are deleted. Raises `SettingError`
        before anything is written if no documents are given and there are some to delete, and for a document that is
        not in the scope.
        """
        return run(self._writer(Blocking()).mirror(documents, scope, show_progress or self._show_progress))

    @_dispatcher.span
    async def amirror(
        self, documents: Sequence[BaseNode], scope: Mapping[str, Any] | None = None, show_progress: bool = False
    ) -> Changes:
        """As `mirror`, by awaited methods."""
        return await self._writer(Awaiting()).mirror(documents, scope, show_progress or self._show_progress)

    def insert(self, document: BaseNode, **insert_kwargs: Any) -> None:
        """As `upsert` of one document. Raises `SettingError` for options."""
        check_no_options("insert", insert_kwargs)
        self.upsert([document])

    async def ainsert(self, document: BaseNode, **insert_kwargs: Any) -> None:
        """As `insert`, by awaited methods."""
        check_no_options("ainsert", insert_kwargs)
        await self.aupsert([document])

    def update_ref_doc(self, document: BaseNode, **update_kwargs: Any) -> None:
        """As `upsert` of one document. Raises `SettingError` for options."""
        check_no_options("update_ref_doc", update_kwargs)
        self.upsert([document])

    async def aupdate_ref_doc(self, document: BaseNode, **update_kwargs: Any) -> None:
        """As `update_ref_doc`, by awaited methods."""
        check_no_options("aupdate_ref_doc", update_kwargs)
        await self.aupsert([document])

    @_dispatcher.span
    def refresh_ref_docs(self, documents: Sequence[BaseNode], **update_kwargs: Any) -> list[bool]:
        """As `upsert`. Returns for each document whether it was new or changed. Raises `SettingError` for options."""
        check_no_options("refresh_ref_docs", update_kwargs)
        documents, writer = [*documents], self._writer(Blocking())
        run(writer.upsert(documents, self._show_progress))
        return writer.were_written(documents)

    @_dispatcher.span
    async def arefresh_ref_docs(self, documents: Sequence[BaseNode], **update_kwargs: Any) -> list[bool]:
        """As `refresh_ref_docs`, by awaited methods."""
        check_no_options("arefresh_ref_docs", update_kwargs)
        documents, writer = [*documents], self._writer(Awaiting())
        await writer.upsert(documents, self._show_progress)
        return writer.were_written(documents)

    @_dispatcher.span
    def delete_ref_doc(
        self,
        ref_doc_id: str,
        delete_from_docstore: bool = True,
        *,
        scope: Mapping[str, Any] | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """Deletes a document from the vector store and from the document store, whatever `delete_from_docstore` says.
        Logs a warning if neither has it.

        scope: metadata such as ``{"user": "anna"}``; a document without it stays, as if its id were unknown. None: all
        documents. Raises `SettingError` for other options, for a scope that says nothing, and for what is no id.
        """
        check_names("delete_ref_doc()", delete_kwargs, ["ref_doc_id", "delete_from_docstore", "scope"])
        _log_missing(ref_doc_id, run(self._writer(Blocking()).delete(ref_doc_id, scope)))

    @_dispatcher.span
    async def adelete_ref_doc(
        self,
        ref_doc_id: str,
        delete_from_docstore: bool = True,
        *,
        scope: Mapping[str, Any] | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """As `delete_ref_doc`, by the awaited methods of the stores."""
        check_names("adelete_ref_doc()", delete_kwargs, ["ref_doc_id", "delete_from_docstore", "scope"])
        _log_missing(ref_doc_id, await self._writer(Awaiting()).delete(ref_doc_id, scope))

    def delete(self, doc_id: str, **delete_kwargs: Any) -> None:
        """As `delete_ref_doc`, by LlamaIndex's old name. Its options are those of `delete_ref_doc`."""
        self.delete_ref_doc(doc_id, **delete_kwargs)  # LlamaIndex's own would drop a scope

    @_dispatcher.span
    def insert_nodes(self, nodes: Sequence[BaseNode], **insert_kwargs: Any) -> None:
        """Adds nodes as they are, without transformations, beside those that their documents have.

        A node replaces the node of its document that has the same id. Give parents with their children or before them,
        because offsets are found in the parent. A node without a SOURCE is a document of its own. Raises `SettingError`
        for options, and for a node that has the id of another document's node.
        """
        check_no_options("insert_nodes", insert_kwargs)
        run(self._upsert_nodes(nodes, Blocking()))

    @_dispatcher.span
    async def ainsert_nodes(self, nodes: Sequence[BaseNode], **insert_kwargs: Any) -> None:
        """As `insert_nodes`, by awaited methods."""
        check_no_options("ainsert_nodes", insert_kwargs)
        await self._upsert_nodes(nodes, Awaiting())

    def build_index_from_nodes(self, nodes: Sequence[BaseNode], **insert_kwargs: Any) -> HierarchyStruct:
        """As `insert_nodes`. Returns what the index store knows of the index."""
        check_no_options("build_index_from_nodes", insert_kwargs)
        self.insert_nodes(nodes)
        return self.index_struct

    def delete_nodes(self, node_ids: Sequence[str], *args: Any, **delete_kwargs: Any) -> Never:
        """Raises `SettingError`: a document has all its nodes, or none."""
        raise SettingError(
            f"HierarchyIndex deletes whole documents, and got the nodes {[*node_ids][:3]!r}: delete_ref_doc(id) "
            f"deletes a document, and upsert([document]) puts a shorter one in its place"
        )

    async def adelete_nodes(self, node_ids: Sequence[str], *args: Any, **delete_kwargs: Any) -> Never:
        """As `delete_nodes`."""
        self.delete_nodes(node_ids)

    async def _upsert_nodes(self, nodes: Sequence[BaseNode], calls: Calls) -> None:
        given = await calls.compute(check_documents, nodes)
        own = await calls.compute(self._own_nodes, given, await self._nodes_above(given, calls))
        await self._writer(calls, adds_nodes=True).upsert(own, self._show_progress)

    async def _nodes_above(self, nodes: Sequence[BaseNode], calls: Calls) -> list[BaseNode]:
        """Returns the nodes above these that are not among them: the index has them, or the store that it is in."""
        above, known, level = list[BaseNode](), {node.node_id for node in nodes}, nodes
        while wanted := {node.parent_node.node_id for node in level if node.parent_node is not None} - known:
            level = await Versions(self.docstore, calls).find_nodes([*wanted])
            left = wanted.difference(node.node_id for node in level)
            level = [*level, *await Versions(self._whole, calls).find_nodes([*left])]
            known |= wanted
            above += level
        return above

    def _own_nodes(self, nodes: Sequence[BaseNode], above: Sequence[BaseNode]) -> list[BaseNode]:
        """Returns nodes each of which has a SOURCE. Keeps the objects of references, which no store can."""
        own, places = list[BaseNode](), NodeMetadata()
        for node in map(places.place_cut, count_in_document(nodes, above)):
            if isinstance(node, IndexNode) and node.obj is not None:
                self._object_map[node.index_id] = node.obj
                node = node.model_copy(update={"obj": None})
            if node.source_node is None:
                itself = {NodeRelationship.SOURCE: node.as_related_node_info()}
                node = node.model_copy(update={"relationships": {**node.relationships, **itself}})
            own.append(node)
        return own

    def _remembered_rows(self) -> RowMemory:
        """Returns the rows that were embedded last, so that an edit embeds what is new: none of another model, nor of
        this one with other settings, which are looked for in its fields of plain values: others may be large."""
        model = self.embed_model
        settings = {name: value for name, value in vars(model).items() if isinstance(value, str | int | float | None)}
        if self._memory is None or self._memory[0] is not model or self._memory[1] != settings:
            self._memory = model, settings, RowMemory()
        return self._memory[2]

    def __getstate__(self) -> dict[str, Any]:
        """For a copy or a pickle, which remembers no rows."""
        return {**vars(self), "_memory": None}

    def _writer(self, calls: Calls, adds_nodes: bool = False) -> Writer:
        return Writer(
            self.vector_store,
            self.storage_context.index_store,
            self.index_struct,
            Versions(self.docstore, calls),
            [] if adds_nodes else self.transformations,
            self.embed_model,
            self.context,
            self.batch_size,
            calls,
            adds_nodes,
            self._remembered_rows(),
            self._word_index(),
        )


INDEX_STRUCT_TYPE_TO_INDEX_CLASS[STRUCT_TYPE] = HierarchyIndex  # for `load_index_from_storage`


def _divide(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns those options that are a retriever's, and the others. A model that answers is shown pages by default."""
    own = {name: value for name, value in options.items() if name in (*SETTINGS, *OPTIONS)}
    return {"show_pages": True, **own}, {name: value for name, value in options.items() if name not in own}


def _log_missing(document_id: str, changes: Changes) -> None:
    if not changes.deleted:
        logger.warning("ref_doc_id %r not found, nothing deleted", document_id)
