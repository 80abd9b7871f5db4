"""A question and a vector store in, the small texts that it finds out, as many as lead to enough parents."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeAlias

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.plugin.merging import SCORES, Score, enough
from caesura.sansio import Step, Steps
from langchain_caesura.parents.children import Hit, Line
from langchain_caesura.parents.records import AGAIN


@dataclass(slots=True)
class Found:
    """The hits that lead to one parent, best first; to none where they stand for themselves."""

    parent: str | None
    hits: list[Hit] = field(default_factory=list)

    def total(self, score: Score) -> float | None:
        """The parent's score."""
        scores = [hit.score for hit in self.hits if hit.score is not None]
        return SCORES[score](scores) if scores else None

    def merged(self, merge_ratio: float | None) -> list[Found]:
        """Returns what is to be returned: chunks instead of what lies in them where enough of that was found, step by
        step from the children to the parent; what was merged counts as found.

        A small text that is no slice of its parent, such as a summary or a question, always leads to it.
        """
        lines = [hit.line(self.parent) for hit in self.hits]
        if merge_ratio is None or not all(lines):
            return [self]
        parts = [Part(Found(None, [hit]), line, True) for hit, line in zip(self.hits, lines, strict=True)]
        for depth in range(max(map(len, lines)), 0, -1):
            together: dict[str, list[Part]] = {}
            for part in [part for part in parts if len(part.line) == depth]:
                together.setdefault(part.line[0][0], []).append(part)
            parts = [part for part in parts if len(part.line) != depth]
            for key, some in together.items():
                present = sum(part.present for part in some)
                if enough(present, max(part.line[0][1] for part in some), merge_ratio):
                    hits = sorted((hit for part in some for hit in part.found.hits), key=lambda hit: hit.rank)
                    parts.append(Part(Found(key, hits), some[0].line[1:], True))
                else:
                    parts += [Part(part.found, part.line[1:], False) for part in some]
        return [part.found for part in parts]


class Part(NamedTuple):
    """What is to be returned unless it is in something larger that is: that, and whether it counts as found in it."""

    found: Found
    line: Line
    present: bool


def by_parent(hits: Sequence[Hit], id_key: str) -> dict[str, Found]:
    """Hits -> those of each parent, by the rank of the first. A hit found twice counts once, one of no parent never."""
    found: dict[str, Found] = {}
    seen: set[object] = set()
    for hit in hits:
        parent = hit.document.metadata.get(id_key)
        same = hit.document.id or (parent, hit.document.page_content, hit.document.metadata.get("start_index"))
        if parent is not None and same not in seen:
            seen.add(same)
            found.setdefault(str(parent), Found(str(parent))).hits.append(hit)
    return found


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


logger: logging.Logger = logging.getLogger(__name__)


def ranked(
    found: Sequence[Found], parents: Mapping[str, Document | None], merge_ratio: float | None, score: Score
) -> list[Document]:
    """What is to be returned and the parents -> new documents, best first, with scores and matches in the metadata.

    A parent that is not there is passed over; where children may stand for themselves, they do. By "max" the order is
    the store's own: that of the best hit of each.
    """
    rows: list[tuple[float, int, Document]] = []
    for one in found:
        parent = None if one.parent is None else parents.get(one.parent)
        if parent is not None:
            total = one.total(score)
            copied = _copied(parent, total, {"matches": [hit.match() for hit in one.hits]})
            rows.append((_order(total, score), one.hits[0].rank, copied))
        elif merge_ratio is not None:
            rows += [(_order(hit.score, score), hit.rank, _copied(hit.document, hit.score, {})) for hit in one.hits]
    return [document for _, _, document in sorted(rows, key=lambda row: row[:2])]


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


def _order(total: float | None, score: Score) -> float:
    return 0.0 if total is None or score == "max" else -total


def _copied(document: Document, score: float | None, more: dict[str, Any]) -> Document:
    metadata = copy.deepcopy(document.metadata)
    if score is not None:
        metadata["relevance_score"] = score
    return Document(document.page_content, id=document.id, metadata={**metadata, **more})


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
        """Returns the `k` best parents, or in merge mode parents and children; fewer where there are not so many.

        A parent that is not there went with an older version of its document, after the search, or was lost. So it is
        searched again, by when the new version can be found, until none is missing that was not missing before.
        """
        if not isinstance(query, str):
            first = next(iter(query), None) if isinstance(query, dict) else None
            remedy = "" if first is None else f": take it out first, as itemgetter({first!r}) does"
            raise SettingError(f"the question must be a str, got {type(query).__name__} {query!r:.80}{remedy}")
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
        missing: set[str] = set()
        again = AGAIN
        while True:
            hits = yield from nearest(self.vectorstore, query, wanted, self.search_type, options)
            if threshold is not None and hits and all(hit.score is None for hit in hits):
                raise SettingError(
                    f"{type(self.vectorstore).__name__} gives no scores to hold against a score_threshold: use "
                    f"search_type 'similarity'"
                )
            near = [hit for hit in hits if threshold is None or (hit.score is not None and hit.score >= threshold)]
            found = [part for one in by_parent(near, self.id_key).values() for part in one.merged(self.merge_ratio)]
            keys = [one.parent for one in found if one.parent is not None]
            if new := [key for key in keys if parents.get(key) is None]:
                parents |= dict(zip(new, (yield Step.of(self.docstore, "mget", new)), strict=True))
            before, missing = missing, {key for key in keys if parents[key] is None}
            if again and not missing <= before:
                again -= 1
                continue
            made = ranked(found, parents, self.merge_ratio, self.score)
            if len(made) >= k or len(hits) < wanted or len(near) < len(hits) or wanted >= self.max_fetch:
                warn_of_missing(sorted(missing & before))
                return made[:k]
            wanted = min(wanted * MORE, self.max_fetch)
