"""What nodes' metadata say of where they stand, in types that vector stores take, and what of it is embedded."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import itemgetter
from typing import Any, Self, TypeAlias

from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    RelatedNodeType,
    TextNode,
)

from caesura.errors import SettingError
from caesura.types import Chunk, Sizer
from caesura_documents.chunk_metadata import NAMES, ROOM, ChunkMetadata, MetadataSetting
from caesura_documents.layout import JOINT, LAYOUT, OF_LAYOUT
from caesura_documents.outline import RULES, Outline, Outliner, SplitterOutliner, outline, outliner_of
from llama_index.node_parser.caesura.nodes import OF_SOURCE, WHOLE_PLACE, SourceNode, document_id, origin, text_of

SHOWN = "headings", "table_title", "table_header"
"""What an embedder may be shown."""
AMONG = "chunk_index", "previous_id", "next_id"
"""Names of what a node has only among its neighbours."""
MOVING = *AMONG, "start_index", "end_index", "line_start", "line_end", "page_offset", "boxes"
"""Names of what changes when an edit moves a text. Only the document store holds it: a row that an edit leaves as it is
would say something false."""
UNASKED = frozenset([LAYOUT, "page_offset"])
"""Keys that nodes have without being asked, and that are not true of pieces of a node."""
PAGES = ("page_label_start", "page_label_end"), ("page_start", "page_end")
"""Names of what says a node's pages: as they are printed, else as they are counted."""
FILE = "file_name", "source", "file_path"
"""Keys of the name of a file, the first that there is."""
LAST = "end_index", "line_end", "page_end", "time_end", "next_id"
"""Names of what a passage takes from the last of its nodes."""

DescribedLevel: TypeAlias = tuple[Sequence[Chunk], Sequence[TextNode], int | None]
"""Chunks and their nodes, and the limit, in tokens, that nodes keep to with what is embedded of their places."""

_LEVELS = re.compile(r"\d+(, \d+)*")


@dataclass(frozen=True, slots=True)
class NodeMetadata:
    """What the metadata of a parser's nodes say of their places.

    names: which of `caesura_documents.chunk_metadata.NAMES`, and the key of each. embedded: whether headings and the
    header of a table are embedded with the text. find: what finds them.
    """

    names: ChunkMetadata = field(default_factory=ChunkMetadata)
    embedded: bool = False
    find: Outliner = RULES

    @classmethod
    def of(cls, setting: MetadataSetting, embedded: bool = False, segment: Any = None) -> Self:
        """Reads a parser's settings. Raises `SettingError`."""
        keys = dict(ChunkMetadata.of(setting).keys)
        wanted = {**{name: keys.get(name, name) for name in SHOWN}, **keys} if embedded else keys
        return cls(ChunkMetadata.of(wanted), embedded, outliner_of(segment))

    def key(self, name: str) -> str:
        """Returns the key under which the metadata have what has this name."""
        return self.names.keys.get(name, name)

    def with_memory(self, rules: Callable[[str], Outline] = outline) -> Self:
        """Returns the same, for one run: it remembers the outline of each text. rules: see `SplitterOutliner`."""
        find = replace(self.find, rules=rules) if isinstance(self.find, SplitterOutliner) else self.find
        return replace(self, find=cache(find))

    def strip(self, node: BaseNode) -> BaseNode:
        """Returns a node without its layout, and without what its metadata say of its own place."""
        unasked = UNASKED.intersection(node.excluded_llm_metadata_keys)
        ours = {LAYOUT, *self.names.keys.values(), *unasked}
        if self.key("title") not in node.excluded_llm_metadata_keys:
            ours -= {self.key("title")}  # the document's own
        if ours.isdisjoint(node.metadata):
            return node
        hidden = "excluded_embed_metadata_keys", "excluded_llm_metadata_keys"
        return node.model_copy(
            update={
                "metadata": {key: value for key, value in node.metadata.items() if key not in ours},
                **{name: [key for key in getattr(node, name) if key != LAYOUT] for name in hidden},
            }
        )

    def read(self, sources: Iterable[SourceNode], check: bool) -> None:
        """Fills in `bare` and `read` of each source.

        check: whether nodes will say something of their places. Raises `SettingError` if metadata have something else
        under a key of ours, or a layout that is not valid.
        """
        for source in sources:
            source.bare = self.strip(source.node)
            source.read = self._metadata(with_whole_place(source.node), source.start)
            if check:
                self._check(source.node, source.read)

    def _check(self, node: BaseNode, read: Mapping[str, Any]) -> None:
        self.names.check(read)
        for name, key in self.names.keys.items():
            if (
                name not in (*OF_LAYOUT, "title")  # which pieces of it keep
                and key in node.metadata
                and node.source_node is None
                and key not in node.excluded_llm_metadata_keys
            ):
                raise SettingError(
                    f"the metadata has {key!r} already, {node.metadata[key]!r:.80}, and no splitter has said that of "
                    f"document {document_id(node)!r}: name ours otherwise, metadata={{{name!r}: 'chunk_{key}'}}"
                )

    # -- what is embedded ---------------------------------------------------------------------------------------------

    def rooms(self, sources: Iterable[SourceNode], size: Sizer) -> list[int]:
        """Measures for each source what the headings and the table header of a chunk take at most, in tokens.

        That is up to one `ROOM` of what is left of a chunk's limit.
        """
        size = cache(size)
        return [self._room(source, size, source.left // ROOM) if source.left >= ROOM else 0 for source in sources]

    def _room(self, source: SourceNode, size: Sizer, most: int) -> int:
        found = self.names.outline(source.text, source.read, self.find)
        paths = {path.titles for path in found.paths}
        paths.update(tuple(entry.get("headings", ())) for entry in source.read.get(LAYOUT, ()))
        above = [{self.key("headings"): list(titles)} for titles in paths]
        words = {(table.title, table.header) for table in found.tables}
        names = self.key("table_title"), self.key("table_header")
        tables = [{key: value for key, value in zip(names, own, strict=True) if value} for own in words]
        longest = [
            max((self._measure(self._fitting(own, size, most), size) for own in each), default=0)
            for each in (above, tables)
        ]
        return min(sum(longest), most)

    def _measure(self, said: Mapping[str, Any], size: Sizer) -> int:
        lines = [f"{key}: {_flat(name, said[key])}\n" for name in SHOWN if (key := self.key(name)) in said]
        return size("".join(lines)) if lines else 0

    def _fitting(
        self, said: dict[str, Any], size: Sizer, most: int, fits: Callable[[dict[str, Any]], bool] | None = None
    ) -> dict[str, Any]:
        """Returns what is said, with as much of headings and table header as fits.

        The outermost headings are left out first.
        """
        return next(
            some
            for some in self._shorter(said)
            if (cost := self._measure(some, size)) == 0 or (cost <= most and (fits is None or fits(some)))
        )

    def _shorter(self, said: dict[str, Any]) -> Iterator[dict[str, Any]]:
        headings, levels, title, header = map(self.key, ("headings", "heading_levels", "table_title", "table_header"))
        titles, depths = said.get(headings, []), said.get(levels, [])
        for left_out in dict.fromkeys(
            tuple(key for key in out if key in said) for out in ((), (title,), (title, header))
        ):
            for at in range(len(titles) + 1):
                some = {**said, headings: titles[at:], levels: depths[at:]}
                yield {key: value for key, value in some.items() if value != [] and key not in left_out}

    # -- what nodes say -----------------------------------------------------------------------------------------------

    def write(self, sources: Iterable[SourceNode], levels: Iterable[Sequence[DescribedLevel]], size: Sizer) -> None:
        """Adds to the metadata of each source's nodes what there is to say of their places.

        No model is shown it, except what is embedded.
        """
        size = cache(size)
        for source, own_levels in zip(sources, levels, strict=True):
            given = [level for level in own_levels if level[0]]  # an image without text has a node and no chunk
            described = [(chunks, [node.node_id for node in nodes]) for chunks, nodes, _ in given]
            said = self.names.describe_levels(source.text, source.read, described, source.start, self.find)
            for (_, nodes, limit), entries in zip(given, said, strict=True):
                for node, entry in zip(nodes, entries, strict=True):
                    self._add(node, entry, size, source.left // ROOM, limit)

    def place(self, sources: Mapping[str, SourceNode], nodes: Iterable[BaseNode]) -> None:
        """As `write`, for the nodes of another parser: of those that are known to be slices of their document.

        sources: the documents, by their ids. A parser that cuts nodes again may count in what it cut: such a node is
        one that is not within its PARENT.
        """
        spans: dict[str, tuple[int, int]] = {}
        levels: dict[str, tuple[list[Chunk], list[TextNode], None]] = {name: ([], [], None) for name in sources}
        for node in nodes:
            name, start = document_id(node), origin(node)
            if name not in sources or not isinstance(node, TextNode) or not node.text or start is None:
                continue
            end, parent = start + len(node.text), node.parent_node
            first, last = (0, end) if parent is None else spans.get(parent.node_id, (end, start))
            if first <= start and end <= last and sources[name].text.startswith(node.text, start):
                spans[node.node_id] = start, end
                levels[name][0].append(Chunk(node.text, start, end))
                levels[name][1].append(node)
        self.write(sources.values(), [[level] for level in levels.values()], len)

    def _add(self, node: TextNode, own: dict[str, Any], size: Sizer, most: int, limit: int | None) -> None:
        shown = {self.key(name) for name in SHOWN} if self.embedded else set()
        title = self.key("title")  # the document's own stays as it is, and is shown as before
        own = {key: value for key, value in own.items() if key != title or title not in node.metadata}
        ours = {key for key in self.names.keys.values() if key != title or title in own}
        embed, llm = node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys
        if not own and ours.isdisjoint(node.metadata) and shown.isdisjoint(embed):
            return
        others = {key: value for key, value in node.metadata.items() if key not in ours}
        node.excluded_embed_metadata_keys = [key for key in dict.fromkeys([*embed, *own]) if key not in shown]
        node.excluded_llm_metadata_keys = list(dict.fromkeys([*llm, *own]))

        def fits(some: dict[str, Any]) -> bool:
            node.metadata = {**others, **self._flatten(some)}
            return limit is None or size(node.get_content(MetadataMode.EMBED)) <= limit

        fitting = self._fitting(own, size, most, fits) if shown and limit is not None else own
        node.metadata = {**others, **self._flatten(fitting)}
        if fitting != own and (source := node.source_node) is not None:
            rest = {key: value for key, value in own.items() if fitting.get(key) != value}
            kept = source.model_copy(update={"metadata": {**source.metadata, WHOLE_PLACE: self._flatten(rest)}})
            node.relationships[NodeRelationship.SOURCE] = kept

    def _metadata(self, node: BaseNode, start: int | None) -> dict[str, Any]:
        """Returns the metadata of a node as `ChunkMetadata` reads them. start: where it begins in its document."""
        metadata = dict(node.metadata)
        levels = metadata.get(self.key("heading_levels"))
        if isinstance(levels, str) and _LEVELS.fullmatch(levels):
            metadata[self.key("heading_levels")] = [int(level) for level in levels.split(", ")]
        if start != 0:  # a layout is that of the document, which a parser that is not ours copied to its pieces
            metadata.pop(LAYOUT, None)
        return metadata

    def _flatten(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Returns lists as texts: vector stores take no lists."""
        names = {key: name for name, key in self.names.keys.items()}
        return {key: _flat(names.get(key, key), value) for key, value in said.items()}

    # -- what rows and passages say -----------------------------------------------------------------------------------

    def _said(self, node: BaseNode) -> dict[str, str]:
        """Returns the names and keys of what a node says of its place: no language model is shown it."""
        if not node.metadata:
            return {}
        asked = {**{name: name for name in (*OF_LAYOUT, "headings")}, **self.names.keys}
        hidden = set(node.excluded_llm_metadata_keys)
        return {name: key for name, key in asked.items() if key in hidden and key in node.metadata}

    def without(self, node: BaseNode, names: Collection[str]) -> dict[str, Any]:
        """Returns a node's metadata, also what did not fit beside its text, without what they say of its place under
        these names."""
        node = with_whole_place(node)
        gone = {key for name, key in self._said(node).items() if name in names}
        return {key: value for key, value in node.metadata.items() if key not in gone}

    def part(self, node: BaseNode, start: int, end: int) -> dict[str, Any]:
        """Returns what a slice of a node says of its place, if the node says its own."""
        node = with_whole_place(node)
        ours = {name: node.metadata[key] for name, key in self._said(node).items()}
        text = text_of(node) if ours else ""
        if not ours or (start, end) == (0, len(text)):
            return {self.key(name): value for name, value in ours.items()}
        keys = {name: self.key(name) for name in (*ours, *self.names.keys) if name not in AMONG}
        first = origin(node)
        metadata = self._metadata(node, first)
        if layout := _own_layout(node):
            own = {self.key(name) for name in OF_LAYOUT}
            metadata = {LAYOUT: layout, **{key: value for key, value in metadata.items() if key not in own}}
        chunk = Chunk(text[start:end], start, end)
        said = ChunkMetadata(keys).describe(text, metadata, [chunk], [""], first, self.find)
        among = {self.key(name): ours[name] for name in AMONG if name in ours}
        return {**among, **self._flatten(said[0])}

    def show_pages(self, node: BaseNode) -> BaseNode:
        """Returns a node of which a language model is shown the pages, by their labels if they have some; and the file,
        if the document's metadata have no title."""
        hidden, said = node.excluded_llm_metadata_keys, node.metadata
        for names in PAGES:
            first, last = map(self.key, names)
            if first in said and first in hidden:
                file = [] if "title" in said else [key for key in FILE if key in said][:1]
                shown = {first, *file} if said.get(last) == said[first] else {first, last, *file}
                left = [key for key in hidden if key not in shown]
                return node.model_copy(update={"excluded_llm_metadata_keys": left})
        return node

    def keep_layouts(self, nodes: Sequence[BaseNode], documents: Sequence[BaseNode]) -> list[BaseNode]:
        """Returns nodes of documents, each with the entries of its document's layout that it lies in.

        They are in the metadata of its SOURCE, if it lies in several: `part` needs them to place a part of the node.
        """
        layouts = {each.node_id: each.metadata[LAYOUT] for each in documents if each.metadata.get(LAYOUT)}
        if not layouts:
            return list(nodes)
        starts = {name: [entry["start"] for entry in layout] for name, layout in layouts.items()}
        kept: list[BaseNode] = []
        for node in nodes:
            name, start, source = document_id(node), origin(node), node.source_node
            own: list[Any] = []
            if name in layouts and source is not None and start is not None and self._said(node):
                low = max(bisect_right(starts[name], start) - 1, 0)
                own = layouts[name][low : bisect_left(starts[name], start + len(text_of(node)))]
            kept.append(_with_source(node, {**source.metadata, LAYOUT: own}) if source and len(own) > 1 else node)
        return kept

    def place_cut(self, node: BaseNode) -> BaseNode:
        """Returns a node that another parser cut of a document with a layout, which it copied to the node: it says its
        own place instead, if its offsets are known."""
        source, start, text = node.source_node, origin(node), text_of(node)
        if source is None or not node.metadata.get(LAYOUT):
            return node
        bare = self.strip(node).model_copy(update={"relationships": _without_layouts(node.relationships)})
        layout = node.metadata[LAYOUT]
        if start is None:
            return bare
        begins = itemgetter("start")
        low = max(bisect_right(layout, start, key=begins) - 1, 0)
        own = layout[low : bisect_left(layout, start + len(text), low, key=begins)]
        entries = _own_layout(_with_source(bare, {LAYOUT: own}))
        (said,) = self.names.describe(text, {LAYOUT: entries}, [Chunk(text, 0, len(text))], [""], start, self.find)
        hidden = {
            name: [*dict.fromkeys([*getattr(bare, name), *said])]
            for name in ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
        }
        return bare.model_copy(update={"metadata": {**bare.metadata, **self._flatten(said)}, **hidden})

    def join(self, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What neighbours say of their places -> what a text says that is made of them."""
        joined = dict(parts[0])
        for name in NAMES if any(parts) else ():
            key = self.key(name)
            said = list(dict.fromkeys(value for part in parts if isinstance(value := part.get(key), str)))
            if name in LAST:
                joined[key] = parts[-1].get(key)
            elif name in ("types", "speakers") and len(said) > 1:
                joined[key] = ", ".join(dict.fromkeys(each for value in said for each in value.split(", ")))
            elif name == "boxes" and len(said) > 1:
                joined[key] = f"[{', '.join(value[1:-1] for value in said)}]"
        return {key: value for key, value in joined.items() if value is not None}


def as_found(nodes: Iterable[BaseNode]) -> list[BaseNode]:
    """Returns nodes as users are given them: all that there is to say of a node's place is in its own metadata, and
    nothing of it in those of its SOURCE."""
    bare: list[BaseNode] = []
    for node in map(with_whole_place, nodes):
        said = {} if node.source_node is None else node.source_node.metadata
        others = {key: value for key, value in said.items() if key not in OF_SOURCE}
        bare.append(_with_source(node, others) if len(others) < len(said) else node)
    return bare


def with_whole_place(node: BaseNode) -> BaseNode:
    """Returns a node whose metadata have also what did not fit beside its text where it was embedded."""
    whole = {} if node.source_node is None else node.source_node.metadata.get(WHOLE_PLACE, {})
    return node.model_copy(update={"metadata": {**node.metadata, **whole}}) if whole else node


def _with_source(node: BaseNode, metadata: dict[str, Any]) -> BaseNode:
    if (source := node.source_node) is None:
        return node
    own = source.model_copy(update={"metadata": metadata})
    return node.model_copy(update={"relationships": {**node.relationships, NodeRelationship.SOURCE: own}})


def _without_layouts(relationships: Mapping[NodeRelationship, RelatedNodeType]) -> dict[NodeRelationship, Any]:
    """Returns relationships to nodes of which none says a document's layout."""

    def bare(info: RelatedNodeInfo) -> RelatedNodeInfo:
        return info.model_copy(update={"metadata": {key: own for key, own in info.metadata.items() if key != LAYOUT}})

    return {kind: [*map(bare, to)] if isinstance(to, list) else bare(to) for kind, to in relationships.items()}


def _own_layout(node: BaseNode) -> list[dict[str, Any]]:
    """Returns the entries of the layout that a node's SOURCE has, by the node's own offsets."""
    first, source = origin(node), node.source_node
    own: list[dict[str, Any]] = []
    for entry in source.metadata.get(LAYOUT, ()) if source is not None and first is not None else ():
        start = max(entry["start"] - first, 0)
        offset = {"offset": entry["offset"] + start + first - entry["start"]} if "offset" in entry else {}
        own.append({**entry, "start": start, **offset})
    return own


def _flat(name: str, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if name == "boxes":
        return f"[{', '.join(value)}]"
    return (JOINT if name in ("headings", "open_blocks") else ", ").join(map(str, value))
