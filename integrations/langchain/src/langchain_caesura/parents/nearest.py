"""A question and a vector store in, the small texts nearest to it out, with scores where the store has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Literal, TypeAlias

from langchain_core.vectorstores import VectorStore

from caesura.steps import Step, Steps
from langchain_caesura.parents.hits import Hit

SearchType: TypeAlias = Literal["similarity", "similarity_score_threshold", "mmr"]

CANDIDATES = 4
"""Times as many small texts for "mmr" to choose among, where the call does not say."""


def nearest(
    store: VectorStore, query: str, wanted: int, search_type: SearchType, options: Mapping[str, Any]
) -> Steps[list[Hit]]:
    """Returns the `wanted` nearest, the nearest first; the higher a score the nearer. options: the search's own."""
    settings = {**options, "k": wanted}
    if search_type == "mmr":
        settings["fetch_k"] = max(options.get("fetch_k", wanted * CANDIDATES), wanted)
        rows = yield Step.of(store, "max_marginal_relevance_search", query, **settings)
        return [Hit(document, rank, None) for rank, document in enumerate(rows)]
    try:
        pairs = yield Step.of(store, "similarity_search_with_score", query, **settings)
    except NotImplementedError:
        rows = yield Step.of(store, "similarity_search", query, **settings)
        return [Hit(document, rank, None) for rank, document in enumerate(rows)]
    scores = [_plain(score) for _, score in pairs]
    similar = _similarity(store, [score for score in scores if score is not None])
    return [
        Hit(document, rank, None if score is None else float(similar(score)))
        for rank, ((document, _), score) in enumerate(zip(pairs, scores, strict=True))
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


def _plain(score: Any) -> float | None:
    """A store's score, which may be NumPy's, -> a float that JSON has, or None."""
    try:
        value = float(score)
    except (TypeError, ValueError):
        return None
    return value if isfinite(value) else None
