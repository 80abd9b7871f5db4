"""Retriever of the leaves of an index: the nearest of them, as the document store has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from difflib import get_close_matches
from inspect import signature
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle

from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls, run
from caesura_retrieval.upkeep import search_until_whole
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree, warn_of_lost
from llama_index.node_parser.caesura.vector_store_quirks import query_rows

OPTIONS: frozenset[str] = frozenset(signature(VectorIndexRetriever.__init__).parameters) - {
    "self",
    "index",
    "similarity_top_k",
    "kwargs",
} | {"vector_store_kwargs"}
SETTINGS = "budget", "words", "similarity_top_k", "merge_ratio", "score"
"""The settings of `HierarchyIndex.as_retriever`, beside the options of LlamaIndex's own retriever."""


def check_options(options: Iterable[str], known: Iterable[str] = (), caller: str = "as_retriever") -> None:
    """Raises `SettingError` for an unknown option of a method: `VectorIndexRetriever` would ignore it."""
    names = [*SETTINGS, *OPTIONS, *known]
    for name in sorted(set(options).difference(names)):
        near = ["similarity_top_k"] if name in ("k", "top_k") else get_close_matches(name, names, 1)
        meant = f"is {near[0]} meant? " if near else ""
        raise SettingError(
            f"{caller}() has no option {name}: {meant}It has {', '.join(SETTINGS)}, and VectorIndexRetriever's "
            f"{', '.join(sorted(OPTIONS))}"
        )


class LeafRetriever(VectorIndexRetriever):
    """LlamaIndex's own retriever, but it returns the nodes of the document store, which know their places and parents.

    A writer in another thread may come into a search, or between it and the look into the document store. New rows are
    there before old ones go, so that the next search finds them. A node that two searches in a row lead to, and that is
    not there, is lost: it is left out, with a warning in the log.
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
        """Returns the ids and scores of the nodes that the vector store finds, the nearest first."""
        wanted = self._build_vector_store_query(query)
        if wanted.query_embedding is None and self._needs_embedding():
            return []  # an empty question
        result = await query_rows(calls, self._vector_store, wanted, self._kwargs)
        nodes = self._index.index_struct.nodes_dict
        names = [node.node_id for node in result.nodes or ()] or [nodes.get(row, row) for row in result.ids or ()]
        scores: Sequence[float | None] = result.similarities or [None] * len(names)
        return list(zip(names, scores, strict=True))

    def _may_be_found(self, node: BaseNode) -> bool:
        """Whether a node is among `doc_ids` and `node_ids`, of which some vector stores know nothing."""
        return (self._doc_ids is None or document_id(node) in self._doc_ids) and (
            self._node_ids is None or node.node_id in self._node_ids
        )
