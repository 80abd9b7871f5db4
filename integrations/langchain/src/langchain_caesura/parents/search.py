"""Search results of a vector store: the nearest small texts, their parents, and the order of what is returned."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, TypeAlias

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.plugin.merging import SCORES, Score, merge_up
from caesura.sansio import Calls
from langchain_caesura.parents.children import ancestor_counts

SearchType: TypeAlias = Literal["similarity", "similarity_score_threshold", "mmr"]

CANDIDATES = 4
"""Times as many small texts for "mmr" to choose among, where the call does not say."""

logger: logging.Logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hit:
    """A small text that a search returned, its rank, and how near it is; None where nothing says so."""

    document: Document
    rank: int
    score: float | None

    def match(self) -> dict[str, Any]:
        """What the metadata of its parent says about it; fit for JSON."""
        place = {key: self.document.metadata.get(key) for key in ("start_index", "end_index")}
        return {"id": self.document.id, **place, "score": self.score, "text": self.document.page_content}


@dataclass(slots=True)
class HitGroup:
    """The hits that lead to one parent, best first; to none where they stand for themselves."""

    parent: str | None
    hits: list[Hit] = field(default_factory=list)

    def total(self, score: Score) -> float | None:
        """The parent's score."""
        scores = [hit.score for hit in self.hits if hit.score is not None]
        return SCORES[score](scores) if scores else None

    def merge(self, merge_ratio: float | None) -> list[HitGroup]:
        """Returns what is to be returned: chunks instead of what lies in them where enough of that was found, step by
        step from the children to the parent; what was merged counts as found.

        A small text that is no slice of its parent, such as a summary or a question, always leads to it.
        """
        if merge_ratio is None or self.parent is None:
            return [self]
        hits: dict[str, Hit] = {}
        parent_of: dict[str, str] = {}
        child_count: dict[str, int] = {}
        for hit in self.hits:
            counts = ancestor_counts(hit.document, self.parent)
            if not counts:
                return [self]
            name = f"hit {hit.rank}"
            hits[name] = hit
            for key, count in counts.items():
                child_count[key] = max(count, child_count.get(key, 0))
            parent_of |= zip([name, *counts], counts, strict=False)
        return [
            HitGroup(None if name in hits else name, [hits[find] for find in finds])
            for name, finds in merge_up(list(hits), parent_of, child_count, merge_ratio).items()
        ]


def group_hits(hits: Sequence[Hit], id_key: str, merge_ratio: float | None) -> list[HitGroup]:
    """Hits -> what is to be returned. A hit found twice counts once, one of no parent never."""
    groups: dict[str, HitGroup] = {}
    seen: set[object] = set()
    for hit in hits:
        parent = hit.document.metadata.get(id_key)
        identity = hit.document.id or (parent, hit.document.page_content, hit.document.metadata.get("start_index"))
        if parent is not None and identity not in seen:
            seen.add(identity)
            groups.setdefault(str(parent), HitGroup(str(parent))).hits.append(hit)
    return [part for group in groups.values() for part in group.merge(merge_ratio)]


async def nearest_hits(
    calls: Calls, store: VectorStore, query: str, wanted: int, search_type: SearchType, options: Mapping[str, Any]
) -> list[Hit]:
    """Returns the `wanted` nearest, the nearest first; the higher a score the nearer. options: the search's own."""
    settings = {**options, "k": wanted}
    if search_type == "mmr":
        settings["fetch_k"] = max(options.get("fetch_k", wanted * CANDIDATES), wanted)
        rows = await calls.call(
            store.max_marginal_relevance_search, store.amax_marginal_relevance_search, query, **settings
        )
        return [Hit(row, rank, None) for rank, row in enumerate(rows)]
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


def check_query(query: object) -> None:
    """Raises `SettingError` unless the question is a str."""
    if not isinstance(query, str):
        first = next(iter(query), None) if isinstance(query, dict) else None
        remedy = "" if first is None else f": take it out first, as itemgetter({first!r}) does"
        raise SettingError(f"the question must be a str, got {type(query).__name__} {query!r:.80}{remedy}")


def check_threshold(threshold: object, search_type: SearchType) -> float | None:
    """The score_threshold given -> what applies. Raises `SettingError` where one is needed that is a number."""
    if search_type != "similarity_score_threshold":
        return None
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
        raise SettingError(
            f"search_type 'similarity_score_threshold' needs a number as score_threshold in search_kwargs or in "
            f"the call, got {threshold!r}"
        )
    return threshold


def rank_results(
    groups: Sequence[HitGroup], parents: Mapping[str, Document | None], merge_ratio: float | None, score: Score
) -> list[Document]:
    """What is to be returned and the parents -> new documents, best first, with scores and matches in the metadata.

    A parent that is not there is passed over; where children may stand for themselves, they do. By "max" the order is
    the store's own: that of the best hit of each.
    """
    rows: list[tuple[float, int, Document]] = []
    for group in groups:
        parent = None if group.parent is None else parents.get(group.parent)
        if parent is not None:
            total = group.total(score)
            result = _result(parent, total, {"matches": [hit.match() for hit in group.hits]})
            rows.append((_order(total, score), group.hits[0].rank, result))
        elif merge_ratio is not None:
            rows += [(_order(hit.score, score), hit.rank, _result(hit.document, hit.score, {})) for hit in group.hits]
    return [document for _, _, document in sorted(rows, key=lambda row: row[:2])]


def _order(total: float | None, score: Score) -> float:
    return 0.0 if total is None or score == "max" else -total


def _result(document: Document, score: float | None, more: dict[str, Any]) -> Document:
    metadata = copy.deepcopy(document.metadata)
    if score is not None:
        metadata["relevance_score"] = score
    return Document(document.page_content, id=document.id, metadata={**metadata, **more})


def warn_of_missing(parents: Sequence[str]) -> None:
    """Logs parents that the document store does not have, though two searches in a row found texts of theirs."""
    if parents:
        logger.warning(
            "%d parents of texts that two searches in a row found are not in the document store, such as %r: those "
            "texts are passed over, or stand for themselves in merge mode. Use the document store that was written "
            "together with this vector store; if it is this one, add_documents(documents, force=True) makes it whole.",
            len(parents),
            parents[0],
        )
