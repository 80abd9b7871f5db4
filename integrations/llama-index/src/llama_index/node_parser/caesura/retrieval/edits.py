"""Edits: what is written where new nodes of documents take the place of old ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship

from caesura.errors import SettingError
from caesura_retrieval.document_embedders import DocumentEmbedder, run_keys
from caesura_retrieval.row_plan import RowLine
from llama_index.node_parser.caesura.node_metadata import MOVING, NodeMetadata
from llama_index.node_parser.caesura.node_sections import NodeSection
from llama_index.node_parser.caesura.retrieval.docstore import DocumentState
from llama_index.node_parser.caesura.retrieval.leaves import Leaf, Leaves, as_place, find_leaves
from llama_index.node_parser.caesura.retrieval.node_records import Record, decode_node, move, split_place


class ChangedRows(NamedTuple):
    """The rows of a line that an edit changes: their numbers there, and the node and the metadata of each, as a vector
    store is given them."""

    line: RowLine
    numbers: Sequence[int]
    nodes: list[BaseNode]
    metadata: list[dict[str, Any]]


class _Rows(NamedTuple):
    """The rows of a document's leaves in their order, or of one reference: their line, and the metadata of each."""

    leaves: Sequence[Leaf]
    line: RowLine
    metadata: list[dict[str, Any]]

    @classmethod
    def of(cls, leaves: Sequence[Leaf], share: float, metadata: NodeMetadata) -> _Rows:
        """Embeddings that leaves have stay as they are."""
        known = {at: leaf.node.embedding for at, leaf in enumerate(leaves) if leaf.node.embedding is not None}
        contexts = [leaf.shared_context for leaf in leaves]
        line = RowLine(leaves[0].document, [leaf.text for leaf in leaves], contexts, share, known)
        return cls(leaves, line, [metadata.without(leaf.node, MOVING) for leaf in leaves])

    def _contents(self, model: DocumentEmbedder | None) -> list[tuple[str, ...]]:
        """Returns of each row what its vector and its entry in the vector store are made of, but for what is around."""
        texts = self.line.texts
        runs = [""] * len(texts) if model is None else run_keys(model, texts)
        own = [json.dumps(each, sort_keys=True, default=repr) if each else "" for each in self.metadata]
        names = [leaf.node.node_id for leaf in self.leaves]
        return [*zip(names, texts, own, self.line.contexts, runs, strict=True)]

    def changed(self, before: _Rows | None, model: DocumentEmbedder | None) -> ChangedRows:
        """Returns the rows that are not made of what those of the same nodes were made of before."""
        numbers: Sequence[int] = range(len(self.leaves))
        if before is not None:
            reach, own, old = self.line.reach, self._contents(model), before._contents(model)
            places = {name: at for at, (name, *_) in enumerate(old)}

            def is_kept(at: int) -> bool:
                place = places.get(own[at][0])
                return place is not None and _around(own, at, reach) == _around(old, place, reach)

            numbers = [at for at in numbers if not is_kept(at)]
        nodes, metadata = [self.leaves[at].node for at in numbers], [self.metadata[at] for at in numbers]
        return ChangedRows(self.line, numbers, nodes, metadata)


def _around(contents: list[tuple[str, ...]], at: int, reach: int) -> list[tuple[str, ...]]:
    return contents[max(at - reach, 0) : at + reach + 1]


class Edit(NamedTuple):
    """What is written of some nodes.

    seen: the ids of the nodes that readers see. old: those, and of rows that an earlier write may have left. leaves:
    those among the nodes. plan: the rows of leaves that change. stored: what the document store is given, by its id.
    stale: the ids of old nodes that go. rowless: the ids of old rows that go.
    """

    seen: set[str]
    old: set[str]
    leaves: Leaves
    plan: list[ChangedRows]
    stored: dict[str, Record]
    stale: list[str]
    rowless: list[str]


def plan_edit(
    groups: Mapping[str, Sequence[BaseNode]],
    nodes: Sequence[BaseNode],
    known: Mapping[str, DocumentState],
    listed: Mapping[str, Sequence[str]],
    before: Mapping[str, Record],
    encode: Callable[[Iterable[BaseNode]], Mapping[str, Record]],
    share: float,
    metadata: NodeMetadata,
    model: DocumentEmbedder | None,
    sections: tuple[Mapping[str, NodeSection], Mapping[str, NodeSection]] | None = None,
) -> Edit:
    """Returns what is written where the nodes take the place of the old ones. Raises `SettingError` for a node of none
    of the documents.

    groups: what there is of each document, by its id. known: the states of the documents as they are. listed: the ids
    of the nodes that readers see. before: what the document store keeps of those whose rows may stay. encode: returns
    what it is to keep of nodes. share: how far a leaf's row leans toward those around it. model: what embeds the leaves
    of a document together, if anything does. sections: those in which the offsets of nodes are counted before and then,
    by the nodes' ids.
    """
    seen = set(chain.from_iterable(listed.values()))
    old = seen.union(*(state.pending for state in known.values()))
    _attribute_references(nodes, groups)
    plain = [  # the vector store alone holds vectors
        node if node.embedding is None else node.model_copy(update={"embedding": None}) for node in nodes
    ]
    entries = encode(metadata.keep_layouts(plain, [*chain.from_iterable(groups.values())]))
    leaves = find_leaves(nodes)
    leaves_before = _leaves_before(before, entries, leaves) if before else Leaves({}, {})
    plan = _plan_rows(leaves, leaves_before, share, metadata, model)
    stale = sorted(old - entries.keys())
    parents = entries.keys() - leaves.by_id.keys() - (before.keys() - leaves_before.by_id.keys())
    rowless = [*stale, *sorted(old & parents)]  # a leaf that is now a parent keeps its id, and has no row
    was = before
    if sections is not None:
        was, entries = _count_in(sections[0], before), _count_in(sections[1], entries)
    stored = {name: entry for name, entry in entries.items() if was.get(name) != entry}
    return Edit(seen, old, leaves, plan, stored, stale, rowless)


def _count_in(sections: Mapping[str, NodeSection], entries: Mapping[str, Record]) -> dict[str, Record]:
    """Returns what is kept of nodes, with offsets that count in their sections."""
    pairs = ((name, entry, sections.get(name)) for name, entry in entries.items())
    return {name: entry if own is None else move(entry, -own.start, own.name) for name, entry, own in pairs}


def _leaves_before(before: Mapping[str, Record], entries: Mapping[str, Record], leaves: Leaves) -> Leaves:
    """Returns the leaves that documents have. No node is made anew that changes in nothing but its place.

    before: what is kept of their nodes. entries: what is to be kept. leaves: those that are to be.
    """
    found: list[Leaf] = []
    for name, entry in before.items():
        rest, start, end = split_place(entry)
        if name not in entries or rest != split_place(entries[name])[0]:
            found += find_leaves([decode_node(entry)]).by_id.values()
        elif name in leaves.by_id:
            found.append(leaves.by_id[name]._replace(place=as_place(start, end)))
    return Leaves.of(found)


def _plan_rows(
    leaves: Leaves, before: Leaves, share: float, metadata: NodeMetadata, model: DocumentEmbedder | None
) -> list[ChangedRows]:
    """Returns the rows that change where leaves take the place of others, whose rows may stay.

    A row stays where what it was made of is the same: the node's own text and metadata, where leaves lean those of the
    leaves around, and of a `DocumentEmbedder` those of their runs. Where places do not tell the order that leaves had,
    none stays. What moves with the text before it is no part of a row.
    """
    plan: list[ChangedRows] = []
    for name, own in leaves.by_document.items():
        known = before.by_document.get(name, [])
        is_known = known and _are_in_order(own) and _are_in_order(known)
        old = _Rows.of(known, share, metadata) if is_known else None
        plan.append(_Rows.of(own, share, metadata).changed(old, model))
    for name, leaf in leaves.by_id.items():
        if isinstance(leaf.node, IndexNode):
            old = _Rows.of([before.by_id[name]], 0.0, metadata) if name in before.by_id else None
            plan.append(_Rows.of([leaf], 0.0, metadata).changed(old, None))
    return plan


def _are_in_order(leaves: Sequence[Leaf]) -> bool:
    """Whether the places of leaves tell their order."""
    places = {leaf.place for leaf in leaves}
    return len(places) == len(leaves) and not any(unknown for unknown, *_ in places)


def _attribute_references(nodes: Sequence[BaseNode], names: Iterable[str]) -> None:
    """Gives a reference without a SOURCE that of what it refers to. Raises `SettingError` for a node of no document."""
    by_id, known = {node.node_id: node for node in nodes}, set(names)
    for node in nodes:
        if node.ref_doc_id is None and isinstance(node, IndexNode) and node.index_id in by_id:
            source = by_id[node.index_id].source_node
            if source is not None:
                node.relationships[NodeRelationship.SOURCE] = source
        if node.ref_doc_id not in known:
            raise SettingError(
                f"the transformations returned node {node.node_id!r} of the source {node.ref_doc_id!r}, which is none "
                f"of the documents: a node's SOURCE must be the document that it is deleted with"
            )


class Writes(NamedTuple):
    """The rows that an edit writes, and the states of its documents.

    rows: all that are written, by their ids. early: those that are written before the commit, since no version that is
    seen has them. late: those that are written after it, in the place of those under the same ids. gone: the ids of
    rows that are deleted then. noted: the states before the commit. committed: those from it on. made: those when all
    is written.
    """

    rows: dict[str, BaseNode]
    early: list[BaseNode]
    late: list[BaseNode]
    gone: list[str]
    noted: dict[str, DocumentState]
    committed: dict[str, DocumentState]
    made: dict[str, DocumentState]


def plan_writes(
    edit: Edit,
    rows: Sequence[BaseNode],
    known: Mapping[str, DocumentState],
    listed: Mapping[str, Sequence[str]],
    states: Mapping[str, DocumentState],
    kept: Container[str] = (),
) -> Writes:
    """Returns which rows are written when.

    rows: those that change, without an embedding where there is none to write. known: the states of the documents as
    they are. listed: the ids of the nodes that readers see. states: the states as they are to be, without a row.
    kept: the ids of nodes that stay, beside those of the edit.
    """
    leaves, seen, old = edit.leaves.by_id, edit.seen, edit.old
    written = {row.node_id: row for row in rows if row.embedding is not None}
    empty = {row.node_id for row in rows} - written.keys()
    gone = [*edit.rowless, *sorted(empty & old)]
    last = {leaf.document: name for name, leaf in leaves.items() if name not in empty}
    staying = ((name, state.row) for name, state in known.items() if state.row in leaves or state.row in kept)
    last.update((name, row) for name, row in staying if row not in empty)
    last.update((leaves[name].document, name) for name in written if name not in old)
    made = {name: states[name]._replace(row=last.get(name, "")) for name in known}
    pending = {name: dict.fromkeys(state.pending) for name, state in known.items()}
    for name in written.keys() - seen:
        pending[leaves[name].document][name] = None
    filed = {name: [*dict.fromkeys([*state.sections, *states[name].sections])] for name, state in known.items()}
    noted = {
        name: known[name]._replace(settings="", content="", row="", pending=[*rows], sections=filed[name])
        for name, rows in pending.items()
    }
    late = [row for name, row in written.items() if name in seen]
    going = set(gone)
    rest = {name: [row for row in (*listed[name], *known[name].pending) if row in going] for name in known}
    committed = {
        name: DocumentState(pending=own, sources=made[name].sources, first=made[name].first, sections=filed[name])
        for name, own in rest.items()
    }
    if not late and not gone and all(len(names) == len(made[name].sections) for name, names in filed.items()):
        committed = made
    early = [row for name, row in written.items() if name not in seen]
    return Writes(written, early, late, gone, noted, committed, made)
