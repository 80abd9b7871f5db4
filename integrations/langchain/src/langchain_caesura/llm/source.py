"""A document and its passages in, the texts that a model makes of them out, each with what leads to the document."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document

from caesura.adapter import digest
from caesura.llm.packed import Passage
from caesura.llm.spans import as_text, hull
from caesura.types import Span
from langchain_caesura.identity import own_names


@dataclass(frozen=True, slots=True)
class Source:
    """A document, what it is known by, and its passages. placed: whether it is known where each of them stands."""

    document: Document
    name: str
    passages: list[Passage] = field(default_factory=list)
    placed: list[bool] = field(default_factory=list)

    def add(self, text: str, start: int | None, title_key: str | None) -> None:
        """Adds a passage, which stands at `start` if that is known; its title is in the document's metadata."""
        title = self.document.metadata.get(title_key) if title_key is not None else None
        self.passages.append(Passage(text, self.name, start or 0, title if isinstance(title, str) else ""))
        self.placed.append(start is not None)

    def view(
        self, kind: str, text: str, spans: Sequence[Span], kept: bool, of: str, added: dict[str, Any], without: str = ""
    ) -> Document:
        """A text that leads to the document, with its metadata and where it is from, under an id made of all that.

        spans: none where the place is not known. of: what made the text: the prompt and the model. without: what of the
        document's metadata it does not have.
        """
        metadata = {key: copy.deepcopy(value) for key, value in self.document.metadata.items() if key != without}
        for name in ("start_index", "end_index", "spans"):
            metadata.pop(name, None)
        place: dict[str, Any] = {}
        if spans:
            start, end = hull(spans)
            place = {"start_index": start, "end_index": end, "spans": as_text(spans)}
        metadata |= {"parent_id": self.name, "view": kind, **place, **added, "kept": kept}
        identity = digest(kind, self.name, of, as_text(spans), str(kept), text)
        return Document(id=identity, page_content=text, metadata=metadata)


def sources(documents: Sequence[Document]) -> list[Source]:
    """Documents -> each as a source without passages yet."""
    return [Source(document, name) for document, name in zip(documents, own_names(documents), strict=True)]
