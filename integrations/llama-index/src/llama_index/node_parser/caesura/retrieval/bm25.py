"""BM25 retriever: nodes are found by the words of a question alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from itertools import islice
from typing import Any, ClassVar, Self

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.indices.base import BaseIndex
from llama_index.core.instrumentation import get_dispatcher  # type: ignore[attr-defined]
from llama_index.core.schema import BaseNode, NodeRelationship, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.vector_stores import MetadataFilters

from caesura.checks import check_int, check_names
from caesura.errors import SettingError
from caesura.sansio import Blocking, run
from caesura_retrieval.ranking import Evidence
from caesura_retrieval.upkeep import batches, check_scope, is_in_scope
from caesura_retrieval.word_index import WordDocument, WordIndex
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.key_locks import KeyLock
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.node_metadata import as_found
from llama_index.node_parser.caesura.nodes import check_documents, id_reference
from llama_index.node_parser.caesura.retrieval.docstore import OWNED, SQLiteDocumentStore, lists_left
from llama_index.node_parser.caesura.retrieval.found_node import FoundNode, add_title
from llama_index.node_parser.caesura.retrieval.index import HierarchyIndex
from llama_index.node_parser.caesura.retrieval.leaf_retriever import OTHER_NAMES, QuestionRetriever, check_filters
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words, version_key, word_document
from llama_index.node_parser.caesura.retrieval.leaves import find_leaves, in_order
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree
from llama_index.node_parser.caesura.vector_store_quirks import passes_filters

NAMESPACE = "bm25"
"""That of the nodes in a file, which may hold other document stores too."""
MOST = 500
"""How many nodes a search finds at first. Where filters leave too few, the next one finds four times as many."""
SIZE = 1000
"""About so many characters a node has: what surrounds it counts the more, the more are returned."""
READ = 50
"""How many nodes are read at once where there are filters."""
CHANGING = "\n"
"""Behind the name of a document: what the nodes that change in it are found by until they are written."""
STEMS = "Stems are taken by the language of each text, which is known by its words and letters: leave it out"
PEER_NAMES = {
    **{name: f"{own} is its name here" for name, own in OTHER_NAMES.items()},
    **dict.fromkeys(("stemmer", "language", "skip_stemming", "token_pattern", "tokenizer"), STEMS),
}
"""Settings of other retrievers, and what to say to a user who gives them."""

_dispatcher = get_dispatcher(__name__)


class BM25Retriever(QuestionRetriever):
    """Finds the nodes that have the words of a question, best first: no embedder is asked.

    Words count by their stems, in the language of each text, identifiers by their parts too, and so do a document's
    title or file and the headings above a node, as far as metadata or the text itself tell them. The scores are those
    of BM25: they compare nodes for one question. What is found are `FoundNode`s, which say by what.

    nodes: what is searched. docstore, index: instead, the nodes without children that a document store has now. Those
    of a `HierarchyIndex` are searched as it changes, by its own words: it alone writes them. path: a file that keeps
    nodes and words, made if it is not there; what it has already is searched too. By default they are in memory.
    similarity_top_k: nodes at most. filters: all operators are read as LlamaIndex's store in memory reads them.

    >>> from llama_index.core.schema import TextNode
    >>> nodes = [TextNode(text="The ferry leaves at nine."), TextNode(text="Tickets are sold on board.")]
    >>> BM25Retriever(nodes, similarity_top_k=1).retrieve("When do ferries leave?")[0].text
    'The ferry leaves at nine.'
    """

    _made_by: ClassVar[str] = "BM25Retriever"

    def __init__(
        self,
        nodes: Sequence[BaseNode] | None = None,
        *,
        docstore: BaseDocumentStore | None = None,
        index: BaseIndex[Any] | HierarchyIndex | None = None,
        path: str | os.PathLike[str] | None = None,
        similarity_top_k: int = 2,
        filters: MetadataFilters | None = None,
        **options: Any,
    ) -> None:
        """See the class. options: those of every retriever. Raises `SettingError`."""
        base = list(signature(BaseRetriever.__init__).parameters)[1:]
        check_names("BM25Retriever", options, [*list(signature(BM25Retriever).parameters)[:-1], *base], PEER_NAMES)
        check_int("similarity_top_k", similarity_top_k, 1)
        check_filters(filters)
        given = _stored(nodes, docstore, index)
        self.similarity_top_k = similarity_top_k
        self._filters = filters
        self._is_live = given is not None and OWNED in getattr(given, "_namespace", "")
        if self._is_live and path is not None:
            raise SettingError("a HierarchyIndex keeps its words itself, beside its nodes: leave path out")
        own = SimpleDocumentStore() if path is None else SQLiteDocumentStore(path, NAMESPACE)
        self._docstore: BaseDocumentStore = given if given is not None and self._is_live else own
        super().__init__(**options)
        self._words()  # raises where there can be none
        if given is not None and not self._is_live:
            nodes = [leaf.node for leaf in find_leaves(given.docs.values()).by_id.values()]
            if not nodes:
                raise SettingError(
                    f"{given!r:.80} has no nodes with a text: nodes of a vector store that keeps texts are not in the "
                    f"docstore of its index, and those of a HierarchyIndex are in its own; give nodes=[...], or index="
                )
        if nodes:
            self.insert_nodes(nodes)

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:
        """The constructor, under the name that LlamaIndex uses."""
        return cls(**settings)

    def close(self) -> None:
        """Closes the file, if there is one of its own."""
        if isinstance(self._docstore, SQLiteDocumentStore) and not self._is_live:
            self._docstore.close()

    # -- writing ----------------------------------------------------------------------------------------------------

    def insert_nodes(self, nodes: Sequence[BaseNode]) -> None:
        """Adds nodes. One takes the place of that with the same id. Raises `SettingError` for what is no node.

        A node without a SOURCE is its own.
        """
        given: dict[str, BaseNode] = {}
        for node in check_documents(nodes):
            source = node.source_node or id_reference(node)
            fields = {"embedding": None, "relationships": {**node.relationships, NodeRelationship.SOURCE: source}}
            given[node.node_id] = node.model_copy(update=fields)
        groups: dict[str, list[BaseNode]] = {}
        for node in given.values():
            groups.setdefault(_source(node), []).append(node)
        with self._alone_with(given, groups) as before:
            # words come first, and go last: those of a version that is not stored are passed over
            changed = [node for name, node in before.items() if version_key(node) != version_key(given[name])]
            if changed:
                made = {name + CHANGING: word_document(in_order(own), key=version_key) for name, own in groups.items()}
                self._words().put(made, keep=True)
            else:
                self._put_words({name: [*self._nodes_of(name), *own] for name, own in groups.items()})
            self._write(list(given.values()))
            if changed:
                self._put_words({name: self._nodes_of(name) for name in {*groups, *map(_source, changed)}})

    async def ainsert_nodes(self, nodes: Sequence[BaseNode]) -> None:
        """As `insert_nodes`, in a thread."""
        await asyncio.to_thread(self.insert_nodes, nodes)

    def delete_nodes(self, node_ids: Sequence[str]) -> None:
        """Deletes nodes. Ids that are not there are passed over. Raises `SettingError` for a str in place of a list."""
        if isinstance(node_ids, str):
            raise SettingError(f"node_ids must be a list of ids, got one str: pass [{node_ids!r:.80}]")
        with self._alone_with(node_ids, node_ids) as before:
            for name in node_ids:
                self._docstore.delete_document(name, raise_error=False)
            self._put_words({name: self._nodes_of(name) for name in {*node_ids, *map(_source, before.values())}})

    async def adelete_nodes(self, node_ids: Sequence[str]) -> None:
        """As `delete_nodes`, in a thread."""
        await asyncio.to_thread(self.delete_nodes, node_ids)

    def delete_ref_doc(self, ref_doc_id: str, *, scope: Mapping[str, Any] | None = None) -> None:
        """Deletes all nodes of a document, if it is there.

        scope: metadata such as ``{"user": "anna"}``; a document with a node that lacks it stays, as if its id were
        unknown. None: the document goes. Raises `SettingError` for a scope that says nothing.
        """
        check_scope(scope)
        with self._alone([ref_doc_id]):
            if not all(is_in_scope(node.metadata, scope) for node in self._nodes_of(ref_doc_id)):
                return
            self._docstore.delete_ref_doc(ref_doc_id, raise_error=False)
            self._put_words({ref_doc_id: []})

    async def adelete_ref_doc(self, ref_doc_id: str, *, scope: Mapping[str, Any] | None = None) -> None:
        """As `delete_ref_doc`, in a thread."""
        await asyncio.to_thread(self.delete_ref_doc, ref_doc_id, scope=scope)

    def _alone(self, documents: Iterable[str]) -> KeyLock:
        """Returns the lock under which these documents are written."""
        if self._is_live:
            raise SettingError("a HierarchyIndex alone writes its nodes: upsert and delete there")
        store = self._docstore
        return KeyLock(store, documents, store.path if isinstance(store, SQLiteDocumentStore) else None, alone=True)

    @contextmanager
    def _alone_with(self, node_ids: Iterable[str], documents: Iterable[str]) -> Iterator[dict[str, BaseNode]]:
        """Locks documents, and those that nodes with these ids are of, and yields these nodes by id."""
        names, locked = [*node_ids], {*documents}
        while True:
            with self._alone(locked):
                nodes = self._docstore.get_nodes(names, raise_error=False)
                sources = {_source(node) for node in nodes}
                if sources <= locked:
                    yield {node.node_id: node for node in nodes}
                    return
            locked |= sources

    def _write(self, nodes: Sequence[BaseNode]) -> None:
        """Stores nodes. Those that another document had are no longer in its list."""
        store = self._docstore
        if not isinstance(store, SimpleDocumentStore):
            store.add_documents(nodes)
            return
        left = lists_left(store, nodes)
        store.add_documents(nodes)
        for name, info in left.items():
            if info.node_ids:
                store._kvstore.put(name, info.to_dict(), store._ref_doc_collection)
            else:
                store._kvstore.delete(name, store._ref_doc_collection)

    def _put_words(self, documents: Mapping[str, Iterable[BaseNode]]) -> None:
        """Puts the words of documents that have these nodes; of several with one id, the last."""
        own = {name: {node.node_id: node for node in nodes}.values() for name, nodes in documents.items()}
        made = {name: word_document(in_order(nodes), key=version_key) for name, nodes in own.items()}
        self._words().put(made | {name + CHANGING: WordDocument(()) for name in documents})

    def _nodes_of(self, name: str) -> list[BaseNode]:
        info = self._docstore.get_ref_doc_info(name)
        return [] if info is None else self._docstore.get_nodes(info.node_ids, raise_error=False)

    def _words(self) -> WordIndex:
        """Those of the document store; in memory, where a forked process lacks them, made of its nodes."""
        if self._is_live or isinstance(self._docstore, SQLiteDocumentStore):
            return open_leaf_words(self._docstore)
        return shared_word_index(self._docstore, lambda: WordIndex(Store.in_memory()), self._fill)

    def _fill(self, words: WordIndex) -> None:
        names = self._docstore.get_all_ref_doc_info() or {}
        words.put({name: word_document(in_order(self._nodes_of(name)), key=version_key) for name in names})

    # -- searching --------------------------------------------------------------------------------------------------

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        question = query_bundle.query_str or ""
        scores, nodes = self._search(question)
        words = self._words().explain(question, list(nodes), headings=self._filters is None)
        best = max(scores.values(), default=0.0)
        found: list[NodeWithScore] = []
        for key, node in zip(nodes, as_found(nodes.values()), strict=True):
            share, own = scores[key] / best, words.get(key, {})
            found.append(FoundNode(node=add_title(node), score=scores[key], evidence=Evidence(share, 0, share, 0, own)))
        return found

    def _search(self, question: str) -> tuple[dict[str, float], dict[str, BaseNode]]:
        """Returns scores, and the nodes that are returned, the best first. Both by the keys of words."""
        words, most, wanted = self._words(), MOST, self.similarity_top_k
        passed: set[str] = set()
        while True:
            scores = words.search(question, most=most, budget=SIZE * wanted).scores
            passing, stale = dict[str, BaseNode](), set[str]()
            for keys in batches(scores, wanted if self._filters is None else max(READ, wanted)):
                names = {key: key if self._is_live else key.partition("\n")[2] for key in keys}
                tree = NodeTree(self._docstore, (), Blocking())
                run(tree.fetch(dict.fromkeys(names.values(), "")))  # those that no other thread has just deleted
                there = {key: tree.nodes[name].node for key, name in names.items() if name in tree.nodes}
                stored = {key: node for key, node in there.items() if self._is_live or version_key(node) == key}
                stale |= there.keys() - stored.keys()
                passing |= {key: node for key, node in stored.items() if passes_filters(node, self._filters)}
                if len(passing) >= wanted:
                    break
            if not stale <= passed:  # changed between the two reads, so that its new words may have been missed
                passed |= stale
            elif len(passing) >= wanted or len(scores) < most:
                return scores, dict(islice(passing.items(), wanted))
            else:
                most *= 4

    @_dispatcher.span
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _source(node: BaseNode) -> str:
    """The id of the document that a stored node is of."""
    return node.ref_doc_id or node.node_id


def _stored(nodes: object, docstore: object, index: object) -> BaseDocumentStore | None:
    """Returns the document store whose nodes are to be searched, if it is not nodes. Raises `SettingError`."""
    given = {"nodes": nodes, "docstore": docstore, "index": index}
    if len(named := [name for name, each in given.items() if each is not None]) > 1:
        raise SettingError(f"give nodes, a docstore or an index, one of them: got {' and '.join(named)}")
    if index is not None:
        if not isinstance(index, (BaseIndex, HierarchyIndex)):
            raise SettingError(f"index must be one of LlamaIndex, or a HierarchyIndex, got {index!r:.80}")
        docstore = index.docstore
    if docstore is not None and not isinstance(docstore, BaseDocumentStore):
        raise SettingError(f"docstore must be a document store, as storage_context.docstore is, got {docstore!r:.80}")
    return docstore
