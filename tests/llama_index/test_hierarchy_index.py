"""An index that follows its documents: nothing stale, nothing twice, and unchanged documents cost nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest
from llama_index.core import Document, Settings, StorageContext
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import BaseNode, IndexNode, NodeRelationship, TransformComponent
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from llama_index_embedding_fakes import AsyncWords, Words
from llama_index_fakes import ARTICLE
from llama_index_retrieval_fakes import BREAD, Breaking, documents, index, parser, rows, whole

from caesura import SettingError
from llama_index.node_parser.caesura import HierarchyIndex, SemanticHierarchyParser, SQLiteDocumentStore


def texts(made: HierarchyIndex, query: str, **settings: Any) -> list[str]:
    return [each.text for each in made.as_retriever(**{"similarity_top_k": 2, **settings}).retrieve(query)]


def test_leaves_are_embedded_and_all_levels_are_in_the_document_store() -> None:
    made = index()
    assert made.upsert(documents()) == (3, 0, 0)
    nodes = parser()(documents())
    assert rows(made) == {node.node_id for node in get_leaf_nodes(nodes)}
    assert set(made.docstore.docs) == {node.node_id for node in nodes}
    assert all(node.embedding is None for node in made.docstore.docs.values())
    assert "dough" in texts(made, BREAD)[0]


def test_unchanged_documents_cost_no_embedding_and_no_write() -> None:
    model, store, boundaries = Words(), Breaking(), Words()
    made = index(
        embed_model=model,
        vector_store=store,
        docstore=SimpleDocumentStore(),
        transformations=[parser(embed_model=boundaries)],
    )
    made.upsert(documents())
    asked, calls = (len(model._calls), len(boundaries._calls)), list(store.calls)
    assert made.upsert(documents()) == (0, 0, 3)
    assert ((len(model._calls), len(boundaries._calls)), store.calls) == (asked, calls)


def test_a_changed_document_leaves_nothing_behind_and_others_alone() -> None:
    made = index()
    made.upsert(documents())
    others = {name for name in made.docstore.docs if made.docstore.docs[name].ref_doc_id == "b"}
    edited = documents()
    edited[0] = Document(text="Snow falls. " + ARTICLE.replace("smooth", "soft"), id_="a")
    assert made.upsert(edited) == (0, 1, 2)
    whole(made, edited)
    assert others <= set(made.docstore.docs)
    assert not any("smooth" in text for text in texts(made, BREAD, similarity_top_k=50))
    assert "soft" in " ".join(texts(made, BREAD))


def test_new_metadata_is_on_every_row_though_the_ids_stay() -> None:
    made = index()
    made.upsert(documents())
    before = rows(made)
    edited = documents()
    edited[0].metadata["kind"] = "essay"
    made.upsert(edited)
    assert rows(made) == before
    filters = MetadataFilters(filters=[MetadataFilter(key="kind", value="essay")])
    assert "dough" in texts(made, BREAD, filters=filters)[0]
    filters = MetadataFilters(filters=[MetadataFilter(key="kind", value="article")])
    assert texts(made, BREAD, filters=filters) == []


def test_a_document_that_became_empty_is_gone_from_both_stores() -> None:
    made = index()
    made.upsert(documents())
    edited = documents()
    edited[0] = Document(text=" ", id_="a")
    made.upsert(edited)
    whole(made, edited)
    assert made.upsert(edited) == (0, 0, 3)


def test_other_settings_or_another_embedder_make_all_anew() -> None:
    made = index()
    made.upsert(documents())
    made.transformations = [parser(chunk_sizes=[100, 30])]
    assert made.upsert(documents()) == (0, 3, 0)
    whole(made, documents(), transformations=made.transformations)
    made.embed_model = Words(model_name="another")
    assert made.upsert(documents()) == (0, 3, 0)


def test_deleting_touches_its_own_rows_only_and_may_be_repeated() -> None:
    made = index()
    made.upsert(documents())
    kept = {name: node.to_dict() for name, node in made.docstore.docs.items() if node.ref_doc_id != "a"}
    for _ in range(2):
        made.delete("a")
        whole(made, documents()[1:])
        assert {name: node.to_dict() for name, node in made.docstore.docs.items()} == kept
    made.delete("empty")
    made.delete("never there")
    assert made.upsert(documents()) == (2, 0, 1)
    whole(made, documents())


async def test_awaited_calls_do_the_same_and_await_the_embedder() -> None:
    made = index(embed_model=AsyncWords())
    assert await made.aupsert(documents()) == (3, 0, 0)
    assert await made.aupsert(documents()) == (0, 0, 3)
    edited = [Document(text="Snow falls. " + ARTICLE, id_="a"), *documents()[1:]]
    assert await made.aupsert(edited) == (0, 1, 2)
    whole(made, edited)
    for _ in range(2):
        await made.adelete("a")
        whole(made, edited[1:])


def test_ids_given_twice_are_refused_before_anything_is_written() -> None:
    made = index()
    with pytest.raises(SettingError, match=r"2 documents have the id 'a'"):
        made.upsert([*documents(), Document(text="Other.", id_="a")])
    assert rows(made) == set()


def test_nodes_of_one_document_are_taken_together() -> None:
    pieces = SemanticHierarchyParser(chunk_sizes=[100])([documents()[0]])
    made = index()
    assert made.upsert(pieces) == (1, 0, 0)
    assert {node.ref_doc_id for node in made.docstore.docs.values()} == {"a"}
    made.delete("a")
    assert rows(made) == set()


def test_persist_and_load_keep_everything(tmp_path: Any) -> None:
    made = index()
    made.upsert(documents())
    made.persist(tmp_path)
    loaded = HierarchyIndex.load(tmp_path, transformations=[parser()], embed_model=Words())
    assert texts(loaded, BREAD) == texts(made, BREAD)
    assert loaded.upsert(documents()) == (0, 0, 3)
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
    """A question for every node with children, that points to it, and its first words for every leaf."""

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
    made.delete("a")
    whole(made, edited[1:], **settings)


def test_a_node_of_no_document_is_refused() -> None:
    class Stray(TransformComponent):
        """Adds a node without a source."""

        def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[BaseNode]:
            return [*nodes, IndexNode(text="x", index_id="nowhere")]

    made = index(transformations=[parser(), Stray()])
    with pytest.raises(SettingError, match="which is none of the documents"):
        made.upsert(documents())
    assert rows(made) == set()


def test_stores_that_do_not_go_together_are_refused(tmp_path: Any) -> None:
    with pytest.raises(SettingError, match="SQLiteDocumentStore"):
        index(vector_store=SimpleVectorStore())
    with pytest.raises(SettingError, match="not both"):
        index(storage_context=StorageContext.from_defaults(), docstore=SQLiteDocumentStore(tmp_path / "d.db"))
    with pytest.raises(SettingError, match="batch_size"):
        index(batch_size=0)

    class Adding(SimpleVectorStore):
        """Cannot delete a node."""

        delete_nodes = BasePydanticVectorStore.delete_nodes

    with pytest.raises(SettingError, match="must be able to delete nodes, which Adding is not"):
        index(vector_store=Adding(), docstore=SimpleDocumentStore())


async def test_calls_at_the_same_time_wait_for_each_other() -> None:
    made = index()
    versions = [[Document(text=f"{word}. {ARTICLE}", id_="a")] for word in ("Snow", "Rain", "Fog")]
    await asyncio.gather(*(made.aupsert(version) for version in versions))
    whole(made, versions[-1])
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(made.upsert, versions))
    assert sum(word in text for text in texts(made, "a", similarity_top_k=99) for word in ("Snow", "Rain", "Fog")) == 1


def test_metadata_that_cannot_be_kept_is_named_and_nothing_is_findable(tmp_path: Any) -> None:
    made = index(vector_store=SimpleVectorStore(), docstore=SQLiteDocumentStore(tmp_path / "nodes.db"))
    with pytest.raises(SettingError, match=r"(?s)cannot be kept: .*date.*metadata must be"):
        made.upsert([Document(text=ARTICLE, id_="a", metadata={"day": date(1921, 1, 9)})])
    assert rows(made) == set()
