"""Leaves: the smallest nodes of documents, which are embedded, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from llama_index.core.schema import BaseNode, IndexNode, MetadataMode

from caesura_documents.chunk_metadata import CONTEXT_KEY, context_of
from llama_index.node_parser.caesura.nodes import document_id


class Leaf(NamedTuple):
    """A node that is embedded: one without children, or a reference, that has something to embed.

    document: the id of its document. place: where it stands there, see `place_of`. text: what is embedded of it, beside
    its context. shared_context: the context that its row has a share of; "" without one, or where it is not to be
    embedded.
    """

    node: BaseNode
    document: str
    place: tuple[bool, int, int]
    text: str
    context: str
    shared_context: str


def place_of(node: BaseNode) -> tuple[bool, int, int]:
    """Returns by what nodes of a document are sorted: where they stand, those without a known place last."""
    return as_place(getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None))


def as_place(start: int | None, end: int | None) -> tuple[bool, int, int]:
    """Returns the same by a node's offsets."""
    return start is None, start or 0, end or 0


def in_order(nodes: Iterable[BaseNode]) -> list[BaseNode]:
    """Returns nodes of a document in its order, as far as places tell it."""
    return sorted(nodes, key=place_of)


class Leaves(NamedTuple):
    """The leaves among some nodes: all by id, in the order of the nodes, and those that are no references by document,
    in its order as far as places tell it."""

    by_id: dict[str, Leaf]
    by_document: dict[str, list[Leaf]]

    @classmethod
    def of(cls, leaves: Iterable[Leaf]) -> Leaves:
        """Puts leaves in order."""
        made = cls({leaf.node.node_id: leaf for leaf in leaves}, {})
        for leaf in made.by_id.values():
            if not isinstance(leaf.node, IndexNode):
                made.by_document.setdefault(leaf.document, []).append(leaf)
        for group in made.by_document.values():
            group.sort(key=attrgetter("place"))
        return made


def find_leaves(nodes: Iterable[BaseNode]) -> Leaves:
    """Returns the leaves among nodes."""
    return Leaves.of(leaf for node in nodes if (leaf := _leaf_of(node)) is not None)


def _leaf_of(node: BaseNode) -> Leaf | None:
    """Returns what is embedded of a node; None: nothing."""
    if node.child_nodes and not isinstance(node, IndexNode):
        return None
    place = place_of(node)
    context, hidden, bare = context_of(node.metadata), node.excluded_embed_metadata_keys, node
    shared_context = "" if CONTEXT_KEY in hidden else context
    if shared_context:
        bare = node.model_copy(update={"excluded_embed_metadata_keys": [*hidden, CONTEXT_KEY]})
    text = bare.get_content(metadata_mode=MetadataMode.EMBED)
    return Leaf(node, document_id(node), place, text, context, shared_context) if text else None
