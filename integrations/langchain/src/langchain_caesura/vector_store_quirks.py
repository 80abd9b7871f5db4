"""What single vector stores do otherwise than the rest: names, FAISS, filters, and answers to a question of zeros."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from typing import Any, cast

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from pydantic import BaseModel

from caesura.errors import SettingError
from caesura.sansio import Awaiting
from langchain_caesura.documents import metadata_key

STORE_NAMES = (
    "collection_name",
    "_collection_name",
    "index_name",
    "_index_name",
    "table_name",
    "_table_name",
    "namespace",
    "_namespace",
)
"""The attributes in which vector stores have the name of what they write to."""
FAISS_ROWS = "index_to_docstore_id"
"""The attribute in which FAISS keeps its rows."""
NUMBERS = 250_000
"""Numbers of the rows of LangChain's store in memory that are searched at once: the store makes one array of them, and
no thread of the process goes on meanwhile."""
NOTHING_NEAR = "NaN values found"
"""What LangChain's store in memory says where the question, or every row, is zeros: its model knows no word of it."""


def find_store_name(store: VectorStore) -> str:
    """The name of a store's collection, index or table; "" where it has none."""
    names = [getattr(store, attribute, None) for attribute in STORE_NAMES]
    return " ".join(dict.fromkeys(name for name in names if isinstance(name, str)))


def lives_in_memory(store: VectorStore) -> bool:
    """Whether a store without a name is in memory: LangChain's own, and FAISS, which is loaded from files."""
    return not find_store_name(store) and (isinstance(store, InMemoryVectorStore) or hasattr(store, FAISS_ROWS))


def question_embedder(store: VectorStore) -> Embeddings | None:
    """The embeddings of LangChain's store in memory, whose awaited searches go through all rows in the event loop: so
    its question is embedded apart, and searched for by its vector. None for other stores, and for heirs with searches
    of their own."""
    searches = (
        "similarity_search_with_score",
        "asimilarity_search_with_score",
        "max_marginal_relevance_search",
        "amax_marginal_relevance_search",
    )
    if not isinstance(store, InMemoryVectorStore):
        return None
    is_own = all(getattr(type(store), name) is getattr(InMemoryVectorStore, name) for name in searches)
    return store.embedding if is_own else None


def search_in_memory(
    store: InMemoryVectorStore, vector: list[float], options: Mapping[str, Any], diverse: bool
) -> list[tuple[Document, Any]]:
    """Returns what LangChain's store in memory finds by a vector, and how near it is; None where diverse rows are
    chosen. options: of the search."""
    near = _keep_nearest(store, vector, options)
    if diverse:
        return [(row, None) for row in near.max_marginal_relevance_search_by_vector(vector, **options)]
    return near.similarity_search_with_score_by_vector(vector, **options)


def _keep_nearest(store: InMemoryVectorStore, vector: list[float], options: Mapping[str, Any]) -> InMemoryVectorStore:
    """Returns the store with those of its rows alone that a search can find. The rows are searched for in parts, see
    `NUMBERS`."""
    rows = [*store.store.items()]
    step = max(NUMBERS // max(len(vector), 1), 1)
    if len(rows) <= step:
        return store
    most, condition = max(options["k"], options.get("fetch_k", 0)), options.get("filter")
    found: list[tuple[Document, float]] = []
    for at in range(0, len(rows), step):
        part = _with_rows(store, rows[at : at + step])
        try:
            found += part.similarity_search_with_score_by_vector(vector, k=most, filter=condition)
        except ValueError as error:
            if NOTHING_NEAR not in str(error):
                raise
    names = {row.id for row, _ in sorted(found, key=lambda pair: -pair[1])[:most]}
    return _with_rows(store, [pair for pair in rows if pair[0] in names])


def _with_rows(store: InMemoryVectorStore, rows: Iterable[tuple[str, dict[str, Any]]]) -> InMemoryVectorStore:
    made = copy(store)
    made.store = dict(rows)
    return made


def untrack_vectors(store: VectorStore, ids: Iterable[str]) -> None:
    """Makes tuples of the rows that LangChain's store in memory has just been given: Python's collector of garbage
    looks through every list, and no thread goes on meanwhile."""
    if isinstance(store, InMemoryVectorStore):
        for row in filter(None, map(store.store.get, ids)):
            row["vector"] = tuple(row["vector"])


def awaited_add(store: VectorStore) -> Callable[..., Awaitable[list[str]]]:
    """What adds documents and is awaited. FAISS, which is in memory, would index the rows in the event loop: it does so
    in a thread."""
    if not hasattr(store, FAISS_ROWS):
        return store.aadd_documents
    return lambda documents, **options: Awaiting().compute(store.add_documents, documents, **options)


def refuses_known_ids(store: VectorStore) -> bool:
    """Whether a store refuses to write a row under the id of another, which has to be deleted first: FAISS does."""
    return hasattr(store, FAISS_ROWS)


def widen_filtered_search(store: VectorStore, options: dict[str, Any]) -> None:
    """Lets a search with a filter look at all rows of a store that filters after its search, as FAISS does."""
    if "filter" in options and hasattr(store, FAISS_ROWS):
        options.setdefault("fetch_k", max(options["k"], len(getattr(store, FAISS_ROWS))))


def filter_judge(store: VectorStore, condition: Any, passing: Sequence[Document]) -> Callable[[Document], bool] | None:
    """The filter of a search, and rows that pass it -> what tells whether another row does; None: only a search can.

    A function of LangChain's store in memory is given the row, one of FAISS its metadata. By other filters a row passes
    if it has the same values as one of `passing` has, in all fields that the filter names.
    """
    if callable(condition):
        if hasattr(store, FAISS_ROWS):
            return lambda row: bool(condition(row.metadata))
        return (lambda row: bool(condition(row))) if isinstance(store, InMemoryVectorStore) else None
    fields = _model_fields(store, condition) if isinstance(condition, BaseModel) else _dict_fields(condition)
    if not fields:
        return None

    def values(row: Document) -> str | None:
        return metadata_key([row.metadata[name] for name in fields]) if fields <= row.metadata.keys() else None

    known = set(map(values, passing)) - {None}
    return lambda row: values(row) in known


def may_pass(store: VectorStore, condition: Any, document: Document) -> bool:
    """Whether a search with this filter may return a row of a document, as far as can be told without the store.

    Of a dict, what it says of single values is looked at; a function is asked where it is known what it is given.
    """
    if callable(condition):
        judge = filter_judge(store, condition, ())
        with suppress(Exception):  # a user's own, for which a row may lack something
            return judge is None or judge(document)
        return True
    wanted, _ = equalities(condition)
    return all(name in document.metadata and document.metadata[name] == value for name, value in wanted)


def equalities(condition: Any) -> tuple[list[tuple[str, Any]], bool]:
    """A filter -> the fields of metadata that it wants to equal single values, with these; and whether it says no more.

    >>> equalities({"$and": [{"user": {"$eq": "anna"}}, {"page": {"$gt": 3}}]})
    ([('user', 'anna')], False)
    """
    wanted, is_all, parts = list[tuple[str, Any]](), True, [condition]
    while parts:
        part = parts.pop(0)
        if not isinstance(part, dict):
            is_all = False
            continue
        for name, said in part.items():
            value = said["$eq"] if isinstance(said, dict) and said.keys() == {"$eq"} else said
            if name == "$and" and isinstance(value, list):
                parts += value
            elif not str(name).startswith("$") and isinstance(value, (str, int, float)):
                wanted.append((name, value))
            else:
                is_all = False
    return wanted, is_all


def _dict_fields(condition: Any) -> set[str]:
    """The fields of metadata that a filter such as ``{"$or": [{"page": {"$gte": 3}}, {"user": "anna"}]}`` names.

    None of them where any part of the filter is something else.
    """
    if isinstance(condition, list):
        parts = [_dict_fields(part) for part in condition]
        return set().union(*parts) if all(parts) else set()
    if not isinstance(condition, dict):
        return set()
    fields: list[set[str]] = []
    for name, value in condition.items():
        if name in ("$and", "$or", "$not", "$nor"):
            fields.append(_dict_fields(value))
        elif name.startswith("$") or (isinstance(value, dict) and not all(key.startswith("$") for key in value)):
            return set()
        else:
            fields.append({name})
    return set().union(*fields) if all(fields) else set()


def _model_fields(store: VectorStore, condition: BaseModel) -> set[str]:
    """The fields of metadata that a filter of Qdrant names; none of them where it looks at more than those."""
    metadata, fields = f"{getattr(store, 'metadata_payload_key', '')}.", set[str]()
    parts: list[Any] = [condition.model_dump(exclude_none=True)]
    while parts:
        part = parts.pop()
        if isinstance(part, dict) and "key" in part:
            fields.add(part["key"])
        elif isinstance(part, dict) and part.keys() <= {
            "must",
            "should",
            "must_not",
            "min_should",
            "conditions",
            "min_count",
        }:
            parts += part.values()
        elif isinstance(part, list):
            parts += part
        elif type(part) is not int:
            return set()
    if not all(name.startswith(metadata) for name in fields):
        return set()
    return {name.removeprefix(metadata).partition(".")[0].partition("[")[0] for name in fields}


def finds_nothing_near(store: VectorStore, error: AttributeError | ValueError) -> bool:
    """Whether this error of a search says that nothing is near, and so is none. LangChain-community's LanceDB searches
    a table that its first row makes, and before that None."""
    if isinstance(error, AttributeError):
        return any(kind.__name__ == "LanceDB" for kind in type(store).__mro__) and cast(Any, store).get_table() is None
    return NOTHING_NEAR in str(error)


def check_widths(store: VectorStore, error: Exception) -> None:
    """Raises `SettingError` where a search in LangChain's store in memory failed because its rows differ in length: it
    takes those of any embedder."""
    rows = [*store.store.values()] if isinstance(store, InMemoryVectorStore) and isinstance(error, ValueError) else []
    widths = sorted({len(row["vector"]) for row in rows})
    if len(widths) > 1:
        raise SettingError(
            f"the vector store has rows of {widths[0]} and of {widths[-1]} numbers, of different embedders: "
            f"mirror(documents, force=True) makes them anew with the one that it has now"
        ) from error


def check_ids_kept(store: VectorStore, ids: list[str], returned: object) -> None:
    """Raises `SettingError` where a store that was given rows with ids returns that it wrote them under others."""
    if isinstance(returned, list) and len(returned) == len(ids) and set(returned).isdisjoint(ids):
        raise SettingError(
            f"{type(store).__name__} gave rows ids of its own, such as {returned[0]!r}, in place of {ids[0]!r}: it "
            f"must keep the ids that it is given, else nothing could be updated or deleted"
        )
