"""A query in, the smallest nodes of an index out, while others write to it too."""

from __future__ import annotations

from difflib import get_close_matches
from inspect import signature
from typing import Any

from llama_index.core import VectorStoreIndex
from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from caesura.errors import SettingError, whole

AGAIN = 10
"""Searches more at most, where another thread wrote during the last."""

OPTIONS: frozenset[str] = frozenset(signature(VectorIndexRetriever.__init__).parameters) - {
    "self",
    "index",
    "similarity_top_k",
    "kwargs",
} | {"vector_store_kwargs"}


class FindingRetriever(VectorIndexRetriever):
    """LlamaIndex's own, which searches again where what it found was taken away before it could be fetched.

    A vector store without texts (`SimpleVectorStore`) returns ids, of which LlamaIndex then fetches the nodes: a writer
    in another thread may come between, or into the search itself. New rows are there before old ones go, so that the
    next search finds them.
    """

    def __init__(self, index: VectorStoreIndex, similarity_top_k: int, **options: Any) -> None:
        """As LlamaIndex's. Raises `SettingError` for an option that it would silently ignore, or a number under 1."""
        whole("similarity_top_k", similarity_top_k, 1)
        for name in sorted(options.keys() - OPTIONS):
            near = get_close_matches(name, ["similarity_top_k", "merge_ratio", "score", "fill_gaps", *OPTIONS], 1)
            meant = f"is {near[0]} meant? " if near else ""
            raise SettingError(
                f"as_retriever() has no option {name}: {meant}VectorIndexRetriever's are {sorted(OPTIONS)}"
            )
        super().__init__(index, similarity_top_k=similarity_top_k, **options)

    def _get_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        for _ in range(AGAIN):
            try:
                return super()._get_nodes_with_embeddings(query_bundle_with_embeddings)
            except (KeyError, RuntimeError):  # a node that is gone; a dict that changed while it was gone through
                if self._vector_store.stores_text:
                    raise
        return super()._get_nodes_with_embeddings(query_bundle_with_embeddings)

    async def _aget_nodes_with_embeddings(self, query_bundle_with_embeddings: QueryBundle) -> list[NodeWithScore]:
        for _ in range(AGAIN):
            try:
                return await super()._aget_nodes_with_embeddings(query_bundle_with_embeddings)
            except (KeyError, RuntimeError):
                if self._vector_store.stores_text:
                    raise
        return await super()._aget_nodes_with_embeddings(query_bundle_with_embeddings)
