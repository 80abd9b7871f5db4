"""Filters: the rows that are known to pass the filter of a search, and the spans of text that hold nothing it hides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from caesura_documents.layout import LAYOUT
from caesura_retrieval.parent_merging import enough
from caesura_retrieval.passages import PassageSpan
from langchain_caesura.chunk_vectors import HEADINGS
from langchain_caesura.parents.record import VIEW, StoredText
from langchain_caesura.parents.vector_search import Hit, row_name
from langchain_caesura.vector_store_quirks import filter_judge

FREE = (
    *("k", "fetch_k", "score_threshold", "lambda_mult", "search_params", "consistency", "hybrid_fusion", "timeout"),
    *("hybrid_search_config", "metrics"),
)
"""What the search of a vector store takes that leaves no row out by its metadata or its text."""

_SIGN = re.compile(r"\S")


def filters_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a search that may leave rows out by what they are."""
    return {name: value for name, value in options.items() if value is not None and name not in FREE}


@dataclass(slots=True)
class PassingRows:
    """The rows that are known to pass a filter: those that a search returned under it, and those that `judge` passes.

    judge: whether a row passes; None where only the vector store knows. searched: how many rows were searched for.
    """

    names: set[str]
    judge: Callable[[Document], bool] | None
    filters: Mapping[str, Any]
    searched: int
    _rows: dict[str, list[str]] = field(default_factory=dict)
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
            children = self._names(part)[span.first : span.last + 1]
            rest = [name for name in [*children, *self._loose(part)] if name not in self.names]
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
            return any(start <= span.start and span.end <= end for start, end in ranges)

        return allows

    def _allowed(self, part: StoredText) -> list[tuple[int, int]]:
        if part.key not in self._ranges:
            self._ranges[part.key] = self._find_ranges(part)
        return self._ranges[part.key]

    def _names(self, part: StoredText) -> list[str]:
        if part.key not in self._rows:
            self._rows[part.key] = [name for name, _ in part.rows()]
        return self._rows[part.key]

    def _loose(self, part: StoredText) -> list[str]:
        """The rows of children that are no slices: they may be of any place in the text."""
        rows = self._names(part)[len(part.starts) :]
        return [name for name, (parent, *_) in zip(rows, part.views, strict=True) if parent != VIEW]

    def _find_ranges(self, part: StoredText) -> list[tuple[int, int]]:
        """Returns the ranges of a text that consist of small texts that pass, and of what lies between neighbours.

        A text without small texts of its own passes with the view that led to it.
        """
        whole = self.names.issuperset(self._loose(part))
        if not part.starts:
            return [(0, part.size)] if whole else []
        ranges: list[list[int]] = []
        reach = hidden = 0  # where the last of what passes ends, and the last of what does not
        for name, start, end in zip(self._names(part), part.starts, part.ends, strict=False):
            if name not in self.names:
                hidden = max(hidden, end)
                continue
            between = whole and hidden <= reach  # nothing hidden is in the text between
            if ranges and (between or start <= reach):
                ranges[-1][1] = max(reach, end)
            else:
                ranges.append([0 if between else start, end])
            reach = max(reach, end)
        if ranges and whole and hidden <= reach:
            ranges[-1][1] = part.size
        return [(start, end) for start, end in ranges]
