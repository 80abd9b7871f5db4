"""Rows of leaves: which of them an edit changes, and what the vector store is given for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, IndexNode

from caesura.sansio import Calls
from caesura.vectors import stack_rows
from caesura_retrieval.document_embedders import DocumentEmbedder, embeds_documents
from caesura_retrieval.row_plan import RowEmbedder, RowLine, sign_rows
from llama_index.node_parser.caesura.node_metadata import MOVING, NodeMetadata
from llama_index.node_parser.caesura.retrieval.leaves import Leaf, group_leaves


class ChangedRows(NamedTuple):
    """The rows of a line that an edit changes: their numbers there, and the nodes as a vector store is given them."""

    line: RowLine
    numbers: list[int]
    nodes: list[BaseNode]


class _SignedRows(NamedTuple):
    """The rows of leaves: their line, the metadata of each, and a string that changes with what each is made of."""

    line: RowLine
    metadata: list[dict[str, Any]]
    signatures: list[str]

    @classmethod
    def of(
        cls, leaves: Sequence[Leaf], share: float, metadata: NodeMetadata, model: DocumentEmbedder | None
    ) -> _SignedRows:
        """Signs the rows of a document's leaves in their order, or of one reference. Embeddings that leaves have stay
        as they are."""
        known = {at: leaf.node.embedding for at, leaf in enumerate(leaves) if leaf.node.embedding is not None}
        contexts = [leaf.embedded_context for leaf in leaves]
        line = RowLine(leaves[0].document, [leaf.text for leaf in leaves], contexts, share, known)
        said = [metadata.without(leaf.node, MOVING) for leaf in leaves]
        contents = [
            json.dumps([leaf.node.node_id, leaf.text, own], sort_keys=True, default=repr)
            for leaf, own in zip(leaves, said, strict=True)
        ]
        return cls(line, said, sign_rows(line, contents, model))


def plan_leaf_rows(
    leaves: Sequence[Leaf], before: Sequence[Leaf], share: float, metadata: NodeMetadata, model: DocumentEmbedder | None
) -> list[ChangedRows]:
    """Returns the rows that change where leaves take the place of others, whose rows may stay.

    A row stays where what it was made of is the same: the node's own text and metadata, where leaves lean those of the
    leaves around, and of a `DocumentEmbedder` those of their runs. Where places do not tell the order that leaves had,
    none stays. What moves with the text before it is no part of a row.
    """
    plan: list[ChangedRows] = []
    known = group_leaves(before)
    for name, own in group_leaves(leaves).items():
        kept: dict[str, str] = {}
        if name in known and _are_in_order(own) and _are_in_order(known[name]):
            old = _SignedRows.of(known[name], share, metadata, model)
            kept = {leaf.node.node_id: signed for leaf, signed in zip(known[name], old.signatures, strict=True)}
        plan.append(_changed_rows(own, _SignedRows.of(own, share, metadata, model), kept))
    by_id = {leaf.node.node_id: leaf for leaf in before}
    for leaf in leaves:
        if isinstance(leaf.node, IndexNode):
            name = leaf.node.node_id
            kept = {name: _SignedRows.of([by_id[name]], 0.0, metadata, None).signatures[0]} if name in by_id else {}
            plan.append(_changed_rows([leaf], _SignedRows.of([leaf], 0.0, metadata, None), kept))
    return plan


def _changed_rows(leaves: Sequence[Leaf], rows: _SignedRows, kept: Mapping[str, str]) -> ChangedRows:
    """Returns the rows whose signature is not the one that is kept for the same node."""
    numbers = [at for at, leaf in enumerate(leaves) if kept.get(leaf.node.node_id) != rows.signatures[at]]
    nodes = [leaves[at].node.model_copy(update={"metadata": rows.metadata[at]}) for at in numbers]
    return ChangedRows(rows.line, numbers, nodes)


def _are_in_order(leaves: Sequence[Leaf]) -> bool:
    """Whether the places of leaves tell their order."""
    places = {leaf.place for leaf in leaves}
    return len(places) == len(leaves) and not any(unknown for unknown, *_ in places)


async def embed_leaf_rows(
    calls: Calls, embed_model: BaseEmbedding, plan: Sequence[ChangedRows], show_progress: bool
) -> dict[str, BaseNode]:
    """Returns the nodes of the rows that change, with their embeddings, by id.

    Raises `EmbeddingError` where embeddings differ in length.
    """

    async def embed(texts: list[str]) -> list[list[float]]:
        batch, abatch = embed_model.get_text_embedding_batch, embed_model.aget_text_embedding_batch
        rows = await calls.call(batch, abatch, texts, show_progress=show_progress)
        await calls.compute(stack_rows, rows, len(texts))
        return rows

    embedder = RowEmbedder(calls, embed, embed_model if embeds_documents(embed_model) else None)
    vectors = await embedder.vectors([(rows.line, rows.numbers) for rows in plan])
    nodes = {node.node_id: node for rows in plan for node in rows.nodes}
    for rows, own in zip(plan, vectors, strict=True):
        for node, vector in zip(rows.nodes, own, strict=True):
            node.embedding = vector
    stack_rows([node.embedding for node in nodes.values()], len(nodes))  # else no search would do
    return nodes
