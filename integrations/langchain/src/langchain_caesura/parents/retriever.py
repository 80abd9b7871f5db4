"""Parent document retriever: it searches small texts and returns the passages or parents that they are parts of."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.indexing import UpsertResponse
from langchain_core.retrievers import LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import TextSplitter
from pydantic import AfterValidator, Field, PrivateAttr, SkipValidation, model_validator

from caesura.checks import check_names
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_documents.chunk_metadata import ChunkMetadata
from caesura_documents.outline import RULES, Outliner
from caesura_retrieval.leaning import CONTEXT
from caesura_retrieval.parent_merging import Score, check_merging
from caesura_retrieval.upkeep import Changes, check_scope, is_in_scope
from caesura_retrieval.word_index import WordIndex
from caesura_store.setting_keys import settings_fingerprint
from langchain_caesura.base import BaseSemanticSplitter, require_sizer
from langchain_caesura.chunk_vectors import EmbeddedHeadings, headings_metadata
from langchain_caesura.documents import (
    PLACE,
    ScoredDocument,
    check_places,
    drop_layouts,
    iter_documents,
    storage_names,
    unique_names,
)
from langchain_caesura.embeddings import ChunkEmbeddings, check_wrapped, cover_embeddings
from langchain_caesura.hierarchy_splitter import SemanticHierarchySplitter
from langchain_caesura.parents.filters import filters_of, warn_of_hidden
from langchain_caesura.parents.indexing import Indexer
from langchain_caesura.parents.inputs import (
    DocumentInput,
    group_inputs,
    warn_of_content_ids,
    warn_of_labels,
)
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.query import ParentQuery, check_query
from langchain_caesura.parents.results import PassageMetadata, outermost_documents
from langchain_caesura.parents.splitting import ParentSplitter
from langchain_caesura.parents.vector_search import SearchType
from langchain_caesura.parents.words import check_words, fill_words, word_index
from langchain_caesura.scored_retriever import ScoredRetriever
from langchain_caesura.splitters import DoublePassSemanticSplitter
from langchain_caesura.vector_store_quirks import may_pass
from langchain_caesura.word_fields import WordFields


@dataclass(frozen=True, slots=True)
class _Settled:
    """What follows from a retriever's settings, until one of these is another object."""

    settings: Mapping[str, object]
    owner: Owner
    fingerprint: str
    """Of how documents are cut."""
    wanted: ChunkMetadata
    """What the metadata of passages say of their place."""
    find: Outliner
    above: ChunkMetadata
    """The keys of headings."""
    headings: EmbeddedHeadings | None
    """Of children; None: none are embedded."""
    checked: ChunkMetadata
    """All keys under which documents may have nothing else."""

    def holds(self, settings: Mapping[str, object]) -> bool:
        """Whether the settings are those that it follows from."""
        return len(settings) == len(self.settings) and all(
            settings.get(name) is value for name, value in self.settings.items()
        )


class _Memory:
    """What a retriever settled and embedded last. It is no part of what two are equal by, nor of a copy or a pickle."""

    settled: _Settled | None = None
    is_warned: bool = False
    """Whether it was told of sources that documents are not known by."""
    is_told: bool = False
    """Whether it was told of documents that its own filter never returns."""
    rows: ChunkEmbeddings | None = None
    """It knows the rows of small texts that were embedded last, so that an edit embeds what is new."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Memory)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[_Memory], tuple[()]]:
        return _Memory, ()


class ParentDocumentRetriever(ScoredRetriever):
    """Indexes documents and returns the passages that answer a question, as many as fit a `budget`, best first.

    >>> from langchain_caesura import StaticEmbeddings
    >>> from langchain_core.documents import Document
    >>> from langchain_core.stores import InMemoryStore
    >>> from langchain_core.vectorstores import InMemoryVectorStore
    >>> store = InMemoryVectorStore(StaticEmbeddings())
    >>> retriever = ParentDocumentRetriever(vectorstore=store, docstore=InMemoryStore())
    >>> retriever.add_documents([Document("The ferry leaves at nine.", id="a")])
    ['a']
    >>> retriever.invoke("When does the ferry leave?", budget=30)[0].page_content
    'The ferry leaves at nine.'

    It cuts each document into small texts, and searches these by vectors and by words. What it finds, it joins into
    passages. A passage is an exact slice of a document, and a `ScoredDocument` with its place in its metadata. If
    enough of a parent was found, the passage is the whole parent.

    Parents are the documents themselves, or what `parent_splitter` cuts from them. `child_splitter` cuts the children.
    Views are small texts of your own that lead to a document: summaries, questions, propositions. With ``budget=None``
    the retriever returns the `k` parents of the nearest small texts.

    It is safe to add a document again: only what has changed is embedded and written. If a write fails, searches go on
    finding what is stored, and the next write of the document completes it.
    [Which document it is](../retrievers.md#which-document-it-is) says by what a document is known, and what a changed
    one replaces.

    Threads and event loops that share the document store write a document one after another. With a
    `SQLiteDocumentStore`, processes of one machine do so too. The last write stays. Several retrievers may share a
    document store, or a vector store that others write to as well. Each returns, replaces and deletes only what it
    wrote. Retrievers over the same two stores are one, unless `id_key` differs. Two vector stores are the same if their
    collection, index or table has the same name.
    """

    vectorstore: VectorStore
    """Where small texts are indexed and found."""
    docstore: BaseStore[str, Document]
    """Where documents are kept, such as a `SQLiteDocumentStore`. It also keeps a record of each document, under
    ``caesura/documents/``."""
    child_splitter: TextSplitter | None = Field(default_factory=DoublePassSemanticSplitter)
    """Cuts the children. A `SemanticHierarchySplitter` makes children of its smallest chunks and parents of the larger
    ones, in one pass. None: only views lead to a document."""
    parent_splitter: TextSplitter | None = None
    """Cuts the parents. None: each document is a parent."""
    budget: int | None = Field(default=4000, ge=1, strict=True)
    """The maximum size of all returned passages together. None: whole parents. ``invoke(query, budget=…)`` overrides
    it."""
    k: int | None = Field(default=None, ge=1, strict=True)
    """The maximum number of results. None: as many as fit the budget, or 4 without a budget. ``invoke(query, k=…)``
    overrides it."""
    length_function: Callable[[str], int] = len
    """What `budget` counts: characters, or the tokens of a model."""
    words: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """How much the words of a question count: 2 is twice as much as by default, 0 is not at all. None: 1 if the
    document store is a `SQLiteDocumentStore` or in memory, because it keeps the index of words too; otherwise 0."""
    context: float = Field(default=CONTEXT, ge=0, allow_inf_nan=False)
    """How much of its neighbours' vectors the vector of a small text contains; 0: nothing."""
    search_type: SearchType = "similarity"
    """How the vector store searches."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Further options of the vector store's search. ``filter``: which small texts are searched. No result contains a
    text that it hides. ``score_threshold``: the least score, for that `search_type`. ``k``: how many small texts are
    fetched, not how many results come. With a budget 200, with a filter `max_fetch`, with "mmr" 50; a warning says if
    that is too few. Without a budget, 4 for each parent wanted, and more if these are too few."""
    merge_ratio: float | None = None
    """From 0 to 1: a parent is returned if at least this share of its children was found (0: any one of them).
    Otherwise its children are, level by level if a `SemanticHierarchySplitter` made several levels. None: with a budget
    0.5, and the parent has to fit the budget; without a budget 0, so that the parent is always returned."""
    score: Score = "max"
    """How a parent's score is made from the scores of its children, without a budget."""
    max_fetch: int = Field(default=1000, ge=1)
    """The maximum number of small texts that are fetched. If the first ones lead to too few parents, each further
    search fetches 4 times as many."""
    id_key: str = "doc_id"
    """The key in a small text's metadata that holds its document's key in the document store."""
    source_id_key: str | None = None
    """The key in every document's metadata that names the document, such as "source". Pages of one source share that
    name. None: see the class."""
    child_metadata_fields: Annotated[Sequence[str], AfterValidator(tuple)] | None = None
    """Which of a document's metadata its children get. None: all text, numbers and truth values, which any vector store
    takes."""
    batch_size: int = Field(default=1000, ge=1)
    """The maximum number of rows in one call of the vector store."""
    embed_headings: bool | None = None
    """Whether a small text is embedded with the headings above it and with a table's header. None: if `context` is on.
    They count in the child splitter's limit, up to a quarter of it. The search by words looks at them in any case."""
    passage_metadata: SkipValidation[Sequence[str] | Mapping[str, str]] = ()
    """What a passage's metadata say about its place: names such as "line_start" or "headings", or a dict from names to
    the keys that hold them. `caesura_documents.chunk_metadata.NAMES` has all names. ``start_index`` and ``end_index``
    are always there, and so are pages if the document has them."""
    score_metadata_key: str | None = None
    """The key in a result's metadata that holds its score too, such as "relevance_score". There the score outlives
    `dumps`, compressors and prompts. It replaces what the document has under that key. None: no key."""
    _memory: _Memory = PrivateAttr(default_factory=_Memory)

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, settings: Any) -> Any:
        if isinstance(settings, dict) and cls.model_config.get("extra") != "allow":
            check_names(cls.__name__, settings, cls.model_fields)
            if isinstance(names := settings.get("metadata"), (list, tuple, set, str)):
                raise SettingError(
                    f"metadata of a retriever is a dict, which LangChain shows its callbacks, got {names!r:.80}: give "
                    f"what passages say of their place as passage_metadata"
                )
        return settings

    @model_validator(mode="after")
    def _check_settings(self) -> ParentDocumentRetriever:
        if self.merge_ratio is not None:
            check_merging(self.merge_ratio, self.score)
        require_sizer("length_function", self.length_function)
        if isinstance(self.parent_splitter, SemanticHierarchySplitter):
            raise SettingError("a SemanticHierarchySplitter makes parents and children: give it as child_splitter")
        if isinstance(self.child_splitter, SemanticHierarchySplitter) and self.parent_splitter is not None:
            raise SettingError("a SemanticHierarchySplitter makes its own parents: leave parent_splitter out")
        if self.child_splitter is None and self.parent_splitter is not None:
            raise SettingError("a parent_splitter needs a child_splitter, for nothing else would lead to its parents")
        if self.embed_headings and self.child_splitter is None:
            raise SettingError("embed_headings=True is for what a child_splitter cuts: give one, or leave it out")
        for splitter in (self.child_splitter, self.parent_splitter):
            if isinstance(splitter, BaseSemanticSplitter) and (names := sorted(splitter.metadata_keys.keys() - PLACE)):
                raise SettingError(f"leave metadata={names} of the splitters out, and give it as passage_metadata")
        if beside := {"chunk_index", "previous_id", "next_id"} & self._settle().wanted.keys.keys():
            raise SettingError(f"a passage is no chunk, so that passage_metadata cannot have {sorted(beside)}")
        if self.words != 0 and (self.words is not None or self.budget is not None):
            check_words(self._open_index, must=self.words is not None)
        check_wrapped(self.vectorstore, {"context=0": self.context, "embed_headings=False": self._embeds_headings()})
        return self

    # -- searching --------------------------------------------------------------------------------------------------

    def invoke(  # type: ignore[override]
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[ScoredDocument]:
        """Returns what fits the question, the best first.

        ``budget`` and ``k`` may be given, which hold for this question instead of the retriever's. ``filter`` and other
        options of the vector store's search may be given too, instead of those in `search_kwargs`. Raises
        `SettingError` for an option that a search does not have, and for a budget or a ``k`` that is no whole number of
        at least 1."""
        return super().invoke(input, config, **kwargs)

    async def ainvoke(  # type: ignore[override]
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[ScoredDocument]:
        """`invoke`, through the async calls of the embeddings and the stores."""
        return await super().ainvoke(input, config, **kwargs)

    def _get_ls_params(self, **options: Any) -> LangSmithRetrieverParams:
        """What a trace says of a search: the retriever's name, its vector store, what embeds for it, and how much is
        wanted."""
        params = super()._get_ls_params(**options)
        wanted: dict[str, Any] = {"budget": options.get("budget", self.budget), "k": options.get("k", self.k)}
        params.update({name: value for name, value in wanted.items() if value is not None})  # type: ignore[typeddict-item]
        params["ls_vector_store_provider"] = type(self.vectorstore).__name__
        with suppress(AttributeError, NotImplementedError, TypeError, ValueError):  # of a store that hides them
            embeddings: Any = self.vectorstore.embeddings
            embeddings = embeddings.embeddings if isinstance(embeddings, ChunkEmbeddings) else embeddings
            if embeddings is not None:
                params["ls_embedding_provider"] = type(embeddings).__name__
        return params

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [*run(self._ask(Blocking(), query, kwargs))]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        calls = Awaiting()
        return [*await (await calls.compute(self._ask, calls, query, kwargs))]

    def _ask(self, calls: Calls, query: str, given: dict[str, Any]) -> Coroutine[Any, Any, list[ScoredDocument]]:
        """A question, and what is given with it -> the search for it. Raises `SettingError`."""
        settings = ParentDocumentRetriever.__annotations__
        options, threshold = check_query(query, given, settings, self.search_kwargs, self.search_type)
        settled = self._settle()
        search = ParentQuery(
            calls=calls,
            vectorstore=self.vectorstore,
            docstore=self.docstore,
            owner=settled.owner,
            search_type=self.search_type,
            threshold=threshold,
            options=options,
            open_words=cache(self._words),
            weight=1.0 if self.words is None else self.words,
            measure=self.length_function,
            merge_ratio=self.merge_ratio,
            score=self.score,
            max_fetch=self.max_fetch,
            metadata=PassageMetadata(settled.wanted, cache(settled.find), self.score_metadata_key),
        )
        return search.answer(query, given.get("budget", self.budget), given.get("k") or self.k)

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

        A source that is given whole is replaced. If views are given, all chunks of their source are replaced. The first
        call embeds one text more, to notice another model than the one that embedded what is stored. If there is one,
        the given documents are embedded anew, and a warning says that the rest has to be given too.
        views: small texts, each with the id of its document as ``parent_id`` in its metadata. force: embed anew what
        has not changed. Raises `SettingError`, before anything is written, also for a document that has the id of
        another user's document.
        """
        names, inputs, indexer = self._begin(Blocking(), documents, ids, views, anew=force)
        run(indexer.add(inputs, force))
        return names

    async def aadd_documents(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None = None,
        *,
        views: Iterable[Document] = (),
        force: bool = False,
    ) -> list[str]:
        """`add_documents`, through the async calls of splitters and stores."""
        calls = Awaiting()
        begin = partial(self._begin, calls, documents, ids, views, anew=force)
        names, inputs, indexer = await calls.compute(begin)
        await indexer.add(inputs, force)
        return names

    def mirror(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None = None,
        *,
        views: Iterable[Document] = (),
        force: bool = False,
        scope: Mapping[str, Any] | None = None,
    ) -> Changes:
        """`add_documents`, and deletes the others -> what was done, by ids.

        scope: metadata that all documents given have, such as ``{"user": "anna"}``. Only stored documents that have it
        too are deleted. None: all others are deleted. Raises `SettingError` if no documents are given.
        Without a scope it also raises if it would delete documents that the filter in `search_kwargs` hides, or if it
        cannot tell whether the filter hides them.
        """
        _, inputs, indexer = self._begin(Blocking(), documents, ids, views, alone=True, anew=force)
        return run(indexer.mirror(inputs, force, check_scope(scope), filters_of(self.search_kwargs)))

    async def amirror(
        self,
        documents: Iterable[Document],
        ids: Sequence[str] | None = None,
        *,
        views: Iterable[Document] = (),
        force: bool = False,
        scope: Mapping[str, Any] | None = None,
    ) -> Changes:
        """`mirror`, through the async calls of splitters and stores."""
        calls = Awaiting()
        begin = partial(self._begin, calls, documents, ids, views, alone=True, anew=force)
        _, inputs, indexer = await calls.compute(begin)
        return await indexer.mirror(inputs, force, check_scope(scope), filters_of(self.search_kwargs))

    # -- LangChain's indexing API -----------------------------------------------------------------------------------

    def upsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """What `langchain_core.indexing.index` calls: stores documents under their own ids, and embeds them anew."""
        names, inputs, indexer = self._begin(Blocking(), items, None, kwargs.get("views", ()), by_id=True, anew=True)
        run(indexer.add(inputs, force=True))
        return UpsertResponse(succeeded=names, failed=[])

    async def aupsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """`upsert`, through the async calls of splitters and stores."""
        calls = Awaiting()
        begin = partial(self._begin, calls, items, None, kwargs.get("views", ()), by_id=True, anew=True)
        names, inputs, indexer = await calls.compute(begin)
        await indexer.add(inputs, force=True)
        return UpsertResponse(succeeded=names, failed=[])

    # -- the work ---------------------------------------------------------------------------------------------------

    async def _delete(self, calls: Calls, ids: list[str], scope: Mapping[str, Any] | None) -> list[str]:
        indexer = await calls.compute(self._indexer, calls)
        return await indexer.delete_given(ids, scope, filters_of(self.search_kwargs))

    async def _list_ids(self, calls: Calls, scope: Mapping[str, Any] | None) -> list[str]:
        return await (await calls.compute(self._indexer, calls)).list_names(scope)

    async def _get(self, calls: Calls, ids: list[str], scope: Mapping[str, Any] | None) -> list[Document]:
        indexer = await calls.compute(self._indexer, calls)
        settled, own = self._settle(), self.search_kwargs.get("filter")
        metadata = PassageMetadata(settled.wanted, cache(settled.find), self.score_metadata_key)
        stored = [
            (part, text)
            for part, text in await indexer.parts(ids)
            if (may_pass(self.vectorstore, own, text) if scope is None else is_in_scope(text.metadata, scope))
        ]
        return [*await calls.compute(outermost_documents, stored, metadata)]

    def _begin(
        self,
        calls: Calls,
        documents: Iterable[Document],
        ids: Sequence[str] | None,
        views: Iterable[Document],
        *,
        by_id: bool = False,
        alone: bool = False,
        anew: bool = False,
    ) -> tuple[list[str], dict[str, DocumentInput], Indexer]:
        """The name of each document, what was given for each name, and what writes it.

        by_id: whether no document is known by its source. alone: whether all others are to go. anew: whether rows that
        were embedded before are forgotten. Raises `SettingError`.
        """
        settled = self._settle()
        rows, texts = drop_layouts(iter_documents(documents)), list(iter_documents(views, "views"))
        if texts and (self.parent_splitter is not None or isinstance(self.child_splitter, SemanticHierarchySplitter)):
            raise SettingError(
                "views lead to whole documents, but a parent_splitter or a SemanticHierarchySplitter returns parts of "
                "them: cut first, with split_documents(), and add the chunks with their views to one without a "
                "parent_splitter, whose child_splitter cuts to one size, or is None"
            )
        names, sources = storage_names(rows, ids, None if by_id else self.source_id_key)
        own_names = unique_names(rows)
        check_places(rows, [settled.checked])
        inputs = group_inputs(rows, names, sources, own_names, texts, self.id_key, self.source_id_key)
        if texts and not alone:
            warn_of_content_ids(inputs)
        if ids is None and not (alone or by_id or texts or self.source_id_key or self._memory.is_warned):
            self._memory.is_warned = warn_of_labels(rows, sources)
        if anew:
            self._memory.rows = None
        indexer = self._indexer(calls)
        indexer.splitter.sign(inputs)
        if "filter" in self.search_kwargs and not self._memory.is_told:
            own = [row.model_copy(update={"metadata": indexer.splitter.inherit(row.metadata)}) for row in rows]
            self._memory.is_told = warn_of_hidden(self.vectorstore, self.search_kwargs["filter"], own)
        return names, inputs, indexer

    def _words(self) -> WordIndex | None:
        """The index of words, where there is one and they count."""
        return None if self.words == 0 else self._index()

    def _index(self, fill: bool = True) -> WordIndex | None:
        """The index of words, where there is one: without words too, for what was kept with them may have to go."""
        try:
            return self._open_index(fill)
        except SettingError:
            if self.words:
                raise
            return None

    def _open_index(self, fill: bool = True) -> WordIndex:
        settled = self._settle()
        fields = WordFields(settled.above, cache(settled.find))
        work = partial(fill_words, self.docstore, settled.owner, fields) if fill else None
        return word_index(self.docstore, settled.owner.name, work)

    def _indexer(self, calls: Calls) -> Indexer:
        """What writes."""
        settled = self._settle()
        index, find = self._words(), cache(settled.find)
        rows, model = cover_embeddings(self.vectorstore, self._memory.rows)
        self._memory.rows, there = rows, rows is not None
        splitter = ParentSplitter(
            settings=settled.fingerprint,
            child_splitter=self.child_splitter,
            parent_splitter=self.parent_splitter,
            id_key=self.id_key,
            child_metadata_fields=self.child_metadata_fields,
            context=self.context if there else 0.0,
            words=index is not None,
            fields=WordFields(settled.above, find),
            headings=settled.headings if there else None,
            find=find,
            model=model,
        )
        return Indexer(
            calls=calls,
            vectorstore=self.vectorstore,
            docstore=self.docstore,
            owner=settled.owner,
            splitter=splitter,
            batch_size=self.batch_size,
            words=index,
            open_words=partial(self._index, fill=False),  # who writes has the lock that a fill waits for
            embeddings=rows,
        )

    @property
    def owner(self) -> Owner:
        """What tells its documents from those of other retrievers that share the document store."""
        return self._settle().owner

    def _settle(self) -> _Settled:
        settled = self._memory.settled
        if settled is None or not settled.holds(vars(self)):
            own = self.child_splitter
            cutting = own, self.parent_splitter, self.id_key, self.child_metadata_fields
            fingerprint = settings_fingerprint([cutting], (TextSplitter,))
            wanted = ChunkMetadata.of(self.passage_metadata, "passage_metadata")
            above, headings = headings_metadata(wanted), None
            if self._embeds_headings() and own is not None:
                limit = own.limits.max_size if isinstance(own, BaseSemanticSplitter) else None
                headings = EmbeddedHeadings.of(wanted, own._length_function, limit or own._chunk_size)
            settled = self._memory.settled = _Settled(
                settings=dict(vars(self)),
                owner=Owner.of(self.id_key, self.vectorstore, self.docstore),
                fingerprint=fingerprint,
                wanted=wanted,
                find=own.find_outline if isinstance(own, BaseSemanticSplitter) else RULES,
                above=above,
                headings=headings,
                checked=ChunkMetadata(
                    {
                        **{name: name for name in PLACE},
                        **wanted.keys,
                        **(above.keys if headings or self.words != 0 else {}),
                    },
                    wanted.name,
                ),
            )
        return settled

    def _embeds_headings(self) -> bool:
        return bool(self.context and self.child_splitter) if self.embed_headings is None else self.embed_headings
