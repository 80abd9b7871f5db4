"""A question and a vector store in, the small texts that it finds out, as many as lead to enough parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura.merging import Score
from caesura.steps import Step, Steps
from langchain_caesura.parents.merging import by_parent
from langchain_caesura.parents.nearest import SearchType, nearest
from langchain_caesura.parents.ranking import ranked, warn_of_missing
from langchain_caesura.parents.records import AGAIN

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
