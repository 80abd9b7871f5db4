"""Rows of a vector store: children and views, under ids that hold through edits elsewhere in their document."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from hashlib import sha256
from typing import Any

from langchain_core.documents import Document

from caesura.identity import digest
from caesura.storage.word_index import AROUND
from langchain_caesura.documents import PLACE, metadata_key
from langchain_caesura.fragments import Fragment
from langchain_caesura.parents.records import ROW, SIGNATURE, Owner, record_key


@dataclass(slots=True)
class RowFactory:
    """Makes the rows of one document of a name.

    A row's id is made of owner, name, document, its own text and metadata, and which of several alike it is. Its
    metadata has nothing that an edit elsewhere in the document changes.
    """

    name: str
    identity: str
    owner: Owner
    fields: Sequence[str] | None
    """What rows have of the document's metadata; None: all text, numbers and truth values."""
    seen: Counter[str] = field(default_factory=Counter)

    def child(self, fragment: Fragment) -> Document:
        """A child -> its row."""
        metadata = self._inherited({**fragment.metadata, **fragment.added})
        return self._row("child", fragment.text, metadata)

    def view(self, view: Document) -> Document:
        """A view -> its row."""
        return self._row("view", view.page_content, _scalars(view.metadata))

    def _row(self, kind: str, text: str, metadata: dict[Any, Any]) -> Document:
        alike = digest(
            kind,
            *astuple(self.owner),
            self.name,
            self.identity,
            text,
            metadata_key((self.fields, metadata)),
        )
        self.seen[alike] += 1
        identity = digest(alike, str(self.seen[alike]))
        own = {self.owner.id_key: record_key(self.name), ROW: identity}
        return Document(text, id=identity, metadata={**copy.deepcopy(metadata), **own})

    def _inherited(self, metadata: dict[Any, Any]) -> dict[Any, Any]:
        """What a child has of the metadata: the fields wanted, or all that any vector store takes."""
        if self.fields is None:
            return _scalars(metadata)
        return {key: metadata[key] for key in self.fields if key in metadata}


def _scalars(metadata: dict[Any, Any]) -> dict[Any, Any]:
    """What every vector store takes: text, numbers and truth values under a name; no place, which changes."""
    return {
        key: value
        for key, value in metadata.items()
        if isinstance(key, str) and isinstance(value, (str, int, float)) and key not in (*PLACE, ROW)
    }


def signatures(ids: Sequence[str], context: float) -> Iterator[str]:
    """The rows of a document's children, in order -> of each, what tells those that its vector leans to."""
    for at in range(len(ids)):
        around = "".join(ids[max(at - AROUND, 0) : at + AROUND + 1])
        yield sha256(f"{context} {around}".encode()).hexdigest()[:SIGNATURE]


def distinct(fragments: Iterable[Fragment]) -> list[Fragment]:
    """Fragments with places -> those that are not blank, in the order of the text, each place once."""
    places = {
        (fragment.start, -len(fragment.text)): fragment
        for fragment in reversed(list(fragments))
        if fragment.start is not None and fragment.text.strip()
    }
    return [places[key] for key in sorted(places)]
