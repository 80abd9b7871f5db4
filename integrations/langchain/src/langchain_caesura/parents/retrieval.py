"""Retrieval: from a question to passages within a budget, or to parents, through both stores and the index of words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.sansio import Calls
from caesura_retrieval.merging import Score
from caesura_retrieval.passages import SHORTENED, PackedPassage
from caesura_retrieval.ranking import FETCHED, fuse
from caesura_retrieval.upkeep import search_until_whole
from caesura_retrieval.word_index import WordIndex, terms
from langchain_caesura.documents import ScoredDocument
from langchain_caesura.parents.findings import Findings, Found, read_findings
from langchain_caesura.parents.records import Owner
from langchain_caesura.parents.results import (
    Budget,
    PassagePlaces,
    group_hits,
    parent_documents,
    passage_documents,
)
from langchain_caesura.parents.search import FREE, Hit, SearchType, hits_over, nearest_hits

logger: logging.Logger = logging.getLogger(__name__)

WIDENING = 4
"""Times as many small texts are fetched, where those that were found lead to too few parents."""
RANKED, SPARE = 50, 0.25
"""So many of the best rows are looked up at first; what is left of a budget where it is filled well enough."""
PARENTS = 4
"""How many parents are returned, where nothing says so."""
MERGED = 0.5
"""The share of its children from which a parent takes their place within a budget, where nothing says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The stores, how they are called, and the settings of `ParentDocumentRetriever` that say what is found."""

    calls: Calls
    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    owner: Owner
    search_type: SearchType
    threshold: float | None
    options: dict[str, Any]
    """What the vector store's search takes."""
    words: WordIndex | None
    weight: float
    """What words count."""
    measure: Callable[[str], int]
    merge_ratio: float | None
    score: Score
    over_fetch: int
    max_fetch: int
    places: PassagePlaces

    async def passages(self, query: str, size: int, most: int | None) -> list[ScoredDocument]:
        """Returns what fits. What only the words lead to is left out where the search has a filter or a threshold."""
        options = dict(self.options)
        free = all(value is None or name in FREE for name, value in options.items())
        wanted = int(options.pop("k", None) or (FETCHED if free else self.max_fetch))
        merge_ratio = MERGED if self.merge_ratio is None else self.merge_ratio
        budget = Budget(size=size, most=most, measure=self.measure, merge_ratio=merge_ratio)

        async def search(missing: Set[str]) -> tuple[tuple[Findings, Callable[[], list[ScoredDocument]]], Set[str]]:
            hits = await nearest_hits(self.calls, self.vectorstore, query, wanted, self.search_type, options)
            near = {hit.name: hit for hit in self._own(hits_over(hits, self.threshold, self.vectorstore))}
            words, others = await self.calls.compute(
                _word_scores, self.words, query, near, free and self.threshold is None
            )
            if others and not hits:
                logger.warning(
                    "the vector store found nothing, but the document store has %d texts with words of the question: "
                    "use the vector store, and its collection, that was written together with this document store",
                    len(others),
                )
            ranking = fuse([(name, hit.score) for name, hit in near.items()], words, self.weight)
            findings, found, texts, passages = await self._fitting(ranking, near, others, budget, missing)
            passages, texts = await self._filled(query, ranking, found, texts, passages, budget)
            keys = {passage.span.document for passage in passages}
            texts |= await self._texts(keys - texts.keys())
            build = partial(passage_documents, passages, ranking, found, texts, near, self.places)
            return (findings, build), findings.missing | (keys - texts.keys())

        (findings, build), missed = await search_until_whole(search)
        _warn_of_lost(sorted((findings.lost | {one.part.key for one in findings.found.values()}) & missed))
        return await self.calls.compute(build)

    async def _fitting(
        self,
        ranking: dict[str, float],
        near: dict[str, Hit],
        others: dict[str, str],
        budget: Budget,
        missing: Set[str],
    ) -> tuple[Findings, dict[str, Found], dict[str, Document], list[PackedPassage]]:
        """Rows, the best first -> what the records say of as many as fill the budget, and what of them fits.

        others: of what only the words led to, the key of each record. missing: texts that were not there before.
        """
        findings, texts, passages = Findings(), dict[str, Document](), list[PackedPassage]()
        found: dict[str, Found] = {}
        names, seen, some = list(ranking), 0, RANKED
        while seen < len(names):
            rows = [near[name] for name in names[seen : seen + some] if name in near]
            keys = {name: others[name] for name in names[seen : seen + some] if name in others}
            findings.add(await read_findings(self.calls, self.docstore, self.owner, rows, self.owner.id_key, keys))
            seen, some = seen + some, some * WIDENING
            found = findings.without(missing)
            if not budget.exact:
                texts |= await self._texts({one.part.key for one in found.values()} - texts.keys())
                found = {name: one for name, one in found.items() if one.part.key in texts}
            best = {name: ranking[name] for name in names[:seen]}
            passages = await self.calls.compute(budget.passages, best, found, texts)
            if budget.room(passages, texts) <= budget.size * SPARE:
                break
        return findings, found, texts, passages

    async def _filled(
        self,
        query: str,
        ranking: dict[str, float],
        found: dict[str, Found],
        texts: dict[str, Document],
        passages: list[PackedPassage],
        budget: Budget,
    ) -> tuple[list[PackedPassage], dict[str, Document]]:
        """What fits -> the same with the best sentences of what did not, and the texts that this took."""
        taken = {name for passage in passages for name in passage.found}
        rest = [name for name in ranking if name in found and name not in taken][:SHORTENED]
        if not rest or not budget.room(passages, texts):
            return passages, texts
        texts = texts | await self._texts({found[name].part.key for name in rest} - texts.keys())
        return await self.calls.compute(budget.passages, ranking, found, texts, terms(query)), texts

    async def parents(self, query: str, k: int) -> list[ScoredDocument]:
        """Returns the `k` best parents, or in merge mode parents and children; fewer where there are not so many.

        What is not there went with an older version of its document, after the search, or was lost. So it is
        searched again, by when the new version can be found, until none is missing that was not missing before.
        """
        options = dict(self.options)
        wanted = min(max(int(options.pop("k", None) or k * self.over_fetch), k), max(self.max_fetch, k))

        async def search(_: Set[str]) -> tuple[tuple[Set[str], bool, Callable[[], list[ScoredDocument]]], Set[str]]:
            hits = await nearest_hits(self.calls, self.vectorstore, query, wanted, self.search_type, options)
            near = hits_over(hits, self.threshold, self.vectorstore)
            findings = await read_findings(
                self.calls, self.docstore, self.owner, self._own(near), self.owner.id_key, {}
            )
            groups = await self.calls.compute(group_hits, near, findings.found, self.merge_ratio)
            keys = {group.part.key for group in groups}
            texts = await self._texts(keys)
            lost = findings.lost | (keys - texts.keys())
            build = partial(parent_documents, groups, findings.found, texts, self.score, self.places)
            there_is_more = len(hits) >= wanted and len(near) == len(hits)
            return (lost, there_is_more, build), findings.unlisted | lost

        missed: Set[str] = frozenset()
        while True:
            (lost, there_is_more, build), missed = await search_until_whole(search, missed)
            results = await self.calls.compute(build)
            if len(results) >= k or not there_is_more or wanted >= self.max_fetch:
                _warn_of_lost(sorted(lost & missed))
                return results[:k]
            wanted = min(wanted * WIDENING, self.max_fetch)

    def _own(self, hits: Iterable[Hit]) -> list[Hit]:
        """The hits that lead to a document: others may write to the vector store too."""
        return [hit for hit in hits if hit.document.metadata.get(self.owner.id_key) is not None]

    async def _texts(self, keys: Iterable[str]) -> dict[str, Document]:
        """The texts that there are of these keys."""
        wanted = sorted(keys)
        texts = await self.calls.call(self.docstore.mget, self.docstore.amget, wanted) if wanted else []
        return {key: text for key, text in zip(wanted, texts, strict=True) if text is not None}


def _word_scores(
    index: WordIndex | None, query: str, near: dict[str, Hit], more: bool
) -> tuple[dict[str, float], dict[str, str]]:
    """A question -> scores by words of what is near, and with `more` of others; and the key of each other's record."""
    if index is None:
        return {}, {}
    words = index.search(query, list(near))
    owners = index.owners([row for row in words if row not in near]) if more else {}
    others = {row: owner.partition(" ")[0] for row, owner in owners.items()}
    return {row: score for row, score in words.items() if row in near or row in others}, others


def _warn_of_lost(keys: Sequence[str]) -> None:
    """Logs what the document store does not have, though two searches in a row found rows of it."""
    if keys:
        logger.warning(
            "%d documents of texts that two searches in a row found are not in the document store, such as %r: those "
            "texts are passed over. Use the document store that was written together with this vector store; if it is "
            "this one, add_documents(documents, force=True) makes it whole.",
            len(keys),
            keys[0],
        )
