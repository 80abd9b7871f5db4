"""Settings of an index: its stores, and what makes nodes of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from llama_index.core import StorageContext
from llama_index.core.schema import TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.types import BaseDocumentStore
from llama_index.core.vector_stores.simple import DEFAULT_VECTOR_STORE
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from caesura.errors import SettingError
from caesura_documents.caller_warning import warn_caller

PEER_NAMES: Mapping[str, str] = {
    "embedding": "embed_model is its name here",
    "insert_batch_size": "batch_size is its name here, and counts documents",
    "chunk_sizes": "SemanticHierarchyParser has it: transformations=[SemanticHierarchyParser(chunk_sizes=…)]",
}
"""Settings of other indexes, and what to say to a user who gives them to `HierarchyIndex`."""


def check_stores(**stores: Any) -> None:
    """Raises `SettingError` for a store that is not LlamaIndex's."""
    kinds = {"storage_context": StorageContext, "vector_store": BasePydanticVectorStore, "docstore": BaseDocumentStore}
    for name, store in stores.items():
        if store is not None and not isinstance(store, kinds[name]):
            raise SettingError(f"{name} must be a {kinds[name].__name__} of LlamaIndex, got {store!r:.80}")


def make_storage_context(
    given: StorageContext | None, vector_store: BasePydanticVectorStore | None, docstore: BaseDocumentStore | None
) -> StorageContext:
    """Returns the stores of an index, those in memory where none are given. Raises `SettingError`."""
    check_stores(storage_context=given, vector_store=vector_store, docstore=docstore)
    if given is not None and (vector_store is not None or docstore is not None):
        raise SettingError("give a storage_context, or a vector_store and a docstore, not both")
    if vector_store is not None and docstore is None:
        raise SettingError(
            "a vector_store needs a docstore that lives as long as it does, else parents are gone when it is "
            "opened again: pass docstore=SQLiteDocumentStore(path), or SimpleDocumentStore() if you persist it"
        )
    stores = given or StorageContext.from_defaults(docstore=docstore, vector_store=vector_store)
    if DEFAULT_VECTOR_STORE not in stores.vector_stores:
        raise SettingError(
            f"storage_context has no vector store {DEFAULT_VECTOR_STORE!r}, only {sorted(stores.vector_stores)}: if it "
            f"was read from a folder, the file {DEFAULT_VECTOR_STORE}__vector_store.json is missing there; restore it "
            f"from a copy, or pass the vector_store that keeps itself elsewhere"
        )
    kind = type(stores.vector_store)
    if getattr(kind, "delete_nodes", None) is BasePydanticVectorStore.delete_nodes:
        raise SettingError(f"vector_store must be able to delete nodes, which {kind.__name__} is not")
    return stores


def warn_of_short_lived(part: BaseDocumentStore, vector_store: BasePydanticVectorStore) -> None:
    """Warns of an index's part of a document store that is in memory and empty, beside a vector store that may be on
    the disk: `StorageContext.from_defaults(vector_store=…)` makes such a pair."""
    if type(part) is SimpleDocumentStore and vector_store.stores_text and not part.get_all_document_hashes():
        warn_caller(
            f"storage_context has a {type(vector_store).__name__}, and a docstore in memory: if rows outlive the "
            f"program, their texts do not, and nothing is found. Give StorageContext.from_defaults "
            f"docstore=SQLiteDocumentStore(path) too, or persist(folder) and load(folder, vector_store=…)"
        )


def check_transformations(given: Any) -> list[TransformComponent]:
    """Returns transformations as a list. Raises `SettingError` for what is none."""
    wanted = "transformations must be a list of node parsers and other TransformComponents, got"
    if isinstance(given, (TransformComponent, str, type)) or not isinstance(given, Iterable):
        got = f"one {type(given).__name__}" if isinstance(given, TransformComponent) else f"{given!r:.80}"
        raise SettingError(f"{wanted} {got}: pass [SemanticHierarchyParser()], or another parser, in a list")
    components = list(given)
    for each in components:
        if not isinstance(each, TransformComponent):
            remedy = f": call it, {each.__name__}()" if isinstance(each, type) else ""
            raise SettingError(f"{wanted} {each!r:.80}{remedy}")
    return components


def check_no_options(method: str, given: Mapping[str, Any]) -> None:
    """Raises `SettingError` for options of a method of LlamaIndex's indexes that has none here."""
    options = {name: value for name, value in given.items() if value}
    if options:
        raise SettingError(
            f"{method}() takes no options, got {options!r:.120}: leave them out, and set what they are for at the "
            f"index, its transformations or its stores"
        )
