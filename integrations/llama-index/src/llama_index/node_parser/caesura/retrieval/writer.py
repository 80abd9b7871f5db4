"""Documents in, steps out that bring a document store and a vector store up to date."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

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
from caesura.sansio import Step, Steps
from llama_index.node_parser.caesura.nodes import check_documents, document_of
from llama_index.node_parser.caesura.retrieval.docstore import SQLiteDocumentStore
from llama_index.node_parser.caesura.serialization import SerializableParser


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
    """The two stores of an index, and what makes and embeds its nodes.

    A document's state is its entry of hashes in the document store: written last, taken away before anything else.
    """

    index: VectorStoreIndex
    docstore: BaseDocumentStore
    transformations: Sequence[TransformComponent]
    embed_model: BaseEmbedding

    def upsert(self, groups: dict[str, list[BaseNode]], show_progress: bool) -> Steps[Changes]:
        """Documents by id -> the stores hold their nodes, and none that they no longer have."""
        settings = transformations_fingerprint(self.transformations, self.embed_model)
        prints = {name: document_fingerprint(settings, group) for name, group in groups.items()}
        known = yield from self._hashes(list(groups))
        changed = [name for name in groups if known[name] != prints[name]]
        if not changed:
            return Changes(unchanged=len(groups))
        rows = yield from self._rows(changed)
        inputs = list(chain.from_iterable(groups[name] for name in changed))
        yield from self._replace(changed, rows, inputs, show_progress)
        yield from self._mark({name: prints[name] for name in changed})
        updated = sum(bool(known[name] is not None or rows[name]) for name in changed)
        return Changes(len(changed) - updated, updated, len(groups) - len(changed))

    def delete(self, name: str) -> Steps[None]:
        """A document's id -> the stores hold nothing of it. Vectors go first."""
        rows = (yield from self._rows([name]))[name]
        if (yield from self._hashes([name]))[name] is not None:
            yield from self._mark({name: ""})  # a stop from here on leaves a document that the next upsert makes anew
        store = self.index.vector_store
        yield Step.of(store, "delete", name)
        self._unlist(rows)
        forgets = (self.docstore.delete_ref_doc, self.docstore.adelete_ref_doc)
        yield Step(lambda: forgets[0](name, raise_error=False), lambda: forgets[1](name, raise_error=False))
        if not rows:
            yield from self._forget(
                [name]
            )  # the hash of a document without nodes, which `delete_ref_doc` does not know

    # -- the parts of an upsert -------------------------------------------------------------------------------------

    def _replace(
        self, names: Sequence[str], rows: dict[str, list[str]], inputs: Sequence[BaseNode], show_progress: bool
    ) -> Steps[None]:
        """The inputs of some documents -> their nodes take the place of the old rows.

        Nothing is written before all is embedded. New rows are written before old ones go, so that a document can be
        found throughout; a row whose id stays is written again, as its metadata and neighbours may have changed: in the
        place of the old one where the store is known to allow it, else after the old one is gone.
        """
        work = inputs, self.transformations
        nodes = yield Step(
            lambda: run_transformations(*work, in_place=False, show_progress=show_progress),
            lambda: arun_transformations(*work, in_place=False, show_progress=show_progress),
        )
        attribute_references(nodes, names)
        embedded = yield from self._embedded([node for node in nodes if is_searchable(node)], show_progress)
        old = set(chain.from_iterable(rows.values()))
        stale = sorted(old - {node.node_id for node in nodes})
        if old:
            yield from self._mark(dict.fromkeys(names, ""))
        bare = [node if node.embedding is None else node.model_copy(update={"embedding": None}) for node in nodes]
        yield Step(lambda: self.docstore.add_documents(bare), lambda: self.docstore.async_add_documents(bare))
        store = self.index.vector_store
        yield from self._add([node for node in embedded if node.node_id not in old])
        for some in iter_batch(stale if isinstance(store, SimpleVectorStore) else sorted(old), ROWS_PER_CALL):
            yield Step.of(store, "delete_nodes", some)
        yield from self._add([node for node in embedded if node.node_id in old])
        self._unlist(stale)
        if stale:
            yield from self._forget(stale)

    def _embedded(self, nodes: Sequence[BaseNode], show_progress: bool) -> Steps[list[BaseNode]]:
        """Nodes -> copies with their embeddings; the document store is not to hold them."""
        if not nodes:
            return []
        asked = nodes, self.embed_model, show_progress
        found = yield Step(lambda: embed_nodes(*asked), lambda: async_embed_nodes(*asked))
        return [node.model_copy(update={"embedding": found[node.node_id]}) for node in nodes]

    def _add(self, nodes: Sequence[BaseNode]) -> Steps[None]:
        store, struct = self.index.vector_store, self.index.index_struct
        for some in iter_batch(nodes, ROWS_PER_CALL):
            ids = yield Step(lambda some=some: store.add(some), lambda some=some: store.async_add(some))  # type: ignore[misc]
            if not store.stores_text:
                for node, text_id in zip(some, ids, strict=True):
                    struct.add_node(node, text_id=text_id)
        if nodes and not store.stores_text:
            self.index.storage_context.index_store.add_index_struct(struct)

    def _unlist(self, ids: Iterable[str]) -> None:
        """Takes rows out of the index's own list, which it has for a vector store that keeps no texts."""
        listed = self.index.index_struct.nodes_dict
        if [listed.pop(name) for name in ids if name in listed]:
            self.index.storage_context.index_store.add_index_struct(self.index.index_struct)

    def _forget(self, ids: Sequence[str]) -> Steps[None]:
        """Deletes nodes from the document store."""
        store = self.docstore

        def forget() -> None:
            if isinstance(store, SQLiteDocumentStore):
                store.delete_documents(ids)
                return
            for name in ids:
                store.delete_document(name, raise_error=False)

        # not adelete_document(): LlamaIndex's leaves the id in the document's list of nodes
        yield Step(forget, lambda: asyncio.to_thread(forget))

    # -- what the document store knows of a document ------------------------------------------------------------------

    def _hashes(self, names: Sequence[str]) -> Steps[dict[str, str | None]]:
        def fetch() -> list[str | None]:
            return [self.docstore.get_document_hash(name) for name in names]

        async def afetch() -> list[str | None]:
            return await asyncio.gather(*map(self.docstore.aget_document_hash, names))

        return dict(zip(names, (yield Step(fetch, afetch)), strict=True))

    def _rows(self, names: Sequence[str]) -> Steps[dict[str, list[str]]]:
        def fetch() -> list[Any]:
            return [self.docstore.get_ref_doc_info(name) for name in names]

        async def afetch() -> list[Any]:
            return await asyncio.gather(*map(self.docstore.aget_ref_doc_info, names))

        found = yield Step(fetch, afetch)
        return {name: list(info.node_ids) if info else [] for name, info in zip(names, found, strict=True)}

    def _mark(self, hashes: dict[str, str]) -> Steps[None]:
        yield Step.of(self.docstore, "set_document_hashes", hashes)
