"""An index beside the rest of LlamaIndex: kept in a folder, asked by a query engine, after other transformations."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import BREAD, documents, index, parser, rows, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document, Settings
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, TransformComponent

from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser


def test_nodes_of_one_document_are_taken_together() -> None:
    pieces = SemanticHierarchyParser(chunk_sizes=[100])([documents()[0]])
    made = index()
    assert made.upsert(pieces) == (1, 0, 0, 0)
    assert {node.ref_doc_id for node in made.docstore.docs.values()} == {"a"}
    made.delete_ref_doc("a")
    assert rows(made) == set()


def test_persist_and_load_keep_everything(tmp_path: Any) -> None:
    made = index()
    made.upsert(documents())
    made.persist(tmp_path)
    loaded = HierarchyIndex.load(tmp_path, transformations=[parser()], embed_model=Words())
    assert texts(loaded, BREAD) == texts(made, BREAD)
    assert loaded.upsert(documents()) == (0, 0, 3, 0)
    edited = [Document(text=ARTICLE.replace("smooth", "soft"), id_="a"), *documents()[1:]]
    loaded.upsert(edited)
    whole(loaded, edited)


def test_from_documents_and_a_query_engine() -> None:
    Settings.embed_model = Words()
    made = HierarchyIndex.from_documents(documents(), transformations=[parser()])
    engine = RetrieverQueryEngine.from_args(made.as_retriever(similarity_top_k=2, merge_ratio=1), llm=MockLLM())
    assert "dough" in engine.query(BREAD).source_nodes[0].text


def test_what_a_transformation_embedded_is_not_embedded_again_and_not_kept_with_the_nodes() -> None:
    model = Words()
    made = index(embed_model=model, transformations=[parser(), Words()])
    made.upsert(documents())
    assert model.calls in ([], [[]])
    assert all(node.embedding is None for node in made.docstore.docs.values())
    assert "dough" in texts(made, BREAD)[0]


class Questions(TransformComponent):
    """A question of each node's first words, which points to the node."""

    with_source: bool = True

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
        made: list[BaseNode] = []
        for node in nodes:
            about = IndexNode(id_=f"q-{node.node_id}", text=f"Zebra {node.text[:20]}?", index_id=node.node_id)
            if self.with_source:
                about.relationships[NodeRelationship.SOURCE] = node.source_node
            made.append(about)
        return [*nodes, *made]


@pytest.mark.parametrize("with_source", [True, False])
def test_several_small_texts_lead_to_one_node_and_go_with_their_document(with_source: bool) -> None:
    settings = {"transformations": [parser(), Questions(with_source=with_source)]}
    made = index(**settings)
    made.upsert(documents())
    assert any(name.startswith("q-") for name in rows(made))
    found = made.as_retriever(similarity_top_k=9, merge_ratio=1).retrieve("Zebra The lighthouse keeper?")
    assert not any(isinstance(each.node, IndexNode) for each in found)
    assert any(each.node.child_nodes and each.text.startswith("The lighthouse keeper") for each in found)
    edited = [Document(text="Snow. " + ARTICLE, id_="a"), *documents()[1:]]
    made.upsert(edited)
    whole(made, edited, **settings)
    made.delete_ref_doc("a")
    whole(made, edited[1:], **settings)


@pytest.mark.parametrize("awaited", [False, True])
def test_documents_that_come_one_by_one_are_not_forgotten_by_the_sync_that_takes_them(awaited: bool) -> None:
    """A generator is over once it was gone through: what it gave must be known from then on."""
    made = index()
    made.upsert(documents())
    given = cast("list[Document]", (each for each in documents()[1:]))
    changes = asyncio.run(made.amirror(given)) if awaited else made.mirror(given)
    assert (changes.unchanged, changes.deleted) == (2, 1)
    whole(made, documents()[1:])


def test_an_empty_question_finds_nothing() -> None:
    made = index()
    made.upsert(documents())
    for budget in (None, 100):
        assert made.as_retriever(budget).retrieve("") == []
        assert asyncio.run(made.as_retriever(budget).aretrieve("")) == []
