"""Retrievers over the leaves of an index: the nearest of them, and passages around the best that fit a budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from inspect import signature
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.utils import get_tokenizer
from llama_index.core.vector_stores import (
    FilterCondition,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura.sizers import tokens
from caesura_retrieval.merging import SCORES, Score, check_merging
from caesura_retrieval.passages import PackedPassage, pack
from caesura_retrieval.ranking import FETCHED, fuse
from caesura_retrieval.upkeep import SEARCHES_AGAIN, search_until_whole
from caesura_retrieval.word_index import WordIndex
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.retrieval.layout import Fitting, Layout
from llama_index.node_parser.caesura.retrieval.leaves import as_empty
from llama_index.node_parser.caesura.retrieval.merging import NodeTree, warn_of_lost

IN_A_ROW = 20
"""Where so many in a row do not fit, the budget is taken for full."""
OPTIONS: frozenset[str] = frozenset(signature(VectorIndexRetriever.__init__).parameters) - {
    "self",
    "index",
    "similarity_top_k",
    "kwargs",
} | {"vector_store_kwargs"}
SETTINGS = "budget", "words", "similarity_top_k", "merge_ratio", "score", "fill_gaps"
"""Those of `HierarchyIndex.as_retriever`, beside the options of LlamaIndex's own."""


def check_options(options: Iterable[str], known: Iterable[str] = (), caller: str = "as_retriever") -> None:
    """Raises `SettingError` for an option of a method that nobody knows: `VectorIndexRetriever` would ignore it."""
    names = [*SETTINGS, *OPTIONS, *known]
    for name in sorted(set(options).difference(names)):
        near = ["similarity_top_k"] if name in ("k", "top_k") else get_close_matches(name, names, 1)
        meant = f"is {near[0]} meant? " if near else ""
        raise SettingError(
            f"{caller}() has no option {name}: {meant}It has {', '.join(SETTINGS)}, and VectorIndexRetriever's "
            f"{', '.join(sorted(OPTIONS))}"
        )


class LeafRetriever(VectorIndexRetriever):
    """LlamaIndex's own, but nodes are those of the document store, which knows their places and parents.

    A writer in another thread may come into a search, or between it and the look into the document store. New rows are
    there before old ones go, so that the next search finds them. What two searches in a row lead to and is not there is
    lost: it is left out, with a warning in the log.
    """

    def __init__(self, index: VectorStoreIndex, similarity_top_k: int, **options: Any) -> None:
        """As LlamaIndex's. Raises `SettingError` for an option that it would silently ignore, or a number under 1."""
        check_int("similarity_top_k", similarity_top_k, 1)
        check_options(options)
        super().__init__(index, similarity_top_k=similarity_top_k, **options)

    def _get_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        return run(self._search(Blocking(), query_bundle_with_embeddings))

    async def _aget_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        return await self._search(Awaiting(), query_bundle_with_embeddings)

    async def _search(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        found: list[tuple[str, float | None]] = []

        async def search(_: Set[str]) -> tuple[NodeTree, Set[str]]:
            tree = NodeTree(self._docstore, (), calls)
            found[:] = await self._find(calls, query)
            await tree.fetch({name: "which was found" for name, _ in found})
            return tree, tree.missing.keys()

        tree, missed = await search_until_whole(search)
        warn_of_lost(tree, missed)
        nodes = ((tree.nodes.get(name), score) for name, score in found)
        return [NodeWithScore(node=node, score=score) for node, score in nodes if node and self._may_be_found(node)]

    async def _find(self, calls: Calls, query: QueryBundle) -> list[tuple[str, float | None]]:
        """A query -> the ids of the nodes that the vector store finds, and scores, the nearest first."""
        store, wanted = self._vector_store, self._build_vector_store_query(query)
        if wanted.query_embedding is None and self._needs_embedding():
            return []  # an empty question
        left = SEARCHES_AGAIN
        while True:
            try:
                if self._doc_ids is not None and isinstance(store, SimpleVectorStore):  # which looks at rows alone
                    rows, documents = store.data.text_id_to_ref_doc_id, {*self._doc_ids}
                    among = rows if self._node_ids is None else self._node_ids
                    wanted.node_ids = [row for row in among if rows.get(row) in documents]
                _check_dimension(store, wanted.query_embedding)
                result = VectorStoreQueryResult()
                with as_empty():
                    result = await calls.call(store.query, store.aquery, wanted, **self._kwargs)
                break
            except (KeyError, RuntimeError):  # a dict that changed while it was gone through
                if store.stores_text or not left:
                    raise
                left -= 1
        nodes = self._index.index_struct.nodes_dict
        names = [node.node_id for node in result.nodes or ()] or [nodes.get(row, row) for row in result.ids or ()]
        scores: Sequence[float | None] = result.similarities or [None] * len(names)
        return list(zip(names, scores, strict=True))

    def _may_be_found(self, node: BaseNode) -> bool:
        """Whether a node is among `doc_ids` and `node_ids`, of which some vector stores know nothing."""
        return (self._doc_ids is None or document_id(node) in self._doc_ids) and (
            self._node_ids is None or node.node_id in self._node_ids
        )


class PassageRetriever(LeafRetriever):
    """Ranks leaves by vectors and words, and returns passages of the documents that fit a budget together, best first.

    index: of the leaves. docstore: its own, where nodes of all levels are. budget: tokens of LlamaIndex's tokenizer
    that the passages have at most, with the metadata that a language model is shown. words: what the best by words
    counts beside the nearest, which counts 1; with word_index, where they are searched for. most: passages at most.
    merge_ratio: a parent takes the place of what was found in it if at least this share of its leaves was, and if it
    fits. score: of a passage, of those of what was found in it. places: what nodes say of where they stand.

    The 200 nearest leaves are ranked, and the 500 that have most of the words. Each is taken if it fits beside all that
    are better, until 20 in a row do not; of the first ten that do not, the sentences that have the words are taken.
    Neighbours become one node, an exact slice of what both lie in, between them too; where no node holds that, they
    stay two. What is found alone is the node itself. An `IndexNode` stands for the node that its `index_id` names.
    """

    def __init__(
        self,
        index: VectorStoreIndex,
        budget: int,
        words: float = 0,
        word_index: WordIndex | None = None,
        most: int | None = None,
        merge_ratio: float = 0.5,
        score: Score = "max",
        places: NodeMetadata | None = None,
        **options: Any,
    ) -> None:
        """See the class. options: those of `VectorIndexRetriever`. Raises `SettingError`."""
        check_int("budget", budget, 1)
        check_merging(merge_ratio, score)
        if most is not None:
            check_int("similarity_top_k", most, 1)
        super().__init__(index, FETCHED, **options)
        self._budget, self._most, self._merge_ratio, self._score = budget, most, merge_ratio, SCORES[score]
        self._words, self._places = words, places
        self._word_index = word_index if words else None

    async def _search(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        packed: list[NodeWithScore] = []

        async def search(_: Set[str]) -> tuple[NodeTree, Set[str]]:
            tree = NodeTree(self._docstore, self.object_map, calls)
            fitting = Fitting(tokens(get_tokenizer()), query.query_str or "")
            packed[:] = await self._pack(tree, await self._rank(tree, query), fitting)
            return tree, tree.missing.keys()

        tree, missed = await search_until_whole(search)
        warn_of_lost(tree, missed)
        return packed

    async def _rank(self, tree: NodeTree, query: QueryBundle) -> list[tuple[str, float]]:
        """A query -> names of nodes and scores, the best first."""
        near = await self._find(tree.calls, query)
        words: dict[str, float] = {}
        if self._word_index is not None and query.query_str:
            names = [name for name, _ in near]
            words = await tree.calls.compute(self._word_index.search, query.query_str, names)
            alone = words.keys() - set(names)
            if alone and self._filters:
                await tree.fetch(dict.fromkeys(sorted(alone), "which has the words"))
                words = {name: score for name, score in words.items() if name not in alone or self._passes(tree, name)}
        if self._doc_ids is not None or self._node_ids is not None:
            await tree.fetch(dict.fromkeys([*(name for name, _ in near), *words], "which was found"))
            allowed = {name for name, node in tree.nodes.items() if self._may_be_found(node)}
            near = [each for each in near if each[0] in allowed]
            words = {name: score for name, score in words.items() if name in allowed}
        return list(fuse(near, words, self._words).items())

    def _passes(self, tree: NodeTree, name: str) -> bool:
        """Whether a node passes the filters, as LlamaIndex's vector store in memory reads them."""
        node = tree.nodes.get(name)
        if node is None or self._filters is None:
            return False
        document = document_id(node)
        try:
            metadata = {**node.metadata, **dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), document)}
            return _fits(metadata, self._filters)
        except TypeError:  # what is there cannot be compared with what is asked for
            return False

    async def _pack(
        self, tree: NodeTree, ranking: Sequence[tuple[str, float]], fitting: Fitting
    ) -> list[NodeWithScore]:
        """What was ranked -> the passages."""
        scores: dict[str, float] = {}
        layout = Layout(tree, ())
        passages: list[PackedPassage] = []
        for start in range(0, len(ranking), IN_A_ROW):
            some = dict(ranking[start : start + IN_A_ROW])
            await tree.fetch(dict.fromkeys(some, "which was found"))
            await tree.resolve(some)
            new: dict[str, float] = {}
            for name, score in some.items():
                if name in tree.nodes and tree.target(name) not in scores:
                    new.setdefault(tree.target(name), score)
            scores |= new
            await tree.ascend(new)
            layout = await tree.calls.compute(Layout, tree, scores, (), self._places)
            passages = await tree.calls.compute(self._fit, layout, scores, fitting)
            if not any(name in new for passage in passages for name in passage.found):
                break
        taken = {name for passage in passages for name in passage.found}
        parents = layout.promising_parents(taken, self._merge_ratio)
        if parents:
            await tree.descend(parents)
            layout = await tree.calls.compute(Layout, tree, scores, parents, self._places)
            passages = await tree.calls.compute(self._fit, layout, scores, fitting)
        results = [
            NodeWithScore(node=layout.node(each.span), score=self._score([scores[name] for name in each.found]))
            for each in passages
        ]
        return sorted(results, key=lambda result: -result.get_score())

    def _fit(self, layout: Layout, scores: Mapping[str, float], fitting: Fitting) -> list[PackedPassage]:
        return pack(
            scores.items(),
            layout.spans,
            self._budget,
            size=lambda span: fitting.measure(layout, span),
            most=self._most,
            shorten=lambda span, room: fitting.shorten(layout, span, room),
            parents=layout.parents,
            merge_ratio=self._merge_ratio,
        )


def _check_dimension(store: object, question: Sequence[float] | None) -> None:
    """Raises `SettingError` for a question that has not as many numbers as the rows of LlamaIndex's store in memory."""
    row = next(iter(store.data.embedding_dict.values()), None) if isinstance(store, SimpleVectorStore) else None
    if row is not None and question is not None and len(row) != len(question):
        raise SettingError(
            f"the index has rows of {len(row)} numbers, and embed_model makes {len(question)} of a question: give the "
            f"embed_model that it was made with, or HierarchyIndex.sync(documents) makes it anew"
        )


def _fits(metadata: Mapping[str, Any], filters: MetadataFilters) -> bool:
    """Whether metadata pass filters, which may hold others. No filters: they do. Raises `TypeError`."""
    fit = [
        _fits(metadata, each)
        if isinstance(each, MetadataFilters)
        else build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[each]))("")
        for each in filters.filters
    ]
    if filters.condition == FilterCondition.NOT:
        return not any(fit)
    return any(fit) or not fit if filters.condition == FilterCondition.OR else all(fit)
