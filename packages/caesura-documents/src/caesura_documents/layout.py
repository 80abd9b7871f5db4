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
`heading_levels`, `speaker` (who wrote or said it) and `time` (in ISO 8601, or HH:MM:SS.mmm from the beginning), all but
`start` optional."""
JOINT = " > "
"""Between the headings of a path where it is one text."""
OF_PAGES = ("page_start", "page_end", "page_label_start", "page_label_end", "page_offset", "types", "boxes")
"""What chunks of a document with a layout have in any case."""
OF_MESSAGES = ("speakers", "time_start", "time_end")
"""What they have where the layout says who speaks, or when."""
OF_LAYOUT = (*OF_PAGES, *OF_MESSAGES)


class SharedLayout(list[Any]):
    """The entries of a layout that nobody changes: they are read once."""

    known: DocumentLayout | None = None


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The entries of a document's layout; none if it has no layout.

    entries: see `LAYOUT`. starts: where each begins. has_headings: whether an entry says what headings are above it.
    has_messages: whether one says who speaks, or when.
    """

    entries: Sequence[Mapping[str, Any]]
    starts: Sequence[int]
    has_headings: bool
    has_messages: bool

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> DocumentLayout:
        """Reads the layout in a document's metadata. Raises `SettingError` if it is no list of entries that rise; an
        entry is checked when a chunk lies in it, or by `check`: of a long document, a search needs few."""
        layout = metadata.get(LAYOUT, [])
        if isinstance(layout, SharedLayout):
            layout.known = layout.known or cls._read(layout)
            return layout.known
        return cls._read(layout)

    @classmethod
    def _read(cls, layout: Any) -> DocumentLayout:
        if not layout and isinstance(layout, list):
            return NO_LAYOUT
        starts = _starts(layout) if isinstance(layout, list) else None
        if starts is None or len(starts) < len(layout) or starts != sorted(starts):
            raise SettingError(f"{LAYOUT!r} must be a list of dicts that rise by 'start', got {layout!r:.200}")
        has_messages = any("speaker" in entry or "time" in entry for entry in layout)
        return cls(list(layout), starts, any("headings" in entry for entry in layout), has_messages)

    def check(self) -> None:
        """Raises `SettingError` if an entry is not valid."""
        for entry in self.entries:
            _check_entry(entry)

    @property
    def names(self) -> tuple[str, ...]:
        """What chunks have of it in any case."""
        return OF_LAYOUT if self.has_messages else OF_PAGES

    def pages(self, chunks: Sequence[Chunk]) -> dict[str, list[Any]]:
        """Returns for each of `names` what each chunk says: pages, elements, boxes and messages that it lies in."""
        rows = []
        for chunk in chunks:
            own = self._within(chunk)
            rows.append({**self._pages(chunk, own), **(_messages(own) if self.has_messages else {})})
        return {name: [row.get(name) for row in rows] for name in self.names}

    def messages(self, chunks: Sequence[Chunk], outer: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Returns for each name of `OF_MESSAGES` what each chunk says. outer: what one says that begins before the
        first message."""
        rows = [_messages(self._within(chunk)) or outer for chunk in chunks]
        return {name: [row.get(name) for row in rows] for name in OF_MESSAGES}

    def _within(self, chunk: Chunk) -> list[Mapping[str, Any]]:
        """The entries that a chunk lies in. Raises `SettingError` if one is not valid."""
        low = max(bisect_right(self.starts, chunk.start) - 1, 0)
        own = [entry for entry in self.entries[low : bisect_left(self.starts, chunk.end)] if entry["start"] < chunk.end]
        for entry in own:
            _check_entry(entry)
        return own

    def _pages(self, chunk: Chunk, own: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        paged = [entry for entry in own if "page" in entry]
        if all(isinstance(entry["page"], int) for entry in paged):  # a note may stand after what is on the next page
            paged.sort(key=lambda entry: entry["page"])
        said: dict[str, Any] = {}
        if paged:
            said = {"page_start": paged[0]["page"], "page_end": paged[-1]["page"]}
        labels = [entry["label"] for entry in paged if "label" in entry]
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


NO_LAYOUT = DocumentLayout((), (), False, False)


def _messages(own: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Who speaks in these entries, each once, and the first and the last time: of those with a date, the earliest and
    the latest, since threads go back."""
    speakers = list(dict.fromkeys(entry["speaker"] for entry in own if entry.get("speaker")))
    times = [entry["time"] for entry in own if entry.get("time")]
    if all(time[4:5] == "-" for time in times):
        times.sort()
    said: dict[str, Any] = {"speakers": speakers} if speakers else {}
    return {**said, "time_start": times[0], "time_end": times[-1]} if times else said


def _check_entry(entry: Mapping[str, Any]) -> None:
    titles, levels = entry.get("headings", []), entry.get("heading_levels")
    if (
        type(entry.get("offset", 0)) is not int
        or not isinstance(entry.get("page", 0), (int, str))
        or not isinstance(entry.get("label", ""), str)
        or not all(isinstance(entry.get(name, ""), str) for name in ("type", "speaker", "time"))
        or not isinstance(entry.get("box", []), list)
        or not is_path(titles, levels)
    ):
        raise SettingError(
            f"in {LAYOUT!r}, 'page' must be an int or a str, 'label', 'type', 'speaker' and 'time' a str, 'offset' an "
            f"int, 'box' a list, 'headings' a list of str and 'heading_levels' as many ints, got {entry!r:.200}"
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
