"""Searches of a vector store: the nearest small texts and their scores, whatever the store measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, nan
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from caesura_retrieval.ranking import NOISE
from langchain_caesura.documents import metadata_key
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import ROW
from langchain_caesura.vector_store_quirks import (
    check_widths,
    finds_nothing_near,
    question_embedder,
    search_in_memory,
    widen_filtered_search,
)

SearchType: TypeAlias = Literal["similarity", "similarity_score_threshold", "mmr"]

CANDIDATES = 4
"""Times as many small texts for "mmr" to choose among, where the call does not say."""


class Hit(NamedTuple):
    """A small text that a search returned, its rank, and how near it is; None where nothing says so."""

    document: Document
    rank: int
    score: float | None
    name: str
    """See `row_name`."""
    key: str | None
    """The key of its document's record in the document store; None where another index wrote the row."""
    mark: str = ""
    """That record's, see `Owner.mark`."""


async def nearest_hits(
    calls: Calls,
    store: VectorStore,
    query: str,
    wanted: int,
    search_type: SearchType,
    options: Mapping[str, Any],
    owner: Owner,
) -> list[Hit]:
    """Returns the `wanted` nearest, the nearest first; the higher a score the nearer.

    options: the search's own. owner: whose rows lead to documents.
    """
    try:
        pairs = await _search(calls, store, query, {**options, "k": wanted}, search_type)
    except (AttributeError, ValueError) as error:
        if finds_nothing_near(store, error):
            return []
        check_widths(store, error)
        raise
    return _hits(store, pairs, owner)


async def _search(
    calls: Calls, store: VectorStore, query: str, settings: dict[str, Any], search_type: SearchType
) -> list[tuple[Document, Any]]:
    """Returns rows and what the store says of each, None where it says nothing. settings: what its search takes."""
    own, diverse = question_embedder(store), search_type == "mmr"
    if diverse:
        wanted = settings["k"]
        settings["fetch_k"] = max(settings.get("fetch_k", wanted * CANDIDATES), wanted)
    elif "filter" in settings:
        widen_filtered_search(store, settings)
    if own is not None:
        vector = await calls.call(own.embed_query, own.aembed_query, query)
        return await calls.compute(search_in_memory, cast(InMemoryVectorStore, store), vector, settings, diverse)
    if diverse:
        rows = await calls.call(
            store.max_marginal_relevance_search, store.amax_marginal_relevance_search, query, **settings
        )
        return [(row, None) for row in rows]
    try:
        return await calls.call(
            store.similarity_search_with_score, store.asimilarity_search_with_score, query, **settings
        )
    except NotImplementedError:
        rows = await calls.call(store.similarity_search, store.asimilarity_search, query, **settings)
        return [(row, None) for row in rows]


def _hits(store: VectorStore, pairs: Sequence[tuple[Document, Any]], owner: Owner) -> list[Hit]:
    """Rows, and what the store says of each -> hits. A row whose score is not finite, as its vector is not or is zeros,
    is near to nothing, wherever the store ranks it. Rows that are equally near stand in the order of their names."""
    scored = [(row, score) for row, said in pairs if (score := _float(said)) is None or isfinite(score)]
    similarity = _similarity(store, [score for _, score in scored if score is not None])
    ranked: list[tuple[int, str, float | None, Document]] = []
    level, first = nan, 0
    for place, (row, score) in enumerate(scored):
        near = None if score is None else float(similarity(score))
        if near is None or not abs(level - near) <= NOISE * abs(level):
            level, first = nan if near is None else near, place
        ranked.append((first, row_name(row), near, row))
    ranked.sort(key=itemgetter(0, 1))
    id_key, prefix = owner.id_key, owner.prefix
    hits: list[Hit] = []
    for rank, (_, name, near, row) in enumerate(ranked):
        key, _, mark = str(row.metadata.get(id_key)).rpartition("/")
        hits.append(Hit(row, rank, near, name, key if key.startswith(prefix) else None, mark))
    return hits


def row_name(row: Document) -> str:
    """A row's id, or what tells it from others where the store gives none."""
    name: str | None = row.metadata.get(ROW, row.id)
    return name or digest(row.page_content, metadata_key(row.metadata))


def _similarity(store: VectorStore, scores: list[float]) -> Callable[[float], float]:
    """Returns a function from the store's score to one that is higher the nearer a row is.

    It is the store's own relevance function. Without one, scores that rise from the first, the nearest, are distances.
    """
    if not scores:
        return float
    try:
        return store._select_relevance_score_fn()
    except (NotImplementedError, ValueError):
        distances = len(scores) > 1 and scores[0] < scores[-1]
        if distances and scores[0] < 0:  # as where an inner product is one
            return lambda distance: -distance
        return (lambda distance: 1 / (1 + distance)) if distances else float


def _float(score: Any) -> float | None:
    """A store's score, which may be NumPy's, -> a float; None where it is no number."""
    try:
        return float(score)
    except (TypeError, ValueError):
        return None


def hits_over(hits: list[Hit], threshold: float | None, store: VectorStore) -> list[Hit]:
    """Hits -> those that score at least the threshold. Raises `SettingError` where the store gives no scores."""
    if threshold is None:
        return hits
    if hits and all(hit.score is None for hit in hits):
        raise SettingError(
            f"{type(store).__name__} gives no scores to hold against a score_threshold: use search_type 'similarity'"
        )
    return [hit for hit in hits if hit.score is not None and hit.score >= threshold]
