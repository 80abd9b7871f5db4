"""What a chunk's metadata say of it: where it stands, under which headings, in which table, on which pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

from caesura.checks import check_names
from caesura.errors import SettingError
from caesura.types import Chunk, Sizer
from caesura_documents.conversations.spoken_turns import spoken_turns
from caesura_documents.find_outline import Heading
from caesura_documents.layout import JOINT, LAYOUT, NO_LAYOUT, OF_LAYOUT, OF_MESSAGES, OF_PAGES, DocumentLayout, is_path
from caesura_documents.open_blocks import OpenBlocks
from caesura_documents.outline import RULES, Outline, Outliner
from caesura_documents.page_numbers import PAGE_KEYS, PageNumber, page_of
from caesura_documents.titles import file_of, title_of

CONTEXT_KEY = "document_context"
"""The key of what a language model says of a document, or of a chunk's place in it."""
NAMES = (
    *("start_index", "end_index", "line_start", "line_end", "chunk_index", "previous_id", "next_id"),
    *("headings", "heading_levels", "table_header", "table_title", "open_blocks", "title", *OF_LAYOUT),
)
NO_PAGE = PageNumber(None)
MOST_NESTED = 100
"""How deep metadata may be nested: what writes and copies it goes some frames deeper for each, and has about 1000."""
ROOM = 4
"""Headings, and a table's title and header, take at most one such part of a chunk's limit where they are embedded."""
MetadataSetting: TypeAlias = "Iterable[str] | Mapping[str, str]"
"""Names of `NAMES`, or for each the key that the metadata is to have it under."""


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

    def check(self, metadata: Mapping[str, Any]) -> None:
        """Raises `SettingError` if metadata have a key of ours with another meaning, or a layout that is not valid."""
        layout = NO_LAYOUT
        if LAYOUT in metadata:
            layout = DocumentLayout.of(metadata)
            layout.check()
        self._settle_keys(metadata, layout, _page_in(metadata))

    def _settle_keys(
        self, metadata: Mapping[str, Any], layout: DocumentLayout, page: PageNumber
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """Returns the key of each name that a document's chunks have, and what the document itself says under it."""
        keys = dict(self.keys)
        if layout.entries:
            keys = {**{name: self.keys.get(name, name) for name in layout.names}, **keys}
            if layout.has_headings:
                keys.setdefault("headings", "headings")
        elif page != NO_PAGE:  # a page of a loader, by itself
            keys = {**{name: self.keys.get(name, name) for name in OF_PAGES[:4]}, **keys}
        outer = {name: metadata[key] for name, key in keys.items() if key in metadata}
        for name, value in outer.items():
            _check_ours(name, keys[name], value, bool(layout.entries), self.name)
        return keys, outer

    def describe(
        self,
        text: str,
        metadata: Mapping[str, Any],
        chunks: Sequence[Chunk],
        ids: Sequence[str],
        start: int | None = 0,
        find: Outliner = RULES,
    ) -> list[dict[str, Any]]:
        """A document's text, metadata and chunks -> what each chunk's metadata is to say, by key.

        It takes the place of what the document says of its own place, if it is itself a chunk. ids: of the chunks.
        start: where the document stands in one that it is a chunk of; None: nobody knows. Lines are known of a chunk
        whose own line is. Raises `SettingError` for metadata that have one of the keys with another meaning.
        """
        (said,) = self.describe_levels(text, metadata, [(chunks, ids)], start, find)
        return said

    def describe_levels(
        self,
        text: str,
        metadata: Mapping[str, Any],
        levels: Sequence[tuple[Sequence[Chunk], Sequence[str]]],
        start: int | None = 0,
        find: Outliner = RULES,
    ) -> list[list[dict[str, Any]]]:
        """The chunks of several levels, and their ids -> what `describe` returns for each level, the document read
        once."""
        chunks = [chunk for own, _ in levels for chunk in own]
        starts = [chunk.start for chunk in chunks]
        layout, page = DocumentLayout.of(metadata) if LAYOUT in metadata else NO_LAYOUT, _page_in(metadata)
        keys, outer = self._settle_keys(metadata, layout, page)
        if not keys:
            return [[{} for _ in own] for own, _ in levels]
        columns: dict[str, Sequence[Any]] = {}
        columns.update(layout.pages(chunks) if layout.entries else _without_layout(text, page, chunks, keys, outer))
        if not {"start_index", "end_index"}.isdisjoint(keys) and start is not None:
            columns["start_index"] = [start + own for own in starts]
            columns["end_index"] = [start + chunk.end for chunk in chunks]
        if not {"line_start", "line_end"}.isdisjoint(keys) and (start == 0 or (start and "line_start" in outer)):
            columns["line_start"], columns["line_end"] = _lines(text, chunks, outer.get("line_start", 1))
        paths = layout.paths(text, chunks) if layout.has_headings else None
        of_text = {"table_header", "table_title", "open_blocks"}
        if paths is None:
            of_text |= {"headings", "heading_levels"}
        if not of_text.isdisjoint(keys):
            found = self.outline(text, metadata, find)
            read, tables = found.above_chunks(text, chunks)
            paths = read if paths is None else paths
            columns["table_header"] = [table.header for table in tables]
            columns["table_title"] = [table.title for table in tables]
            columns["open_blocks"] = [found.blocks.at(own) or None for own in starts if "open_blocks" in keys]
        if paths is not None:
            columns["headings"] = [list(path.titles) or None for path in paths]
            columns["heading_levels"] = [list(path.levels) or None for path in paths]
        if "title" in keys:
            is_first = start == 0 and page.may_be_first
            columns["title"] = [title_of(metadata, text if is_first else "") or None] * len(chunks)
        among = [_among(ids, len(own)) for own, ids in levels]
        for number, name in enumerate(("chunk_index", "previous_id", "next_id")):
            columns[name] = [value for own in among for value in own[number]]
        said: list[dict[str, Any]] = [{} for _ in chunks]
        for name, key in keys.items():
            for entry, value in zip(said, columns.get(name, ()), strict=False):
                if value is not None:
                    entry[key] = value
        entries = iter(said)
        return [[*islice(entries, len(own))] for own, _ in levels]

    def outline(self, text: str, metadata: Mapping[str, Any], find: Outliner = RULES) -> Outline:
        """The outline of a text that may be a chunk itself, whose metadata say what stands above it."""
        words = [metadata.get(self.keys.get(name, name)) for name in ("table_header", "table_title")]
        header, title = (each if isinstance(each, str) else None for each in words)
        found = find(text, file_of(metadata))
        titles = metadata.get(self.keys.get("headings", "headings"))
        if isinstance(titles, str):
            titles = titles.split(JOINT)
        if titles and is_path(titles):
            levels = metadata.get(self.keys.get("heading_levels", "heading_levels"))
            found = _outside_code(found, text, titles)
            found = found.below(text, titles, levels if is_path(titles, levels) else None)
        opened = metadata.get(self.keys.get("open_blocks", "open_blocks"))
        opened = opened.split(JOINT) if isinstance(opened, str) else opened
        if opened and is_path(opened):
            found = replace(found, blocks=OpenBlocks.of(text, opened))
        return found.within(text, header, title) if header is not None or title else found

    # -- what is embedded before a chunk -----------------------------------------------------------------------------

    def headings_above(
        self,
        text: str,
        metadata: Mapping[str, Any],
        chunks: Sequence[Chunk],
        size: Sizer,
        most: int | None,
        find: Outliner,
    ) -> list[str]:
        """A document's text, metadata and chunks -> the headings and the table's title and header that
        are embedded before each.

        size, most: see `headings_text`.
        """
        said = self.describe(text, metadata, chunks, (), find=find)
        return [self.headings_text(own, size, most) for own in said]

    def headings_text(self, said: Mapping[str, Any], size: Sizer, most: int | None) -> str:
        """What a chunk's metadata say -> the lines that are embedded before it: headings, a table's title and its
        header.

        most: what they may measure. The outermost headings are left out first, then the table's title, then its
        header.
        """
        titles = said.get(self.keys.get("headings", "headings")) or ()
        titles = titles.split(JOINT) if isinstance(titles, str) else list(titles)
        header, title = (said.get(self.keys.get(name, name)) for name in ("table_header", "table_title"))
        title = f"{title}\n" if title and title not in titles else ""
        lines = [JOINT.join(titles[at:]) for at in range(len(titles))] + [""]
        ends = dict.fromkeys([f"{title}{header}\n", f"{header}\n"] if header else [title, ""])
        for end in (*ends, ""):
            for line in lines:
                shown = f"{line}\n{end}" if line else end
                if most is None or not shown or size(shown) <= most:
                    return shown
        return ""

    def room(self, text: str, metadata: Mapping[str, Any], size: Sizer, most: int, find: Outliner) -> int:
        """At least what `headings_text` measures at most, for any chunk of a text."""
        found = self.outline(text, metadata, find)
        headings, header, title = (self.keys.get(name, name) for name in ("headings", "table_header", "table_title"))
        paths: list[dict[str, Any]] = [{headings: path.titles} for path in found.paths]
        if LAYOUT in metadata:
            paths += [{headings: entry.get("headings")} for entry in DocumentLayout.of(metadata).entries]
        tables = [{header: table.header, title: table.title} for table in found.tables]
        texts = [[self.headings_text(own, size, most) for own in each] for each in (paths, tables)]
        return min(sum(max(map(size, each), default=0) for each in texts), most)


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


def _page_in(metadata: Mapping[str, Any]) -> PageNumber:
    """See `page_of`. Most metadata say nothing of a page."""
    return NO_PAGE if metadata.keys().isdisjoint(PAGE_KEYS) else page_of(metadata)


def _without_layout(
    text: str, page: PageNumber, chunks: Sequence[Chunk], keys: Iterable[str], outer: Mapping[str, Any]
) -> dict[str, Sequence[Any]]:
    """What chunks of a document without a layout say under the names of `OF_LAYOUT`: what the document says itself, as
    a page of a loader or a chunk of ours, and who speaks in its text if that is asked for."""
    columns: dict[str, Sequence[Any]] = {name: [outer.get(name)] * len(chunks) for name in OF_LAYOUT}
    if not set(OF_MESSAGES).isdisjoint(keys) and (turns := spoken_turns(text)):
        columns.update(DocumentLayout.of({LAYOUT: turns}).messages(chunks, outer))
    if outer.keys().isdisjoint(("page_start", "page_label_start")):
        number = page.page if isinstance(page.page, (int, str)) else None
        columns["page_start"] = columns["page_end"] = [number] * len(chunks)
        columns["page_label_start"] = columns["page_label_end"] = [page.label] * len(chunks)
    if "page_offset" in outer:  # where the chunk begins, and not where its parts do
        columns["page_offset"] = [None if chunk.start else outer["page_offset"] for chunk in chunks]
    return columns


def _check_ours(name: str, key: str, value: Any, layout: bool, setting: str) -> None:
    """Raises `SettingError` where metadata has something else under the key of ours."""
    if name in ("headings", "open_blocks"):
        fits = isinstance(value, str) or is_path(value)
    elif name == "heading_levels":
        fits = isinstance(value, list) and all(type(level) is int for level in value)
    elif name in ("table_header", "table_title", "title"):
        fits = isinstance(value, str)
    elif name in OF_PAGES:
        fits = not layout
    elif name in OF_MESSAGES:
        fits = not layout and (isinstance(value, str) or (name == "speakers" and is_path(value)))
    else:
        fits = type(value) is int and name != "chunk_index"
    if not fits:
        raise SettingError(
            f"the metadata has {key!r} already, {value!r:.80}, which is not what a splitter says of a place: name ours "
            f"otherwise, {setting}={{{name!r}: 'chunk_{key}'}}"
        )


def _among(ids: Sequence[str], count: int) -> tuple[list[Any], list[Any], list[Any]]:
    """The index of each of so many chunks among those of its level, and the ids beside it; None without ids."""
    if not ids:
        nothing = [None] * count
        return nothing, nothing, nothing
    return [*range(count)], [None, *ids[:-1]], [*ids[1:], None]


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


def check_depth(name: str, value: object) -> None:
    """Raises `SettingError` for a value that holds itself or is nested deeper than `MOST_NESTED`."""
    if _is_deeper(value, MOST_NESTED):
        raise SettingError(
            f"{name} must not hold itself or be nested over {MOST_NESTED} deep, as this {type(value).__name__} is: "
            f"leave it out, or say there where it is found"
        )


def _is_deeper(value: object, depth: int) -> bool:
    if not isinstance(value, (Mapping, list, tuple, set, frozenset)):
        return False
    items = value.values() if isinstance(value, Mapping) else value
    return depth == 0 or any(_is_deeper(item, depth - 1) for item in items)
