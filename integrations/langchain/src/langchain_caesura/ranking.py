"""Small texts that a search found in, what is returned for them out: parents with the places found, best first."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from langchain_core.documents import Document

from caesura.merging import SCORES, Score, enough
from langchain_caesura.families import LINE, SIBLINGS

Line: TypeAlias = list[tuple[str, int]]
logger: logging.Logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hit:
    """A small text that was found, its place among those found, and how near it is; None where nothing says so."""

    document: Document
    rank: int
    score: float | None

    def match(self) -> dict[str, Any]:
        """What the metadata of its parent says about it; fit for JSON."""
        place = {key: self.document.metadata.get(key) for key in ("start_index", "end_index")}
        return {"id": self.document.id, **place, "score": self.score, "text": self.document.page_content}

    def line(self, parent: str | None) -> Line:
        """The keys of what it lies in, smallest first, its parent last, each with how many children that has; nothing
        where it is no slice of its parent."""
        siblings = self.document.metadata.get(SIBLINGS)
        if parent is None or not isinstance(siblings, (int, float)) or siblings <= 0:
            return []
        words = str(self.document.metadata.get(LINE, "")).split()
        keys, counts = words[::2], [int(siblings), *map(int, words[1::2])]
        return list(zip([*keys, parent], counts, strict=True))


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


def warn_of_missing(parents: Mapping[str, Document | None]) -> None:
    """Logs which parents the document store did not have."""
    missing = [key for key, parent in parents.items() if parent is None]
    if missing:
        logger.warning(
            "%d parents of texts that were found are not in the document store, such as %r: was it another one, or "
            "were they deleted there alone? Delete these texts from the vector store, or add their documents again.",
            len(missing),
            missing[0],
        )


def plain_score(score: Any) -> float | None:
    """A store's score, which may be NumPy's, -> a float that JSON has, or None."""
    try:
        value = float(score)
    except (TypeError, ValueError):
        return None
    return value if isfinite(value) else None


def _order(total: float | None, score: Score) -> float:
    return 0.0 if total is None or score == "max" else -total


def _copied(document: Document, score: float | None, more: dict[str, Any]) -> Document:
    metadata = copy.deepcopy(document.metadata)
    if score is not None:
        metadata["relevance_score"] = score
    return Document(document.page_content, id=document.id, metadata={**metadata, **more})
