"""A small text that a search found in, what it says of its parent and of what it lies in out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.documents import Document

from langchain_caesura.parents.rows import LINE, SIBLINGS

Line: TypeAlias = list[tuple[str, int]]


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
