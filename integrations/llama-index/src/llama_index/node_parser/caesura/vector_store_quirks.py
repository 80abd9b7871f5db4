"""What single vector stores of LlamaIndex do otherwise than the rest, so that nothing else has to know of it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, ParamSpec, TypeVar, cast

from llama_index.core.schema import BaseNode
from llama_index.core.utils import iter_batch
from llama_index.core.vector_stores import (
    FilterCondition,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.types import BasePydanticVectorStore, VectorStoreQueryMode
from llama_index.core.vector_stores.utils import build_metadata_filter_fn

from caesura.errors import SettingError
from caesura.sansio import Awaiting, Blocking, Calls
from caesura_retrieval.upkeep import SEARCHES_AGAIN, find_present, rows_per_call
from llama_index.node_parser.caesura.node_metadata import with_whole_place
from llama_index.node_parser.caesura.nodes import document_id

P = ParamSpec("P")
T = TypeVar("T")
ROWS_PER_CALL = 1000
"""Rows that a vector store is asked to take, to return or to delete at once: some take no more."""

NUMBERS = 250_000
"""Numbers of the rows of LlamaIndex's store in memory that are searched at once beside an event loop: the store makes
one array of them, and no thread of the process goes on meanwhile."""
ROW_KEYS = frozenset(["_node_type", "document_id", "doc_id", "ref_doc_id"])
"""What LlamaIndex adds to the metadata of each row."""
STORE_NAMES = "collection_name", "table_name", "index_name", "namespace"
"""The fields in which vector stores have the names of what they write to."""
_IN_THE_LOOP = frozenset(
    vars(BasePydanticVectorStore)[name] for name in ("async_add", "aquery", "aget_nodes", "adelete_nodes")
)
"""The awaited methods of LlamaIndex's base class, which call the plain ones in the event loop."""
_NO_COLLECTION = re.compile(
    r"collection\b.{0,300}(not found|not exist|n\\?'t exist)|query results are empty|Table .{1,300} is not initialized",
    re.IGNORECASE | re.DOTALL,
)


@contextmanager
def ignore_missing_collection() -> Iterator[None]:
    """Ignores the error by which a store says that it has no collection yet: it makes one for its first row.

    Qdrant's does, and LanceDB's, which also says so of a search that finds nothing.
    """
    try:
        yield
    except Exception as error:
        if not _NO_COLLECTION.search(str(error)):
            raise


def awaited(function: Callable[P, T], afunction: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Returns the awaited twin of a store's method; where that would call the method in the event loop, one that calls
    it in a thread."""
    if getattr(afunction, "__func__", None) in _IN_THE_LOOP:
        return partial(Awaiting().compute, function)
    return afunction


async def query_rows(
    calls: Calls, store: BasePydanticVectorStore, query: VectorStoreQuery, options: Mapping[str, Any]
) -> VectorStoreQueryResult:
    """Returns what a store finds; nothing where it has no collection yet.

    A store in memory is asked again if another thread changed its dicts while it went through them.
    """
    asked, left = query.node_ids, SEARCHES_AGAIN
    while True:
        try:
            if query.doc_ids is not None and isinstance(store, SimpleVectorStore):  # which reads node_ids alone
                rows, documents = store.data.text_id_to_ref_doc_id, {*query.doc_ids}
                query.node_ids = [row for row in (rows if asked is None else asked) if rows.get(row) in documents]
            _check_dimension(store, query.query_embedding)
            parts = [store] if isinstance(calls, Blocking) else await calls.compute(_parts, store, query)
            found = [await calls.call(part.query, awaited(part.query, part.aquery), query, **options) for part in parts]
            return _best(found, query.similarity_top_k) if _is_plain(store, query) else found[0]
        except Exception as error:
            if _NO_COLLECTION.search(str(error)):
                return VectorStoreQueryResult()
            _check_widths(store, error)
            if store.stores_text or not left or not isinstance(error, KeyError | RuntimeError):
                raise
            left -= 1


def _parts(store: BasePydanticVectorStore, query: VectorStoreQuery) -> Sequence[BasePydanticVectorStore]:
    """Returns a store, or stores of `NUMBERS` of its numbers each, of which the best finds are its own."""
    if not isinstance(store, SimpleVectorStore) or not _is_plain(store, query):
        return [store]
    rows = store.data.embedding_dict
    names = [*rows]
    step = max(NUMBERS // max(len(rows[names[0]]), 1), 1) if names else 1
    if len(names) <= step:
        return [store]
    parts = ({name: rows[name] for name in names[at : at + step]} for at in range(0, len(names), step))
    return [SimpleVectorStore(data=replace(store.data, embedding_dict=part)) for part in parts]


def _is_plain(store: BasePydanticVectorStore, query: VectorStoreQuery) -> bool:
    """Whether LlamaIndex's store in memory is asked for what is nearest, and nothing else."""
    return type(store) is SimpleVectorStore and query.mode == VectorStoreQueryMode.DEFAULT


def _best(found: Iterable[VectorStoreQueryResult], most: int) -> VectorStoreQueryResult:
    """Returns the best of what stores in memory found, of equal ones those that the store itself would take, by their
    ids: it leaves these as they lie in its heap, which depends on when each was written."""
    finds = chain.from_iterable(zip(each.similarities or (), each.ids or (), strict=True) for each in found)
    best = sorted(sorted(finds, reverse=True)[:most], key=lambda find: (-find[0], find[1]))
    return VectorStoreQueryResult(similarities=[score for score, _ in best], ids=[name for _, name in best])


def _check_dimension(store: object, question: Sequence[float] | None) -> None:
    """Raises `SettingError` for a question that has not as many numbers as the rows of LlamaIndex's store in memory."""
    row = next(iter(store.data.embedding_dict.values()), None) if isinstance(store, SimpleVectorStore) else None
    if row is not None and question is not None and len(row) != len(question):
        raise SettingError(
            f"the index has rows of {len(row)} numbers, and embed_model makes {len(question)} of a question: give the "
            f"embed_model that it was made with, or HierarchyIndex.mirror(documents) makes it anew"
        )


def _check_widths(store: object, error: Exception) -> None:
    """Raises `SettingError` where a search in LlamaIndex's store in memory failed because its rows differ in length."""
    if not isinstance(store, SimpleVectorStore) or not isinstance(error, ValueError):
        return
    widths = sorted({len(row) for row in [*store.data.embedding_dict.values()]})
    if len(widths) > 1:
        raise SettingError(
            f"the index has rows of {widths[0]} and of {widths[-1]} numbers, which were made with different "
            f"embed_models, or came with nodes: HierarchyIndex.mirror(documents) makes it anew"
        ) from error


def check_new_rows(store: object, row: Sequence[float], written: Container[str]) -> None:
    """Raises `SettingError` for a row of another length than those that stay in LlamaIndex's store in memory, which
    takes it and fails at every search. Other stores refuse it themselves. written: the documents that change or go."""
    if not isinstance(store, SimpleVectorStore):
        return
    rows, documents = store.data.embedding_dict, store.data.text_id_to_ref_doc_id
    width = next(map(len, rows.values()), len(row))
    if width == len(row):
        return
    if stays := next((name for name in rows if documents.get(name) not in written and len(rows[name]) != len(row)), ""):
        raise SettingError(
            f"the index has rows of {len(rows[stays])} numbers, of {documents.get(stays)!r} and others, and "
            f"embed_model makes {len(row)} of a text: give the embed_model that it was made with, or "
            f"HierarchyIndex.mirror(documents) makes it anew"
        )


def store_name(store: BasePydanticVectorStore) -> str:
    """Returns the name of a store's collection, table or index; "" where it has none."""
    names = [getattr(store, field, None) for field in STORE_NAMES]
    if "ChromaVectorStore" in [kind.__name__ for kind in type(store).__mro__]:  # it may be given the collection itself
        names.append(store.client.name)
    return " ".join(dict.fromkeys(name for name in names if isinstance(name, str)))


def untrack_rows(store: object, ids: Iterable[str]) -> None:
    """Makes tuples of the rows that LlamaIndex's store in memory has just been given: Python's collector of garbage
    looks through every list, and no thread goes on meanwhile."""
    if isinstance(store, SimpleVectorStore):
        rows = store.data.embedding_dict
        rows.update((name, cast(Any, tuple(rows[name]))) for name in ids)


def replaces_rows(store: BasePydanticVectorStore) -> bool:
    """Whether a store is known to put a row in the place of the one that it has under the same id."""
    return isinstance(store, SimpleVectorStore)


def rows_in_memory(store: BasePydanticVectorStore) -> Set[str] | None:
    """Returns the ids of the rows of LlamaIndex's store in memory, which cannot be asked for them; None for others."""
    return store.data.embedding_dict.keys() if isinstance(store, SimpleVectorStore) else None


async def find_present_rows(calls: Calls, store: BasePydanticVectorStore, ids: Sequence[str]) -> Set[str] | None:
    """Returns those of the ids that a store has rows of, and perhaps others; None where it cannot say."""
    if (rows := rows_in_memory(store)) is not None:
        return rows

    async def fetch(some: list[str]) -> list[str]:
        nodes: Sequence[BaseNode] = ()
        with ignore_missing_collection():
            if _is_lance(store):
                nodes = await calls.compute(partial(cast(Any, store).get_nodes, where=_lance_ids(some)))
            else:
                nodes = await calls.call(store.get_nodes, awaited(store.get_nodes, store.aget_nodes), some)
        return [node.node_id for node in nodes]

    return await find_present(fetch, ids, ROWS_PER_CALL)


async def delete_rows(calls: Calls, store: BasePydanticVectorStore, ids: Sequence[str]) -> None:
    """Deletes rows by their ids."""
    for some in iter_batch(ids, rows_per_call(calls, store, ROWS_PER_CALL)):
        with ignore_missing_collection():
            if _is_lance(store):
                await calls.compute(cast(Any, store).table.delete, _lance_ids(some))
            else:
                await calls.write(store.delete_nodes, awaited(store.delete_nodes, store.adelete_nodes), some)


def _is_lance(store: BasePydanticVectorStore) -> bool:
    """Whether a store is LanceDB's, which takes ids for names of columns where it gets or deletes nodes by them."""
    return any(kind.__name__ == "LanceDBVectorStore" for kind in type(store).__mro__)


def _lance_ids(ids: Sequence[str]) -> str:
    """Returns the condition by which LanceDB finds rows of these ids."""
    quoted = ", ".join("'{}'".format(one.replace("'", "''")) for one in ids)
    return f"id in ({quoted})"


def may_hide_rows(store: BasePydanticVectorStore, options: Mapping[str, Any]) -> bool:
    """Whether options of a query, which only the store can read, may be a filter."""
    return bool(options) and not isinstance(store, SimpleVectorStore)


def metadata_of_rows(store: BasePydanticVectorStore, found: VectorStoreQueryResult) -> dict[str, Mapping[str, Any]]:
    """Returns what the store's rows say of the nodes that it found, by the nodes' ids, as far as that can be known."""
    if isinstance(store, SimpleVectorStore):
        said = store.data.metadata_dict
        ours = {name: said[name] for name in found.ids or () if name in said}
        return {name: {key: own for key, own in row.items() if key not in ROW_KEYS} for name, row in ours.items()}
    return {node.node_id: node.metadata for node in found.nodes or ()}


def passes_filters(node: BaseNode, filters: MetadataFilters | None) -> bool:
    """Whether a node passes the filters, if there are any, as LlamaIndex's store in memory reads them."""
    metadata = {
        **with_whole_place(node).metadata,
        **dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), document_id(node)),
    }
    try:
        return filters is None or _fits(metadata, filters)
    except TypeError:  # what is there cannot be compared with what is asked for
        return False


def _fits(metadata: Mapping[str, Any], filters: MetadataFilters) -> bool:
    """Whether metadata pass filters, which may hold others. No filters: they do. Raises `TypeError`."""
    fit = [
        _fits(metadata, each)
        if isinstance(each, MetadataFilters)
        else build_metadata_filter_fn(lambda _: metadata, MetadataFilters(filters=[each]))("")
        for each in filters.filters
    ]
    if filters.condition == FilterCondition.NOT:
        return not any(fit)
    return any(fit) or not fit if filters.condition == FilterCondition.OR else all(fit)
