"""Retriever of the leaves of an index: the nearest of them, as the document store has them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from math import inf
from typing import Any, ClassVar, Never

import numpy as np
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.data_structs.data_structs import IndexDict
from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, QueryType
from llama_index.core.vector_stores import MetadataFilters

from caesura.checks import check_int, check_number
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_documents.caller_warning import warn_caller
from caesura_retrieval.upkeep import SEARCHES_AGAIN
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree, Passes, search_whole
from llama_index.node_parser.caesura.vector_store_quirks import (
    may_hide_rows,
    metadata_of_rows,
    passes_filters,
    query_rows,
)

logger: logging.Logger = logging.getLogger(__name__)
OPTIONS: frozenset[str] = frozenset(signature(VectorIndexRetriever.__init__).parameters) - {
    "self",
    "index",
    "similarity_top_k",
    "kwargs",
} | {"vector_store_kwargs"}
LOOKED_AT = 20
"""The nearest rows, of which it is seen whether they are the index's own; if one is not, all are looked at."""
OTHER_NAMES: Mapping[str, str] = {"k": "similarity_top_k", "top_k": "similarity_top_k"}
"""Settings as other retrievers name them, and their names here."""
SETTINGS = "budget", "words", "similarity_top_k", "merge_ratio", "score", "similarity_cutoff", "show_pages"
"""The settings of `HierarchyIndex.as_retriever`, beside the options of LlamaIndex's own retriever."""


def check_options(options: Iterable[str], known: Iterable[str] = (), caller: str = "as_retriever") -> None:
    """Raises `SettingError` for an unknown option of a method: `VectorIndexRetriever` would ignore it."""
    names = [*SETTINGS, *OPTIONS, *known]
    for name in sorted(set(options).difference(names)):
        near = [OTHER_NAMES[name]] if name in OTHER_NAMES else get_close_matches(name, names, 1)
        meant = f"is {near[0]} meant? " if near else ""
        raise SettingError(
            f"{caller}() has no option {name}: {meant}It has {', '.join(SETTINGS)}, and VectorIndexRetriever's "
            f"{', '.join(sorted(OPTIONS))}"
        )


def check_filters(filters: Any) -> None:
    """Raises `SettingError` for filters that are not LlamaIndex's: a store may ignore them."""
    if filters is not None and not isinstance(filters, MetadataFilters):
        raise SettingError(
            f"filters must be MetadataFilters of LlamaIndex, got {filters!r:.80}: "
            f"MetadataFilters(filters=[MetadataFilter(key='kind', value='talk')])"
        )


class QuestionRetriever(BaseRetriever):
    """A retriever whose settings are given before a search. Others, as LangChain's, take them with each question."""

    _made_by: ClassVar[str] = "as_retriever"

    def retrieve(self, str_or_query_bundle: QueryType, **settings: Never) -> list[NodeWithScore]:
        """Returns what is found for a question, as LlamaIndex's. Raises `SettingError` for settings of one search."""
        self._check_alone("retrieve", settings)
        found: list[NodeWithScore] = _without_span(BaseRetriever.retrieve)(self, str_or_query_bundle)
        return found

    async def aretrieve(self, str_or_query_bundle: QueryType, **settings: Never) -> list[NodeWithScore]:
        """As `retrieve`, by awaited methods."""
        self._check_alone("aretrieve", settings)
        found: list[NodeWithScore] = await _without_span(BaseRetriever.aretrieve)(self, str_or_query_bundle)
        return found

    def _check_alone(self, method: str, settings: Mapping[str, Any]) -> None:
        if settings:
            given = ", ".join(f"{name}={value!r:.40}" for name, value in settings.items())
            own = {OTHER_NAMES.get(name, name): value for name, value in settings.items()}
            meant = ", ".join(f"{name}={value!r:.40}" for name, value in own.items())
            raise SettingError(
                f"{method}() takes a question alone, and got {given}: {self._made_by}({meant}).{method}(…)"
            )


def _without_span(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a method of LlamaIndex without its span, because ours has one. A wrapper of a tracer around it stays."""
    inner = getattr(method, "__wrapped__", method)
    return method if hasattr(inner, "__wrapped__") else inner


class LeafRetriever(QuestionRetriever, VectorIndexRetriever):
    """LlamaIndex's own retriever, but it returns the nodes of the document store, which know their places and parents.

    A node that is not there, since another thread writes, is searched for again: see `search_whole`.
    """

    def __init__(
        self,
        index: VectorStoreIndex,
        similarity_top_k: int,
        describe_lost: Callable[[], str] | None = None,
        similarity_cutoff: float | None = None,
        **options: Any,
    ) -> None:
        """As LlamaIndex's. describe_lost: returns a warning of what no search can find, which the first search says.
        similarity_cutoff: see `HierarchyIndex.as_retriever`.

        Raises `SettingError` for an option that LlamaIndex's would silently ignore, or a number under 1.
        """
        check_int("similarity_top_k", similarity_top_k, 1)
        if similarity_cutoff is not None:
            check_number("similarity_cutoff", similarity_cutoff, -inf, inf)
        check_options(options)
        check_filters(options.get("filters"))
        super().__init__(index, similarity_top_k=similarity_top_k, **options)
        self._passes: Passes | None = filter_of(self)
        self._describe_lost = describe_lost
        self._cutoff = similarity_cutoff

    def _get_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        return run(self._search(Blocking(), query_bundle_with_embeddings))

    async def _aget_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        return await self._search(Awaiting(), query_bundle_with_embeddings)

    async def _search(self, calls: Calls, query: QueryBundle) -> list[NodeWithScore]:
        found: list[tuple[str, float | None]] = []

        async def search(tree: NodeTree) -> None:
            found[:] = await self._find(tree, query)
            await tree.fetch(dict.fromkeys((name for name, _ in found), ""))

        tree = await search_whole(self._docstore, calls, search)
        there = [(tree.nodes[name], score) for name, score in found if name in tree.nodes]
        seen = [(each.node, score) for each, score in there if each.document not in tree.changed]
        if (passes := self._passes) is not None:
            seen = [each for each in seen if tree.is_of_row(each[0]) or passes(each[0])]
        return [NodeWithScore(node=node, score=score) for node, score in seen if is_listed(self, node)]

    async def _find(self, tree: NodeTree, query: QueryBundle) -> list[tuple[str, float | None]]:
        """Returns the ids and scores of the nodes that the vector store finds, the nearest first.

        Rows that lead to no node are another's, or of a version that is not seen, and those of what is left out are not
        returned: more are asked for in their place. If none has the score of the cutoff, none is returned.
        """
        describe, self._describe_lost = self._describe_lost, None
        if describe is not None and (message := await tree.calls.compute(describe)):
            warn_caller(message)
        wanted = self._build_vector_store_query(query)
        if self._needs_embedding() and not is_direction(wanted.query_embedding):
            return []
        versions, nodes = tree.versions, self._index.index_struct.nodes_dict
        most, left = self._similarity_top_k, SEARCHES_AGAIN
        found: list[tuple[str, float | None]]
        while True:
            result = await query_rows(tree.calls, self._vector_store, wanted, self._kwargs)
            names = [node.node_id for node in result.nodes or ()] or [nodes.get(row, row) for row in result.ids or ()]
            scores: Sequence[float | None] = result.similarities or [None] * len(names)
            if self._passes is not None:
                tree.rows.update(metadata_of_rows(self._vector_store, result))
            present = {*names}
            if versions is not None and len(await versions.present(names[:LOOKED_AT])) < len(names[:LOOKED_AT]):
                present = await versions.present(names)
            tree.missing.update((name, "") for name in names if name not in present)
            if tree.left_out:
                await tree.fetch(dict.fromkeys(names, ""))
                present &= tree.nodes.keys()
            found = [(name, score) for name, score in zip(names, scores, strict=True) if name in present]
            if len(found) >= most or len(names) < wanted.similarity_top_k or not left:
                break
            wanted.similarity_top_k, left = wanted.similarity_top_k * 4, left - 1
        if names and not found and not tree.left_out and not self._are_of_others(result.ids or ()):
            logger.warning(
                "none of the %d rows that were found is of a document of %r: another index wrote them, or this is not "
                "the docstore that was written together with the vector store",
                len(names),
                self._docstore,
            )
        if self._cutoff is not None and not any(score is not None and score >= self._cutoff for _, score in found):
            return []
        return found[:most]

    def _are_of_others(self, rows: Sequence[str]) -> bool:
        """Whether other indexes of the same storage context list these rows as theirs."""
        structs = self._index.storage_context.index_store.index_structs()
        others = [each for each in structs if each.index_id != self._index.index_id and isinstance(each, IndexDict)]
        return all(any(row in each.nodes_dict for each in others) for row in rows)


def is_direction(row: Sequence[float] | None) -> bool:
    """Whether texts can be near a row: it is there, finite, and not of zeros, as that of an empty question may be."""
    return row is not None and bool(np.isfinite(row).all() and np.any(row))


def is_listed(retriever: BaseRetriever, node: BaseNode) -> bool:
    """Whether a node is among a retriever's `doc_ids` and `node_ids`, of which some vector stores know nothing."""
    documents, nodes = getattr(retriever, "_doc_ids", None), getattr(retriever, "_node_ids", None)
    return (documents is None or document_id(node) in documents) and (nodes is None or node.node_id in nodes)


def filter_of(retriever: BaseRetriever) -> Passes | None:
    """Returns the filter of a `VectorIndexRetriever`, or of those that LlamaIndex's retrievers of several ask.

    None: it has none, or it cannot be known. Options of a store's own may be a filter that nobody else can read: then
    only what the store finds passes.
    """
    if not isinstance(retriever, VectorIndexRetriever):
        inner = getattr(retriever, "_retrievers", None) or [getattr(retriever, "_retriever", None)]
        known = [filter_of(each) for each in inner if isinstance(each, BaseRetriever)]
        every = [passes for passes in known if passes is not None]
        return (lambda node: any(passes(node) for passes in every)) if every and len(every) == len(known) else None
    if may_hide_rows(retriever._vector_store, retriever._kwargs):
        return lambda _: False
    filters = retriever._filters
    if filters is None and retriever._doc_ids is None and retriever._node_ids is None:
        return None
    return lambda node: is_listed(retriever, node) and passes_filters(node, filters)
