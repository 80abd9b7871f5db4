"""A document and its chunks of every level in, nodes out that know their parents, children and neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from llama_index.core.schema import BaseNode, ImageDocument, NodeRelationship, RelatedNodeInfo, TextNode

from caesura.types import Chunk
from llama_index.node_parser.caesura.nodes import link, named_only, nodes_of

Levels: TypeAlias = list[list[TextNode]]
"""For each level, coarse to fine, the nodes that tile the document there: a node may stand in several levels."""


def levels_of_nodes(
    node: BaseNode, levels: Sequence[Sequence[Chunk]], id_func: Callable[..., str] | None, include_metadata: bool
) -> tuple[list[TextNode], Levels]:
    """A document and its chunks of each level -> its nodes, in their order, and which of them stand in each level.

    A chunk that is its parent's only child has its parent's text: the parent stands for it. A parent comes before its
    children and they before what follows, so that leaves, roots and all between are in the document's order.
    """
    if isinstance(node, ImageDocument) and not any(levels):
        levels = [[Chunk("", 0, 0)]]  # so that the image is not lost
    new: list[tuple[int, Chunk]] = []
    places: list[list[int]] = []
    parents: dict[int, int] = {}
    for level, chunks in enumerate(levels):
        above = places[-1] if places else []
        starts = [new[place][1].start for place in above]
        within = np.searchsorted(starts, [chunk.start for chunk in chunks], side="right") - 1
        here: list[int] = []
        for number, chunk in enumerate(chunks):
            parent = above[int(within[number])] if above else None
            if parent is not None and new[parent][1] == chunk:
                here.append(parent)
                continue
            if parent is not None:
                parents[len(new)] = parent
            here.append(len(new))
            new.append((level, chunk))
        places.append(here)
    order = sorted(range(len(new)), key=lambda place: (new[place][1].start, new[place][0]))
    ordered = nodes_of(node, [new[place] for place in order], id_func, include_metadata)
    made = dict(zip(order, ordered, strict=True))
    children: dict[int, list[RelatedNodeInfo]] = {}
    for child, parent in parents.items():
        made[child].relationships[NodeRelationship.PARENT] = named_only(made[parent])
        children.setdefault(parent, []).append(named_only(made[child]))
    for parent, infos in children.items():
        made[parent].relationships[NodeRelationship.CHILD] = infos
    return ordered, [[made[place] for place in here] for here in places]


def link_levels(documents: Sequence[Levels], depth: int) -> None:
    """Gives the neighbours of each level their NEXT and PREVIOUS, over all input nodes of one document.

    A node that stands in several levels has the neighbours of the smallest: coarse levels are linked first.
    """
    for level in range(depth):
        link(node for levels in documents for node in levels[min(level, len(levels) - 1)])
