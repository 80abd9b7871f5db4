"""Passages are nodes of any parser, come before their propositions as parents, and are what an index returns."""

from __future__ import annotations

from fakes.llama_index.llms import Plain, hows, made
from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, content
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import ImageNode, IndexNode

from llama_index.node_parser.caesura import (
    HierarchyIndex,
    PropositionTransformer,
    SemanticHierarchyParser,
    StaticEmbedding,
    SummaryTransformer,
)


@hows
def test_passages_come_before_their_propositions_as_parents(how: str) -> None:
    nodes = made(PropositionTransformer(Plain(), include_passages=True), how, ONE_ARTICLE)
    parents = {node.node_id: node for node in nodes if node.child_nodes}
    assert [node.text[:5] for node in parents.values()] == ["The l", "Bread", "A par"]
    for node in nodes:
        if node.node_id in parents:
            children = [info.node_id for info in node.child_nodes or []]
            at = nodes.index(node)
            assert [one.node_id for one in nodes[at + 1 : at + 1 + len(children)]] == children
        else:
            assert node.parent_node is not None
            parent = parents[node.parent_node.node_id]
            assert parent.start_char_idx <= node.start_char_idx < node.end_char_idx <= parent.end_char_idx
    small = [node for node in nodes if not node.child_nodes]
    assert [node.next_node and node.next_node.node_id for node in small] == [
        *(node.node_id for node in small[1:]),
        None,
    ]


def test_an_index_searches_propositions_and_returns_passages() -> None:
    index = HierarchyIndex(
        transformations=[PropositionTransformer(Plain(), include_passages=True)], embed_model=StaticEmbedding()
    )
    index.upsert(ONE_ARTICLE)
    found = index.as_retriever(similarity_top_k=4, merge_ratio=0.5).retrieve("Who bakes bread with yeast and flour?")
    assert found[0].node.text.startswith("Bread needs flour")
    assert found[0].node.text.endswith("is brown.")
    assert index.upsert(ONE_ARTICLE).unchanged == 1


@hows
def test_nodes_of_any_parser_are_passages_as_they_are(how: str) -> None:
    chunks = SentenceSplitter(chunk_size=40, chunk_overlap=25, include_metadata=False)(ONE_ARTICLE)
    assert sum(len(chunk.text) for chunk in chunks) > 1.1 * len(ARTICLE)  # they overlap
    before = content(chunks)
    nodes = made(PropositionTransformer(Plain(), include_passages=True), how, chunks)
    assert content(chunks) == before
    assert [node.node_id for node in nodes if node.child_nodes] == [chunk.node_id for chunk in chunks]
    small = [node for node in nodes if not node.child_nodes]
    assert len({node.node_id for node in nodes}) == len(nodes)
    assert [(ARTICLE[node.start_char_idx : node.end_char_idx], node.ref_doc_id) for node in small] == [
        (node.text, "a") for node in small
    ]


def test_without_a_splitter_a_document_is_one_passage() -> None:
    nodes = PropositionTransformer(Plain(), splitter=None, include_passages=True)(
        [Document(text=f"\n {ARTICLE}", id_="a")]
    )
    (parent,) = [node for node in nodes if node.child_nodes]
    assert (parent.text, parent.start_char_idx, parent.ref_doc_id) == (ARTICLE.strip(), 2, "a")
    assert nodes[1].start_char_idx == 2


def test_references_pictures_and_parents_go_through() -> None:
    chunks = SummaryTransformer(Plain())(ONE_ARTICLE)
    picture = ImageNode(image_url="https://a.b/c.png", id_="picture")
    nodes = PropositionTransformer(Plain())([*chunks, picture])
    references = [node for node in chunks if isinstance(node, IndexNode)]
    assert [node for node in nodes if isinstance(node, IndexNode)] == references
    assert nodes[-1] is picture
    levels = SemanticHierarchyParser(chunk_sizes=[400, 50])(ONE_ARTICLE)
    nodes = PropositionTransformer(Plain(), include_passages=True)(levels)
    assert [node.node_id for node in nodes if node.metadata.get("view") is None] == [node.node_id for node in levels]
