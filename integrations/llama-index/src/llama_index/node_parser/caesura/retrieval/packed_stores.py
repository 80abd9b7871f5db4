"""Stores in memory, as they are written to a folder: in a tenth of the room that LlamaIndex's JSON takes."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate, pairwise
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
from llama_index.core import StorageContext
from llama_index.core.data_structs.data_structs import IndexDict
from llama_index.core.data_structs.registry import INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS
from llama_index.core.data_structs.struct_type import IndexStructType
from llama_index.core.indices.registry import INDEX_STRUCT_TYPE_TO_INDEX_CLASS
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.index_store import SimpleIndexStore
from llama_index.core.storage.index_store.types import DEFAULT_PERSIST_FNAME
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.storage.storage_context import DEFAULT_PERSIST_DIR
from llama_index.core.vector_stores import SimpleVectorStore
from llama_index.core.vector_stores.simple import DEFAULT_VECTOR_STORE, SimpleVectorStoreData

from caesura.errors import SettingError

STRUCT_TYPE: IndexStructType = cast(IndexStructType, "llama_index.node_parser.caesura.HierarchyIndex")
"""By which LlamaIndex's registries know the index. Without this package it is the name that they do not find."""


@dataclass
class HierarchyStruct(IndexDict):
    """What an index store knows of a `HierarchyIndex`: its list of rows, as LlamaIndex's own indexes have one.

    owner: what tells its part of a document store from those of others: the name of its vector store's collection,
    table or index. packed: in a folder, what its
    stores in memory had.
    """

    owner: str = ""
    packed: dict[str, str] = field(default_factory=dict)

    @classmethod
    def get_type(cls) -> IndexStructType:
        """Under which it is registered."""
        return STRUCT_TYPE

    def to_dict(self, encode_json: bool = False) -> dict[str, Any]:
        """Returns its fields as they are: text and dicts of text, so that nothing of a long list is looked at."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


INDEX_STRUCT_TYPE_TO_INDEX_STRUCT_CLASS[STRUCT_TYPE] = HierarchyStruct


@dataclass
class PackingContext(StorageContext):
    """The stores of an index. `persist` writes what the index has in memory packed, and all else as LlamaIndex does.

    find_struct: returns that of the index.
    """

    find_struct: Callable[[], HierarchyStruct] = HierarchyStruct

    @classmethod
    def of(cls, stores: StorageContext, part: KVDocumentStore, find_struct: Callable[[], HierarchyStruct]) -> Any:
        """The same stores, but of the document store the part that the index has."""
        own = {each.name: getattr(stores, each.name) for each in fields(StorageContext)}
        return cls(**{**own, "docstore": part}, find_struct=find_struct)

    def persist(self, persist_dir: Any = DEFAULT_PERSIST_DIR, *names: Any, **options: Any) -> None:
        """Writes the stores that are in memory into a folder, where `load_index_from_storage` and
        `HierarchyIndex.load` find the index. The arguments are those of LlamaIndex's own."""
        check_folder(persist_dir)
        struct, packed, index_store = self.find_struct(), dict[str, str](), self.index_store
        stores = StorageContext(**{each.name: getattr(self, each.name) for each in fields(StorageContext)})
        if isinstance(index_store, SimpleIndexStore):
            if isinstance(self.docstore, SimpleDocumentStore):
                own = self.docstore._namespace + "/"
                kept = {True: dict[str, Any](), False: dict[str, Any]()}
                for collection, entries in _entries(self.docstore._kvstore).items():
                    kept[collection.startswith(own)][collection] = entries
                packed["nodes"] = _pack_json(kept[True])
                stores.docstore = SimpleDocumentStore(SimpleKVStore(kept[False]))
            if isinstance(self.vector_store, SimpleVectorStore):
                rows, others = _pack_rows(self.vector_store.data, struct.nodes_dict)
                packed |= rows
                stores.vector_stores = {**self.vector_stores, DEFAULT_VECTOR_STORE: SimpleVectorStore(others)}
            data = {name: {**rows} for name, rows in _entries(index_store._kvstore).items()}
            stores.index_store = SimpleIndexStore(SimpleKVStore(data))
            listed = {} if "rows" in packed else struct.nodes_dict
            stores.index_store.add_index_struct(replace(struct, nodes_dict=listed, packed=packed))
        if len(names) == 7 or options.get("fs") is not None:
            stores.persist(persist_dir, *names, **options)
            return
        folder = Path(persist_dir)
        if folder.exists() and not folder.is_dir():
            raise SettingError(
                f"persist_dir={str(folder)!r} is a file: name a folder, which is made if it is not there"
            )
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".persist-", dir=folder) as new:  # a stop leaves each file as it was, or new
            stores.persist(new, *names, **options)
            for file in [each for each in Path(new).rglob("*") if each.is_file()]:
                place = folder / file.relative_to(new)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)


def unpack_stores(stores: StorageContext) -> bool:
    """Puts what indexes have packed into the stores in memory. Returns whether there was something.

    A store that keeps itself elsewhere is left as it is. Raises `SettingError` where it is damaged.
    """
    packed = [each for each in find_structs(stores) if each.packed]
    for struct in packed:
        try:
            if "nodes" in struct.packed and isinstance(stores.docstore, SimpleDocumentStore):
                for collection, entries in _unpack_json(struct.packed["nodes"]).items():
                    stores.docstore._kvstore.put_all(list(entries.items()), collection)
            if "rows" in struct.packed and isinstance(stores.vector_store, SimpleVectorStore):
                struct.nodes_dict = _unpack_rows(struct.packed, stores.vector_store.data)
        except (ValueError, zlib.error) as error:
            raise SettingError(
                f"the index {struct.index_id!r} in {DEFAULT_PERSIST_FNAME} is damaged ({error}): restore the folder "
                f"from a copy, or make the index anew of its documents"
            ) from error
        stores.index_store.add_index_struct(replace(struct, packed={}))
    return bool(packed)


def check_folder(folder: Any) -> None:
    """Raises `SettingError` for what is no path of a folder."""
    if not isinstance(folder, (str, PathLike)) or not fspath(folder):
        raise SettingError(f"persist_dir must be the path of a folder, got {folder!r:.80}")


def check_packed(stores: StorageContext, folder: str) -> None:
    """Raises `SettingError` for a folder without an index of this kind. It would be taken for an empty one."""
    if find_structs(stores):
        return
    kinds = [INDEX_STRUCT_TYPE_TO_INDEX_CLASS.get(each.get_type()) for each in stores.index_store.index_structs()]
    others = " and ".join(f"a {kind.__name__}" if kind else "an index of another kind" for kind in kinds)
    count = len(stores.docstore.docs)
    raise SettingError(
        f"persist_dir={folder!r} holds {others or 'no index'}{f' of {count} nodes' if count and others else ''}, and "
        f"HierarchyIndex.load needs what a HierarchyIndex wrote: "
        f"load_index_from_storage(StorageContext.from_defaults(persist_dir=…)) loads what another index wrote. To have "
        f"its documents in a HierarchyIndex, give them to HierarchyIndex().upsert(documents), and persist that"
    )


def find_damaged(folder: str) -> str:
    """Returns the names of the files in a folder that are no JSON."""
    names: list[str] = []
    for file in sorted(Path(folder).glob("*.json")):
        try:
            json.loads(file.read_bytes())
        except ValueError:
            names.append(file.name)
    return ", ".join(names) or "whose name is not known"


def find_structs(stores: StorageContext) -> list[HierarchyStruct]:
    """Returns those of the indexes of this kind that an index store knows."""
    return [each for each in stores.index_store.index_structs() if isinstance(each, HierarchyStruct)]


def _entries(store: BaseKVStore) -> dict[str, dict[str, dict[str, Any]]]:
    """The entries of a store in memory, by collection and key."""
    assert isinstance(store, SimpleKVStore)  # noqa: S101 - what simple stores are made of
    return store.to_dict()


def _pack_rows(data: SimpleVectorStoreData, nodes: Mapping[str, str]) -> tuple[dict[str, str], SimpleVectorStoreData]:
    """Packs the rows of a vector store in memory that are of these nodes, each number in four bytes. Returns them, and
    the others as they are."""
    own, others = SimpleVectorStoreData(), SimpleVectorStoreData()
    for name in ("embedding_dict", "text_id_to_ref_doc_id", "metadata_dict"):
        for row, value in getattr(data, name).items():
            getattr(own if row in nodes else others, name)[row] = value
    vectors = [np.asarray(each, "<f4") for each in own.embedding_dict.values()]
    said = {
        "ids": [*own.embedding_dict],
        "lengths": [len(each) for each in vectors],
        "documents": own.text_id_to_ref_doc_id,
        "metadata": own.metadata_dict,
        "nodes": dict(nodes),
    }
    rows = b64encode(b"".join(each.tobytes() for each in vectors)).decode()
    return {"rows": rows, "of_rows": _pack_json(said)}, others


def _unpack_rows(packed: Mapping[str, str], data: SimpleVectorStoreData) -> dict[str, str]:
    """Puts rows into a vector store in memory. Returns which node each is of."""
    numbers, said = np.frombuffer(b64decode(packed["rows"]), "<f4"), _unpack_json(packed["of_rows"])
    borders = pairwise(accumulate(said["lengths"], initial=0))
    rows = (cast(Any, tuple(numbers[start:end].tolist())) for start, end in borders)  # see `untrack_rows`
    data.embedding_dict.update(zip(said["ids"], rows, strict=True))
    data.text_id_to_ref_doc_id.update(said["documents"])
    data.metadata_dict.update(said["metadata"])
    return dict(said["nodes"])


def _pack_json(value: Any) -> str:
    try:
        said = json.dumps(value)
    except TypeError as error:
        raise SettingError(
            f"the index cannot be persisted: {error}; metadata must be text, numbers, truth values, or lists or dicts "
            f"of them"
        ) from error
    return b64encode(zlib.compress(said.encode())).decode()


def _unpack_json(packed: str) -> Any:
    return json.loads(zlib.decompress(b64decode(packed)))
