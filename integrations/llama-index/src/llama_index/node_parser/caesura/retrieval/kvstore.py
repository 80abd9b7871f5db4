"""Dicts by key and collection, in one SQLite file: what LlamaIndex's stores are made on."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from llama_index.core.storage.kvstore.types import DEFAULT_BATCH_SIZE, DEFAULT_COLLECTION, BaseKVStore

from caesura.errors import SettingError
from caesura.store import Store


class SQLiteKVStore(BaseKVStore):
    """LlamaIndex's key-value store on `caesura.store.Store`. `put_all` is one transaction, whatever its batch size."""

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
            self.store.put([(key_of(collection, key), _bytes(key, val)) for key, val in kv_pairs])

    async def aput_all(
        self,
        kv_pairs: list[tuple[str, dict[str, Any]]],
        collection: str = DEFAULT_COLLECTION,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        await asyncio.to_thread(self.put_all, kv_pairs, collection)

    def get(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return value_of(self.store.get([key_of(collection, key)])[0])

    async def aget(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return await asyncio.to_thread(self.get, key, collection)

    def get_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        prefix = key_of(collection, "")
        names = list(self.store.keys(prefix))
        found = zip(names, map(value_of, self.store.get(names)), strict=True)
        return {name.removeprefix(prefix): value for name, value in found if value is not None}

    async def aget_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        return await asyncio.to_thread(self.get_all, collection)

    def delete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return self.store.delete([key_of(collection, key)]) > 0

    async def adelete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return await asyncio.to_thread(self.delete, key, collection)


def key_of(collection: str, key: str) -> str:
    """Where the file has a collection's entry."""
    return f"{collection}\n{key}"


def _bytes(key: str, value: dict[str, Any]) -> bytes:
    try:
        return json.dumps(value).encode()
    except TypeError as error:
        raise SettingError(
            f"{key!r} cannot be kept: {error}; metadata must be text, numbers, truth values, or lists or dicts of them"
        ) from error


def value_of(found: bytes | None) -> dict[str, Any] | None:
    """What the file has -> the entry."""
    value: dict[str, Any] | None = None if found is None else json.loads(found)
    return value
