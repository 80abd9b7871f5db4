"""Layout of a document: what a parser, or `join_pages`, says of pages, elements, boxes and headings in its text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

from caesura.errors import SettingError
from caesura.types import Chunk
from caesura_documents.outline import HeadingPath

LAYOUT = "caesura_layout"
"""The key of what a parser, or `join_pages`, says of a document: a list of entries that JSON can hold, rising by
`start`, each true up to the next: `page` (its number from 1, or a parser's name of it), `label` (as it is printed),
`offset` (of the entry's start in its page), `type`, `box` ([left, top, right, bottom]), `headings` and
`heading_levels`, all but `start` optional."""
JOINT = " > "
"""Between the headings of a path where it is one text."""
OF_PAGES = ("page_start", "page_end", "page_label_start", "page_label_end", "page_offset", "types", "boxes")
"""What chunks of a document with a layout have in any case."""


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The entries of a document's layout; none if it has no layout.

    entries: see `LAYOUT`. starts: where each begins. has_headings: whether an entry says what headings are above it.
    """

    entries: Sequence[Mapping[str, Any]]
    starts: Sequence[int]
    has_headings: bool

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> DocumentLayout:
        """Reads the layout in a document's metadata. Raises `SettingError` if it is not valid."""
        layout = metadata.get(LAYOUT, [])
        if not layout and isinstance(layout, list):
            return NO_LAYOUT
        starts = _starts(layout) if isinstance(layout, list) else None
        if starts is None or len(starts) < len(layout) or starts != sorted(starts):
            raise SettingError(f"{LAYOUT!r} must be a list of dicts that rise by 'start', got {layout!r:.200}")
        for entry in layout:
            _check_entry(entry)
        return cls(list(layout), starts, any("headings" in entry for entry in layout))

    def pages(self, chunks: Sequence[Chunk]) -> dict[str, list[Any]]:
        """Returns for each name of `OF_PAGES` what each chunk says: pages, elements and boxes that it lies in."""
        rows = [self._pages(chunk) for chunk in chunks]
        return {name: [row.get(name) for row in rows] for name in OF_PAGES}

    def _pages(self, chunk: Chunk) -> dict[str, Any]:
        low = max(bisect_right(self.starts, chunk.start) - 1, 0)
        own = [entry for entry in self.entries[low : bisect_left(self.starts, chunk.end)] if entry["start"] < chunk.end]
        pages = [entry["page"] for entry in own if "page" in entry]
        said: dict[str, Any] = {"page_start": pages[0], "page_end": pages[-1]} if pages else {}
        labels = [entry["label"] for entry in own if "label" in entry]
        if labels:
            said |= {"page_label_start": labels[0], "page_label_end": labels[-1]}
        if own and "offset" in own[0] and own[0]["start"] <= chunk.start:
            said["page_offset"] = own[0]["offset"] + chunk.start - own[0]["start"]
        types = list(dict.fromkeys(entry["type"] for entry in own if "type" in entry))
        boxed = [{name: entry[name] for name in ("page", "box") if name in entry} for entry in own if "box" in entry]
        return {**said, "types": types or None, "boxes": [*map(dumps, boxed)] or None}

    def paths(self, text: str, chunks: Sequence[Chunk]) -> list[HeadingPath]:
        """Returns the headings above each chunk of the text. A heading at its start is one of them."""
        return [self._path(text, chunk) for chunk in chunks]

    def _path(self, text: str, chunk: Chunk) -> HeadingPath:
        layout, starts = self.entries, self.starts
        at = max(bisect_right(starts, chunk.start) - 1, 0)
        while at + 1 < len(layout) and starts[at + 1] < chunk.end:
            title = " ".join((layout[at].get("headings") or [""])[-1].split())
            own = " ".join(text[starts[at] : starts[at + 1]].split())
            if text[max(starts[at], chunk.start) : starts[at + 1]].strip() and (
                not title or own.removesuffix(title).strip("# ")
            ):
                break
            at += 1
        titles = layout[at].get("headings") or ()
        return HeadingPath(tuple(titles), tuple(layout[at].get("heading_levels") or range(1, len(titles) + 1)))


NO_LAYOUT = DocumentLayout((), (), False)


def _check_entry(entry: Mapping[str, Any]) -> None:
    titles, levels = entry.get("headings", []), entry.get("heading_levels")
    if (
        type(entry.get("offset", 0)) is not int
        or not isinstance(entry.get("page", 0), (int, str))
        or not isinstance(entry.get("label", ""), str)
        or not isinstance(entry.get("type", ""), str)
        or not isinstance(entry.get("box", []), list)
        or not is_path(titles, levels)
    ):
        raise SettingError(
            f"in {LAYOUT!r}, 'page' must be an int or a str, 'label' and 'type' a str, 'offset' an int, 'box' a "
            f"list, 'headings' a list of str and 'heading_levels' as many ints, got {entry!r:.200}"
        )


def is_path(titles: Any, levels: Any = None) -> bool:
    """Whether these are headings, and their levels if there are any."""
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        return False
    return levels is None or (
        isinstance(levels, list) and len(levels) == len(titles) and all(type(level) is int for level in levels)
    )


def _starts(layout: Sequence[Any]) -> list[int]:
    return [entry["start"] for entry in layout if isinstance(entry, dict) and type(entry.get("start")) is int]
