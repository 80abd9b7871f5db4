"""Smallest nodes of documents: their order, their words, and which of their rows an edit touches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.utils import async_embed_nodes, embed_nodes
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura.vectors import stack_rows
from caesura_documents.chunk_metadata import CONTEXT_KEY, context_of
from caesura_retrieval.document_embedders import chunk_runs, embed_together, embeds_documents, share_contexts
from caesura_retrieval.passages import lean
from caesura_retrieval.word_index import AROUND, WordIndex
from caesura_retrieval.word_indexes import shared_word_index
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura.node_metadata import MOVING, Places
from llama_index.node_parser.caesura.nodes import document_of
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
            groups.setdefault(document_of(node), []).append(node)
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

_NO_COLLECTION = re.compile(r"collection\b.{0,300}(not found|not exist|n\\?'t exist)", re.IGNORECASE | re.DOTALL)


@contextmanager
def as_empty() -> Iterator[None]:
    """Passes over the error by which a vector store says that it has no collection yet: it makes one for its first row.

    Qdrant's does.
    """
    try:
        yield
    except Exception as error:
        if not _NO_COLLECTION.search(str(error)):
            raise


class Plan(NamedTuple):
    """What an edit embeds and writes: runs of neighbouring leaves, the references, and the ids of both that change.

    together: of a model that embeds documents' chunks together, the same leaves as it takes them.
    """

    runs: list[list[BaseNode]]
    references: list[BaseNode]
    touched: set[str]
    together: list[list[BaseNode]]

    @property
    def needed(self) -> list[BaseNode]:
        """What is embedded: leaves that change, those that these lean toward, and references."""
        return [node for nodes in (*self.runs, self.references) for node in nodes]

    def rows(self, embeddings: Mapping[str, list[float]], context: float) -> dict[str, list[float]]:
        """Embeddings of `needed` -> what the vector store is given for each that changes."""
        rows = {node.node_id: embeddings[node.node_id] for node in self.references}
        for run in self.runs:
            own = [embeddings[node.node_id] for node in run]
            if context:
                own = lean(np.array(own, np.float32), context).tolist()
            pairs = zip(run, own, strict=True)
            rows.update((node.node_id, row) for node, row in pairs if node.node_id in self.touched)
        return rows


async def embed_plan(calls: Calls, model: BaseEmbedding, plan: Plan, show_progress: bool) -> dict[str, list[float]]:
    """What is needed, by id -> its embeddings, with a share of their context's where they have one."""
    found = await _embed_alone(calls, model, plan, show_progress)
    contexts = {node.node_id: context for node in plan.needed if node.embedding is None and (context := _shared(node))}
    if texts := [*dict.fromkeys(contexts.values())]:
        rows = await calls.call(model.get_text_embedding_batch, model.aget_text_embedding_batch, texts)
        known = dict(zip(texts, await calls.compute(stack_rows, rows, len(texts)), strict=True))
        own = np.array([found[name] for name in contexts], np.float32)
        own = share_contexts(own, np.stack([known[context] for context in contexts.values()]))
        found.update(zip(contexts, own.tolist(), strict=True))
    return found


async def _embed_alone(calls: Calls, model: BaseEmbedding, plan: Plan, show_progress: bool) -> dict[str, list[float]]:
    """What is needed, by id -> its embeddings, without contexts. A reference is a document by itself."""
    if not embeds_documents(model):
        nodes = [_without_context(node) for node in plan.needed]
        return dict(await calls.call(embed_nodes, async_embed_nodes, nodes, model, show_progress))
    runs = [*plan.together, *([node] for node in plan.references)]
    runs = [run for run in runs if any(node.embedding is None for node in run)]
    texts = [[_own_content(node) for node in run] for run in runs]
    rows = await embed_together(calls, model, texts, [document_of(run[0]) for run in runs])
    found = {node.node_id: node.embedding for node in plan.needed if node.embedding is not None}
    for run, made in zip(runs, rows, strict=True):
        found.update(zip((node.node_id for node in run), made.tolist(), strict=True))
    return found


def plan_rows(
    nodes: Sequence[BaseNode],
    before: Mapping[str, Sequence[BaseNode]],
    context: float,
    places: Places,
    model: object = None,
) -> Plan:
    """What documents are now embedded by, and all nodes that those had whose rows may stay -> what changes.

    A row stays where what it was made of is the same: the node's own text and metadata, where leaves lean those of the
    leaves around, and of a `DocumentEmbedder` those of their runs. Where places do not tell the order that leaves had,
    none stays. What moves of what `places` say is no part of a row.
    """
    plan = Plan([], [], set(), [])
    old = {node.node_id: node for group in before.values() for node in group}
    known = group_leaves(old.values())
    around = AROUND if context else 0
    for name, leaves in group_leaves(nodes).items():
        runs = _runs(model, leaves)
        windows = _windows(leaves, runs, around, places)
        placed = _are_in_order(leaves) and _are_in_order(known.get(name, []))
        kept = _windows(known[name], _runs(model, known[name]), around, places) if placed and name in known else {}
        changed = [at for at, leaf in enumerate(leaves) if kept.get(leaf.node_id) != windows[leaf.node_id]]
        plan.touched.update(leaves[at].node_id for at in changed)
        near = {place for at in changed for place in range(max(0, at - around), min(len(leaves), at + around + 1))}
        if embeds_documents(model):
            needed = [run for run in runs if not near.isdisjoint(run)]
            near.update(*needed)
            plan.together.extend([leaves[place] for place in run] for run in needed)
        for place in sorted(near):
            if place - 1 not in near:
                plan.runs.append([])
            plan.runs[-1].append(leaves[place])
    for node in nodes:
        same = node.node_id in old and _content(old[node.node_id], places) == _content(node, places)
        if isinstance(node, IndexNode) and is_searchable(node) and not same:
            plan.references.append(node)
            plan.touched.add(node.node_id)
    return plan


def _runs(model: object, leaves: Sequence[BaseNode]) -> list[range]:
    """Leaves in their order -> the numbers of those that are embedded together, or of each."""
    if not embeds_documents(model):
        return [range(at, at + 1) for at in range(len(leaves))]
    texts = [_own_content(leaf) for leaf in leaves]
    return [range(*edges) for edges in pairwise(accumulate(map(len, chunk_runs(model, texts)), initial=0))]


def _windows(leaves: Sequence[BaseNode], runs: Sequence[range], around: int, places: Places) -> dict[str, Any]:
    """Leaves in their order -> by id, what the row of each is made of."""
    contents = [_content(leaf, places) for leaf in leaves]
    made: list[Any] = []
    for run in runs:
        together = digest(*(contents[at][1] for at in run)) if len(run) > 1 else ""
        made += [(contents[at], together, at - run.start) for at in run]
    return {
        leaf.node_id: (made[max(0, at - around) : at], made[at], made[at + 1 : at + around + 1])
        for at, leaf in enumerate(leaves)
    }


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


def _content(node: BaseNode, places: Places) -> tuple[str, str, dict[str, Any]]:
    return node.node_id, node.get_content(metadata_mode=MetadataMode.EMBED), places.without(node, MOVING)


def _are_in_order(leaves: Sequence[BaseNode]) -> bool:
    """Whether the places of leaves tell their order."""
    places = {_place(leaf) for leaf in leaves}
    return len(places) == len(leaves) and not any(unknown for unknown, *_ in places)
