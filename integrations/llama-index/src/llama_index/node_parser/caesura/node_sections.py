"""Sections of a long document: an edit makes the nodes of those that it changes, and keeps those of all others."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from llama_index.core.schema import BaseNode, Document, NodeRelationship

from caesura.batch import SECTION
from caesura.ids import digest
from caesura.text.sections import section_edges
from caesura.types import Chunk
from caesura_documents.chunk_metadata import context_of
from caesura_documents.layout import LAYOUT
from caesura_documents.outline import Outline
from caesura_documents.titles import file_of
from llama_index.node_parser.caesura.node_metadata import NodeMetadata
from llama_index.node_parser.caesura.nodes import PLAIN, Levels, SourceNode, id_reference, text_of

BESIDE = NodeRelationship.PREVIOUS, NodeRelationship.NEXT
"""In the order in which nodes have them."""


class NodeSection(NamedTuple):
    """A section of a document whose nodes are stored.

    name: tells its text, and all else that its nodes and their words are made of, from any other; it has 32 characters.
    start: where it begins in the document. nodes: how many there are of it. again: of its nodes that are equal to an
    earlier one of the document, the number of each in the section, the id of the first, and how many come before it.
    first and last: the ids of the nodes that it begins and ends with, on each level from coarse to fine.
    """

    name: str
    start: int = 0
    nodes: int = 0
    again: Sequence[list[Any]] = ()
    first: Sequence[str] = ()
    last: Sequence[str] = ()


@dataclass(slots=True, eq=False)
class SectionPlan:
    """Which sections a document is to have, and which of them are stored and stay.

    document: which has a text of its own. before: its sections as they are stored, in its order. old_ids: the ids of
    the nodes of each. After the document is cut, `sections` are those that it is to have, `ids` those of the nodes of
    each, and `known` the number that each of them has before; None: its nodes are made. `clashes` are the names of
    known sections that have to be made too: an equal text before them was added or taken away, so that their nodes
    have other ids.
    """

    document: BaseNode
    before: Sequence[NodeSection] = ()
    old_ids: Sequence[Sequence[str]] = ()
    sections: list[NodeSection] = field(default_factory=list)
    ids: list[Sequence[str]] = field(default_factory=list)
    known: list[int | None] = field(default_factory=list)
    clashes: set[str] = field(default_factory=set)

    def divide(
        self, source: SourceNode, limits: Any, metadata: NodeMetadata | None, rules: Callable[[str], Outline]
    ) -> list[tuple[int, str]]:
        """Finds the sections. Returns the start and the text of each whose nodes are to be made.

        limits: what the chunks of the document keep to. metadata: what its nodes say of their places; None: nothing.
        rules: by which its words find what stands above them.
        """
        text = source.text
        edges = section_edges(text, SECTION).tolist()
        own = {**source.node.to_dict(), "embedding": None, "text": "", "text_resource": None}
        made_by = repr((limits, source.left, source.counts, file_of(source.node.metadata)))
        common = digest(source.node.node_id, json.dumps(own, default=str), made_by)
        said = [rules(text).by_section(edges)]
        if metadata is not None:
            said.append(metadata.names.outline(text, source.read, metadata.find).by_section(edges))
        places = {each.name: number for number, each in enumerate(self.before)}
        copies, last = Counter[str](), -1
        for number, (start, end) in enumerate(pairwise(edges)):
            name = digest(common, text[start:end], *(each[number] for each in said))
            copies[name] += 1
            name = (digest(name, str(copies[name])) if copies[name] > 1 else name).replace("-", "")
            old = places.get(name, -1)
            is_known = old > last and name not in self.clashes
            last = max(last, old) if is_known else last
            self.known.append(old if is_known else None)
            self.sections.append(self.before[old]._replace(start=start) if is_known else NodeSection(name, start))
            self.ids.append(self.old_ids[old] if is_known else [])
        pieces = zip(pairwise(edges), self.known, strict=True)
        return [(start, text[start:end]) for (start, end), known in pieces if known is None]

    def names(self) -> list[str]:
        """Returns the names of the sections that it is to have."""
        return [each.name for each in self.sections]

    def restart(self) -> None:
        """Forgets what was found, but for clashes."""
        self.sections, self.ids, self.known = [], [], []

    def number_of(self, at: int) -> int:
        """Returns the number of the section in which a place of the document is."""
        return bisect_right(self.sections, at, key=lambda each: each.start) - 1

    def name_nodes(self, chunks: Sequence[tuple[int, Chunk]]) -> list[str]:
        """Returns the ids of the nodes that are made, which are those of `chunk_ids` of all nodes of the document, and
        finds clashes. chunks: theirs, with their levels, in the document's order."""
        made: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for level, chunk in chunks:
            made[self.number_of(chunk.start)].append((level, chunk.text))
        counts, names, document = dict[str, int](), list[str](), self.document.node_id
        for number, (section, ids, old) in enumerate(zip(self.sections, self.ids, self.known, strict=True)):
            if old is not None:
                bases, before = [*ids], [0] * len(ids)
                for place, base, count in section.again:
                    bases[place], before[place] = base, count
                for base, count in zip(bases, before, strict=True):
                    if counts.get(base, 0) != count:
                        self.clashes.add(section.name)
                    counts[base] = counts.get(base, 0) + 1
                continue
            own, again = list[str](), list[list[Any]]()
            for level, text in made[number]:
                base = digest(document, str(level), text, "0")
                if count := counts.get(base, 0):
                    again.append([len(own), base, count])
                own.append(digest(document, str(level), text, str(count)) if count else base)
                counts[base] = count + 1
            self.ids[number] = own
            self.sections[number] = section._replace(nodes=len(own), again=again)
            names += own
        return names

    def divide_nodes(self, nodes: Iterable[BaseNode]) -> dict[int, list[BaseNode]]:
        """Returns nodes of the document by the numbers of their sections."""
        parts: dict[int, list[BaseNode]] = defaultdict(list)
        for node in nodes:
            parts[self.number_of(getattr(node, "start_char_idx", None) or 0)].append(node)
        return parts

    def split_levels(self, levels: Levels) -> list[Levels]:
        """Notes the nodes that made sections begin and end with. Returns the levels of each of these sections."""
        parts: dict[int, Levels] = {}
        for level, nodes in enumerate(levels):
            for node in nodes:
                own = parts.setdefault(self.number_of(node.start_char_idx or 0), [[] for _ in levels])
                own[level].append(node)
        for number, own in parts.items():
            ends = [[nodes[at].node_id for nodes in own] for at in (0, -1)]
            self.sections[number] = self.sections[number]._replace(first=ends[0], last=ends[1])
        return [*parts.values()]

    # -- what an edit touches ----------------------------------------------------------------------------------------

    def find_touched(self, reach: int) -> dict[int, set[str]]:
        """Returns the ids of the stored nodes that stand beside others than before, by the numbers of their known
        sections. reach: the rows of so many leaves on either side lean to a leaf."""
        full = [number for number, ids in enumerate(self.ids) if ids]
        old = [number for number, ids in enumerate(self.old_ids) if ids]
        following = dict(pairwise([None, *old, None]))
        touched: dict[int, set[str]] = {}
        for place, (one, other) in enumerate(pairwise([None, *full, None])):
            before = None if one is None else self.known[one]
            after = None if other is None else self.known[other]
            stays = (one is None or before is not None) and (other is None or after is not None)
            if stays and following[before] == after:
                continue
            for beside, is_behind in ((full[:place][::-1], False), (full[place:], True)):
                left = 6 * reach  # nodes, of which a third are leaves: rows that change lean to as many again
                for number in beside:
                    if left <= 0 or self.known[number] is None:
                        break
                    section, ids = self.sections[number], self.ids[number]
                    part = ids[:left] if is_behind else ids[-left:]
                    touched.setdefault(number, set()).update(part, section.first if is_behind else section.last)
                    left -= len(part)
        return touched

    def gone(self) -> list[int]:
        """Returns the numbers of the sections that were stored and do not stay."""
        stay = {number for number in self.known if number is not None}
        return [number for number in range(len(self.before)) if number not in stay]

    def link(self, nodes: Mapping[str, BaseNode]) -> None:
        """Gives neighbours in different sections their PREVIOUS and NEXT. nodes: those that are written, by id."""
        full = [each for each in self.sections if each.first]
        for before, after in pairwise(full):
            for one, other in zip(before.last, after.first, strict=True):
                if one in nodes and other in nodes:
                    nodes[one].relationships[NodeRelationship.NEXT] = id_reference(nodes[other])
                    nodes[other].relationships[NodeRelationship.PREVIOUS] = id_reference(nodes[one])
        begin, end = (full[0].first, full[-1].last) if full else ((), ())
        for names, kind in ((begin, NodeRelationship.PREVIOUS), (end, NodeRelationship.NEXT)):
            for name in nodes.keys() & {*names}:
                nodes[name].relationships.pop(kind, None)
        for name in nodes.keys() & {each for section in full for each in (*section.first, *section.last)}:
            related = nodes[name].relationships
            related.update([(kind, related.pop(kind)) for kind in BESIDE if kind in related])  # in one order


def may_have_sections(group: Sequence[BaseNode]) -> bool:
    """Whether what there is of a document may be written in sections: it is one long text, without a layout or a
    context, which are of the whole, and a plain `Document`, whose nodes can count their offsets from a section."""
    document = group[0]
    metadata = document.metadata
    return (
        len(group) == 1
        and type(document) is Document
        and document.source_node is None
        and len(text_of(document)) > SECTION
        and LAYOUT not in metadata
        and not context_of(metadata)
        and "page_offset" not in metadata
        and all(type(each) in PLAIN for each in metadata.values())
    )


def split_ids(ids: Sequence[str], sections: Sequence[NodeSection]) -> list[Sequence[str]]:
    """Returns the ids of the nodes of each section. ids: those of the document's."""
    edges = accumulate((each.nodes for each in sections), initial=0)
    return [ids[start:end] for start, end in pairwise(edges)]
