"""Smallest nodes of documents: their order, their words, and which of their rows an edit touches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura.vectors import stack_rows
from caesura_documents.chunk_metadata import CONTEXT_KEY, context_of
from caesura_retrieval.document_embedders import DocumentEmbedder, embeds_documents
from caesura_retrieval.row_plan import RowEmbedder, RowLine, sign_rows
from caesura_retrieval.word_index import WordIndex
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.node_metadata import MOVING, NodeMetadata
from llama_index.node_parser.caesura.nodes import document_id
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore


def is_searchable(node: BaseNode) -> bool:
    """Whether a node is embedded: one without children, or a reference, that has something to embed."""
    small = isinstance(node, IndexNode) or not node.child_nodes
    return small and _own_content(node) != ""


def group_leaves(nodes: Iterable[BaseNode]) -> dict[str, list[BaseNode]]:
    """Nodes -> those that are embedded and no references, of each document, in its order as far as places tell it."""
    groups: dict[str, list[BaseNode]] = {}
    for node in nodes:
        if is_searchable(node) and not isinstance(node, IndexNode):
            groups.setdefault(document_id(node), []).append(node)
    return {name: sorted(group, key=_place) for name, group in groups.items()}


def _place(node: BaseNode) -> tuple[bool, int, int]:
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    return start is None, start or 0, end or 0


# -- words -----------------------------------------------------------------------------------------------------------


def word_index(docstore: BaseDocumentStore) -> WordIndex:
    """A document store -> the words of its leaves, which are kept in its file, or in memory as it is.

    Words in memory are those of the nodes that the store has when it is first asked for here. Raises `SettingError` for
    a store that is not ours or LlamaIndex's own in memory, and where this Python's SQLite cannot search for words.
    """
    if isinstance(docstore, SQLiteDocumentStore):
        return shared_word_index(docstore, docstore.open_words)
    if not isinstance(docstore, SimpleDocumentStore):
        raise SettingError(
            f"a question's words are searched for beside a SQLiteDocumentStore or a SimpleDocumentStore, and docstore "
            f"is a {type(docstore).__name__}: use SQLiteDocumentStore(path), or words=0 to search by vectors alone"
        )
    return shared_word_index(docstore, lambda: WordIndex(Store.in_memory()), partial(_fill, docstore))


def _fill(docstore: BaseDocumentStore, index: WordIndex) -> None:
    infos = docstore.get_all_ref_doc_info() or {}
    names = [name for info in infos.values() for name in info.node_ids]
    nodes = (docstore.get_document(name, raise_error=False) for name in names)
    index.put(word_rows(infos, group_leaves(node for node in nodes if node is not None)))


def word_rows(names: Iterable[str], leaves: Mapping[str, Sequence[BaseNode]]) -> dict[str, list[tuple[str, str]]]:
    """Documents, and the leaves of each that has some -> what their words are searched in."""
    return {
        name: [
            (leaf.node_id, context + leaf.get_content(metadata_mode=MetadataMode.NONE))
            for leaf, context in zip(leaves.get(name, ()), _contexts(leaves.get(name, ())), strict=True)
        ]
        for name in names
    }


def _contexts(leaves: Sequence[BaseNode]) -> Iterator[str]:
    """The context of each leaf, where it is not that of the one before: words that all of a document have find none."""
    before = ""
    for leaf in leaves:
        context = context_of(leaf.metadata)
        yield f"{context}\n" if context and context != before else ""
        before = context


# -- rows ------------------------------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Nodes whose rows an edit changes: their line, their numbers there, and they themselves."""

    line: RowLine
    numbers: list[int]
    nodes: list[BaseNode]


def plan_rows(
    nodes: Sequence[BaseNode],
    before: Mapping[str, Sequence[BaseNode]],
    context: float,
    places: NodeMetadata,
    model: DocumentEmbedder | None,
) -> list[Rows]:
    """What documents are now embedded by, and all nodes that those had whose rows may stay -> the rows that change.

    A row stays where what it was made of is the same: the node's own text and metadata, where leaves lean those of the
    leaves around, and of a `DocumentEmbedder` those of their runs. Where places do not tell the order that leaves had,
    none stays. What moves of what `places` say is no part of a row.
    """
    plan: list[Rows] = []
    old = {node.node_id: node for group in before.values() for node in group}
    known = group_leaves(old.values())
    for name, leaves in group_leaves(nodes).items():
        line = _line(name, leaves, context)
        signatures = sign_rows(line, [_signature(leaf, places) for leaf in leaves], model)
        kept: dict[str, str] = {}
        if name in known and _are_in_order(leaves) and _are_in_order(known[name]):
            were = known[name]
            signed = sign_rows(_line(name, were, context), [_signature(leaf, places) for leaf in were], model)
            kept = {leaf.node_id: signature for leaf, signature in zip(were, signed, strict=True)}
        changed = [at for at, leaf in enumerate(leaves) if kept.get(leaf.node_id) != signatures[at]]
        plan.append(Rows(line, changed, [leaves[at] for at in changed]))
    for node in nodes:
        same = node.node_id in old and _signature(old[node.node_id], places) == _signature(node, places)
        if isinstance(node, IndexNode) and is_searchable(node) and not same:
            plan.append(Rows(_line(document_id(node), [node], 0.0), [0], [node]))
    return plan


def _line(name: str, nodes: Sequence[BaseNode], share: float) -> RowLine:
    """Leaves of a document in their order, or one reference -> how they are embedded. What they have as embedding
    stays as it is."""
    known = {at: node.embedding for at, node in enumerate(nodes) if node.embedding is not None}
    return RowLine(name, [*map(_own_content, nodes)], [*map(_shared, nodes)], share, known)


async def embed_plan(
    calls: Calls, model: BaseEmbedding, plan: Sequence[Rows], show_progress: bool
) -> dict[str, list[float]]:
    """The rows that change -> the vector of each node. Raises `EmbeddingError` where they differ in length."""

    async def embed(texts: list[str]) -> list[list[float]]:
        rows = await calls.call(
            model.get_text_embedding_batch, model.aget_text_embedding_batch, texts, show_progress=show_progress
        )
        await calls.compute(stack_rows, rows, len(texts))
        return rows

    embedder = RowEmbedder(calls, embed, model if embeds_documents(model) else None)
    made = await embedder.vectors([(rows.line, rows.numbers) for rows in plan])
    vectors = {
        node.node_id: vector
        for rows, own in zip(plan, made, strict=True)
        for node, vector in zip(rows.nodes, own, strict=True)
    }
    stack_rows([*vectors.values()], len(vectors))  # else no search would do
    return vectors


def _shared(node: BaseNode) -> str:
    """The context that a node's row has a share of; "" without one, or where it is not to be embedded."""
    return "" if CONTEXT_KEY in node.excluded_embed_metadata_keys else context_of(node.metadata)


def _without_context(node: BaseNode) -> BaseNode:
    """A node as it is embedded, beside its context."""
    if not _shared(node):
        return node
    return node.model_copy(update={"excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, CONTEXT_KEY]})


def _own_content(node: BaseNode) -> str:
    return _without_context(node).get_content(metadata_mode=MetadataMode.EMBED)


def _signature(node: BaseNode, places: NodeMetadata) -> str:
    """A string that changes with what a node's own row is made of."""
    metadata = json.dumps(places.without(node, MOVING), sort_keys=True, default=repr)
    return digest(node.node_id, node.get_content(metadata_mode=MetadataMode.EMBED), metadata)


def _are_in_order(leaves: Sequence[BaseNode]) -> bool:
    """Whether the places of leaves tell their order."""
    places = {_place(leaf) for leaf in leaves}
    return len(places) == len(leaves) and not any(unknown for unknown, *_ in places)
