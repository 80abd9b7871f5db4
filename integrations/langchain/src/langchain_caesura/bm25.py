"""BM25 retriever: documents as they are given, found by the words of a question alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.indexing import UpsertResponse
from langchain_core.runnables import RunnableConfig
from langchain_core.stores import BaseStore, InMemoryStore
from pydantic import Field, model_validator

from caesura.checks import check_int, check_names
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Calls
from caesura_documents.chunk_metadata import context_of
from caesura_documents.titles import chunk_words, document_words, file_of, texts_with_contexts, title_of
from caesura_retrieval.ranking import Evidence
from caesura_retrieval.upkeep import batches, check_same_user, is_in_scope, is_of_user
from caesura_retrieval.word_index import WordDocument, WordIndex, WordText
from langchain_caesura.documents import (
    ADDRESSED,
    ScoredDocument,
    copy_metadata,
    document_names,
    documents_from_texts,
    iter_documents,
    metadata_key,
)
from langchain_caesura.parents.filters import check_hidden
from langchain_caesura.parents.query import require_question
from langchain_caesura.parents.words import word_index
from langchain_caesura.scored_retriever import ScoredRetriever
from langchain_caesura.stores import SQLiteDocumentStore, document_lock, encode_document

KEYS = "caesura/bm25/"
"""What the keys begin with under which a document store keeps the documents."""
WORDS = "bm25"
"""The name of the index of their words."""
SIDES = "01"
"""What the id of a stored document begins with, before its own, and so the keys of its words: what takes its place has
the other one. So an update that stops leaves what is stored, and the words of that, as they were."""
AT_ONCE = 1000
"""Documents that are written together."""
SIZE = 1000
"""About so many characters a document has: `k` times this is what a search fills."""
MOST = 100
"""How many are searched for at least, and WIDENING times as many where a filter leaves too few of them."""
WIDENING = 4
PEERS = {
    "docs": "Documents are given to from_documents() or add_documents()",
    "preprocess_func": "Words are found, and their stems taken, in the language of each document",
    "bm25_variant": "The formula is BM25 with k1 = 1.2 and b = 0.75",
    "bm25_params": "The formula is BM25 with k1 = 1.2 and b = 0.75",
    "vectorizer": "Words are kept beside the docstore: give one, or documents",
    "top_k": "k is its name here",
    "path": "docstore=SQLiteDocumentStore(path) keeps them in a file",
}
"""What other retrievers of words have."""


class BM25Retriever(ScoredRetriever):
    """Finds documents by the words of a question, and returns them as they were given, best first.

    >>> from langchain_core.documents import Document
    >>> ferry, tickets = Document("The ferry leaves at nine."), Document("Tickets are sold on board.")
    >>> retriever = BM25Retriever.from_documents([ferry, tickets], k=1)
    >>> retriever.invoke("When do ferries leave?")[0].page_content
    'The ferry leaves at nine.'

    Words are compared by their stems, in the language of each document, and identifiers by their parts too. Beside its
    text, a document is found by its title and its file, ``title`` and ``source`` in its metadata, and by the headings
    above it, where a splitter says so. What stands around it in its source counts, if both came in one call and are of
    one user, as far as ``user`` and the like in their metadata tell.

    A document has the id that it is given with, its own, or one made of its content; adding it again replaces it.
    """

    docstore: BaseStore[str, Document] = Field(default_factory=InMemoryStore)
    """Where documents and words are kept: in memory, or in the file of a `SQLiteDocumentStore`, which has all that was
    added when it is opened again."""
    k: int = Field(default=4, ge=1, strict=True)
    """How many are returned at most. ``invoke(query, k=…)`` overrides."""
    filter: dict[str, Any] | Callable[[Document], bool] | None = None
    """Which documents may be returned: what their metadata must equal, such as ``{"user": "anna"}``, or a function.
    ``invoke(query, filter=…)`` overrides."""
    score_metadata_key: str | None = None
    """Where in the metadata of what is returned its score is said too. None: nowhere."""

    @model_validator(mode="before")
    @classmethod
    def _check_names(cls, settings: Any) -> Any:
        if isinstance(settings, dict) and cls.model_config.get("extra") != "allow":
            check_names(cls.__name__, settings, cls.model_fields, PEERS)
        return settings

    @model_validator(mode="after")
    def _check_settings(self) -> BM25Retriever:
        _check_filter(self.filter)
        self._words()
        return self

    @classmethod
    def from_documents(cls, documents: Iterable[Document], ids: Sequence[str] | None = None, **settings: Any) -> Self:
        """Returns a retriever of documents. settings: see the class.

        Raises `SettingError` for what is no document, and if two that differ have one id.
        """
        retriever = cls(**settings)
        retriever.add_documents(documents, ids)
        return retriever

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        metadatas: list[dict[Any, Any]] | None = None,
        ids: Sequence[str] | None = None,
        **settings: Any,
    ) -> Self:
        """`from_documents`, of texts and the metadata of each. Raises `SettingError` if their numbers differ."""
        return cls.from_documents(documents_from_texts(texts, metadatas), ids, **settings)

    # -- searching --------------------------------------------------------------------------------------------------

    def invoke(  # type: ignore[override]
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[ScoredDocument]:
        """Returns the documents that have most of the question's words, the best first. ``k`` and ``filter`` may come
        with it. Raises `SettingError` for another option, and for a ``k`` that is no whole number of at least 1."""
        return super().invoke(input, config, **kwargs)

    async def ainvoke(  # type: ignore[override]
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[ScoredDocument]:
        """`invoke`, in a thread."""
        return await super().ainvoke(input, config, **kwargs)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [*self._search(query, kwargs)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [*await Awaiting().compute(self._search, query, kwargs)]

    def _search(self, query: str, given: Mapping[str, Any]) -> list[ScoredDocument]:
        require_question(query)
        check_names("a search of BM25Retriever", given, ["k", "filter"], PEERS)
        k, wanted = given.get("k", self.k), given.get("filter", self.filter)
        check_int("k", k, 1)
        _check_filter(wanted)
        index, most, overtaken = self._words(), max(k, MOST), set[str]()
        while True:
            ranked = index.search(query, most=most, budget=k * SIZE).scores
            scores = dict(sorted(ranked.items(), key=lambda each: (-each[1], each[0][1:])))  # see `SIDES`
            found, late = dict[str, Document](), set[str]()
            for keys in batches(scores, k if wanted is None else most):
                for key, each in zip(keys, self._stored([key[1:] for key in keys]), strict=True):
                    if each is not None and each.id != key:
                        late.add(key)
                    elif each is not None and (own := _own(each)) and _passes(own, wanted):
                        found[key] = own
                if len(found) >= k:
                    break
            if late - overtaken:  # the words of what was just replaced, or of an update that stopped
                overtaken |= late
                continue
            if len(found) >= k or len(scores) < most:
                found = dict(islice(found.items(), k))
                return self._build(found, scores, index.explain(query, found))
            most *= WIDENING

    def _build(
        self,
        found: Mapping[str, Document],
        scores: Mapping[str, float],
        words: Mapping[str, Mapping[str, Sequence[str]]],
    ) -> list[ScoredDocument]:
        """Returns documents with their scores, and as evidence which of the question's words each has."""
        best, results = max(scores.values(), default=1.0), list[ScoredDocument]()
        for key, document in found.items():
            name, text, score = key[1:], document.page_content, scores[key]
            metadata = copy_metadata(document)
            if title := title_of(metadata):
                metadata.setdefault("title", title)
            if self.score_metadata_key is not None:
                metadata[self.score_metadata_key] = score
            own = {field: [*of] for field, of in words.get(key, {}).items()}
            evidence = Evidence(score / best, vectors=0.0, words=score / best, document=0.0, found=own)
            match = {"id": name, "score": score, "text": text, "evidence": asdict(evidence)}
            results.append(ScoredDocument(page_content=text, id=name, metadata=metadata, score=score, matches=[match]))
        return results

    # -- writing ----------------------------------------------------------------------------------------------------

    def add_documents(self, documents: Iterable[Document], ids: Sequence[str] | None = None) -> list[str]:
        """Stores documents in place of what was stored under their ids -> those ids, one per document.

        Raises `SettingError` before anything is written; for a document with the id of another user's, before that is.
        """
        rows = list(iter_documents(documents))
        names = document_names(rows, ids)
        given: dict[str, Document] = {}
        for name, row in zip(names, rows, strict=True):
            own = Document(row.page_content, id=name, metadata=copy_metadata(row))
            first = given.setdefault(name, own)
            if (first.page_content, metadata_key(first.metadata)) != (own.page_content, metadata_key(own.metadata)):
                raise SettingError(f"two documents that differ have the id {name!r}: give each its own")
            if isinstance(self.docstore, SQLiteDocumentStore):
                encode_document(own)
        words = self._words()
        for some in batches(given, AT_ONCE):
            with document_lock(self.docstore, some):  # words come first, and go last: those of no document find nothing
                stored = dict(zip(some, self._stored(some), strict=True))
                for name, old in stored.items():
                    check_same_user(name, given[name].metadata, old.metadata if old else {})
                rows = [_beside(given[name], old) for name, old in stored.items()]
                words.put(_word_documents(rows), keep=True)
                self.docstore.mset(list(zip(_keys(some), rows, strict=True)))
                words.delete_texts(_other_side(row) for row in rows)
        return names

    async def aadd_documents(self, documents: Iterable[Document], ids: Sequence[str] | None = None) -> list[str]:
        """`add_documents`, in a thread."""
        return await Awaiting().compute(self.add_documents, documents, ids)

    def upsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """What `langchain_core.indexing.index` calls: `add_documents`."""
        return UpsertResponse(succeeded=self.add_documents(items), failed=[])

    async def _delete(self, calls: Calls, ids: list[str], scope: Mapping[str, Any] | None) -> list[str]:
        return await calls.compute(self._delete_stored, list(dict.fromkeys(ids)), scope)

    def _delete_stored(self, ids: list[str], scope: Mapping[str, Any] | None) -> list[str]:
        if scope is None:
            hidden = [name for name, each in self._own(ids).items() if not _passes(each, self.filter)]
            check_hidden("delete()", hidden, self.filter, None if callable(self.filter) else self.filter)
        deleted: list[str] = []
        words = self._words()
        for some in batches(ids, AT_ONCE):
            with document_lock(self.docstore, some):
                own = [name for name, each in self._own(some).items() if is_in_scope(each.metadata, scope)]
                gone = some if scope is None else own  # words may be left of what a stopped write never stored
                deleted += own
                self.docstore.mdelete(_keys(gone))
                words.delete_texts(side + name for name in gone for side in SIDES)
        return deleted

    async def _list_ids(self, calls: Calls, scope: Mapping[str, Any] | None) -> list[str]:
        return await calls.compute(self._list_stored, scope)

    def _list_stored(self, scope: Mapping[str, Any] | None) -> list[str]:
        names = sorted(key.removeprefix(KEYS) for key in self.docstore.yield_keys(prefix=KEYS))
        return names if scope is None else [name for name, each in self._own(names).items() if _passes(each, scope)]

    async def _get(self, calls: Calls, ids: list[str], scope: Mapping[str, Any] | None) -> list[Document]:
        stored = await calls.compute(self._own, ids)
        wanted = self.filter if scope is None else scope
        return [each.model_copy(deep=True) for each in stored.values() if _passes(each, wanted)]

    def _own(self, names: Sequence[str]) -> dict[str, Document]:
        """Those of these ids that are stored, each with its document, which has its own id."""
        stored = zip(names, self._stored(names), strict=True)
        return {name: _own(each) for name, each in stored if each is not None}

    def _stored(self, names: Sequence[str]) -> list[Document | None]:
        """What is stored under each id, see `SIDES`."""
        return self.docstore.mget(_keys(names))

    def _words(self) -> WordIndex:
        return word_index(self.docstore, WORDS, self._fill)

    def _fill(self, index: WordIndex) -> None:
        """Puts the words of what is stored into an index that has none: in a copy, or in a forked process."""
        for keys in batches(self.docstore.yield_keys(prefix=KEYS), AT_ONCE):
            with document_lock(self.docstore, [key.removeprefix(KEYS) for key in keys]):
                index.set_whole(False)
                stored = self.docstore.mget(keys)
                index.put(_word_documents([each for each in stored if each is not None]), keep=True)


def _keys(names: Iterable[str]) -> list[str]:
    return [KEYS + name for name in names]


def _own(stored: Document) -> Document:
    """A stored document -> it with its own id."""
    return stored.model_copy(update={"id": str(stored.id)[1:]})


def _beside(document: Document, old: Document | None) -> Document:
    """A document -> as it is stored in place of an old one: on the other side, if other words find it."""
    side = SIDES[0] if old is None else str(old.id)[0]
    if old is not None and _said_of(document) != _said_of(old):
        side = SIDES[1 - SIDES.index(side)]
    return document.model_copy(update={"id": f"{side}{document.id}"})


def _other_side(stored: Document) -> str:
    """A stored document -> the key of the words of what was or was to be in its place."""
    key = str(stored.id)
    return SIDES[1 - SIDES.index(key[0])] + key[1:]


def _said_of(document: Document) -> tuple[str, ...]:
    """What words find a document by, and whose neighbours count."""
    metadata = document.metadata
    words = document_words(metadata), chunk_words(metadata), context_of(metadata)
    return document.page_content, *words, _users_of(metadata)


def _users_of(metadata: Mapping[str, Any]) -> str:
    """What metadata say of whose a document is."""
    return metadata_key({key: value for key, value in metadata.items() if is_of_user(key)})


def _word_documents(documents: Iterable[Document]) -> dict[str, WordDocument]:
    """Stored documents -> what words find them by.

    Those of one file and one user are the texts of one document, so that each has its neighbours: what a filter hides
    counts for nothing that it shows.
    """
    groups: dict[tuple[str, str, str], list[Document]] = {}
    for document in documents:
        title, file = document_words(document.metadata), file_of(document.metadata)
        name = "" if ADDRESSED.search(file) else str(document.id)[1:]
        groups.setdefault((title, name, _users_of(document.metadata)), []).append(document)
    return {json.dumps(key): WordDocument(_word_texts(group), key[0]) for key, group in groups.items()}


def _word_texts(group: Sequence[Document]) -> list[WordText]:
    """Stored documents of one file -> what words are searched in."""
    texts = texts_with_contexts([each.page_content for each in group], [context_of(each.metadata) for each in group])
    return [WordText(str(each.id), text, chunk_words(each.metadata)) for each, text in zip(group, texts, strict=True)]


def _check_filter(wanted: object) -> None:
    """Raises `SettingError` unless it is a function, or metadata to be equal to."""
    if wanted is None or callable(wanted):
        return
    if not isinstance(wanted, Mapping) or any(isinstance(key, str) and key.startswith("$") for key in wanted):
        raise SettingError(f'filter must be metadata such as {{"user": "anna"}}, or a function, got {wanted!r:.80}')
    for key, value in wanted.items():
        if isinstance(value, Mapping) and any(isinstance(name, str) and name.startswith("$") for name in value):
            raise SettingError(f"filter has {key!r}: {value!r:.80}: it knows no operators, give a function instead")


def _passes(document: Document, wanted: Mapping[str, Any] | Callable[[Document], bool] | None) -> bool:
    return bool(wanted(document)) if callable(wanted) else is_in_scope(document.metadata, wanted)
