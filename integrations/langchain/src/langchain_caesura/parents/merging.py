"""Small texts that a search found in, the parents, or what lies between, that take their place out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caesura.merging import SCORES, Score, enough
from langchain_caesura.parents.hits import Hit, Line


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
