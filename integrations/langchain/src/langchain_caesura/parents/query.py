"""Queries: from a question to passages within a budget, or to parents, through both stores and the index of words."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from math import isfinite
from typing import Any

from langchain_core.documents import Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore

from caesura.checks import check_int
from caesura.errors import SettingError
from caesura.sansio import Calls
from caesura_documents.caller_warning import warn_caller
from caesura_retrieval.parent_merging import Score
from caesura_retrieval.passages import SHORTENED, PackedPassage, PassageSpan
from caesura_retrieval.ranking import FETCHED, RankedTexts, rank
from caesura_retrieval.upkeep import SEARCHES_AGAIN, batches, find_present, search_until_whole
from caesura_retrieval.word_index import WordIndex
from langchain_caesura.documents import ScoredDocument
from langchain_caesura.embeddings import ASKED
from langchain_caesura.parents.filters import PassingRows, filters_of, warn_of_places
from langchain_caesura.parents.hits import LocatedHit, LocatedHits, locate_hits
from langchain_caesura.parents.owner import Owner
from langchain_caesura.parents.record import ParentRecord, StoredText, read_record
from langchain_caesura.parents.results import (
    Allows,
    Budget,
    HitGroup,
    PassageMetadata,
    group_hits,
    parent_documents,
    parents_around,
    passage_documents,
)
from langchain_caesura.parents.vector_search import Hit, SearchType, hits_over, nearest_hits
from langchain_caesura.stores import ChangedTextError, SQLiteDocumentStore, StoredDocument

logger: logging.Logger = logging.getLogger(__name__)

TOP_K = ("top_k", "similarity_top_k")
"""Names that other retrievers have for `k`."""
PER_SEARCH = ("k", "budget")
"""The retriever's settings that a question may bring its own of."""
OVER_FETCH = 4
"""How many small texts are fetched at first for each parent wanted."""
WIDENING = 4
"""Times as many small texts are fetched, where those that were found lead to too few parents."""
FETCHED_DIVERSE = 50
"""How many small texts are fetched for a budget by "mmr", whose time grows with the square of it."""
RANKED, SPARE = 50, 0.25
"""So many of the best rows are looked up at first; what is left of a budget where it is filled well enough."""
CHARACTERS = 4
"""About so many characters has a token, where a budget does not count them."""
PARENTS = 4
"""How many parents are returned, where nothing says so."""
MERGED = 0.5
"""The share of its children from which a parent takes their place within a budget, where nothing says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentQuery:
    """The stores, how they are called, and the settings of `ParentDocumentRetriever` that say what is found."""

    calls: Calls
    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    owner: Owner
    search_type: SearchType
    threshold: float | None
    options: dict[str, Any]
    """What the vector store's search takes."""
    open_words: Callable[[], WordIndex | None]
    """Opens the index of words, once."""
    weight: float
    """What words count; 0: nothing."""
    measure: Callable[[str], int]
    merge_ratio: float | None
    score: Score
    max_fetch: int
    metadata: PassageMetadata

    async def answer(self, query: str, size: int | None, most: int | None) -> list[ScoredDocument]:
        """Returns the passages that fit a budget; the parents, where it is None."""
        token = ASKED.set({})
        try:
            if size is None:
                return await self.parents(query, most or PARENTS)
            return await self.passages(query, size, most)
        finally:
            ASKED.reset(token)

    async def passages(self, query: str, size: int, most: int | None) -> list[ScoredDocument]:
        """Returns what fits. What only the words lead to is left out where the search has a filter or a threshold.

        Where rows of what is not there, or of another index, took the place of others, and room is left, more rows are
        searched for.
        """
        options, filters = dict(self.options), filters_of(self.options)
        fetched = self.max_fetch if filters else FETCHED
        if self.search_type == "mmr":
            fetched = FETCHED_DIVERSE
        wanted = int(options.pop("k", None) or fetched)
        merge_ratio = MERGED if self.merge_ratio is None else self.merge_ratio
        budget = Budget(size=size, most=most, measure=self.measure, merge_ratio=merge_ratio)

        async def search(missing: Set[str]) -> tuple[tuple[LocatedHits, bool, bool, list[ScoredDocument]], Set[str]]:
            hits, near = await self._near(query, wanted, options)
            rows = {hit.name: hit for hit in near if hit.key is not None}
            passing = PassingRows.of(self.vectorstore, filters, hits, wanted) if filters else None
            words, others = await self.calls.compute(
                self._word_scores, query, rows, not filters and self.threshold is None, size
            )
            if others and not hits:
                logger.warning(
                    "the vector store found nothing, but the document store has %d texts with words of the question: "
                    "use the vector store, and its collection, that was written together with this document store",
                    len(others),
                )
            if others and self.owner.in_memory:
                others = await self._with_rows(others, {hit.key for hit in rows.values() if hit.key is not None})
                words = {row: score for row, score in words.items() if row in rows or row in others}
            records = {**others, **{name: str(hit.key) for name, hit in rows.items()}}
            evidence = rank([(name, hit.score) for name, hit in rows.items()], words, records, self.weight)
            ranking = evidence.scores
            located, parts, gone = LocatedHits(), dict[str, ParentRecord | None](), set[str]()
            while True:  # what changes is left out and does not come back: each turn has one text fewer
                try:
                    found, texts, passages = await self._fill(
                        query, ranking, rows, others, budget, passing, missing | gone, located, parts
                    )
                    spans = [passage.span for passage in passages]
                    keys = {span.document for span in spans}
                    texts |= await self._texts(keys - texts.keys(), spans=spans)
                    lost = keys - texts.keys()
                    if not lost:
                        metadata = self.metadata if passing is None else replace(self.metadata, read=passing.read)
                        results = await self.calls.compute(
                            self._build, query, evidence, passages, found, texts, metadata
                        )
                        break
                except ChangedTextError as error:
                    lost = {str(error)}
                gone |= lost
            located.lost |= gone
            hidden = located.unlisted | located.lost
            there_is_more = len(hits) >= wanted and len(near) == len(hits)
            are_in_the_way = len(rows) < len(near) and self.search_type != "mmr"  # which takes long for many
            some_are_others = bool(hidden) or are_in_the_way
            return (located, there_is_more, some_are_others, results), hidden

        missed: Set[str] = frozenset()
        while True:
            (located, there_is_more, some_are_others, results), missed = await search_until_whole(search, missed)
            left = size - sum(self.measure(result.page_content) for result in results)
            is_full = len(results) == most or left <= size * SPARE
            if is_full or not (there_is_more and some_are_others) or wanted >= self.max_fetch:
                break
            wanted = min(wanted * WIDENING, self.max_fetch)
        if there_is_more and not is_full and wanted == self.options.get("k"):
            warn_caller(
                f"search_kwargs={{'k': {wanted}}} lets the vector store return {wanted} small texts at most, which do "
                f"not fill the budget of {size}: if there are more, leave it out, and pass k={wanted} if you want "
                f"{wanted} passages at most"
            )
        if located.elsewhere and not located.found:
            _warn_of_elsewhere(self.docstore, len(located.elsewhere))
        _warn_of_lost(sorted((located.lost | {hit.part.key for hit in located.found.values()}) & missed))
        _warn_of_changing(located, missed)
        return results

    def _word_scores(
        self, query: str, near: Mapping[str, Hit], more: bool, size: int
    ) -> tuple[dict[str, float], dict[str, str]]:
        """Returns the scores by words of what is near, and with `more` of others; and the key of each other's record.

        size: the budget.
        """
        if (index := self.open_words()) is None:
            return {}, {}
        characters = size if self.measure is len else size * CHARACTERS
        found = index.search(query, list(near), budget=characters, name_among=False)
        if not more:
            return {row: score for row, score in found.scores.items() if row in near}, {}
        return found.scores, {row: name.partition(" ")[0] for row, name in found.documents.items()}

    def _languages(self, parts: Mapping[str, str]) -> dict[str, str]:
        """Rows, and the key of the text of each -> the languages of those texts whose words there are, by key."""
        index = self.open_words()
        return {} if index is None else {parts[row]: own for row, own in index.languages(parts).items()}

    def _build(
        self,
        query: str,
        evidence: RankedTexts,
        passages: Sequence[PackedPassage],
        found: Mapping[str, LocatedHit],
        texts: Mapping[str, StoredDocument],
        metadata: PassageMetadata,
    ) -> list[ScoredDocument]:
        """Returns passages as documents, with the evidence for what was found in them."""
        names = [name for passage in passages for name in passage.found if name in found]
        index = self.open_words()
        words = {} if index is None else index.explain(query, names, headings=metadata.read is None)
        return passage_documents(passages, found, texts, metadata, evidence.of(names), words)

    async def _with_rows(self, others: Mapping[str, str], near: Set[str]) -> dict[str, str]:
        """Returns of rows that only words led to those whose documents the vector store has rows of.

        In a vector store in memory, the others may be of one that is gone. near: the keys of records that have
        rows there. A document of which no row could be stored stays.
        """

        async def fetch(some: list[str]) -> list[str | None]:
            found = await self.calls.call(self.vectorstore.get_by_ids, self.vectorstore.aget_by_ids, some)
            return [row.id for row in found]

        doubtful = [row for row, key in others.items() if key not in near]
        present = await find_present(fetch, doubtful, max(len(doubtful), 1))
        if present is None:
            return dict(others)
        keys = {*near, *(others[row] for row in present)}
        rest = sorted({others[row] for row in doubtful} - keys)
        entries = await self.calls.call(self.docstore.mget, self.docstore.amget, rest) if rest else []
        records = {key: read_record(entry) for key, entry in zip(rest, entries, strict=True)}
        keys |= {key for key, record in records.items() if record is not None and record.last() is None}
        return {row: key for row, key in others.items() if key in keys}

    async def _fill(
        self,
        query: str,
        ranking: dict[str, float],
        near: dict[str, Hit],
        others: dict[str, str],
        budget: Budget,
        passing: PassingRows | None,
        missing: Set[str],
        located: LocatedHits,
        records: dict[str, ParentRecord | None],
    ) -> tuple[dict[str, LocatedHit], dict[str, StoredDocument], list[PackedPassage]]:
        """Rows, the best first -> those that lie where there is a text, texts, and what of them fits the budget, with
        the best sentences of what does not.

        others: of what only the words led to, the key of each record. missing: texts that are not there, or change.
        located: takes in where as many rows lie as fill the budget. records: takes in those that are read, so that
        none is read again.
        """
        texts, passages = dict[str, StoredDocument](), list[PackedPassage]()
        found: dict[str, LocatedHit] = {}
        allows: Allows | None = None
        names, seen, some, left = list(ranking), 0, RANKED, budget.size
        while seen < len(names) and left > budget.size * SPARE:
            rows = [near[name] for name in names[seen : seen + some] if name in near]
            keys = {name: others[name] for name in names[seen : seen + some] if name in others}
            located.add(await self._locate(rows, keys, records))
            seen, some = seen + some, some * WIDENING
            found = {name: hit for name, hit in located.found.items() if hit.part.key not in missing}
            if self.measure is not len:
                texts |= await self._texts({hit.part.key for hit in found.values()} - texts.keys())
                found = {name: hit for name, hit in found.items() if hit.part.key in texts}
            best = {name: ranking[name] for name in names[:seen]}
            if passing is not None:
                allows = await self._confirm(query, passing, budget.spans_around(found), found)
            passages, left = await self.calls.compute(budget.pack, best, found, texts, allows, located.names)
        taken = {name for passage in passages for name in passage.found}
        ranked = [name for name in ranking if name in found]
        rest = [name for name in ranked if name not in taken]
        if rest and (left or taken.intersection(ranked[ranked.index(rest[0]) :])):  # also where the best did not fit
            # What was taken is read too: it may be shortened, to make room for the best.
            looked_at = [*rest[:SHORTENED], *(taken & found.keys())]
            read = {name: found[name].part.key for name in looked_at}
            spans = [found[name].span for name in looked_at if found[name].view is None]
            texts |= await self._texts({*read.values()} - texts.keys(), spans=spans)
            languages = await self.calls.compute(self._languages, read)
            given = found, texts, allows, located.names, query, languages
            passages, _ = await self.calls.compute(budget.pack, ranking, *given)
        return found, texts, passages

    async def parents(self, query: str, k: int) -> list[ScoredDocument]:
        """Returns the `k` best parents, or in merge mode parents and children; fewer where there are not so many.

        What is not there went with an older version of its document, after the search, or was lost. So it is
        searched again, by when the new version can be found, until none is missing that was not missing before.
        """
        options, filters = dict(self.options), filters_of(self.options)
        wanted = min(max(int(options.pop("k", None) or k * OVER_FETCH), k), max(self.max_fetch, k))

        async def search(_: Set[str]) -> tuple[tuple[LocatedHits, bool, Callable[[], list[ScoredDocument]]], Set[str]]:
            hits, near = await self._near(query, wanted, options)
            located = await self._locate(near, {}, {})
            allows, metadata = None, self.metadata
            if filters:
                passing = PassingRows.of(self.vectorstore, filters, hits, wanted)
                around = parents_around(near, located.found, k, self.merge_ratio or 0.0)
                allows = await self._confirm(query, passing, around, located.found)
                metadata = replace(metadata, read=passing.read)
            groups: list[HitGroup] = await self.calls.compute(group_hits, near, located.found, self.merge_ratio, allows)
            keys = {group.part.key for group in groups}
            texts = await self._texts(keys, whole=True)
            located.lost |= keys - texts.keys()
            build = partial(parent_documents, groups, located.found, texts, self.score, metadata)
            there_is_more = len(hits) >= wanted and len(near) == len(hits)
            return (located, there_is_more, build), located.unlisted | located.lost

        missed: Set[str] = frozenset()
        while True:
            (located, there_is_more, build), missed = await search_until_whole(search, missed)
            results = await self.calls.compute(build)
            if len(results) >= k or not there_is_more or wanted >= self.max_fetch:
                if located.elsewhere and not located.found:
                    _warn_of_elsewhere(self.docstore, len(located.elsewhere))
                _warn_of_lost(sorted(located.lost & missed))
                _warn_of_changing(located, missed)
                return results[:k]
            wanted = min(wanted * WIDENING, self.max_fetch)

    async def _near(self, query: str, wanted: int, options: Mapping[str, Any]) -> tuple[list[Hit], list[Hit]]:
        """Returns the nearest hits, and those of them that score enough."""
        hits = await nearest_hits(self.calls, self.vectorstore, query, wanted, self.search_type, options, self.owner)
        if not hits:
            warn_of_places(options)
        are_all = len(hits) < wanted or wanted >= self.max_fetch or self.search_type == "mmr"
        if hits and hits[0].key is None and are_all and {hit.key for hit in hits} == {None}:
            _warn_of_others(hits[0].document, self.owner)
        return hits, hits_over(hits, self.threshold, self.vectorstore)

    async def _locate(
        self, hits: Sequence[Hit], others: Mapping[str, str], records: dict[str, ParentRecord | None]
    ) -> LocatedHits:
        """Returns where hits lie. others: rows that only words led to, each with the key of its record. records: those
        that were read; takes in what is read."""
        wanted = dict.fromkeys([*(hit.key for hit in hits if hit.key is not None), *others.values()])
        keys = [key for key in wanted if key not in records]

        async def locate(whole: bool) -> LocatedHits:
            read = {**dict.fromkeys(keys), **await self._texts(keys, whole)}
            return await self.calls.compute(locate_hits, read, records, self.owner.mark, hits, others)

        try:
            return await locate(whole=False)
        except ChangedTextError:  # a long record was written again between two of its parts
            return await locate(whole=True)

    async def _confirm(
        self,
        query: str,
        passing: PassingRows,
        around: Iterable[tuple[StoredText, PassageSpan, float]],
        found: Mapping[str, LocatedHit],
    ) -> Allows:
        """Returns what tells whether all text of a span passes the filter.

        around: spans that may be returned with what was found, see `PassingRows.unknown`. Where their rows cannot be
        judged, as many rows as `max_fetch` are searched for under the filter.
        """
        names = await self.calls.compute(passing.unknown, around, self.max_fetch)
        for some in batches(names, self.max_fetch) if passing.judge is not None else []:
            try:
                rows = await self.calls.call(self.vectorstore.get_by_ids, self.vectorstore.aget_by_ids, some)
            except NotImplementedError:
                passing.judge = None
                break
            await self.calls.compute(passing.add, rows)
        if names and passing.judge is None and passing.searched < self.max_fetch:
            passing.searched = self.max_fetch
            near = await nearest_hits(
                self.calls, self.vectorstore, query, self.max_fetch, "similarity", passing.filters, self.owner
            )
            passing.add(hit.document for hit in near)
        return passing.allows({hit.part.key: hit.part for hit in found.values()})

    async def _texts(
        self, keys: Collection[str], whole: bool = False, spans: Iterable[PassageSpan] = ()
    ) -> dict[str, StoredDocument]:
        """The texts that there are of these keys. whole: to their ends, also of those that can be read in parts. spans:
        what will be looked at in some of them."""
        wanted = sorted(keys)
        if wanted and not whole and isinstance(self.docstore, SQLiteDocumentStore):
            ranges = [(span.document, span.start, span.end) for span in spans if span.document in keys]
            return {**await self.calls.compute(self.docstore.mget_sliced, wanted, ranges)}
        texts = await self.calls.call(self.docstore.mget, self.docstore.amget, wanted) if wanted else []
        return {key: text for key, text in zip(wanted, texts, strict=True) if text is not None}


def _warn_of_others(row: Document, owner: Owner) -> None:
    """Warns of a vector store of which all that was found is another's. row: the nearest."""
    said = row.metadata.get(owner.id_key)
    warn_caller(
        f"the vector store found rows of another index only, the nearest with {owner.id_key!r}: {said!r:.80}: give "
        f"the documents to add_documents() of this retriever, also those that langchain-classic's "
        f"ParentDocumentRetriever indexed; if this one indexed them, give it the id_key, the collection and the "
        f"document store that it had then"
    )


def _warn_of_elsewhere(docstore: BaseStore[str, Document], count: int) -> None:
    """Warns of a document store without the documents of all rows that were found. count: of those documents."""
    said = f" {str(docstore.path)!r}" if isinstance(docstore, SQLiteDocumentStore) else ""
    warn_caller(
        f"the vector store found rows of {count} documents, and none of these is in the document store{said}: use the "
        f"document store that was written together with these rows; if it is lost, index the documents into a new "
        f"collection"
    )


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


def _warn_of_changing(located: LocatedHits, missed: Set[str]) -> None:
    """Logs which documents changed in every search, so that none was found as it is. missed: in the search before."""
    changed = (located.unlisted | located.lost) - missed
    names = sorted({located.names[each] for each in changed if each in located.names})
    if names:
        logger.warning(
            "%d documents changed during each of %d searches, such as %r: those texts are passed over. Search again "
            "when nothing writes them.",
            len(names),
            1 + SEARCHES_AGAIN,
            names[0],
        )


def require_question(query: object) -> None:
    """Raises `SettingError` unless the question is a str."""
    if not isinstance(query, str):
        first = next(iter(query), None) if isinstance(query, dict) else None
        remedy = "" if first is None else f": take it out first, as itemgetter({first!r}) does"
        raise SettingError(f"the question must be a str, got {type(query).__name__} {query!r:.80}{remedy}")


def check_query(
    query: object, given: Mapping[str, Any], settings: Iterable[str], defaults: Mapping[str, Any], type: SearchType
) -> tuple[dict[str, Any], float | None]:
    """A question, and what is given with it -> the options of the vector store's search, and the score from which a
    row counts.

    settings: of the retriever. Other names are the store's, except those that are nearly `budget`, or mean `k`.
    defaults: its `search_kwargs`. type: its `search_type`. Raises `SettingError` where the question is no str, or where
    what is given is no option of a search.
    """
    require_question(query)
    fixed = {*settings} - {*PER_SEARCH}
    for name in given:
        if name in fixed:
            raise SettingError(f"{name} is a setting of the retriever: pass it to its constructor, not with a question")
        near = ["k"] if name in TOP_K else get_close_matches(name, ["budget"], 1, 0.7)
        if near and name not in PER_SEARCH:
            raise SettingError(f"a search has no option {name}: did you mean {near[0]}?")
    options = {**defaults, **{name: value for name, value in given.items() if name not in PER_SEARCH}}
    threshold = _check_threshold(options.pop("score_threshold", None), type)
    numbers = {"k": given.get("k"), "budget": given.get("budget"), "k in search_kwargs": defaults.get("k")}
    for name, number in numbers.items():
        if number is not None:
            check_int(name, number, 1)
    return options, threshold


def _check_threshold(threshold: object, search_type: SearchType) -> float | None:
    """The score_threshold given -> what applies. It must be a number where one is needed, and none elsewhere, where
    nothing would be held against it."""
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
