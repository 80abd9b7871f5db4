"""Writer of an index: brings a document store and a vector store up to date."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeVar

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion.pipeline import arun_transformations, run_transformations
from llama_index.core.schema import BaseNode, TransformComponent
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.utils import iter_batch

from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura.vectors import stack_rows
from caesura_retrieval.document_embedders import DocumentEmbedder, embeds_documents
from caesura_retrieval.row_plan import RowEmbedder
from caesura_retrieval.upkeep import Changes, check_gone, find_lost
from caesura_retrieval.word_index import WordIndex
from caesura_store.key_locks import KeyLock
from llama_index.node_parser.caesura.base import index_metadata
from llama_index.node_parser.caesura.nodes import check_documents, document_id
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.document_states import DocumentState, document_states
from llama_index.node_parser.caesura.retrieval.edits import ChangedRows, plan_edit
from llama_index.node_parser.caesura.retrieval.leaves import Leaves, put_leaf_words
from llama_index.node_parser.caesura.vector_store_quirks import (
    ROWS_PER_CALL,
    delete_document_rows,
    delete_rows,
    find_present_rows,
    replaces_rows,
    rows_in_memory,
)

T = TypeVar("T")

DELETION = "delete(id) does that for each"
"""How documents are deleted on purpose, for errors."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The two stores of an index, what makes and embeds its nodes, and how all of them are called.

    A document's state is its entry of hashes in the document store: written last, taken away before anything else. It
    says by which settings the document was made, of what, and which row was written last. It speaks of this vector
    store only while that has this row, which another one, or an emptied one, has not.
    """

    index: VectorStoreIndex
    docstore: BaseDocumentStore
    words: WordIndex | None
    transformations: Sequence[TransformComponent]
    embed_model: BaseEmbedding
    context: float
    batch_size: int
    calls: Calls

    async def upsert(self, documents: Sequence[BaseNode], show_progress: bool) -> Changes:
        """Brings the stores to hold the nodes of these documents, and none that they no longer have."""
        return await self._upsert(group_by_document(documents), show_progress)

    async def sync(self, documents: Sequence[BaseNode], show_progress: bool) -> Changes:
        """Brings the stores to hold these documents and no others. Raises `SettingError` if none are given."""
        groups = group_by_document(documents)
        changes = await self._upsert(groups, show_progress)
        store = self.docstore
        known = await self.calls.call(store.get_all_ref_doc_info, store.aget_all_ref_doc_info)
        gone = check_gone(known or (), groups, DELETION)
        for name in gone:
            await self.delete(name)
        return changes._replace(deleted=len(gone))

    async def delete(self, document_id: str) -> Changes:
        """Brings the stores to hold nothing of a document."""
        if not isinstance(document_id, str):
            raise SettingError(f"document_id must be the id of one document, a str, got {document_id!r:.80}")
        return await self._alone([document_id], partial(self._delete, document_id))

    async def _upsert(self, groups: dict[str, list[BaseNode]], show_progress: bool) -> Changes:
        changes = Changes()
        for names in iter_batch(list(groups), self.batch_size):
            batch = {name: groups[name] for name in names}
            changes = changes.plus(await self._alone(names, partial(self._write, batch, show_progress)))
        return changes

    async def _alone(self, names: Sequence[str], work: Callable[[], Awaitable[Changes]]) -> Changes:
        """Does the work while nobody else writes these documents."""
        path = self.docstore.path if isinstance(self.docstore, SQLiteDocumentStore) else None
        lock = KeyLock(self.docstore, names, path, alone=True)  # LlamaIndex's stores in memory are not for two threads
        try:
            await self.calls.call(lock.__enter__, lock.__aenter__)
            return await work()
        finally:
            lock.__exit__()

    async def _write(self, groups: dict[str, list[BaseNode]], show_progress: bool) -> Changes:
        """As `upsert`, of one batch. groups: what there is of each document, by its id."""
        states = await self.calls.compute(document_states, groups, self.transformations, self.embed_model, self.context)
        known = await self._fetch_states(list(groups))
        await self._check_no_nodes(known)
        lost = await self._find_lost({name: state for name, state in known.items() if state is not None})
        same = {name for name, state in known.items() if state and state[:2] == states[name][:2]}
        changed = {name: group for name, group in groups.items() if name not in same or name in lost}
        if not changed:
            return Changes(unchanged=len(groups))
        rows = await self._fetch_rows(list(changed))
        for name in sorted(lost):
            await self._delete_rows(name)
        by_these = {name for name, state in known.items() if state and state.settings == states[name].settings}
        trusted = [row for name in changed if name in by_these - lost for row in rows[name]]
        old = set(chain.from_iterable(rows.values()))
        leaves = await self._replace(changed, old, trusted, show_progress)
        last = _last_rows(leaves, old, known)
        await self._mark({name: states[name]._replace(row=last.get(name, "")) for name in changed})
        updated = sum(bool(known[name] is not None or rows[name]) for name in changed)
        return Changes(len(changed) - updated, updated, len(groups) - len(changed))

    async def _delete(self, name: str) -> Changes:
        """As `delete`. Vectors go first, then words."""
        rows, known = (await self._fetch_rows([name]))[name], await self._fetch_states([name])
        await self._check_no_nodes(known)
        state = known[name]
        if state is not None:
            await self._mark({name: DocumentState()})  # so that the next upsert makes anew what a stop leaves
        await self._delete_rows(name)
        await self.calls.compute(self._unlist, rows)
        if self.words is not None:
            await self.calls.compute(self.words.delete, [name])
        await self.calls.write(self.docstore.delete_ref_doc, self.docstore.adelete_ref_doc, name, raise_error=False)
        if not rows:  # the hash of a document without nodes, which `delete_ref_doc` does not know
            await self._forget([name])
        return Changes(deleted=int(bool(rows) or state is not None))

    # -- the parts of an upsert -------------------------------------------------------------------------------------

    async def _replace(
        self, groups: Mapping[str, Sequence[BaseNode]], old: set[str], trusted: list[str], show_progress: bool
    ) -> Leaves:
        """Puts the nodes of documents in the place of their old ones. Returns the leaves among the new nodes.

        old: the ids of the old nodes. trusted: those of documents whose rows are by the same settings. A row that would
        be the same stays and is not embedded. Nothing is written before all is embedded. New rows are written before
        old ones go, so that a document can be found throughout; a row that changes under its id is written in the place
        of the old one where the store is known to allow it, else after the old one is gone.
        """
        inputs = list(chain.from_iterable(groups.values()))
        nodes = await self.calls.call(
            run_transformations,
            arun_transformations,
            inputs,
            self.transformations,
            in_place=False,
            show_progress=show_progress,
        )
        before = await self._fetch_nodes(trusted) if trusted else []
        share, metadata = self.context, index_metadata(self.transformations)
        model = self.embed_model if embeds_documents(self.embed_model) else None
        edit = await self.calls.compute(plan_edit, groups, nodes, old, before, share, metadata, model)
        rows = await self._embed(edit.plan, model, show_progress)
        if old:
            await self._mark(dict.fromkeys(groups, DocumentState()))
        await self.calls.write(self.docstore.add_documents, self.docstore.async_add_documents, edit.stored)
        changed = [rows[name] for name in edit.leaves.by_id if name in rows]
        await self._add([row for row in changed if row.node_id not in old])
        if self.words is not None:
            await self.calls.compute(put_leaf_words, self.words, groups, edit.leaves)
        again, gone = [row for row in changed if row.node_id in old], edit.rowless
        if again and not replaces_rows(self.index.vector_store):
            gone = [*gone, *(row.node_id for row in again)]
        if gone:
            await delete_rows(self.calls, self.index.vector_store, gone)
        await self._add(again)
        if edit.rowless:
            await self.calls.compute(self._unlist, edit.rowless)
        if edit.stale:
            await self._forget(edit.stale)
        return edit.leaves

    async def _embed(
        self, plan: Sequence[ChangedRows], model: DocumentEmbedder | None, show_progress: bool
    ) -> dict[str, BaseNode]:
        """Returns the nodes of the rows that change, with their embeddings, by id.

        model: what embeds the leaves of a document together. Raises `EmbeddingError` where embeddings differ in length.
        """

        async def embed(texts: list[str]) -> list[list[float]]:
            batch, abatch = self.embed_model.get_text_embedding_batch, self.embed_model.aget_text_embedding_batch
            rows = await self.calls.call(batch, abatch, texts, show_progress=show_progress)
            await self.calls.compute(stack_rows, rows, len(texts))
            return rows

        made = await RowEmbedder(self.calls, embed, model).vectors([(rows.line, rows.numbers) for rows in plan])
        nodes: dict[str, BaseNode] = {}
        for rows, vectors in zip(plan, made, strict=True):
            for node, vector in zip(rows.nodes, vectors, strict=True):
                node.embedding = vector
                nodes[node.node_id] = node
        stack_rows([node.embedding for node in nodes.values()], len(nodes))  # else no search would do
        return nodes

    async def _add(self, nodes: Sequence[BaseNode]) -> None:
        """Adds rows to the index's own list, if it needs one, and then to the vector store.

        In this order, since a search fails at a row that is not in the list.
        """
        store = self.index.vector_store
        if nodes and not store.stores_text:
            await self.calls.compute(self._list, {node.node_id: node for node in nodes})
        for batch in iter_batch(nodes, ROWS_PER_CALL):
            ids = await self.calls.write(store.add, store.async_add, batch)
            others = {text_id: node for node, text_id in zip(batch, ids, strict=True) if text_id != node.node_id}
            if others and not store.stores_text:
                await self.calls.compute(self._list, others)

    def _list(self, rows: Mapping[str, BaseNode]) -> None:
        """Puts rows into the index's own list, which it has for a vector store that keeps no texts."""
        struct = self.index.index_struct
        for text_id, node in rows.items():
            struct.add_node(node, text_id=text_id)
        self.index.storage_context.index_store.add_index_struct(struct)

    async def _delete_rows(self, name: str) -> None:
        """Deletes a document's rows from the vector store, also those that the document store does not know."""
        store = self.index.vector_store
        await delete_document_rows(self.calls, store, name)
        if (kept := rows_in_memory(store)) is not None:
            await self.calls.compute(
                self._unlist, [row for row in self.index.index_struct.nodes_dict if row not in kept]
            )

    def _unlist(self, ids: Iterable[str]) -> None:
        """Takes rows out of the index's own list."""
        rows = self.index.index_struct.nodes_dict
        if [rows.pop(name) for name in ids if name in rows]:
            self.index.storage_context.index_store.add_index_struct(self.index.index_struct)

    async def _forget(self, ids: Sequence[str]) -> None:
        """Deletes nodes from the document store."""
        # not adelete_document(): LlamaIndex's leaves the id in the document's list of nodes
        await self.calls.compute(_delete_documents, self.docstore, ids)

    # -- what the document store knows of a document ------------------------------------------------------------------

    async def _fetch_states(self, names: Sequence[str]) -> dict[str, DocumentState | None]:
        store = self.docstore
        hashes = await self._fetch(names, store.get_document_hash, store.aget_document_hash)
        return {name: None if found is None else DocumentState.of(found) for name, found in hashes.items()}

    async def _check_no_nodes(self, known: Mapping[str, DocumentState | None]) -> None:
        """Raises `SettingError` for the id of another document's node: hashes of both are kept in one place."""
        perhaps = [name for name, state in known.items() if state and state.settings and not state.content]
        for node in await self._fetch_nodes(perhaps) if perhaps else ():
            if node.ref_doc_id not in (None, node.node_id):
                raise SettingError(
                    f"{node.node_id!r} is the id of a node of the document {node.ref_doc_id!r}, and no document's: "
                    f"give a document an id of its own, and delete a document by its id"
                )

    async def _fetch_rows(self, names: Sequence[str]) -> dict[str, list[str]]:
        store = self.docstore
        infos = await self._fetch(names, store.get_ref_doc_info, store.aget_ref_doc_info)
        return {name: list(info.node_ids) if info else [] for name, info in infos.items()}

    async def _fetch_nodes(self, ids: list[str]) -> list[BaseNode]:
        return await self.calls.call(self.docstore.get_nodes, self.docstore.aget_nodes, ids, raise_error=False)

    async def _find_lost(self, states: Mapping[str, DocumentState]) -> set[str]:
        """Returns the documents whose last row the vector store does not have. states: of those that are written."""
        rows = {name: state.row for name, state in states.items() if state.row}
        if not rows:
            return set()
        return find_lost(rows, await find_present_rows(self.calls, self.index.vector_store, list(rows.values())))

    async def _fetch(
        self, names: Sequence[str], get: Callable[[str], T], aget: Callable[[str], Awaitable[T]]
    ) -> dict[str, T]:
        """Asks the document store for something of each document, for all at once where it is awaited."""

        def get_each() -> list[T]:
            return [get(name) for name in names]

        async def aget_each() -> list[T]:
            return await asyncio.gather(*map(aget, names))

        return dict(zip(names, await self.calls.call(get_each, aget_each), strict=True))

    async def _mark(self, states: dict[str, DocumentState]) -> None:
        hashes = {name: "/".join(state) if any(state) else "" for name, state in states.items()}
        await self.calls.write(self.docstore.set_document_hashes, self.docstore.aset_document_hashes, hashes)


def _last_rows(leaves: Leaves, old: Container[str], known: Mapping[str, DocumentState | None]) -> dict[str, str]:
    """Returns for each document one row by which a store that lacks the last write can be told.

    One that was new, or else the one of the write before, if it is still there.
    """
    last = {leaf.document: row for row, leaf in leaves.by_id.items()}
    last.update((name, state.row) for name, state in known.items() if state and state.row in leaves.by_id)
    last.update((leaf.document, row) for row, leaf in leaves.by_id.items() if row not in old)
    return last


def _delete_documents(docstore: BaseDocumentStore, ids: Sequence[str]) -> None:
    if isinstance(docstore, SQLiteDocumentStore):
        docstore.delete_documents(ids)
        return
    for name in ids:
        docstore.delete_document(name, raise_error=False)


def group_by_document(documents: Sequence[BaseNode]) -> dict[str, list[BaseNode]]:
    """Groups documents, or nodes of documents, by the document's id.

    Raises `SettingError` for an id that is given twice, and for what is no document.
    """
    groups: dict[str, list[BaseNode]] = {}
    for document in check_documents(documents):
        if not document_id(document):
            raise SettingError("a document has an empty id, under which it could not be deleted: give it another")
        groups.setdefault(document_id(document), []).append(document)
    for name, group in groups.items():
        if len(group) > 1 and any(document.ref_doc_id is None for document in group):
            raise SettingError(f"{len(group)} documents have the id {name!r}: give each its own")
    return groups
