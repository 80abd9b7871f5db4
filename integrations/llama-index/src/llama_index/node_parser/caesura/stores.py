"""A document store in one SQLite file: nodes by id, on the disk as soon as a call returns."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.kvstore.types import DEFAULT_BATCH_SIZE, DEFAULT_COLLECTION, BaseKVStore

from caesura.store import Store


class SQLiteKVStore(BaseKVStore):
    """LlamaIndex's key-value store, over `caesura.store.Store`. `put_all` is one transaction, whatever its batch size."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the file, or makes it with its folders."""
        self.store = Store(path, "llama_index")

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
            self.store.put([(_key(collection, key), json.dumps(val).encode()) for key, val in kv_pairs])

    async def aput_all(
        self,
        kv_pairs: list[tuple[str, dict[str, Any]]],
        collection: str = DEFAULT_COLLECTION,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        await asyncio.to_thread(self.put_all, kv_pairs, collection)

    def get(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return _value(self.store.get([_key(collection, key)])[0])

    async def aget(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return await asyncio.to_thread(self.get, key, collection)

    def get_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        prefix = _key(collection, "")
        names = list(self.store.keys(prefix))
        found = zip(names, map(_value, self.store.get(names)), strict=True)
        return {name.removeprefix(prefix): value for name, value in found if value is not None}

    async def aget_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        return await asyncio.to_thread(self.get_all, collection)

    def delete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return self.store.delete([_key(collection, key)]) > 0

    async def adelete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return await asyncio.to_thread(self.delete, key, collection)


class SQLiteDocumentStore(KVDocumentStore):
    """LlamaIndex's document store in one file, for a vector store that keeps its rows on the disk too.

    What a call wrote is there when it returns, and after a kill; several processes may use the file at once.
    `SimpleDocumentStore` is in memory until it is persisted, so that after a crash vectors are left whose parents are
    gone.
    """

    def __init__(self, path: str | os.PathLike[str], namespace: str | None = None) -> None:
        """Opens the file, or makes it with its folders. namespace: several stores may live in one file."""
        super().__init__(SQLiteKVStore(path), namespace)

    def close(self) -> None:
        """Lets go of the file."""
        assert isinstance(self._kvstore, SQLiteKVStore)  # noqa: S101 - what `__init__` made
        self._kvstore.store.close()


def _key(collection: str, key: str) -> str:
    return f"{collection}\n{key}"


def _value(found: bytes | None) -> dict[str, Any] | None:
    value: dict[str, Any] | None = None if found is None else json.loads(found)
    return value
