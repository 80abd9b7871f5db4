"""Filters: the rows that are known to pass the filter of a search, and the spans of text that hold nothing it hides."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from caesura.errors import SettingError
from caesura_documents.caller_warning import warn_caller
from caesura_documents.chunk_metadata import NAMES
from caesura_documents.layout import LAYOUT
from caesura_retrieval.parent_merging import enough
from caesura_retrieval.passages import PassageSpan
from langchain_caesura.chunk_vectors import HEADINGS
from langchain_caesura.parents.record import VIEW, StoredText
from langchain_caesura.parents.vector_search import Hit, row_name
from langchain_caesura.vector_store_quirks import equalities, filter_judge, may_pass

FREE = (
    *("k", "fetch_k", "score_threshold", "lambda_mult", "search_params", "consistency", "hybrid_fusion", "timeout"),
    *("hybrid_search_config", "metrics"),
)
"""What the search of a vector store takes that leaves no row out by its metadata or its text."""

_SIGN = re.compile(r"\S")


def filters_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search that may leave rows out by what they are."""
    return {name: value for name, value in options.items() if value is not None and name not in FREE}


def scope_of(filters: Mapping[str, Any]) -> dict[str, Any] | None:
    """The metadata that a row has to have to pass, as ``{"user": "anna"}``; None where filters say anything else.

    filters: see `filters_of`.
    """
    wanted, is_all = equalities(filters.get("filter"))
    scope = dict(wanted)
    return scope if is_all and len(filters) == 1 and all(scope[name] == value for name, value in wanted) else None


def check_hidden(work: str, hidden: Sequence[str], own: Any, scope: Mapping[str, Any] | None) -> None:
    """Raises `SettingError` if work without a scope would delete documents that a retriever's own filter hides.

    hidden: their ids, or those of documents that it may hide. own: the filter. scope: what it says, see `scope_of`.
    """
    if hidden:
        said = "the metadata that only documents which may go have" if scope is None else repr(scope)
        raise SettingError(
            f"without a scope, {work} would delete {len(hidden)} documents that the retriever's own filter "
            f"{own!r:.120} {'may hide' if scope is None else 'hides'}, such as {hidden[0]!r}: give as scope= {said}; "
            f"if all may go, use a retriever without the filter"
        )


def warn_of_places(options: Mapping[str, Any]) -> None:
    """Warns of a filter that found nothing and names what passages say of their place, which rows do not say.

    options: of the search. A document may have a title of its own, so a filter may name that.
    """
    words = re.split(r"\W+", repr(filters_of(options)))
    if named := [name for name in NAMES if name in words and name != "title"]:
        warn_caller(
            f"a filter that names {', '.join(named)} found nothing: the vector store's rows have the metadata of their "
            f"document, and passages alone say their place; filter the passages that invoke() returns by it"
        )


def warn_of_hidden(store: VectorStore, condition: Any, documents: Sequence[Document]) -> bool:
    """Warns of documents that a retriever's own filter never returns. Returns whether it did.

    condition: the filter. documents: with the metadata of their rows.
    """
    hidden = [document for document in documents if not may_pass(store, condition, document)]
    if hidden:
        first = hidden[0]
        warn_caller(
            f"{len(hidden)} of {len(documents)} documents added do not pass the retriever's own filter, the first one "
            f"beginning {first.page_content[:40]!r}, with the metadata {first.metadata!r:.120}: it never returns them; "
            f"add what the filter needs to their metadata, or to child_metadata_fields where that is set"
        )
    return bool(hidden)


@dataclass(slots=True)
class PassingRows:
    """The rows that are known to pass a filter: those that a search returned under it, and those that `judge` passes.

    judge: whether a row passes; None where only the vector store knows. searched: how many rows were searched for.
    """

    names: set[str]
    judge: Callable[[Document], bool] | None
    filters: Mapping[str, Any]
    searched: int
    _loose: dict[str, list[str]] = field(default_factory=dict)
    _ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: VectorStore, filters: Mapping[str, Any], hits: Sequence[Hit], searched: int) -> PassingRows:
        """hits: all that the search returned."""
        judge = None
        if filters.keys() == {"filter"}:
            judge = filter_judge(store, filters["filter"], [hit.document for hit in hits])
        return cls({hit.name for hit in hits}, judge, filters, searched)

    def unknown(self, spans: Iterable[tuple[StoredText, PassageSpan, float]], most: int) -> list[str]:
        """Returns the rows of small texts in some spans that may pass, where at least a share of each span's does.

        spans: each with its text and that share. Spans with more than `most` such rows are passed over.
        """
        wanted: dict[str, None] = {}
        for part, span, share in {each[1]: each for each in spans}.values():
            if span.last - span.first >= most + len(self.names):
                continue
            children = part.names(span.first, span.last + 1)
            rest = [name for name in [*children, *self._find_loose(part)] if name not in self.names]
            passing = sum(name in self.names for name in children)
            if rest and len(rest) <= most and (not share or enough(passing, len(children), share)):
                wanted.update(dict.fromkeys(rest))
        return list(wanted)

    def add(self, rows: Iterable[Document]) -> None:
        """Takes in those of some rows that pass; without a judge, rows that a search returned under the filter."""
        self.names |= {row_name(row) for row in rows if self.judge is None or self.judge(row)}
        self._ranges.clear()

    def read(self, part: StoredText, text: Document) -> Document:
        """A stored text -> what of it may be read for headings: the same with blanks for all that does not pass."""
        content, pieces, at = text.page_content, list[str](), 0
        for start, end in [*self._allowed(part), (part.size, part.size)]:
            pieces += [_SIGN.sub(" ", content[at:start]), content[start:end]]
            at = end
        layout = [
            {name: entry[name] for name in entry if name not in HEADINGS} for entry in text.metadata.get(LAYOUT, ())
        ]
        metadata = {**text.metadata, **({LAYOUT: layout} if layout else {})}
        return text.model_copy(update={"page_content": "".join(pieces), "metadata": metadata})

    def allows(self, parts: Mapping[str, StoredText]) -> Callable[[PassageSpan], bool]:
        """Returns a function: whether all text of a span may be returned. parts: the texts by their keys."""

        def allows(span: PassageSpan) -> bool:
            ranges = self._allowed(parts[span.document])
            at = bisect_right(ranges, span.start, key=lambda each: each[0]) - 1
            return at >= 0 and span.end <= ranges[at][1]

        return allows

    def _allowed(self, part: StoredText) -> list[tuple[int, int]]:
        if part.key not in self._ranges:
            self._ranges[part.key] = self._find_ranges(part)
        return self._ranges[part.key]

    def _find_loose(self, part: StoredText) -> list[str]:
        """The rows of children that are no slices: they may be of any place in the text."""
        if part.key not in self._loose:
            first = len(part.starts)
            rows = zip(part.names(first, first + len(part.views)), part.views, strict=True)
            self._loose[part.key] = [name for name, (parent, *_) in rows if parent != VIEW]
        return self._loose[part.key]

    def _find_ranges(self, part: StoredText) -> list[tuple[int, int]]:
        """Returns the ranges of a text that consist of small texts that pass, and of what lies between neighbours.

        A text without small texts of its own passes with the view that led to it.
        """
        whole = self.names.issuperset(self._find_loose(part))
        if not part.starts:
            return [(0, part.size)] if whole else []
        passing = part.numbers(self.names)
        if not passing:
            return []
        ends = np.array(part.ends)
        ends[passing] = 0
        hidden = np.maximum.accumulate(ends)  # before each, where the last of what does not pass ends
        ranges: list[list[int]] = []
        reach = 0  # where the last of what passes ends
        for at, before in zip(passing, hidden[passing].tolist(), strict=True):
            start, end = part.starts[at], part.ends[at]
            between = whole and before <= reach  # nothing hidden is in the text between
            if ranges and (between or start <= reach):
                ranges[-1][1] = max(reach, end)
            else:
                ranges.append([0 if between else start, end])
            reach = max(reach, end)
        if whole and hidden[-1] <= reach:
            ranges[-1][1] = part.size
        return [(start, end) for start, end in ranges]
