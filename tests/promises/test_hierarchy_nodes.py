"""What the nodes of every hierarchy promise, whatever the text, the sizes, the tokenizer and the metadata."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

from fakes.laws import law
from fakes.llama_index.embeddings import Words
from fakes.llama_index.hierarchies import spelled
from fakes.llama_index.parsers import at_stops, sizes, slices
from fakes.texts.drawn_texts import blanks, documents
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.schema import TextNode

from caesura.sizers import without_surrogates
from llama_index.node_parser.caesura import SemanticHierarchyParser


@st.composite
def parsers(draw: st.DrawFn) -> tuple[SemanticHierarchyParser, list[int]]:
    chosen = sorted(draw(st.sets(st.integers(24, 200), min_size=1, max_size=4)), reverse=True)
    cut = draw(st.sampled_from(["optimal", "double_pass", "percentile", "cluster"]))
    tokenizer = draw(st.sampled_from([list, spelled]))
    settings: dict[str, Any] = {"embed_model": Words(), "sentence_splitter": at_stops, "tokenizer": tokenizer}
    return SemanticHierarchyParser(chunk_sizes=chosen, cut=cut, **settings), chosen


@law()
@given(made=parsers(), text=st.one_of(documents, documents, blanks), note=st.sampled_from(["", "a", "word " * 8]))
def test_levels_nest_tile_and_fit_and_no_text_is_kept_twice(
    made: tuple[SemanticHierarchyParser, list[int]], text: str, note: str
) -> None:
    """Metadata that leave no room for a letter in the smallest size count in none of them."""
    parser, chosen = made
    document = Document(text=without_surrogates(text), id_="d", metadata={"note": note} if note else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        nodes = parser([document])
    slices(document, get_leaf_nodes(nodes))
    slices(document, get_root_nodes(nodes))
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    beside_a_letter = sizes([Document(text="a", metadata=document.metadata)], parser.tokenizer)[0]
    shown = nodes if beside_a_letter <= chosen[-1] else [TextNode(text=node.text) for node in nodes]
    measured = dict(zip(by_id, sizes(shown, parser.tokenizer), strict=True))
    depth: dict[str, int] = {}
    for node in nodes:
        above = node.parent_node
        depth[node.node_id] = 0 if above is None else depth[above.node_id] + 1
        assert measured[node.node_id] <= chosen[depth[node.node_id]]
        children = [by_id[info.node_id] for info in node.child_nodes or []]
        assert len(children) != 1
        assert all(child.parent_node and child.parent_node.node_id == node.node_id for child in children)
        assert "".join("".join(child.text.split()) for child in children) in ("", "".join(node.text.split()))
    leaves = get_leaf_nodes(nodes)
    for leaf, following in pairwise(leaves):
        assert leaf.next_node is not None
        assert leaf.next_node.node_id == following.node_id
        assert following.prev_node is not None
        assert following.prev_node.node_id == leaf.node_id
