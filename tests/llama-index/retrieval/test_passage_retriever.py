"""Passages of nodes of every kind: propositions, references, several levels, and nodes of other parsers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import documents, index, parser
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document
from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter
from llama_index.core.schema import (
    BaseNode,
    IndexNode,
    NodeRelationship,
    NodeWithScore,
    RelatedNodeInfo,
    TextNode,
    TransformComponent,
)

from caesura.sansio import Blocking
from llama_index.node_parser.caesura import HierarchyIndex
from llama_index.node_parser.caesura.retrieval.layout import Layout
from llama_index.node_parser.caesura.retrieval.node_records import TreeNode
from llama_index.node_parser.caesura.retrieval.node_tree import NodeTree


class Statements(TransformComponent):
    """Three statements of each document, which are no slices of it, and the document's passage as their parent."""

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        made: list[BaseNode] = []
        for node in nodes:
            source = {NodeRelationship.SOURCE: node.as_related_node_info()}
            passage = TextNode(id_=f"{node.node_id} passage", text=node.get_content(), relationships=source)
            own = [
                TextNode(
                    id_=f"{node.node_id} {word}",
                    text=f"There is a {word}.",
                    relationships={**source, NodeRelationship.PARENT: RelatedNodeInfo(node_id=passage.node_id)},
                )
                for word in ("keeper", "lamp", "beam")
            ]
            for each in [passage, *own]:
                each.start_char_idx, each.end_char_idx = 0, len(passage.text)
            passage.relationships[NodeRelationship.CHILD] = [RelatedNodeInfo(node_id=each.node_id) for each in own]
            made += [passage, *own]
        return made


def names(found: Sequence[NodeWithScore]) -> list[str]:
    return [each.node.node_id for each in found]


def stated() -> HierarchyIndex:
    made = index(transformations=[Statements()])
    made.upsert([Document(text="It burns at night and is seen from afar by all ships.", id_="a")])
    return made


def test_statements_stand_for_themselves_and_give_way_to_their_passage_where_enough_are_found() -> None:
    made = stated()
    assert set(names(made.as_retriever(100, merge_ratio=1).retrieve("Is there a lamp?"))) == {"a passage"}
    assert names(made.as_retriever(5, merge_ratio=1).retrieve("lamp")) == ["a lamp"]
    assert set(names(made.as_retriever(10, merge_ratio=1).retrieve("lamp beam"))) == {"a lamp", "a beam"}
    assert names(made.as_retriever(100, similarity_top_k=1, merge_ratio=0.5).retrieve("lamp")) == ["a lamp"]
    assert names(made.as_retriever(100, similarity_top_k=2, merge_ratio=0.5).retrieve("lamp beam")) == ["a passage"]


def test_a_passage_that_is_found_itself_is_not_returned_beside_its_statements() -> None:
    class About(Statements):
        """A summary too."""

        def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
            made = super().__call__(nodes)
            about = IndexNode(id_="about", text="A zebra.", index_id="a passage", relationships=made[0].relationships)
            return [*made, about.model_copy(update={"relationships": {NodeRelationship.SOURCE: made[0].source_node}})]

    made = index(transformations=[About()])
    made.upsert([Document(text="It burns at night and is seen from afar by all ships.", id_="a")])
    assert names(made.as_retriever(1000, 0, merge_ratio=1).retrieve("zebra lamp")) == ["a passage"]


@pytest.mark.parametrize("budget", [30, 300])
def test_a_reference_leads_to_the_node_that_it_names_once(budget: int) -> None:
    class Questions(TransformComponent):
        """Two questions of each node."""

        def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
            asked = [
                IndexNode(
                    id_=f"{n} {node.node_id}",
                    text=f"Zebra {node.get_content()[:20]}?",
                    index_id=node.node_id,
                    relationships={NodeRelationship.SOURCE: node.source_node},
                )
                for node in nodes
                for n in range(2)
            ]
            return [*nodes, *asked]

    made = index(transformations=[parser(), Questions()])
    made.upsert(documents())
    found = made.as_retriever(budget).retrieve("Zebra Bread needs flour")
    assert "Bread needs flour" in found[0].text
    assert not any(isinstance(each.node, IndexNode) for each in found)
    assert len(set(names(found))) == len(found)


@pytest.mark.parametrize(
    "other",
    [
        SentenceSplitter(chunk_size=30, chunk_overlap=10),
        HierarchicalNodeParser.from_defaults(chunk_sizes=[60, 20], chunk_overlap=0),
    ],
)
def test_nodes_of_other_parsers_are_returned_within_the_budget_too(other: TransformComponent) -> None:
    made = index(transformations=[other])
    made.upsert([Document(text=ARTICLE, id_="a")])
    found = made.as_retriever(60).retrieve("Knead the dough until it is smooth")
    assert "dough" in found[0].text
    assert all(each.text in ARTICLE for each in found)


def test_leaves_of_several_levels_join_over_the_border_of_their_parents() -> None:
    text = " ".join(f"Lamp {n} burns." for n in range(24))
    made = index(transformations=[parser(chunk_sizes=[200, 30, 8], embed_model=Words())])
    made.upsert([Document(text=text, id_="a")])
    nodes = made.docstore.docs
    (root,) = [node for node in nodes.values() if node.parent_node is None]
    depths = {name: node for name, node in nodes.items() if not node.child_nodes}
    tree = NodeTree(made.docstore, (), Blocking())
    tree.nodes.update((name, TreeNode.of(node)) for name, node in nodes.items())
    layout = Layout(tree, depths, [name for name, node in nodes.items() if node.child_nodes])
    leaves = sorted(layout.spans.values(), key=lambda span: span.start)
    assert [span.first for span in leaves] == list(range(len(leaves)))
    assert {span.document for span in leaves} == {root.node_id}
    for name, parents in layout.parents.items():
        assert [layout.name_of(parent) for parent in parents][-1] == root.node_id
        assert all(parent.first <= layout.spans[name].first <= parent.last for parent in parents)
    assert layout.parents[leaves and layout.name_of(leaves[0])][-1].last == len(leaves) - 1


def test_a_passage_names_the_nodes_that_it_is_made_of_and_those_beside_it() -> None:
    made = index()
    made.upsert(documents())
    joined = 0
    for budget in range(20, 200, 10):
        for each in made.as_retriever(budget=budget).retrieve("Knead the dough until it is smooth"):
            node, docs = each.node, made.docstore.docs
            if node.node_id in docs:
                assert docs[node.node_id].relationships == node.relationships
                continue
            joined += 1
            parts = [docs[info.node_id] for info in node.child_nodes or []]
            assert isinstance(node, TextNode)
            assert parts
            spans = [(part.start_char_idx, part.end_char_idx) for part in parts if isinstance(part, TextNode)]
            assert spans == sorted(spans)
            assert spans[0][0] <= node.start_char_idx <= node.end_char_idx <= spans[-1][1]  # type: ignore[operator]
            assert node.prev_node == parts[0].prev_node
            assert node.next_node == parts[-1].next_node
    assert joined


def test_a_node_of_an_older_version_is_not_laid_out_in_what_took_its_parents_place() -> None:
    made = index(transformations=[parser(chunk_sizes=[120, 15], embed_model=Words())])
    made.upsert([Document(text=ARTICLE, id_="a")])
    tree = NodeTree(made.docstore, (), Blocking())
    tree.nodes.update((name, TreeNode.of(node)) for name, node in made.docstore.docs.items())
    leaf = next(node for node in tree.nodes.values() if node.parent is not None)
    assert leaf.parent is not None
    root = tree.nodes[leaf.parent].node
    assert Layout(tree, [leaf.node_id]).spans[leaf.node_id].document == root.node_id
    tree.nodes[root.node_id] = TreeNode.of(root.model_copy(update={"text": "Snow. " + root.get_content()}))
    assert Layout(tree, [leaf.node_id]).spans[leaf.node_id].joins is False
    root.relationships[NodeRelationship.CHILD] = []
    tree.nodes[root.node_id] = TreeNode.of(root)
    assert Layout(tree, [leaf.node_id]).spans[leaf.node_id].document == leaf.node_id


@pytest.mark.parametrize("row", [[0.0] * 16, [float("nan")] * 16, [float("inf")] * 16])
def test_a_question_without_a_direction_is_answered_by_its_words(row: list[float]) -> None:
    class Lost(Words):
        """Has no row for zebras."""

        def row(self, text: str) -> list[float]:
            return row if text.startswith("zebra") else super().row(text)

    made = index(embed_model=Lost(), transformations=[parser(embed_model=Words())])
    made.upsert(documents())
    (first, *_) = made.as_retriever(20).retrieve("zebra dough")
    assert "dough" in first.text.lower()
    assert made.as_retriever(words=0).retrieve("zebra dough") == []
    assert made.as_retriever(None).retrieve("zebra dough") == []


async def test_equal_texts_stand_in_one_order_whatever_the_order_of_writes() -> None:
    alike = [Document(text="The captain steers the ship by its compass.", id_=f"same {number}") for number in range(5)]
    found: list[list[str]] = []
    for given in ([*alike, *documents()], [*documents()[::-1], *alike[::-1]]):
        made = index()
        for document in given:
            made.upsert([document])
        made.delete_ref_doc("same 2")
        await made.aupsert([alike[2]])
        retriever = made.as_retriever(400)
        asked = "Who steers the ship by a compass?"
        found += [names(retriever.retrieve(asked)), names(await retriever.aretrieve(asked))]
    assert len(found[0]) >= 5
    assert found[0] == found[1] == found[2] == found[3]
