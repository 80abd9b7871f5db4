"""Document stores of nodes: LlamaIndex's in one SQLite file, and the part of any of them that is an index's own."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeAlias
from urllib.parse import quote
from weakref import WeakKeyDictionary, WeakValueDictionary, ref

from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore.keyval_docstore import DEFAULT_NAMESPACE, KVDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore, RefDocInfo
from llama_index.core.storage.docstore.utils import doc_to_json
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.storage.kvstore.types import (
    DEFAULT_BATCH_SIZE,
    DEFAULT_COLLECTION,
    BaseKVStore,
    MutableMappingKVStore,
)
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura_retrieval.word_index import WordIndex
from caesura_store.sqlite_store import Store, release_in_child
from llama_index.node_parser.caesura.node_sections import NodeSection
from llama_index.node_parser.caesura.retrieval.node_records import (
    Record,
    decode_entry,
    decode_node,
    encode_entry,
    encode_nodes,
    move_within,
    node_entries,
    place,
    section_of,
    share_parts,
)
from llama_index.node_parser.caesura.vector_store_quirks import rows_in_memory, store_name

Entries: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Collections, and what is written under the keys of each, perhaps encoded; None: the key is deleted."""
TURN = "turn"
"""The key of the last turn, in a collection and in its entry."""
START, SECTIONS = "start", "sections"
"""The keys of where a section begins in its document, and of the sections of a document, in entries of their own."""
ROUNDS = 20
"""Times at most that nodes are read, whose sections are changed meanwhile."""


class DocumentState(NamedTuple):
    """By which settings the rows of a document were made, of what, and the id of one that was written last.

    These are empty while it is written. turn: of the version that readers see, see `Versions`. pending: ids of rows
    that the vector store may have beside those of this version. is_whole: whether all nodes of the version are there.
    sources: what the document is known by if its id is random. first: the id of the node that it begins with.
    sections: the names of those of this version, and of others that words may be filed under.
    """

    settings: str = ""
    content: str = ""
    row: str = ""
    turn: int = 0
    pending: Sequence[str] = ()
    is_whole: bool = True
    sources: Sequence[str] = ()
    first: str = ""
    sections: Sequence[str] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> DocumentState:
        """Reads what `entry` made, or what another than an index filed there: then of settings that nobody has."""
        if TURN not in entry:
            return cls(settings="another's")
        settings, _, rest = entry["doc_hash"].partition("/")
        content, _, row = rest.partition("/")
        names = "turn", "pending", "is_whole", "sources", "first", "sections"
        return cls(settings, content, row, *map(entry.__getitem__, names))

    def entry(self) -> dict[str, Any]:
        """What is filed in the place of the document's hash."""
        made = "/".join(self[:3]) if self.settings else ""
        more = {"pending": [*self.pending], "is_whole": self.is_whole, "sources": [*self.sources]}
        return {"doc_hash": made, "turn": self.turn, **more, "first": self.first, "sections": [*self.sections]}


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
        return self.get_many([key], collection)[0]

    async def aget(self, key: str, collection: str = DEFAULT_COLLECTION) -> dict[str, Any] | None:
        return await asyncio.to_thread(self.get, key, collection)

    def get_many(self, keys: Iterable[str], collection: str = DEFAULT_COLLECTION) -> list[dict[str, Any] | None]:
        """Returns the entry of each key, all of one moment."""
        return [None if content is None else decode_entry(content) for content in self.read(keys, collection)]

    def read(self, keys: Iterable[str], collection: str, starts: dict[str, int] | None = None) -> list[bytes | None]:
        """Returns the bytes of the entry of each key, all of one moment. Offsets of nodes count in their documents, as
        they are at this moment or a later one; a node is left out whose section has no place.

        starts: where sections begin, by their names. What it lacks is read and put there, and offsets are left to count
        in their sections.
        """
        names, places = [entry_key(collection, key) for key in keys], starts_of(collection)
        contents, known = self.store.get(names), {} if starts is None else starts
        for left in reversed(range(ROUNDS)):
            lacking = sorted({*map(section_of, contents)} - {"", *known})
            found = self.store.get(entry_key(places, name) for name in lacking) if lacking else []
            new = {name: json.loads(each)[START] for name, each in zip(lacking, found, strict=True) if each}
            if len(new) == len(lacking) or not left:
                break
            contents = self.store.get(names)  # another writer came between
        known.update(new)
        if len(new) < len(lacking):
            contents = [each if section_of(each) in {"", *known} else None for each in contents]
        return [place(each, known) for each in contents] if starts is None and known else contents

    def present(self, keys: Iterable[str], collection: str) -> set[str]:
        """Returns those of the keys that there are."""
        return {key.partition("\n")[2] for key in self.store.present(entry_key(collection, key) for key in keys)}

    def names(self, collection: str) -> Iterator[str]:
        """Yields the keys of a collection."""
        prefix = entry_key(collection, "")
        return (name.removeprefix(prefix) for name in self.store.keys(prefix))

    def get_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        names = [*self.names(collection)]
        entries = zip(names, self.get_many(names, collection), strict=True)
        return {name: value for name, value in entries if value is not None}

    async def aget_all(self, collection: str = DEFAULT_COLLECTION) -> dict[str, dict[str, Any]]:
        return await asyncio.to_thread(self.get_all, collection)

    def delete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return self.store.delete([entry_key(collection, key)]) > 0

    async def adelete(self, key: str, collection: str = DEFAULT_COLLECTION) -> bool:
        return await asyncio.to_thread(self.delete, key, collection)

    def commit(self, entries: Entries, states: Mapping[str, DocumentState], collection: str, turns: str) -> int:
        """Writes entries, and the states of documents with the next turn, all or none of it. Returns the turn.

        collection: of the states. turns: of the last turn.
        """
        turn = 1

        def number(last: bytes | None) -> Iterable[tuple[str, bytes]]:
            nonlocal turn
            turn += 0 if last is None else json.loads(last)[TURN]
            own = {name: state._replace(turn=turn).entry() for name, state in states.items()}
            return encode({turns: {TURN: {TURN: turn}}, collection: own})

        def encode(some: Entries) -> list[tuple[str, bytes]]:
            rows = ((place, key, value) for place, values in some.items() for key, value in values.items())
            return [
                (entry_key(place, key), encode_entry(key, value)) for place, key, value in rows if value is not None
            ]

        gone = [entry_key(place, key) for place, values in entries.items() for key in values if values[key] is None]
        self.store.update(entry_key(turns, TURN), number, encode(entries), gone)
        return turn


def entry_key(collection: str, key: str) -> str:
    """Returns the key under which the file has a collection's entry."""
    return f"{collection}\n{key}"


def starts_of(collection: str) -> str:
    """Returns the collection that says where the sections begin in which the nodes of another are counted."""
    return f"{collection}/starts"


def sections_of(docstore: KVDocumentStore) -> str:
    """Returns the collection that says of which sections documents are."""
    return f"{docstore._namespace}/{SECTIONS}"


def reads_in_memory(docstore: BaseDocumentStore) -> bool:
    """Whether a document store is LlamaIndex's in memory. Awaited, it would make nodes of its entries in the event
    loop."""
    kvstore, aget = getattr(docstore, "_kvstore", None), getattr(type(docstore), "aget_document", None)
    return isinstance(kvstore, MutableMappingKVStore) and aget is KVDocumentStore.aget_document


def lists_left(docstore: KVDocumentStore, nodes: Sequence[BaseNode]) -> dict[str, RefDocInfo]:
    """Returns the documents whose nodes are about to be another's, and their lists without those."""
    store, collection = docstore._kvstore, docstore._metadata_collection
    names = [node.node_id for node in nodes]
    if isinstance(store, SQLiteKVStore):
        entries = store.get_many(names, collection)
    else:
        entries = [store.get(name, collection) for name in names]
    gone: dict[str, set[str]] = {}
    for node, entry in zip(nodes, entries, strict=True):
        source = (entry or {}).get("ref_doc_id")
        if source is not None and source != node.ref_doc_id:
            gone.setdefault(source, set()).add(node.node_id)
    lists = {source: docstore.get_ref_doc_info(source) or RefDocInfo() for source in gone}
    for source, info in lists.items():
        info.node_ids = [name for name in info.node_ids if name not in gone[source]]
    return lists


class SQLiteDocumentStore(KVDocumentStore):
    """LlamaIndex's document store in one file, for a vector store that keeps its rows on the disk too.

    What a call wrote is there when it returns, and after a kill; several processes may use the file at once.
    `SimpleDocumentStore` is in memory until it is persisted, so that after a crash vectors are left whose parents are
    gone.

    path: the file, made with its folders if it is not there. namespace: several stores may live in one file.
    """

    def __init__(self, path: str | os.PathLike[str], namespace: str | None = None) -> None:
        """Opens the file, or makes it."""
        if namespace is not None and ("\n" in namespace or OWNED in namespace):
            raise SettingError(f"namespace must have no line break, and no {OWNED!r}, which is ours: got {namespace!r}")
        super().__init__(SQLiteKVStore(path), namespace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The file."""
        return self.kvstore.store.path

    def close(self) -> None:
        """Closes the file."""
        self.kvstore.store.close()

    @property
    def kvstore(self) -> SQLiteKVStore:
        """What the file is read and written by."""
        assert isinstance(self._kvstore, SQLiteKVStore)  # noqa: S101 - what `__init__` made
        return self._kvstore

    def open_words(self) -> WordIndex:
        """The words of this namespace, in the same file, and for the search in a folder beside it."""
        own = "" if self._namespace == DEFAULT_NAMESPACE else f"_{digest(self._namespace).replace('-', '')}"
        return WordIndex(self.kvstore.store, own)

    def get_nodes(self, node_ids: list[str], raise_error: bool = True) -> list[BaseNode]:
        """As LlamaIndex's own, all of one moment. Raises `ValueError` for an unknown id if `raise_error` is True."""
        records = self.kvstore.read(node_ids, self._node_collection)
        lost = [name for name, record in zip(node_ids, records, strict=True) if record is None]
        if lost and raise_error:
            raise ValueError(f"doc_id {lost[0]} not found.")
        return [decode_node(record) for record in records if record is not None]

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

        Each node is in the list of one document, with which it is updated and deleted.
        Raises `ValueError` for a node that is there already, if `allow_update` is False.
        """
        docs = list({node.node_id: node for node in docs}.values())
        nodes: dict[str, dict[str, Any]] = {}
        hashes: dict[str, dict[str, Any]] = {}
        left = lists_left(self, docs)
        infos: dict[str, dict[str, Any]] = {name: info.to_dict() for name, info in left.items()}
        listed = {name: dict.fromkeys(info.node_ids) for name, info in left.items()}
        for node in docs:
            name, source = node.node_id, node.ref_doc_id
            if not allow_update and self.document_exists(name):
                raise ValueError(f"node_id {name} already exists. Set allow_update to True to overwrite.")
            if store_text:
                nodes[name] = doc_to_json(node)
            hashes[name] = {"doc_hash": node.hash}
            if source is not None:
                hashes[name]["ref_doc_id"] = source
                if source not in listed:
                    info = self.get_ref_doc_info(source) or RefDocInfo()
                    info.metadata = info.metadata or node.metadata
                    listed[source] = dict.fromkeys(info.node_ids)
                    infos[source] = info.to_dict()
                listed[source][name] = None
        for source, names in listed.items():
            infos[source]["node_ids"] = list(names)
        infos = {source: info for source, info in infos.items() if listed[source]}
        empty = [entry_key(self._ref_doc_collection, source) for source in listed.keys() - infos.keys()]
        collections = {self._node_collection: nodes, self._metadata_collection: hashes, self._ref_doc_collection: infos}
        pairs = (
            (entry_key(collection, name), encode_entry(name, value))
            for collection, values in collections.items()
            for name, value in values.items()
        )
        self.kvstore.store.update("", lambda _: (), pairs, empty)

    async def async_add_documents(
        self,
        docs: Sequence[BaseNode],
        allow_update: bool = True,
        batch_size: int | None = None,
        store_text: bool = True,
    ) -> None:
        await asyncio.to_thread(self.add_documents, docs, allow_update, batch_size, store_text)

    async def adelete_document(self, doc_id: str, raise_error: bool = True) -> None:
        """As `delete_document`. LlamaIndex's leaves the id in the document's list of nodes."""
        await asyncio.to_thread(self.delete_document, doc_id, raise_error)

    def delete_ref_doc(self, ref_doc_id: str, raise_error: bool = True) -> None:
        """As LlamaIndex's own: a document's nodes, its entry and its hash. Raises `ValueError` if it is not there."""
        info = self.get_ref_doc_info(ref_doc_id)
        if info is None and raise_error:
            raise ValueError(f"ref_doc_id {ref_doc_id} not found.")
        own = self._get_ref_doc_id(ref_doc_id)  # None but where a node has the document's id
        names = [*([ref_doc_id] if own in {None, ref_doc_id} else ()), *(info.node_ids if info else ())]
        gone = [entry_key(self._ref_doc_collection, ref_doc_id)]
        collections = self._node_collection, self._metadata_collection
        self.kvstore.store.delete(
            [*gone, *(entry_key(collection, name) for collection in collections for name in names)]
        )

    async def adelete_ref_doc(self, ref_doc_id: str, raise_error: bool = True) -> None:
        await asyncio.to_thread(self.delete_ref_doc, ref_doc_id, raise_error)


# -- the part of an index --------------------------------------------------------------------------------------------

OWNED = "/hierarchy/"
"""Stands in a namespace between that of the document store and the owner of a part."""
ENOUGH = 100
"""Rows of a vector store in memory that are asked for, to see of which part of a document store they are."""
_parts: WeakValueDictionary[tuple[int, str], KVDocumentStore] = WeakValueDictionary()
_Places: TypeAlias = list[Callable[[], object]]
_places_in_files: dict[tuple[Path, str], _Places] = {}
_places_in_stores: WeakKeyDictionary[BaseKVStore, dict[str, _Places]] = WeakKeyDictionary()
_guard = RLock()  # threads may open indexes over one store at once

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_guard.acquire, after_in_parent=_guard.release, after_in_child=partial(release_in_child, _guard)
    )


def find_owner(docstore: KVDocumentStore, vector_store: BasePydanticVectorStore, known: Sequence[str]) -> str:
    """Returns what tells the index of a vector store from others over a document store, the same in every process.

    That is the name of the vector store's collection, table or index. One without a name has the number of the part
    whose nodes it has rows of, as one that was loaded from a file, else the lowest that no other living one has over
    the same document store. known: owners before, which come first.
    """
    if name := store_name(vector_store):
        return f"named {name}"
    base = docstore._namespace.partition(OWNED)[0]
    before = [int(each.removeprefix("number ")) for each in known if each.startswith("number ")]
    own = _find_numbers(docstore, vector_store)
    with _guard:
        if isinstance(docstore, SQLiteDocumentStore):
            places = _places_in_files.setdefault((docstore.path, base), [])
        else:
            places = _places_in_stores.setdefault(docstore._kvstore, {}).setdefault(base, [])
        held = [place() for place in places]
        for number, other in enumerate(held):
            if other is vector_store:
                return f"number {number}"

        def is_free(number: int) -> bool:
            return number >= len(held) or held[number] is None

        sure = [*(each for each in before if each in own), *sorted(own, key=lambda each: not is_free(each))]
        number = next(each for each in chain(sure[:1], before, count()) if is_free(each) or each in sure)
        if is_free(number):
            places += [lambda: None] * (number + 1 - len(places))
            places[number] = ref(vector_store)
        return f"number {number}"


def _find_numbers(docstore: KVDocumentStore, vector_store: BasePydanticVectorStore) -> list[int]:
    """Returns the numbers of the parts of a document store that have nodes of the first rows of a vector store."""
    rows = [*islice(rows_in_memory(vector_store) or (), ENOUGH)]
    numbers: list[int] = []
    for number in count() if rows else ():
        part = open_part(docstore, f"number {number}")
        if part._kvstore.get(TURN, f"{part._namespace}/{TURN}") is None:
            break
        numbers += [number] if any(part.document_exists(row) for row in rows) else []
    return numbers


def open_part(docstore: KVDocumentStore, owner: str) -> KVDocumentStore:
    """Returns the part of a document store that an index has to itself: the store itself, under another namespace.

    The same object for the same owner, so that all indexes of one owner have one index of words.
    """
    base = docstore._namespace.partition(OWNED)[0]
    namespace = f"{base}{OWNED}{quote(owner, safe='')}"
    key = id(docstore._kvstore), namespace
    with _guard:
        part = _parts.get(key)
        if part is None:
            part = copy(docstore)
            suffixes = docstore._node_collection_suffix, docstore._ref_doc_collection_suffix
            more = docstore._metadata_collection_suffix
            KVDocumentStore.__init__(part, docstore._kvstore, namespace, docstore._batch_size, *suffixes, more)
            _parts[key] = part
    return part


@dataclass(frozen=True, slots=True)
class Versions:
    """Documents of an index's part of a document store. What is committed together is one version for every reader.

    In a `SQLiteDocumentStore` a commit is one transaction. In any other store it takes several calls, and a document is
    not `is_whole` meanwhile. Each commit has a turn, a number that rises, which documents keep: who has read the last
    turn before anything else knows afterwards which documents were changed meanwhile.
    """

    docstore: KVDocumentStore
    calls: Calls

    @classmethod
    def of(cls, docstore: BaseDocumentStore, calls: Calls) -> Self | None:
        """None for a document store that no index writes to."""
        if isinstance(docstore, KVDocumentStore) and OWNED in docstore._namespace:
            return cls(docstore, calls)
        return None

    @property
    def _turns(self) -> str:
        return f"{self.docstore._namespace}/{TURN}"

    @property
    def _sources(self) -> str:
        return f"{self.docstore._namespace}/sources"

    async def turn(self) -> int:
        """The last turn."""
        (entry,) = await self._fetch([TURN], self._turns)
        return entry[TURN] if entry else 0

    async def states(self, names: Sequence[str]) -> dict[str, DocumentState]:
        """The states of those documents that there are."""
        entries = await self._fetch(names, self.docstore._metadata_collection)
        return {name: DocumentState.of(entry) for name, entry in zip(names, entries, strict=True) if entry}

    async def listed(
        self, names: Sequence[str], read: Container[str] = ()
    ) -> tuple[dict[str, list[str]], dict[str, Record]]:
        """The ids of each document's nodes, and what is kept of the nodes of those documents that are to be read, as
        `encode_entries` returns it."""
        infos = await self._fetch(names, self.docstore._ref_doc_collection)
        listed = {name: info["node_ids"] if info else [] for name, info in zip(names, infos, strict=True)}
        return listed, await self.read([each for name, own in listed.items() if name in read for each in own])

    async def read(self, ids: Sequence[str]) -> dict[str, Record]:
        """What is kept of those of the nodes that there are, as `encode_entries` returns it."""
        store, collection = self.docstore._kvstore, self.docstore._node_collection
        entries: Sequence[Any] = ()
        if ids and isinstance(store, SQLiteKVStore):
            entries = await self.calls.compute(store.read, ids, collection)
        elif ids:
            entries = await self._fetch(ids, collection)
        return {name: entry for name, entry in zip(ids, entries, strict=True) if entry}

    @property
    def keeps_places(self) -> bool | None:
        """Whether offsets of nodes in sections are kept as they are in the document, and not in their sections; None
        for a store in which every document is written whole."""
        store = self.docstore._kvstore
        return True if type(store) is SimpleKVStore else False if isinstance(store, SQLiteKVStore) else None

    async def sections(self, names: Sequence[str]) -> dict[str, list[NodeSection]]:
        """The sections of those of the documents that are written in sections."""
        entries = await self._fetch(names, sections_of(self.docstore))
        return {
            name: [NodeSection(*own) for own in entry[SECTIONS]]
            for name, entry in zip(names, entries, strict=True)
            if entry
        }

    def encode_entries(self, nodes: Iterable[BaseNode]) -> Mapping[str, Record]:
        """Returns what the document store is to keep of each node, by its id. Raises `SettingError`."""
        if isinstance(self.docstore, SQLiteDocumentStore):
            return encode_nodes(nodes)
        known: dict[Any, Any] = {}
        return {name: share_parts(entry, known) for name, entry in node_entries(nodes)}

    async def sources(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What is known under those of the keys that there are."""
        entries = await self._fetch(keys, self._sources)
        return {key: entry for key, entry in zip(keys, entries, strict=True) if entry}

    async def metadata(self, names: Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        """Those of the documents that there are, and the metadata of each; without names all."""
        store = self.docstore
        if names is not None:
            entries = await self._fetch(names, store._ref_doc_collection)
            return {name: entry["metadata"] for name, entry in zip(names, entries, strict=True) if entry}
        infos = await self.calls.call(store.get_all_ref_doc_info, store.aget_all_ref_doc_info)
        return {name: info.metadata for name, info in (infos or {}).items()}

    async def unlisted(self, known: Container[str]) -> list[str]:
        """The documents that no reader sees, whose write or deletion goes on or was stopped. known: what is seen."""
        store, collection = self.docstore._kvstore, self.docstore._metadata_collection
        if isinstance(store, SQLiteKVStore):
            names = await self.calls.compute(lambda: [*store.names(collection)])
        else:
            names = [*await self.calls.call(store.get_all, store.aget_all, collection)]
        states = await self.states([name for name in names if name not in known])
        listed, _ = await self.listed([*states])
        return [name for name, state in states.items() if not state.settings and not listed[name]]

    async def check_new(self, names: Iterable[str]) -> None:
        """Raises `SettingError` for the id of another document's node, among names of no documents."""
        for node in await self.find_nodes([*await self.present([*names])]):
            if node.ref_doc_id != node.node_id:
                raise SettingError(
                    f"{node.node_id!r} is the id of a node of the document {node.ref_doc_id!r}, and no document's: "
                    f"give a document an id of its own, and delete a document by its id"
                )

    async def check_own(self, nodes: Iterable[BaseNode]) -> None:
        """Raises `SettingError` for a node under the id of another document's: that document would lose its own."""
        owners = {node.node_id: node.ref_doc_id for node in nodes}
        for node in await self.find_nodes([*owners]):
            if node.ref_doc_id not in (None, owners[node.node_id]):
                raise SettingError(
                    f"{node.node_id!r} is the id of a node of the document {node.ref_doc_id!r}, and of a node that is "
                    f"given of {owners[node.node_id]!r}: give it another id, or delete that document first"
                )

    async def find_nodes(self, ids: Sequence[str]) -> list[BaseNode]:
        """Those of the nodes that there are."""
        if not ids:
            return []
        get, aget = self.docstore.get_nodes, self.docstore.aget_nodes
        if reads_in_memory(self.docstore):
            return await self.calls.compute(get, [*ids], raise_error=False)
        return await self.calls.call(get, aget, [*ids], raise_error=False)

    async def present(self, ids: Sequence[str]) -> set[str]:
        """Returns those of the ids that there are nodes of."""
        store, collection = self.docstore._kvstore, self.docstore._node_collection
        if isinstance(store, SQLiteKVStore):
            return await self.calls.compute(store.present, ids, collection)
        return {name for name, entry in zip(ids, await self._fetch(ids, collection), strict=True) if entry}

    async def changed(self, names: Iterable[str], turn: int) -> set[str]:
        """Returns those of the documents that were changed after a turn, are being changed, or are gone."""
        asked = [*names]
        states = await self.states(asked)
        return {name for name in asked if name not in states or states[name].turn > turn or not states[name].is_whole}

    async def note(self, states: Mapping[str, DocumentState]) -> None:
        """Writes states, which no reader sees: versions stay as they are."""
        await self._put(self.docstore._metadata_collection, {name: state.entry() for name, state in states.items()})

    def entries(
        self,
        lists: Mapping[str, RefDocInfo | None],
        sources: Mapping[str, dict[str, Any] | None],
        nodes: Mapping[str, Record] = MappingProxyType({}),
        stale: Iterable[str] = (),
        sections: Mapping[str, tuple[Sequence[str], Sequence[NodeSection]]] = MappingProxyType({}),
    ) -> Entries:
        """Returns what a commit writes: nodes, the lists of documents' nodes, sources and sections. None: what goes.

        nodes: see `encode_entries`. stale: the ids of nodes that go. sections: of documents that had some, or have some
        now: the names of those that they may have, and these.
        """
        infos = {  # what `to_dict` returns, which looks at each id by itself
            name: info and {"node_ids": [*info.node_ids], "metadata": deepcopy(info.metadata)}
            for name, info in lists.items()
        }
        entries: dict[str, Mapping[str, Any]] = {
            self.docstore._node_collection: {**dict.fromkeys(stale), **nodes},
            self.docstore._ref_doc_collection: infos,
            self._sources: sources,
        }
        if sections:
            entries[sections_of(self.docstore)] = {
                name: {SECTIONS: [[*each] for each in own]} if own else None for name, (_, own) in sections.items()
            }
        if sections and not self.keeps_places:
            old = dict.fromkeys(chain.from_iterable(names for names, _ in sections.values()))
            new = {each.name: {START: each.start} for _, own in sections.values() for each in own}
            entries[starts_of(self.docstore._node_collection)] = {**old, **new}
        return entries

    async def commit(
        self,
        states: Mapping[str, DocumentState],
        entries: Entries,
        moves: Mapping[str, int] = MappingProxyType({}),
    ) -> int:
        """Writes entries and the states of their documents. Returns the turn. moves: what is added to the offsets of
        other nodes, by their ids, in a store that `keeps_places`."""
        store, kvstore = self.docstore, self.docstore._kvstore
        if isinstance(kvstore, SQLiteKVStore):
            return await self.calls.compute(kvstore.commit, entries, states, store._metadata_collection, self._turns)
        turn = await self.turn() + 1
        await self.note({name: state._replace(turn=turn, is_whole=False) for name, state in states.items()})
        for collection, values in entries.items():
            await self._put(collection, values)
        for name, by in moves.items():
            if by and (entry := kvstore.get(name, store._node_collection)):  # whose parts are the store's own
                move_within(entry, by)
        await self.note({name: state._replace(turn=turn) for name, state in states.items()})
        await self._put(self._turns, {TURN: {TURN: turn}})
        return turn

    async def forget(self, names: Sequence[str]) -> None:
        """Deletes the states of documents."""
        await self._put(self.docstore._metadata_collection, dict.fromkeys(names))

    async def _put(self, collection: str, values: Mapping[str, dict[str, Any] | None]) -> None:
        store = self.docstore._kvstore
        pairs = [(key, value) for key, value in values.items() if value is not None]
        if isinstance(store, MutableMappingKVStore):  # in memory, where no other task shall come between two calls
            store.put_all(pairs, collection)
            for key in values.keys() - dict(pairs).keys():
                store.delete(key, collection)
            return
        if pairs:
            await self.calls.write(store.put_all, store.aput_all, pairs, collection, self.docstore._batch_size)
        for key, value in values.items():
            if value is None:
                await self.calls.write(store.delete, store.adelete, key, collection)

    async def _fetch(self, keys: Sequence[str], collection: str) -> list[dict[str, Any] | None]:
        store = self.docstore._kvstore
        if isinstance(store, SQLiteKVStore):
            return await self.calls.compute(store.get_many, keys, collection)

        def get_each() -> list[dict[str, Any] | None]:
            return [store.get(key, collection) for key in keys]

        if isinstance(store, MutableMappingKVStore):
            return get_each()

        async def aget_each() -> list[dict[str, Any] | None]:
            return list(await asyncio.gather(*(store.aget(key, collection) for key in keys)))

        return await self.calls.call(get_each, aget_each)
