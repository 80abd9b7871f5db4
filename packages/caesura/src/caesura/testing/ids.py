"""Records in; nothing out, or an AssertionError where an id stands for two of them, or for two texts."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.testing.laws import broken, shown, text_shown
from caesura.testing.records import Record


def unique(texts: Sequence[str], found: Sequence[Sequence[Record]]) -> None:
    """No two records have the same id."""
    seen: dict[str, int] = {}
    for number, records in enumerate(found):
        for record in records:
            if record.id is not None and record.id in seen:
                raise broken(
                    "no two records have the same id",
                    text_shown(texts[number]),
                    f"{record.id}, of document {seen[record.id]} and of document {number}",
                    "make it of the document's id, the span and the text, as caesura.adapter.chunk_id does",
                )
            if record.id is not None:
                seen[record.id] = number


def fresh(found: Sequence[Sequence[Record]], edited: Sequence[str], after: Sequence[Sequence[Record]]) -> None:
    """No id of a record of an edited text is that of one with another text, from before the texts were edited."""
    named = {record.id: record.text for records in found for record in records if record.id is not None}
    for text, records in zip(edited, after, strict=True):
        for record in records:
            if record.id in named and named[record.id] != record.text:
                raise broken(
                    "an id never stands for two texts",
                    text_shown(text),
                    f"{record.id} for {shown(repr(named[record.id]))}, then for {shown(repr(record.text))}",
                    "make it of the document's id, the span and the text, as caesura.adapter.chunk_id does: else "
                    "a store that knows the id keeps the stale row",
                )
