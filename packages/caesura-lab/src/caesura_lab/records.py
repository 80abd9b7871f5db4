"""Files of JSON records, an array or lines of objects that each have a text -> a text for each record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

RECORD_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})
TEXTS = ("text", "content", "page_content", "body", "markdown")
"""What the text of a record is called."""
TITLES = ("title", "name", "heading")
SPEAKERS = frozenset({"role", "sender", "speaker", "from", "user", "username"})
"""Of whom the records are that are messages of one conversation, which is read as it stands."""


def extract_records(written: str) -> list[tuple[str, str]]:
    """What a file holds -> the text and the title of each record; none where it is no list of objects with a text.

    >>> extract_records('[{"id": 7, "title": "Pier", "text": "The ferry leaves at nine."}]')
    [('The ferry leaves at nine.', 'Pier')]
    """
    rows = _parse_rows(written)
    key = next((name for name in TEXTS if rows and all(isinstance(row.get(name), str) for row in rows)), None)
    if key is None or any(not SPEAKERS.isdisjoint(row) for row in rows):
        return []
    return [(row[key], _title_of(row)) for row in rows]


def _parse_rows(written: str) -> Sequence[Mapping[str, Any]]:
    """The objects of an array or of lines; none where anything else stands there."""
    try:
        if written.lstrip().startswith("["):
            rows = json.loads(written)
        else:
            rows = [json.loads(line) for line in written.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return []
    return rows if all(isinstance(row, Mapping) for row in rows) else []


def _title_of(row: Mapping[str, Any]) -> str:
    metadata = row.get("metadata")
    places = (row, metadata) if isinstance(metadata, Mapping) else (row,)
    said = (place.get(name) for place in places for name in TITLES)
    return next((title for title in said if isinstance(title, str) and title.strip()), "")
