"""An index answers to the names of LlamaIndex's own, by the same signatures and with what those return."""

from __future__ import annotations

import logging
from inspect import signature
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import BREAD, documents, index, rows, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.composability import ComposableGraph
from llama_index.core.indices.base import BaseIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.objects import ObjectIndex
from llama_index.core.schema import IndexNode, NodeRelationship, RelatedNodeInfo, TextNode

from caesura import SettingError
from llama_index.node_parser.caesura import HierarchyIndex

READS = {
    "as_chat_engine", "as_query_engine", "as_retriever", "docstore", "index_id", "index_struct", "index_struct_cls",
    "ref_doc_info", "set_index_id", "storage_context", "summary", "vector_store", "from_documents", "from_vector_store",
}  # fmt: skip
BY_OTHERS = {"update", "refresh"}
"""Deprecated names of LlamaIndex's, which lead to the new ones."""


def test_every_method_of_llama_indexs_that_writes_is_our_own() -> None:
    names = {name for kind in (BaseIndex, VectorStoreIndex) for name in vars(kind) if not name.startswith("_")}
    assert names - READS - BY_OTHERS <= set(vars(HierarchyIndex))


@pytest.mark.parametrize("name", ["insert", "insert_nodes", "update_ref_doc", "refresh_ref_docs", "delete_ref_doc"])
def test_arguments_are_called_as_llama_indexs(name: str) -> None:
    for each in (name, f"a{name}"):
        ours, theirs = signature(getattr(HierarchyIndex, each)), signature(getattr(VectorStoreIndex, each))
        own = {"scope"} if name == "delete_ref_doc" else set()
        assert [each for each in ours.parameters if each not in own] == list(theirs.parameters)


async def test_documents_are_inserted_refreshed_updated_and_deleted_under_their_names() -> None:
    made = index()
    a, b, empty = documents()
    made.insert(a)
    await made.ainsert(b)
    assert made.refresh_ref_docs([a, b, empty]) == [False, False, True]
    changed = Document(text=f"Snow falls. {ARTICLE}", id_="a")
    assert await made.arefresh_ref_docs([empty, changed]) == [False, True]
    made.update_ref_doc(a)
    whole(made, documents())
    await made.aupdate_ref_doc(changed)
    whole(made, [changed, b, empty])
    assert {*made.ref_doc_info} == {"a", "b", "empty"}
    assert set(made.ref_doc_info["a"].node_ids) <= set(made.docstore.docs)
    made.delete_ref_doc("empty", delete_from_docstore=True)
    await made.adelete_ref_doc("a")
    whole(made, [b])


def test_a_random_id_is_refreshed_under_the_id_that_it_had() -> None:
    made = index()

    def page() -> Document:
        return Document(text="Bees make honey.", metadata={"file_path": "bees.txt"})

    assert made.refresh_ref_docs([page()]) == [True]
    assert made.refresh_ref_docs([page(), Document(text="Snow.", id_="s")]) == [False, True]


def test_copies_with_random_ids_that_are_given_together_are_known_again() -> None:
    made = index()

    def notes(copies: int) -> list[Document]:
        return [Document(text="Bees make honey.") for _ in range(copies)]

    assert made.refresh_ref_docs(notes(3)) == [True, True, True]
    assert made.refresh_ref_docs(notes(3)) == [False, False, False]
    assert made.mirror(notes(1)) == (0, 0, 1, 2)


def test_a_document_that_is_not_there_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        index().delete_ref_doc("none")
    assert "'none' not found, nothing deleted" in caplog.text


@pytest.mark.parametrize("name", ["insert", "update_ref_doc", "refresh_ref_docs", "insert_nodes"])
def test_options_that_would_be_ignored_are_refused(name: str) -> None:
    given: Any = documents()[0] if name in ("insert", "update_ref_doc") else documents()
    with pytest.raises(SettingError, match=rf"{name}\(\) takes no options"):
        getattr(index(), name)(given, insert_kwargs={"a": 1})


async def test_nodes_are_added_as_they_are_beside_those_of_their_document() -> None:
    model = Words()
    made = index(embed_model=model)
    nodes = SentenceSplitter(chunk_size=40, chunk_overlap=0)(documents()[:1])
    assert len(nodes) > 3
    made.insert_nodes(nodes[:2])
    await made.ainsert_nodes(nodes[2:])
    assert rows(made) == {node.node_id for node in nodes}
    assert set(made.ref_doc_info) == {"a"}
    asked = len(model.all_calls)
    made.insert_nodes(nodes)
    assert len(model.all_calls) == asked, "nothing is new"
    assert any("dough" in text for text in texts(made, BREAD, similarity_top_k=1))
    assert made.refresh_ref_docs(documents()[:1]) == [True], "made by the index's own transformations"
    whole(made, documents()[:1])


def test_a_constructor_takes_nodes_and_one_without_a_source_is_a_document() -> None:
    made = HierarchyIndex([TextNode(text="Bees make honey.", id_="bees")], embed_model=Words())
    assert [each.node.node_id for each in made.as_retriever().retrieve("honey")] == ["bees"]
    made.insert_nodes([TextNode(text="Snow falls.", id_="snow")])
    made.delete_ref_doc("bees")
    assert rows(made) == {"snow"}


def test_a_node_under_the_id_of_another_documents_is_refused() -> None:
    made = index()
    made.upsert(documents())
    taken = made.ref_doc_info["b"].node_ids[0]
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="a")}
    with pytest.raises(
        SettingError, match="is the id of a node of the document 'b', and of a node that is given of 'a'"
    ):
        made.insert_nodes([TextNode(text="Snow falls.", id_=taken, relationships=source)])
    whole(made, documents())


def test_nodes_that_it_is_built_from_are_inserted() -> None:
    made = index()
    assert made.build_index_from_nodes([TextNode(text="Snow falls.", id_="snow")]) is made.index_struct
    assert rows(made) == {"snow"}


def test_what_others_write_to_its_docstore_is_made_anew() -> None:
    made = index()
    a, b, empty = documents()
    made.docstore.set_document_hash("a", a.hash)
    made.docstore.set_document_hash("b", b.hash)
    assert made.refresh_ref_docs([a, b, empty]) == [True, True, True]
    whole(made, [a, b, empty])
    snow = Document(text="Snow falls.", id_="snow")
    made.docstore.add_documents([snow])
    assert [made.refresh_ref_docs([snow]), made.refresh_ref_docs([snow])] == [[True], [False]]
    assert "Snow falls." in texts(made, "snow")
    made.delete_ref_doc("snow")
    assert not any(node.ref_doc_id == "snow" for node in made.docstore.docs.values())


def test_nodes_are_not_deleted_from_within_a_document() -> None:
    made = HierarchyIndex([TextNode(text="Bees make honey.", id_="bees")], embed_model=Words())
    with pytest.raises(SettingError, match=r"got the nodes \['bees'\]: delete_ref_doc\(id\) deletes a document"):
        made.delete_nodes(["bees"])


def test_a_reference_leads_to_its_object() -> None:
    inner = HierarchyIndex([TextNode(text="The ferry leaves at nine.", id_="ferry")], embed_model=Words())
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="timetables")}
    node = IndexNode(text="Timetables of ferries", index_id="t", obj=inner.as_retriever(), relationships=source)
    made = HierarchyIndex(objects=[node], embed_model=Words())
    assert [each.node.node_id for each in made.as_retriever().retrieve("ferries")] == ["ferry"]
    assert node.obj is not None, "the node that was given stays as it was"


def test_an_index_of_objects_and_a_graph_take_it() -> None:
    objects = ObjectIndex.from_objects(["a spoon", "a kettle"], index_cls=HierarchyIndex, embed_model=Words())
    assert objects.as_retriever(similarity_top_k=1).retrieve("kettle") == ["a kettle"]
    objects.insert_object("a ladder")
    assert objects.as_retriever(similarity_top_k=1).retrieve("ladder") == ["a ladder"]
    made = index()
    made.upsert(documents())
    graph = ComposableGraph.from_indices(HierarchyIndex, [made], ["Bread and lighthouses"], embed_model=Words())
    assert graph.get_index(made.index_id) is made


def test_a_vector_store_alone_is_refused_with_the_remedy() -> None:
    store = index().vector_store
    with pytest.raises(SettingError, match="a vector_store needs a docstore"):
        HierarchyIndex.from_vector_store(store)
