"""An index follows its documents: nothing stale, nothing twice, and unchanged documents cost nothing."""

from __future__ import annotations

from fakes.llama_index.embeddings import AsyncWords, Words
from fakes.llama_index.failing_stores import Breaking
from fakes.llama_index.indexes import BREAD, documents, index, parser, rows, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters


def test_leaves_are_embedded_and_all_levels_are_in_the_document_store() -> None:
    made = index()
    assert made.upsert(documents()) == (3, 0, 0, 0)
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
    asked, calls = (len(model.all_calls), len(boundaries.all_calls)), list(store.calls)
    assert made.upsert(documents()) == (0, 0, 3, 0)
    assert ((len(model.all_calls), len(boundaries.all_calls)), store.calls) == (asked, calls)


def test_a_changed_document_leaves_nothing_behind_and_others_alone() -> None:
    made = index()
    made.upsert(documents())
    others = {name for name in made.docstore.docs if made.docstore.docs[name].ref_doc_id == "b"}
    edited = documents()
    edited[0] = Document(text="Snow falls. " + ARTICLE.replace("smooth", "soft"), id_="a")
    assert made.upsert(edited) == (0, 1, 2, 0)
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
    assert made.upsert(edited) == (0, 0, 3, 0)


def test_other_settings_or_another_embedder_make_all_anew() -> None:
    made = index()
    made.upsert(documents())
    made.transformations = [parser(chunk_sizes=[100, 30])]
    assert made.upsert(documents()) == (0, 3, 0, 0)
    whole(made, documents(), transformations=made.transformations)
    made.embed_model = Words(model_name="another")
    assert made.upsert(documents()) == (0, 3, 0, 0)


def test_deleting_touches_its_own_rows_only_and_may_be_repeated() -> None:
    made = index()
    made.upsert(documents())
    kept = {name: node.to_dict() for name, node in made.docstore.docs.items() if node.ref_doc_id != "a"}
    for _ in range(2):
        made.delete_ref_doc("a")
        whole(made, documents()[1:])
        assert {name: node.to_dict() for name, node in made.docstore.docs.items()} == kept
    made.delete_ref_doc("empty")
    made.delete_ref_doc("never there")
    assert [*made.ref_doc_info] == ["b"]
    assert made.upsert(documents()) == (2, 0, 1, 0)
    whole(made, documents())


async def test_awaited_calls_do_the_same_and_await_the_embedder() -> None:
    made = index(embed_model=AsyncWords())
    assert await made.aupsert(documents()) == (3, 0, 0, 0)
    assert await made.aupsert(documents()) == (0, 0, 3, 0)
    edited = [Document(text="Snow falls. " + ARTICLE, id_="a"), *documents()[1:]]
    assert await made.aupsert(edited) == (0, 1, 2, 0)
    whole(made, edited)
    for _ in range(2):
        await made.adelete_ref_doc("a")
        whole(made, edited[1:])
