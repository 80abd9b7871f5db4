"""A question and a vector store in, the small texts that it finds out, as many as lead to enough parents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.merging import Score
from caesura.steps import Step, Steps
from langchain_caesura.ranking import Hit, by_parent, plain_score, ranked, warn_of_missing

SearchType = Literal["similarity", "similarity_score_threshold", "mmr"]

MORE = 4  # times as many small texts, where those that were found lead to too few parents


@dataclass(frozen=True, slots=True)
class Searcher:
    """What finds parents through their small texts. Settings as `ParentDocumentRetriever`'s."""

    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    id_key: str
    search_type: SearchType
    merge_ratio: float | None
    score: Score
    over_fetch: int
    max_fetch: int

    def search(self, query: str, k: int, options: Mapping[str, Any]) -> Steps[list[Document]]:
        """Returns the `k` best parents, or in merge mode parents and children; fewer where there are not so many."""
        options = dict(options)
        wanted = min(max(int(options.pop("k", None) or k * self.over_fetch), k), max(self.max_fetch, k))
        threshold = options.pop("score_threshold", None)
        if self.search_type != "similarity_score_threshold":
            threshold = None
        elif isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            raise SettingError(
                f"search_type 'similarity_score_threshold' needs a number as score_threshold in search_kwargs or in "
                f"the call, got {threshold!r}"
            )
        parents: dict[str, Document | None] = {}
        while True:
            hits = yield from self._hits(query, wanted, options)
            if threshold is not None and hits and all(hit.score is None for hit in hits):
                raise SettingError(
                    f"{type(self.vectorstore).__name__} gives no scores to hold against a score_threshold: use "
                    f"search_type 'similarity'"
                )
            near = [hit for hit in hits if threshold is None or (hit.score is not None and hit.score >= threshold)]
            found = [part for one in by_parent(near, self.id_key).values() for part in one.merged(self.merge_ratio)]
            keys = [one.parent for one in found if one.parent is not None]
            new = [key for key in keys if key not in parents]
            if new:
                parents |= dict(zip(new, (yield Step.of(self.docstore, "mget", new)), strict=True))
            made = ranked(found, parents, self.merge_ratio, self.score)
            if len(made) >= k or len(hits) < wanted or len(near) < len(hits) or wanted >= self.max_fetch:
                warn_of_missing({key: parents[key] for key in keys})
                return made[:k]
            wanted = min(wanted * MORE, self.max_fetch)

    def _hits(self, query: str, wanted: int, options: Mapping[str, Any]) -> Steps[list[Hit]]:
        """The `wanted` nearest small texts, with scores where the store has them: the higher the nearer."""
        if self.search_type == "mmr":
            candidates = {"fetch_k": max(options.get("fetch_k", wanted * MORE), wanted)}
            settings = {**options, **candidates, "k": wanted}
            rows = yield Step.of(self.vectorstore, "max_marginal_relevance_search", query, **settings)
            return [Hit(document, rank, None) for rank, document in enumerate(rows)]
        settings = {**options, "k": wanted}
        try:
            pairs = yield Step.of(self.vectorstore, "similarity_search_with_score", query, **settings)
        except NotImplementedError:
            rows = yield Step.of(self.vectorstore, "similarity_search", query, **settings)
            return [Hit(document, rank, None) for rank, document in enumerate(rows)]
        scores = [plain_score(score) for _, score in pairs]
        similar = _similarity(self.vectorstore, [score for score in scores if score is not None])
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
