"""Document store in one SQLite file: nodes by id, on the disk as soon as a call returns."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore.keyval_docstore import DEFAULT_NAMESPACE, KVDocumentStore
from llama_index.core.storage.docstore.types import RefDocInfo
from llama_index.core.storage.docstore.utils import doc_to_json, json_to_doc
from llama_index.core.storage.kvstore.types import DEFAULT_BATCH_SIZE, DEFAULT_COLLECTION, BaseKVStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura_retrieval.word_index import WordIndex
from caesura_store.sqlite_store import Store


class SQLiteKVStore(BaseKVStore):
    """LlamaIndex's key-value store on a `Store`. `put_all` is one transaction, whatever its batch size."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the file, or makes it with its folders."""
        self.store: Store = Store(path, "llama_index")

    def put(self, key: str, val: dict[str, Any], collection: str = DEFAULT_COLLECTION) -> None:
        self.put_all([(key, val)], collection)

    async def aput(self, key: str, val: dict[str, Any], collection: str = DEFAULT_COLLECTION) -> None:
        await asyncio.to_thread(self.put, key, val, collection)

    def put_all(
        self,
        kv_pairs: list[tuple[str, dict[str, Any]]],
        collection: str = DEFAULT_COLLECTION,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        if kv_pairs:
            self.store.put([(entry_key(collection, key), encode_entry(key, val)) for key, val in kv_pairs])

    async def aput_all(
        self,
        kv_pairs: list[tuple[str, dict[str, Any]]],
        collection: str = DEFAULT_COLLECTION,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        await asyncio.to_thread(self.put_all, kv_pairs, collection)

    def get(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return decode_entry(self.store.get([entry_key(collection, key)])[0])

    async def aget(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return await asyncio.to_thread(self.get, key, collection)

    def get_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        prefix = entry_key(collection, "")
        names = list(self.store.keys(prefix))
        values = map(decode_entry, self.store.get(names))
        entries = zip(names, values, strict=True)
        return {name.removeprefix(prefix): value for name, value in entries if value is not None}

    async def aget_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        return await asyncio.to_thread(self.get_all, collection)

    def delete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return self.store.delete([entry_key(collection, key)]) > 0

    async def adelete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return await asyncio.to_thread(self.delete, key, collection)


def entry_key(collection: str, key: str) -> str:
    """Returns the key under which the file has a collection's entry."""
    return f"{collection}\n{key}"


def encode_entry(key: str, value: dict[str, Any]) -> bytes:
    """Returns the bytes of an entry. Raises `SettingError` for metadata that JSON has no form for."""
    try:
        return json.dumps(value).encode()
    except TypeError as error:
        raise SettingError(
            f"{key!r} cannot be kept: {error}; metadata must be text, numbers, truth values, or lists or dicts of them"
        ) from error


def decode_entry(content: bytes | None) -> dict[str, Any] | None:
    """Returns the entry of some bytes."""
    value: dict[str, Any] | None = None if content is None else json.loads(content)
    return value


class SQLiteDocumentStore(KVDocumentStore):
    """LlamaIndex's document store in one file, for a vector store that keeps its rows on the disk too.

    What a call wrote is there when it returns, and after a kill; several processes may use the file at once.
    `SimpleDocumentStore` is in memory until it is persisted, so that after a crash vectors are left whose parents are
    gone.

    path: the file, made with its folders if it is not there. namespace: several stores may live in one file.
    """

    def __init__(self, path: str | os.PathLike[str], namespace: str | None = None) -> None:
        """Opens the file, or makes it."""
        super().__init__(SQLiteKVStore(path), namespace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    def close(self) -> None:
        """Closes the file."""
        self._store.close()

    @property
    def _store(self) -> Store:
        assert isinstance(self._kvstore, SQLiteKVStore)  # noqa: S101 - what `__init__` made
        return self._kvstore.store

    def open_words(self) -> WordIndex:
        """The words of this namespace, in the same file. Raises `SettingError` where SQLite cannot search for words."""
        own = "" if self._namespace == DEFAULT_NAMESPACE else f"_{digest(self._namespace).replace('-', '')}"
        return WordIndex(self._store, own)

    def get_nodes(self, node_ids: list[str], raise_error: bool = True) -> list[BaseNode]:
        """As LlamaIndex's own, all of one moment."""
        contents = self._store.get(entry_key(self._node_collection, name) for name in node_ids)
        entries = [decode_entry(content) for content in contents]
        lost = [name for name, entry in zip(node_ids, entries, strict=True) if entry is None]
        if lost and raise_error:
            raise ValueError(f"doc_id {lost[0]} not found.")
        return [json_to_doc(entry) for entry in entries if entry is not None]

    async def aget_nodes(self, node_ids: list[str], raise_error: bool = True) -> list[BaseNode]:
        return await asyncio.to_thread(self.get_nodes, node_ids, raise_error)

    def add_documents(
        self,
        docs: Sequence[BaseNode],
        allow_update: bool = True,
        batch_size: int | None = None,
        store_text: bool = True,
    ) -> None:
        """As LlamaIndex's own, but nodes and the lists of documents' nodes in one transaction, each list once.

        A node that no list names would never be updated or deleted.
        """
        pairs: dict[tuple[str, str], dict[str, Any]] = {}
        listed: dict[str, dict[str, None]] = {}
        for node in docs:
            name, source = node.node_id, node.ref_doc_id
            if not allow_update and self.document_exists(name):
                raise ValueError(f"node_id {name} already exists. Set allow_update to True to overwrite.")
            if store_text:
                pairs[self._node_collection, name] = doc_to_json(node)
            pairs[self._metadata_collection, name] = {"doc_hash": node.hash}
            if source is not None:
                pairs[self._metadata_collection, name]["ref_doc_id"] = source
                if source not in listed:
                    info = self.get_ref_doc_info(source) or RefDocInfo()
                    info.metadata = info.metadata or node.metadata
                    listed[source] = dict.fromkeys(info.node_ids)
                    pairs[self._ref_doc_collection, source] = info.to_dict()
                listed[source][name] = None
        for source, names in listed.items():
            pairs[self._ref_doc_collection, source]["node_ids"] = list(names)
        self._store.put(
            (entry_key(collection, name), encode_entry(name, value)) for (collection, name), value in pairs.items()
        )

    async def async_add_documents(
        self,
        docs: Sequence[BaseNode],
        allow_update: bool = True,
        batch_size: int | None = None,
        store_text: bool = True,
    ) -> None:
        await asyncio.to_thread(self.add_documents, docs, allow_update, batch_size, store_text)

    def delete_documents(self, doc_ids: Iterable[str]) -> int:
        """Deletes nodes. Returns how many were there. The rows go before the list of them."""
        gone = list(dict.fromkeys(doc_ids))
        contents = self._store.get(entry_key(self._metadata_collection, name) for name in gone)
        entries = [decode_entry(content) for content in contents]
        sources: dict[str, set[str]] = {}
        for name, entry in zip(gone, entries, strict=True):
            if entry and entry.get("ref_doc_id"):
                sources.setdefault(entry["ref_doc_id"], set()).add(name)
        collections = self._node_collection, self._metadata_collection
        self._store.delete(entry_key(collection, name) for collection in collections for name in gone)
        for source, names in sources.items():
            info = self.get_ref_doc_info(source)
            left = [name for name in info.node_ids if name not in names] if info else []
            if info and left:
                pair = source, RefDocInfo(left, info.metadata).to_dict()
                self._kvstore.put_all([pair], self._ref_doc_collection)
            else:
                self._forget(source)
        return sum(entry is not None for entry in entries)

    def delete_document(self, doc_id: str, raise_error: bool = True) -> None:
        """As LlamaIndex's own. Raises `ValueError` for a node that is not there, unless told not to."""
        if not self.delete_documents([doc_id]) and raise_error:
            raise ValueError(f"doc_id {doc_id} not found.")

    async def adelete_document(self, doc_id: str, raise_error: bool = True) -> None:
        await asyncio.to_thread(self.delete_document, doc_id, raise_error)

    def delete_ref_doc(self, ref_doc_id: str, raise_error: bool = True) -> None:
        """As LlamaIndex's own: a document's nodes, its entry and its hash. Raises `ValueError` if it is not there."""
        info = self.get_ref_doc_info(ref_doc_id)
        if info is None and raise_error:
            raise ValueError(f"ref_doc_id {ref_doc_id} not found.")
        self._forget(ref_doc_id, info.node_ids if info else [])

    async def adelete_ref_doc(self, ref_doc_id: str, raise_error: bool = True) -> None:
        await asyncio.to_thread(self.delete_ref_doc, ref_doc_id, raise_error)

    def _forget(self, ref_doc_id: str, node_ids: Sequence[str] = ()) -> None:
        """Deletes a document's entry and its nodes, all or none of it."""
        collections = self._node_collection, self._metadata_collection
        keys = [entry_key(collection, name) for collection in collections for name in (ref_doc_id, *node_ids)]
        self._store.delete([*keys, entry_key(self._ref_doc_collection, ref_doc_id)])
