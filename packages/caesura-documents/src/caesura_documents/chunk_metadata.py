"""What a chunk's metadata say of it: where it stands, under which headings, in which table, on which pages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from json import dumps
from typing import Any, TypeAlias

from caesura.checks import check_names
from caesura.errors import SettingError
from caesura.types import Chunk, Sizer
from caesura_documents.outline import Heading, Outline, Path, outline

LAYOUT = "caesura_layout"
"""The key of what a parser, or `join_pages`, says of a document: a list of entries that JSON can hold, rising by
`start`, each true up to the next: `page`, `offset` (of the entry's start in its page), `type`, `box`, `headings` and
`heading_levels`, all but `start` optional."""
CONTEXT_KEY = "document_context"
"""The key of what a language model says of a document, or of a chunk's place in it."""
NAMES = (
    *("start_index", "end_index", "line_start", "line_end", "chunk_index", "previous_id", "next_id"),
    *("headings", "heading_levels", "table_header", "page_start", "page_end", "page_offset", "types", "boxes"),
)
OF_PAGES = ("page_start", "page_end", "page_offset", "types", "boxes")
"""What chunks of a document with a layout have in any case."""
JOINT = " > "
"""Between the headings of a path where it is one text."""
ROOM = 4
"""Headings and a table's header, put before a chunk for its embedder, take at most one such part of its limit."""
MetadataSetting: TypeAlias = "Iterable[str] | Mapping[str, str]"
"""Names of `NAMES`, or for each the key that the metadata is to have it under."""
Outliner: TypeAlias = Callable[[str], Outline]


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """Which of `NAMES` the metadata of chunks have, and the key of each. Raises `SettingError` for other names."""

    keys: Mapping[str, str] = field(default_factory=dict)
    name: str = "metadata"
    """Of the setting that says so."""

    @classmethod
    def of(cls, setting: MetadataSetting, name: str = "metadata") -> ChunkMetadata:
        """What a user gives as ``metadata=``, or under another name. Raises `SettingError`.

        >>> ChunkMetadata.of(["headings"]).keys, ChunkMetadata.of({"headings": "section"}).keys
        ({'headings': 'headings'}, {'headings': 'section'})
        """
        wanted = f"{name} must be names of {', '.join(NAMES)}, or a dict of name and key"
        if isinstance(setting, str) or not isinstance(setting, Iterable):
            raise SettingError(f"{wanted}; got {setting!r:.80}" + (f": pass [{setting!r}]" if setting in NAMES else ""))
        named = dict(setting) if isinstance(setting, Mapping) else {str(each): each for each in setting}
        check_names(name, {str(each): key for each, key in named.items()}, NAMES)
        keys = {each: key for each, key in named.items() if isinstance(key, str) and key not in ("", LAYOUT)}
        if len(set(keys.values())) < len(named) or any(key in NAMES and key != each for each, key in keys.items()):
            raise SettingError(f"{wanted}, each key another str, and none the name of another; got {named!r:.200}")
        return cls(keys, name)

    def describe(
        self,
        text: str,
        metadata: Mapping[str, Any],
        chunks: Sequence[Chunk],
        ids: Sequence[str],
        start: int | None = 0,
        find: Outliner = outline,
    ) -> list[dict[str, Any]]:
        """A document's text, metadata and chunks -> what each chunk's metadata is to say, by key, in place of what the
        document's own says of its place, where it is itself a chunk.

        ids: of the chunks. start: where the document stands in one that it is a chunk of; None: nobody knows. Lines are
        known of a chunk whose own line is. Raises `SettingError` for metadata that has one of the keys with another
        meaning.
        """
        layout = _layout(metadata)
        keys = {**({name: self.keys.get(name, name) for name in OF_PAGES} if layout else {}), **self.keys}
        if layout and any("headings" in entry for entry in layout):
            keys.setdefault("headings", "headings")
        if not keys:
            return [{} for _ in chunks]
        outer = {name: metadata[key] for name, key in keys.items() if key in metadata}
        for name, value in outer.items():
            _check_ours(name, keys[name], value, bool(layout), self.name)
        columns: dict[str, Sequence[Any]] = (
            {} if layout else {name: [outer.get(name)] * len(chunks) for name in OF_PAGES}
        )
        if not {"start_index", "end_index"}.isdisjoint(keys) and start is not None:
            columns["start_index"] = [start + chunk.start for chunk in chunks]
            columns["end_index"] = [start + chunk.end for chunk in chunks]
        if not {"line_start", "line_end"}.isdisjoint(keys) and (start == 0 or (start and "line_start" in outer)):
            columns["line_start"], columns["line_end"] = _lines(text, chunks, outer.get("line_start", 1))
        if not {"headings", "heading_levels", "table_header"}.isdisjoint(keys):
            columns.update(self._above(text, metadata, layout, chunks, find))
        if layout:
            starts = _starts(layout)
            columns.update(_columns([_pages(layout, starts, chunk) for chunk in chunks], OF_PAGES))
        elif "page_offset" in outer:  # where the chunk begins, and not where its parts do
            columns["page_offset"] = [None if chunk.start else outer["page_offset"] for chunk in chunks]
        columns["chunk_index"] = range(len(ids))
        columns["previous_id"], columns["next_id"] = [None, *ids], [*ids[1:], None]
        said: list[dict[str, Any]] = [{} for _ in chunks]
        for name, key in keys.items():
            for own, value in zip(said, columns.get(name, ()), strict=False):
                if value is not None:
                    own[key] = value
        return said

    def _above(
        self,
        text: str,
        metadata: Mapping[str, Any],
        layout: Sequence[Any],
        chunks: Sequence[Chunk],
        find: Outliner,
    ) -> dict[str, list[Any]]:
        """The headings and the table's header above each chunk, None where there are none."""
        found = self.outline(text, metadata, find)
        if any("headings" in entry for entry in layout):
            starts = _starts(layout)
            paths = [_path(layout, starts, text, chunk) for chunk in chunks]
        else:
            paths = [found.path(text, chunk.start, chunk.end) for chunk in chunks]
        return {
            "headings": [list(path.titles) or None for path in paths],
            "heading_levels": [list(path.levels) or None for path in paths],
            "table_header": [found.table_header(chunk.start) for chunk in chunks],
        }

    def outline(self, text: str, metadata: Mapping[str, Any], find: Outliner = outline) -> Outline:
        """The outline of a text that may be a chunk itself, whose metadata say what stands above it."""
        found = find(text)
        titles = metadata.get(self.keys.get("headings", "headings"))
        if isinstance(titles, str):
            titles = titles.split(JOINT)
        if titles and _is_path(titles):
            levels = metadata.get(self.keys.get("heading_levels", "heading_levels"))
            found = _outside_code(found, text, titles)
            found = found.below(text, titles, levels if _is_path(titles, levels) else None)
        header = metadata.get(self.keys.get("table_header", "table_header"))
        return found.within(text, header) if isinstance(header, str) else found

    def shown(self, said: Mapping[str, Any], size: Sizer, most: int | None) -> str:
        """What a chunk's metadata say -> the lines before it that its embedder is given: headings, a table's header.

        most: what they may measure; what is outermost is left out first.
        """
        titles = said.get(self.keys.get("headings", "headings")) or ()
        titles = titles.split(JOINT) if isinstance(titles, str) else list(titles)
        header = said.get(self.keys.get("table_header", "table_header"))
        lines = [JOINT.join(titles[at:]) for at in range(len(titles))] + [""]
        ends = [f"{header}\n", ""] if header else [""]
        for end in ends:
            for line in lines:
                shown = f"{line}\n{end}" if line else end
                if most is None or not shown or size(shown) <= most:
                    return shown
        return ""

    def room(self, found: Outline, size: Sizer, most: int, metadata: Mapping[str, Any] | None = None) -> int:
        """At least what `shown` measures at most, for any chunk of a text that has this outline and metadata."""
        headings, header = self.keys.get("headings", "headings"), self.keys.get("table_header", "table_header")
        paths = [{headings: path.titles} for path in found.paths]
        paths += [{headings: entry.get("headings")} for entry in _layout(metadata or {})]
        tables = [{header: table.header} for table in found.tables]
        longest = [max((size(self.shown(own, size, most)) for own in each), default=0) for each in (paths, tables)]
        return min(sum(longest), most)


def context_of(metadata: Mapping[str, Any]) -> str:
    """A document's or a chunk's metadata -> its context; "" without one."""
    context = metadata.get(CONTEXT_KEY)
    return context.strip() if isinstance(context, str) else ""


def check_no_context(name: str, metadata: Mapping[str, Any]) -> None:
    """Raises `SettingError` where a document of this name has something under the key of its context."""
    if CONTEXT_KEY in metadata:
        raise SettingError(
            f"the metadata of document {name!r:.80} has {CONTEXT_KEY!r} already, {metadata[CONTEXT_KEY]!r:.80}, whose "
            f"place the new one would take: give it another name first, metadata['own_{CONTEXT_KEY}'] = "
            f"metadata.pop({CONTEXT_KEY!r})"
        )


def _outside_code(found: Outline, text: str, titles: Sequence[str]) -> Outline:
    """The outline of a part that stands under these headings, those of its own start too -> it without false headings.

    A part that begins with a mark of a heading that is not among these begins in code: nothing with that mark is one.
    """

    def mark(heading: Heading) -> tuple[str, int]:
        return text[heading.start : heading.end].lstrip()[:1], heading.level

    while found.headings and not text[: found.headings[0].start].strip():
        first, own = found.headings[0], found.path(text, 0, len(text)).titles
        if first.title in titles or own[-1:] == (titles[-1],) or JOINT in first.title or mark(first)[0] not in "#\\":
            break
        found = replace(found, headings=[each for each in found.headings if mark(each) != mark(first)])
    return found


def _layout(metadata: Mapping[str, Any]) -> list[Any]:
    """The layout of a document, if it has one. Raises `SettingError` where it is none."""
    layout = metadata.get(LAYOUT, [])
    starts = _starts(layout) if isinstance(layout, list) else None
    if starts is None or len(starts) < len(layout) or starts != sorted(starts):
        raise SettingError(f"{LAYOUT!r} must be a list of dicts that rise by 'start', got {layout!r:.200}")
    for entry in layout:
        titles, levels = entry.get("headings", []), entry.get("heading_levels")
        if (
            type(entry.get("offset", 0)) is not int
            or not isinstance(entry.get("page", 0), (int, str))
            or not isinstance(entry.get("type", ""), str)
            or not isinstance(entry.get("box", []), list)
            or not _is_path(titles, levels)
        ):
            raise SettingError(
                f"in {LAYOUT!r}, 'page' must be an int or a str, 'offset' an int, 'type' a str, 'box' a list, "
                f"'headings' a list of str and 'heading_levels' as many ints, got {entry!r:.200}"
            )
    return list(layout)


def _is_path(titles: Any, levels: Any = None) -> bool:
    """Whether these are headings, and their levels if there are any."""
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        return False
    return levels is None or (
        isinstance(levels, list) and len(levels) == len(titles) and all(type(level) is int for level in levels)
    )


def _starts(layout: Sequence[Any]) -> list[int]:
    return [entry["start"] for entry in layout if isinstance(entry, dict) and type(entry.get("start")) is int]


def _check_ours(name: str, key: str, value: Any, layout: bool, setting: str) -> None:
    """Raises `SettingError` where metadata has something else under the key of ours."""
    if name == "headings":
        fits = isinstance(value, str) or _is_path(value)
    elif name == "heading_levels":
        fits = isinstance(value, list) and all(type(level) is int for level in value)
    elif name == "table_header":
        fits = isinstance(value, str)
    elif name in OF_PAGES:
        fits = not layout
    else:
        fits = type(value) is int and name != "chunk_index"
    if not fits:
        raise SettingError(
            f"the metadata has {key!r} already, {value!r:.80}, which is not what a splitter says of a place: name ours "
            f"otherwise, {setting}={{{name!r}: 'chunk_{key}'}}"
        )


def _columns(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> dict[str, list[Any]]:
    return {name: [row.get(name) for row in rows] for name in names}


def _lines(text: str, chunks: Sequence[Chunk], first: int) -> tuple[list[int], list[int]]:
    """The numbers of the lines that chunks begin and end in; a line ends with LF, CR or both."""
    if "\r" in text:  # as many characters as before, and LF alone where a line ends
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    starts, ends, at = [], [], 0
    for chunk in chunks:
        first += text.count("\n", at, chunk.start) - text.count("\n", chunk.start, at)
        at = chunk.start
        starts.append(first)
        ends.append(first + text.count("\n", at, max(chunk.end - 1, at)))
    return starts, ends


def _pages(layout: Sequence[Mapping[str, Any]], starts: Sequence[int], chunk: Chunk) -> dict[str, Any]:
    """What the entries that a chunk lies in say of pages, elements and boxes."""
    low = max(bisect_right(starts, chunk.start) - 1, 0)
    own = [entry for entry in layout[low : bisect_left(starts, chunk.end)] if entry["start"] < chunk.end]
    pages = [entry["page"] for entry in own if "page" in entry]
    said: dict[str, Any] = {"page_start": pages[0], "page_end": pages[-1]} if pages else {}
    if own and "offset" in own[0] and own[0]["start"] <= chunk.start:
        said["page_offset"] = own[0]["offset"] + chunk.start - own[0]["start"]
    types = list(dict.fromkeys(entry["type"] for entry in own if "type" in entry))
    boxes = [dumps({name: entry[name] for name in ("page", "box") if name in entry}) for entry in own if "box" in entry]
    return {**said, "types": types or None, "boxes": boxes or None}


def _path(layout: Sequence[Mapping[str, Any]], starts: Sequence[int], text: str, chunk: Chunk) -> Path:
    """The headings above a chunk, as the layout has them; those that it begins with are among them."""
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
    return Path(tuple(titles), tuple(layout[at].get("heading_levels") or range(1, len(titles) + 1)))
