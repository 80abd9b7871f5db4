"""Writer of an index: brings a document store and a vector store up to date."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.indices.utils import async_embed_nodes, embed_nodes
from llama_index.core.ingestion.pipeline import arun_transformations, run_transformations
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode, NodeRelationship, TransformComponent
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.utils import iter_batch
from llama_index.core.vector_stores import SimpleVectorStore

from caesura.errors import SettingError
from caesura.identity import canonical, digest, package_path, without_secrets
from caesura.sansio import Calls
from llama_index.node_parser.caesura.nodes import check_documents, document_of
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.serialization import SerializableParser

T = TypeVar("T")

ROWS_PER_CALL = 1000
"""Rows that a vector store is asked to take or to delete at once: some take no more."""


class Changes(NamedTuple):
    """What an upsert did, in documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0

    def plus(self, others: Changes) -> Changes:
        """Both together."""
        return Changes(*map(sum, zip(self, others, strict=True)))


@dataclass(frozen=True, slots=True)
class Writer:
    """The two stores of an index, what makes and embeds its nodes, and how all of them are called.

    A document's state is its entry of hashes in the document store: written last, taken away before anything else. It
    speaks of this vector store only while that has the document's rows, which another one, or an emptied one, has not.
    """

    index: VectorStoreIndex
    docstore: BaseDocumentStore
    transformations: Sequence[TransformComponent]
    embed_model: BaseEmbedding
    calls: Calls

    async def upsert(self, groups: dict[str, list[BaseNode]], show_progress: bool) -> Changes:
        """Documents by id -> the stores hold their nodes, and none that they no longer have."""
        hashes = await self.calls.compute(self._document_fingerprints, groups)
        known = await self._fetch_hashes(list(groups))
        lost = await self._find_lost([name for name in groups if known[name]])
        changed = [name for name in groups if known[name] != hashes[name] or name in lost]
        if not changed:
            return Changes(unchanged=len(groups))
        rows = await self._fetch_rows(changed)
        inputs = list(chain.from_iterable(groups[name] for name in changed))
        for name in sorted(lost):
            await self._delete_rows(name)
        await self._replace(changed, rows, inputs, show_progress)
        await self._mark({name: hashes[name] for name in changed})
        updated = sum(bool(known[name] is not None or rows[name]) for name in changed)
        return Changes(len(changed) - updated, updated, len(groups) - len(changed))

    async def delete(self, name: str) -> None:
        """A document's id -> the stores hold nothing of it. Vectors go first."""
        rows = (await self._fetch_rows([name]))[name]
        if (await self._fetch_hashes([name]))[name] is not None:
            await self._mark({name: ""})  # a stop from here on leaves a document that the next upsert makes anew
        await self._delete_rows(name)
        await self.calls.compute(self._unlist, rows)
        await self.calls.call(self.docstore.delete_ref_doc, self.docstore.adelete_ref_doc, name, raise_error=False)
        if not rows:  # the hash of a document without nodes, which `delete_ref_doc` does not know
            await self._forget([name])

    # -- the parts of an upsert -------------------------------------------------------------------------------------

    def _document_fingerprints(self, groups: dict[str, list[BaseNode]]) -> dict[str, str]:
        settings = transformations_fingerprint(self.transformations, self.embed_model)
        return {name: document_fingerprint(settings, group) for name, group in groups.items()}

    async def _replace(
        self, names: Sequence[str], rows: dict[str, list[str]], inputs: Sequence[BaseNode], show_progress: bool
    ) -> None:
        """The inputs of some documents -> their nodes take the place of the old rows.

        Nothing is written before all is embedded. New rows are written before old ones go, so that a document can be
        found throughout; a row whose id stays is written again, as its metadata and neighbours may have changed: in the
        place of the old one where the store is known to allow it, else after the old one is gone.
        """
        nodes = await self.calls.call(
            run_transformations,
            arun_transformations,
            inputs,
            self.transformations,
            in_place=False,
            show_progress=show_progress,
        )
        leaves = await self.calls.compute(_searchable_nodes, nodes, names)
        embeddings: dict[str, list[float]] = {}
        if leaves:
            embeddings = await self.calls.call(embed_nodes, async_embed_nodes, leaves, self.embed_model, show_progress)
        embedded = await self.calls.compute(_with_embeddings, leaves, embeddings)
        old = set(chain.from_iterable(rows.values()))
        stale = sorted(old - {node.node_id for node in nodes})
        if old:
            await self._mark(dict.fromkeys(names, ""))
        plain = await self.calls.compute(_with_embeddings, nodes, {})  # the document store is not to hold vectors
        await self.calls.call(self.docstore.add_documents, self.docstore.async_add_documents, plain)
        store = self.index.vector_store
        await self._add([node for node in embedded if node.node_id not in old])
        for ids in iter_batch(stale if isinstance(store, SimpleVectorStore) else sorted(old), ROWS_PER_CALL):
            await self.calls.call(store.delete_nodes, store.adelete_nodes, ids)
        await self._add([node for node in embedded if node.node_id in old])
        await self.calls.compute(self._unlist, stale)
        if stale:
            await self._forget(stale)

    async def _add(self, nodes: Sequence[BaseNode]) -> None:
        """Nodes with their embeddings -> the index's own list has them, if it needs one, and then the vector store.

        In this order, for a search fails at a row that is not in the list.
        """
        store = self.index.vector_store
        if nodes and not store.stores_text:
            await self.calls.compute(self._list, {node.node_id: node for node in nodes})
        for batch in iter_batch(nodes, ROWS_PER_CALL):
            ids = await self.calls.call(store.add, store.async_add, batch)
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
        await self.calls.call(store.delete, store.adelete, name)
        if isinstance(store, SimpleVectorStore):
            kept = store.data.embedding_dict
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

    async def _fetch_hashes(self, names: Sequence[str]) -> dict[str, str | None]:
        store = self.docstore
        return await self._fetch(names, store.get_document_hash, store.aget_document_hash)

    async def _fetch_rows(self, names: Sequence[str]) -> dict[str, list[str]]:
        store = self.docstore
        infos = await self._fetch(names, store.get_ref_doc_info, store.aget_ref_doc_info)
        return {name: list(info.node_ids) if info else [] for name, info in infos.items()}

    async def _find_lost(self, names: Sequence[str]) -> set[str]:
        """Documents that the document store holds as done -> those whose last row the vector store does not have.

        A store that is new, was emptied or is an older copy lacks it; to ask for all rows would be to read the store
        through at every call. None where the vector store cannot say.
        """
        rows = {name: list(ids) for name, ids in (await self._fetch_rows(names)).items() if ids}
        last: dict[str, str] = {}
        while rows:
            nodes = await self._fetch([ids[-1] for ids in rows.values()], self._get_node, self._aget_node)
            found = {name: ids.pop() for name, ids in rows.items()}
            last |= {name: row for name, row in found.items() if (node := nodes[row]) and is_searchable(node)}
            rows = {name: ids for name, ids in rows.items() if ids and name not in last}
        present = await self._fetch_present(list(last.values()))
        return set() if present is None else {name for name, row in last.items() if row not in present}

    def _get_node(self, name: str) -> BaseNode | None:
        return self.docstore.get_document(name, raise_error=False)

    async def _aget_node(self, name: str) -> BaseNode | None:
        return await self.docstore.aget_document(name, raise_error=False)

    async def _fetch_present(self, ids: Sequence[str]) -> set[str] | None:
        """Which of these rows the vector store has; None where it cannot say, or returns nodes under other ids."""
        store = self.index.vector_store
        if isinstance(store, SimpleVectorStore):
            return {name for name in ids if name in store.data.embedding_dict}
        present: set[str] = set()
        for some in iter_batch(ids, ROWS_PER_CALL):
            try:
                nodes = await self.calls.call(store.get_nodes, store.aget_nodes, some)
            except NotImplementedError:
                return None
            own = {node.node_id for node in nodes} & set(some)
            if nodes and not own:
                return None
            present |= own
        return present

    async def _fetch(
        self, names: Sequence[str], get: Callable[[str], T], aget: Callable[[str], Awaitable[T]]
    ) -> dict[str, T]:
        """What the document store has of each, all at once where it is awaited."""

        def get_each() -> list[T]:
            return [get(name) for name in names]

        async def aget_each() -> list[T]:
            return await asyncio.gather(*map(aget, names))

        return dict(zip(names, await self.calls.call(get_each, aget_each), strict=True))

    async def _mark(self, hashes: dict[str, str]) -> None:
        await self.calls.call(self.docstore.set_document_hashes, self.docstore.aset_document_hashes, hashes)


def _searchable_nodes(nodes: Sequence[BaseNode], names: Sequence[str]) -> list[BaseNode]:
    """The nodes of these documents -> those that are embedded. Raises `SettingError` for a node of no document."""
    attribute_references(nodes, names)
    return [node for node in nodes if is_searchable(node)]


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
        if not document_of(document):
            raise SettingError("a document has an empty id, under which it could not be deleted: give it another")
        groups.setdefault(document_of(document), []).append(document)
    for name, group in groups.items():
        if len(group) > 1 and any(document.ref_doc_id is None for document in group):
            raise SettingError(f"{len(group)} documents have the id {name!r}: give each its own")
    return groups


def transformations_fingerprint(transformations: Sequence[TransformComponent], embed_model: BaseEmbedding) -> str:
    """What nodes are made by, apart from versions: a new one of Caesura makes no document anew that is the same."""
    settings = []
    for each in transformations:
        data = canonical(each.to_dict())
        settings.append(str(_without_versions(data if isinstance(each, SerializableParser) else without_secrets(data))))
    return digest(*settings, package_path(type(embed_model)), embed_model.model_name)


def _without_versions(settings: Any) -> Any:
    """Settings, and those of their parts -> the same without the versions of what is ours."""
    if not isinstance(settings, dict):
        return settings
    data = {key: _without_versions(value) for key, value in settings.items()}
    if isinstance(data.get("resolved"), dict):
        data["resolved"] = {key: value for key, value in data["resolved"].items() if key not in ("caesura", "static")}
    return data


def document_fingerprint(settings: str, documents: Sequence[BaseNode]) -> str:
    """All that a document's nodes are made of, as one string."""
    data = [{**document.to_dict(), "embedding": None} for document in documents]
    return digest(settings, *(json.dumps(each, default=str) for each in data))


def is_searchable(node: BaseNode) -> bool:
    """Whether a node is embedded: one without children, or a reference, that has something to embed."""
    small = isinstance(node, IndexNode) or not node.child_nodes
    return small and node.get_content(metadata_mode=MetadataMode.EMBED) != ""


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
