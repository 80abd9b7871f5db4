"""Writer of an index: brings a document store and a vector store up to date."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion.pipeline import arun_transformations, run_transformations
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, TransformComponent
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.utils import iter_batch

from caesura.errors import SettingError
from caesura.host.secrets import known_settings
from caesura.host.setting_keys import canonical, package_path, settings_fingerprint
from caesura.ids import digest
from caesura.sansio import Calls
from caesura_retrieval.document_embedders import embeds_documents
from caesura_retrieval.upkeep import Changes, find_lost
from caesura_retrieval.word_index import WordIndex
from llama_index.node_parser.caesura.base import index_metadata
from llama_index.node_parser.caesura.node_metadata import MOVING
from llama_index.node_parser.caesura.nodes import check_documents, document_id
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.leaves import (
    embed_plan,
    group_leaves,
    is_searchable,
    plan_rows,
    word_rows,
)
from llama_index.node_parser.caesura.serialization import SerializableParser
from llama_index.node_parser.caesura.vector_store_quirks import (
    ROWS_PER_CALL,
    delete_document_rows,
    delete_rows,
    find_rows,
    replaces_rows,
    rows_in_memory,
)

T = TypeVar("T")


class State(NamedTuple):
    """Of a document: by which settings its rows were made, of what, and the id of one. Empty while it is written."""

    settings: str = ""
    content: str = ""
    row: str = ""

    @classmethod
    def of(cls, text: str) -> State:
        """What was filed as the document's hash -> the state."""
        settings, _, rest = text.partition("/")
        content, _, row = rest.partition("/")
        return cls(settings, content, row)


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
    calls: Calls

    async def upsert(self, groups: dict[str, list[BaseNode]], show_progress: bool) -> Changes:
        """Documents by id -> the stores hold their nodes, and none that they no longer have."""
        states = await self.calls.compute(self._document_states, groups)
        known = await self._fetch_states(list(groups))
        await self._check_no_nodes(known)
        lost = await self._find_lost({name: state for name, state in known.items() if state is not None})
        same = {name for name, state in known.items() if state and state[:2] == states[name][:2]}
        changed = [name for name in groups if name not in same or name in lost]
        if not changed:
            return Changes(unchanged=len(groups))
        rows = await self._fetch_rows(changed)
        inputs = list(chain.from_iterable(groups[name] for name in changed))
        for name in sorted(lost):
            await self._delete_rows(name)
        by_these = {name for name, state in known.items() if state and state.settings == states[name].settings}
        trusted = [name for name in changed if name in by_these - lost]
        nodes = await self._replace(changed, rows, trusted, inputs, show_progress)
        last = _last_rows(nodes, {row for name in changed for row in rows[name]}, known)
        await self._mark({name: states[name]._replace(row=last.get(name, "")) for name in changed})
        updated = sum(bool(known[name] is not None or rows[name]) for name in changed)
        return Changes(len(changed) - updated, updated, len(groups) - len(changed))

    async def delete(self, name: str) -> Changes:
        """A document's id -> the stores hold nothing of it. Vectors go first, then words."""
        rows, known = (await self._fetch_rows([name]))[name], await self._fetch_states([name])
        await self._check_no_nodes(known)
        state = known[name]
        if state is not None:
            await self._mark({name: State()})  # a stop from here on leaves a document that the next upsert makes anew
        await self._delete_rows(name)
        await self.calls.compute(self._unlist, rows)
        if self.words is not None:
            await self.calls.compute(self.words.delete, [name])
        await self.calls.write(self.docstore.delete_ref_doc, self.docstore.adelete_ref_doc, name, raise_error=False)
        if not rows:  # the hash of a document without nodes, which `delete_ref_doc` does not know
            await self._forget([name])
        return Changes(deleted=int(bool(rows) or state is not None))

    # -- the parts of an upsert -------------------------------------------------------------------------------------

    def _document_states(self, groups: dict[str, list[BaseNode]]) -> dict[str, State]:
        settings = writing_fingerprint(self.transformations, self.embed_model, self.context)
        return {name: State(settings, document_fingerprint(group)) for name, group in groups.items()}

    async def _replace(
        self,
        names: Sequence[str],
        rows: dict[str, list[str]],
        trusted: Sequence[str],
        inputs: Sequence[BaseNode],
        show_progress: bool,
    ) -> list[BaseNode]:
        """The inputs of some documents -> their nodes, which take the place of the old ones.

        trusted: documents whose rows are those of their old nodes, by the same settings. A row that would be the same
        stays and is not embedded. Nothing is written before all is embedded. New rows are written before old ones go,
        so that a document can be found throughout; a row that changes under its id is written in the place of the old
        one where the store is known to allow it, else after the old one is gone.
        """
        nodes = await self.calls.call(
            run_transformations,
            arun_transformations,
            inputs,
            self.transformations,
            in_place=False,
            show_progress=show_progress,
        )
        await self.calls.compute(attribute_references, nodes, names)
        before = {name: await self._fetch_nodes(rows[name]) for name in trusted}
        places = index_metadata(self.transformations)
        model = self.embed_model if embeds_documents(self.embed_model) else None
        plan = await self.calls.compute(plan_rows, nodes, before, self.context, places, model)
        vectors = await embed_plan(self.calls, self.embed_model, plan, show_progress)
        embedded = [
            node.model_copy(update={"metadata": places.without(node, MOVING)})
            for node in _with_embeddings(nodes, vectors)
            if node.node_id in vectors
        ]
        old = set(chain.from_iterable(rows.values()))
        stale = sorted(old - {node.node_id for node in nodes})
        parents = {node.node_id for node in nodes if not is_searchable(node)}
        parents -= {node.node_id for group in before.values() for node in group if not is_searchable(node)}
        rowless = [*stale, *sorted(old & parents)]  # a leaf that is now a parent keeps its id, and has no row
        if old:
            await self._mark(dict.fromkeys(names, State()))
        plain = await self.calls.compute(_with_embeddings, nodes, {})  # the document store is not to hold vectors
        plain = await self.calls.compute(places.keep_layouts, plain, inputs)
        same = {node.node_id: node for group in before.values() for node in group}
        plain = [node for node in plain if same.get(node.node_id) != node]
        await self.calls.write(self.docstore.add_documents, self.docstore.async_add_documents, plain)
        store = self.index.vector_store
        await self._add([node for node in embedded if node.node_id not in old])
        if self.words is not None:
            await self.calls.compute(self.words.put, word_rows(names, group_leaves(nodes)))
        again = [node for node in embedded if node.node_id in old]
        gone = rowless if replaces_rows(store) else [*rowless, *(node.node_id for node in again)]
        await delete_rows(self.calls, store, gone)
        await self._add(again)
        await self.calls.compute(self._unlist, rowless)
        if stale:
            await self._forget(stale)
        return list(nodes)

    async def _add(self, nodes: Sequence[BaseNode]) -> None:
        """Nodes with their embeddings -> the index's own list has them, if it needs one, and then the vector store.

        In this order, for a search fails at a row that is not in the list.
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
        """A document's id -> the vector store has none of its rows, those that the document store does not know too."""
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

    async def _fetch_states(self, names: Sequence[str]) -> dict[str, State | None]:
        store = self.docstore
        hashes = await self._fetch(names, store.get_document_hash, store.aget_document_hash)
        return {name: None if found is None else State.of(found) for name, found in hashes.items()}

    async def _check_no_nodes(self, known: Mapping[str, State | None]) -> None:
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

    async def _find_lost(self, states: Mapping[str, State]) -> set[str]:
        """Documents that the document store holds as done -> those whose last row the vector store does not have."""
        rows = {name: state.row for name, state in states.items() if state.row}
        return find_lost(rows, await find_rows(self.calls, self.index.vector_store, list(rows.values())))

    async def _fetch(
        self, names: Sequence[str], get: Callable[[str], T], aget: Callable[[str], Awaitable[T]]
    ) -> dict[str, T]:
        """What the document store has of each, all at once where it is awaited."""

        def get_each() -> list[T]:
            return [get(name) for name in names]

        async def aget_each() -> list[T]:
            return await asyncio.gather(*map(aget, names))

        return dict(zip(names, await self.calls.call(get_each, aget_each), strict=True))

    async def _mark(self, states: dict[str, State]) -> None:
        hashes = {name: "/".join(state) if state != State() else "" for name, state in states.items()}
        await self.calls.write(self.docstore.set_document_hashes, self.docstore.aset_document_hashes, hashes)


def _last_rows(nodes: Sequence[BaseNode], old: Container[str], known: Mapping[str, State | None]) -> dict[str, str]:
    """The nodes of some documents -> of each one row by which a store that lacks the last write can be told.

    One that was new, or else the one of the write before, if it is still there.
    """
    rows = {node.node_id: document_id(node) for node in nodes if is_searchable(node)}
    last = {name: row for row, name in rows.items()}
    last.update((name, state.row) for name, state in known.items() if state and state.row in rows)
    last.update((name, row) for row, name in rows.items() if row not in old)
    return last


def _with_embeddings(nodes: Sequence[BaseNode], embeddings: Mapping[str, list[float]]) -> list[BaseNode]:
    """Nodes -> copies that have these embeddings and no other; the nodes themselves where they have none anyway."""
    return [
        node
        if node.embedding is None and node.node_id not in embeddings
        else node.model_copy(update={"embedding": embeddings.get(node.node_id)})
        for node in nodes
    ]


def _delete_documents(docstore: BaseDocumentStore, ids: Sequence[str]) -> None:
    if isinstance(docstore, SQLiteDocumentStore):
        docstore.delete_documents(ids)
        return
    for name in ids:
        docstore.delete_document(name, raise_error=False)


def group_by_document(documents: Sequence[BaseNode]) -> dict[str, list[BaseNode]]:
    """Documents, or nodes of documents -> those of each document, by its id. Raises `SettingError` for an id given
    twice, and for what is no document."""
    groups: dict[str, list[BaseNode]] = {}
    for document in check_documents(documents):
        if not document_id(document):
            raise SettingError("a document has an empty id, under which it could not be deleted: give it another")
        groups.setdefault(document_id(document), []).append(document)
    for name, group in groups.items():
        if len(group) > 1 and any(document.ref_doc_id is None for document in group):
            raise SettingError(f"{len(group)} documents have the id {name!r}: give each its own")
    return groups


def writing_fingerprint(
    transformations: Sequence[TransformComponent], embed_model: BaseEmbedding, context: float
) -> str:
    """What nodes and rows are made by, apart from versions: a new one of Caesura makes no unchanged document anew."""
    model = package_path(type(embed_model)), embed_model.model_name
    return digest(settings_fingerprint([*map(_settings_of, transformations), *model, float(context)]))


def _settings_of(part: TransformComponent) -> Any:
    """A transformation -> its settings; of a model, or of models within it, those that are known by name."""
    data = canonical(part.to_dict())
    if isinstance(part, SerializableParser):
        return data
    own = () if isinstance(part, BaseEmbedding) else [name for name, item in data.items() if not isinstance(item, dict)]
    return {**known_settings(data), **{name: data[name] for name in own}}


def are_made_otherwise(
    hashes: Iterable[str], transformations: Sequence[TransformComponent], embed_model: BaseEmbedding, context: float
) -> bool:
    """Whether a document store's hashes, those of nodes aside, have a document that was made by other settings."""
    own = writing_fingerprint(transformations, embed_model, context)
    return any(State.of(each).settings != own for each in hashes if "/" in each)


def document_fingerprint(documents: Sequence[BaseNode]) -> str:
    """All that a document's nodes are made of, as one string."""
    data = [{**document.to_dict(), "embedding": None} for document in documents]
    return digest(*(json.dumps(each, default=str) for each in data))


def attribute_references(nodes: Sequence[BaseNode], names: Sequence[str]) -> None:
    """Gives a reference without a SOURCE that of what it refers to. Raises `SettingError` for a node of no document."""
    by_id, known = {node.node_id: node for node in nodes}, set(names)
    for node in nodes:
        if node.ref_doc_id is None and isinstance(node, IndexNode) and node.index_id in by_id:
            source = by_id[node.index_id].source_node
            if source is not None:
                node.relationships[NodeRelationship.SOURCE] = source
        if node.ref_doc_id not in known:
            raise SettingError(
                f"the transformations returned node {node.node_id!r} of the source {node.ref_doc_id!r}, which is none "
                f"of the documents: a node's SOURCE must be the document that it is deleted with"
            )
