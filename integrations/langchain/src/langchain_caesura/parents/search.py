"""Searches of a vector store: the nearest small texts and their scores, whatever the store measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Any, Literal, TypeAlias

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.ids import digest
from caesura.sansio import Calls
from langchain_caesura.documents import metadata_key
from langchain_caesura.parents.records import ROW

SearchType: TypeAlias = Literal["similarity", "similarity_score_threshold", "mmr"]

FAISS_ROWS = "index_to_docstore_id"
"""What FAISS keeps its rows under. It refuses to write a row in the place of another, and filters after its search."""
CANDIDATES = 4
"""Times as many small texts for "mmr" to choose among, where the call does not say."""

NOTHING_NEAR = "NaN values found"
"""What LangChain's store in memory says where the question, or every row, is zeros: its model knows no word of it."""
TOP_K = ("top_k", "similarity_top_k")
PEER_NAMES = {
    **dict.fromkeys(("embedding", "embeddings", "embed_model"), "vectorstore has it: give it to the vector store"),
    **dict.fromkeys(("chunk_size", "chunk_overlap"), "child_splitter has it: give it to that splitter"),
    **dict.fromkeys(TOP_K, "k is its name here"),
}
"""Settings of other retrievers, and what to say to who gives them here."""
PER_SEARCH = ("k", "budget")
"""The retriever's settings that a question may bring its own of."""
FREE = ("k", "fetch_k", "score_threshold", "lambda_mult")
"""What the search of a vector store takes that leaves no row out by its metadata."""


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """A small text that a search returned, its rank, and how near it is; None where nothing says so."""

    document: Document
    rank: int
    score: float | None

    @property
    def name(self) -> str:
        """The row's id, or what tells it from others where the store gives none."""
        row = self.document
        own: str | None = row.metadata.get(ROW, row.id)
        return own or digest(row.page_content, metadata_key(row.metadata))


async def nearest_hits(
    calls: Calls, store: VectorStore, query: str, wanted: int, search_type: SearchType, options: Mapping[str, Any]
) -> list[Hit]:
    """Returns the `wanted` nearest, the nearest first; the higher a score the nearer. options: the search's own."""
    try:
        return await _search(calls, store, query, {**options, "k": wanted}, search_type)
    except ValueError as error:
        if NOTHING_NEAR in str(error):
            return []
        raise


async def _search(
    calls: Calls, store: VectorStore, query: str, settings: dict[str, Any], search_type: SearchType
) -> list[Hit]:
    """settings: what the store's search takes."""
    wanted = settings["k"]
    if search_type == "mmr":
        settings["fetch_k"] = max(settings.get("fetch_k", wanted * CANDIDATES), wanted)
        rows = await calls.call(
            store.max_marginal_relevance_search, store.amax_marginal_relevance_search, query, **settings
        )
        return [Hit(row, rank, None) for rank, row in enumerate(rows)]
    if "filter" in settings and hasattr(store, FAISS_ROWS):
        settings.setdefault("fetch_k", max(wanted, len(getattr(store, FAISS_ROWS))))
    try:
        pairs = await calls.call(
            store.similarity_search_with_score, store.asimilarity_search_with_score, query, **settings
        )
    except NotImplementedError:
        rows = await calls.call(store.similarity_search, store.asimilarity_search, query, **settings)
        return [Hit(row, rank, None) for rank, row in enumerate(rows)]
    return await calls.compute(_scored_hits, store, pairs)


def _scored_hits(store: VectorStore, pairs: Sequence[tuple[Document, Any]]) -> list[Hit]:
    scores = [_finite_float(score) for _, score in pairs]
    similarity = _similarity(store, [score for score in scores if score is not None])
    return [
        Hit(row, rank, None if score is None else float(similarity(score)))
        for rank, ((row, _), score) in enumerate(zip(pairs, scores, strict=True))
    ]


def _similarity(store: VectorStore, scores: list[float]) -> Callable[[float], float]:
    """What makes of the store's score one that is the higher the nearer.

    The store's own relevance function; without one, scores that rise from the first, the nearest, are distances.
    """
    try:
        return store._select_relevance_score_fn()
    except (NotImplementedError, ValueError):
        distances = len(scores) > 1 and scores[0] < scores[-1]
        return (lambda distance: 1 / (1 + max(distance, 0))) if distances else (lambda score: score)


def _finite_float(score: Any) -> float | None:
    """A store's score, which may be NumPy's, -> a float that JSON has, or None."""
    try:
        value = float(score)
    except (TypeError, ValueError):
        return None
    return value if isfinite(value) else None


def hits_over(hits: list[Hit], threshold: float | None, store: VectorStore) -> list[Hit]:
    """Hits -> those that score at least the threshold. Raises `SettingError` where the store gives no scores."""
    if threshold is None:
        return hits
    if hits and all(hit.score is None for hit in hits):
        raise SettingError(
            f"{type(store).__name__} gives no scores to hold against a score_threshold: use search_type 'similarity'"
        )
    return [hit for hit in hits if hit.score is not None and hit.score >= threshold]


def check_query(query: object, given: Iterable[str], settings: Iterable[str]) -> None:
    """Raises `SettingError` unless the question is a str, and where what is given with it is no option of a search.

    settings: of the retriever. Other names are the store's, except those that are nearly `budget`, or mean `k`.
    """
    if not isinstance(query, str):
        first = next(iter(query), None) if isinstance(query, dict) else None
        remedy = "" if first is None else f": take it out first, as itemgetter({first!r}) does"
        raise SettingError(f"the question must be a str, got {type(query).__name__} {query!r:.80}{remedy}")
    fixed = {*settings} - {*PER_SEARCH}
    for name in given:
        if name in fixed:
            raise SettingError(f"{name} is a setting of the retriever: pass it to its constructor, not with a question")
        near = ["k"] if name in TOP_K else get_close_matches(name, ["budget"], 1, 0.7)
        if near and name not in PER_SEARCH:
            raise SettingError(f"a search has no option {name}: did you mean {near[0]}?")


def check_threshold(threshold: object, search_type: SearchType) -> float | None:
    """The score_threshold given -> what applies. Raises `SettingError` unless it is a number where one is needed, and
    none elsewhere, where nothing would be held against it."""
    if search_type != "similarity_score_threshold":
        if threshold is not None:
            raise SettingError(
                f"a score_threshold needs search_type 'similarity_score_threshold', got {threshold!r} with "
                f"{search_type!r}"
            )
        return None
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not isfinite(threshold):
        raise SettingError(
            f"search_type 'similarity_score_threshold' needs a number as score_threshold in search_kwargs or in "
            f"the call, got {threshold!r}"
        )
    return threshold
