"""Several vector stores beside one document store: each is filled, and none breaks the search of another."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import BREAD, documents, index, parser, texts, whole
from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding


def shared(**settings: Any) -> Callable[[], HierarchyIndex]:
    """Makes indexes with vector stores of their own over one document store."""
    store = SimpleDocumentStore()
    return lambda: index(**{"vector_store": SimpleVectorStore(), "docstore": store, **settings})


async def test_a_second_index_on_the_document_store_is_filled_too() -> None:
    make = shared()
    first, second, third = make(), make(), make()
    first.upsert(documents())
    second.upsert(documents())
    await third.aupsert(documents())
    for made in (first, second, third):
        whole(made, documents())
        assert "dough" in texts(made, BREAD)[0]
        assert made.upsert(documents()) == (0, 0, 3, 0)


def test_a_vector_store_that_was_emptied_is_filled_again_and_what_it_has_costs_nothing() -> None:
    model = Words()
    made = index(embed_model=model)
    made.upsert(documents())
    store = made.vector_store
    store.delete("a")
    asked = len(model.all_calls)
    assert made.upsert(documents()) == (0, 1, 2, 0)
    whole(made, documents())
    assert len(model.all_calls) > asked
    store.clear()
    assert made.upsert(documents()) == (0, 2, 1, 0)
    whole(made, documents())
    asked = len(model.all_calls)
    assert made.upsert(documents()) == (0, 0, 3, 0)
    assert len(model.all_calls) == asked


def test_another_index_with_other_settings_breaks_no_search_and_the_next_upsert_makes_the_first_whole() -> None:
    make = shared()
    first, other = make(), make()
    first.upsert(documents())
    other.transformations = [parser(chunk_sizes=[100, 30])]
    other.upsert(documents())
    texts(first, BREAD, similarity_top_k=99)
    first.upsert(documents())
    assert any("dough" in text for text in texts(first, BREAD, similarity_top_k=99))
    whole(first, documents())


@pytest.mark.parametrize("awaited", [False, True])
async def test_indexes_over_one_document_store_see_update_and_delete_their_own_documents_alone(awaited: bool) -> None:
    make = shared()
    first, second = make(), make()
    first.upsert(documents())
    other = Document(text="Snow falls on the sea. The keeper sleeps.", id_="a")
    if awaited:
        await second.aupsert([other])
        assert (await second.amirror([other])).deleted == 0
        await second.adelete_ref_doc("b")
    else:
        second.upsert([other])
        assert second.mirror([other]).deleted == 0
        second.delete_ref_doc("b")
    whole(first, documents())
    whole(second, [other])
    for budget in (None, 1000):
        assert "Snow" not in str(texts(first, "Snow", budget=budget, similarity_top_k=99))
        assert "dough" not in str(texts(second, BREAD, budget=budget, similarity_top_k=99))
    second.delete_ref_doc("a")
    whole(first, documents())


def test_an_index_sees_and_deletes_nothing_of_a_vector_store_index_or_a_pipeline_on_its_document_store() -> None:
    store, model = SimpleDocumentStore(), Words()
    stores = StorageContext.from_defaults(docstore=store)
    VectorStoreIndex.from_documents(documents(), stores, embed_model=model, store_nodes_override=True)
    IngestionPipeline(transformations=[parser()], docstore=store, disable_cache=True).run(documents=documents())
    before = store.docs.keys(), store.get_all_ref_doc_info(), store.get_all_document_hashes()
    for made in (index(docstore=store, vector_store=SimpleVectorStore()), index(storage_context=stores)):
        made.upsert([Document(text="Snow.", id_="s")])
        assert made.mirror([Document(text="Snow.", id_="s")]) == (0, 0, 1, 0)
        made.delete_ref_doc("a")
        assert texts(made, BREAD, similarity_top_k=9) == ["Snow."]
    assert (store.docs.keys(), store.get_all_ref_doc_info(), store.get_all_document_hashes()) == before


def test_an_empty_index_beside_another_on_one_vector_store_says_nothing_of_lost_documents(caplog: Any) -> None:
    stores = StorageContext.from_defaults()
    VectorStoreIndex.from_documents(documents(), stores, embed_model=Words())
    made = index(storage_context=stores)
    assert texts(made, BREAD) == texts(made, BREAD, budget=None) == []
    assert not caplog.records
    made.upsert(documents())
    for name in made.docstore.docs:
        made.docstore.delete_document(name)
    assert texts(made, BREAD, words=0) == []
    assert "another index wrote them" in caplog.text


def test_indexes_on_one_vector_store_find_and_delete_their_own_rows_alone() -> None:
    vectors = SimpleVectorStore()
    many = [Document(text=f"Knead the dough number {number}.", id_=str(number)) for number in range(40)]
    first, second = (index(vector_store=vectors, docstore=SimpleDocumentStore()) for _ in range(2))
    first.upsert(many)
    second.upsert([Document(text="Bees make honey.", id_="0")])
    for settings in ({"budget": None, "similarity_top_k": 1}, {"words": 0}, {}):
        assert texts(second, "dough number", **settings) == ["Bees make honey."]
    second.delete_ref_doc("0")
    assert second.ref_doc_info == {}
    assert first.upsert(many).unchanged == 40
    assert len(first.as_retriever(None, similarity_top_k=40).retrieve("dough")) == 40


@pytest.mark.parametrize("keys", [("user", "user"), ("user", "team")])
@pytest.mark.parametrize("hidden", [[], ["user"]])
def test_a_filter_shows_nothing_of_another_indexs_row_under_the_same_id(
    keys: tuple[str, str], hidden: list[str]
) -> None:
    """A vector store has one row of both, which says what the last one said."""
    vectors = SimpleVectorStore()
    first, second = (index(vector_store=vectors, docstore=SimpleDocumentStore()) for _ in range(2))
    for made, key, user in ((first, keys[0], "anna"), (second, keys[1], "bob")):
        metadata = {key: user, "kind": "talk"}
        made.upsert([Document(text=BREAD, id_="0", metadata=metadata, excluded_llm_metadata_keys=hidden)])

    def sees(made: HierarchyIndex, key: str, value: str, **settings: Any) -> bool:
        only = MetadataFilters(filters=[MetadataFilter(key=key, value=value)])
        return bool(texts(made, BREAD, filters=only, **settings))

    for settings in ({"budget": None}, {"words": 0}, {}):
        assert not sees(first, keys[1], "bob", **settings)
        assert sees(first, "kind", "talk", **settings)
        assert sees(second, keys[1], "bob", **settings)
        assert not sees(second, keys[0], "anna", **settings)
    assert sees(first, keys[0], "anna"), "by its words"


def test_an_index_that_is_persisted_finds_its_own_part_again(tmp_path: Path) -> None:
    store, folders = SimpleDocumentStore(), [tmp_path / name for name in "ab"]
    made = [index(vector_store=SimpleVectorStore(), docstore=store) for _ in folders]
    for number, (each, folder) in enumerate(zip(made, folders, strict=True)):
        each.upsert([Document(text=f"Part {number}.", id_="a")])
        each.persist(folder)
    for number, folder in enumerate(folders):
        loaded = HierarchyIndex.load(folder, transformations=[parser()], embed_model=Words())
        assert texts(loaded, "Part") == [f"Part {number}."]


@pytest.mark.thorough
@pytest.mark.parametrize("named", [True, False])
def test_a_program_that_is_started_again_finds_its_part_of_a_file_again(named: bool, tmp_path: Path) -> None:
    def start() -> HierarchyIndex:
        vectors = SimpleVectorStore.from_persist_path(path) if os.path.exists(path) else SimpleVectorStore()
        if named:
            vectors = Named(data=vectors.data)
        return index(vector_store=vectors, docstore=SQLiteDocumentStore(tmp_path / "nodes.db"))

    path = str(tmp_path / "rows.json")
    made = start()
    made.upsert(documents())
    made.vector_store.persist(path)
    del made
    gc.collect()  # as the end of a program
    again = start()
    assert again.upsert(documents()).unchanged == 3
    assert "dough" in texts(again, BREAD)[0]
    empty = index(vector_store=SimpleVectorStore(), docstore=SQLiteDocumentStore(tmp_path / "nodes.db"))
    assert texts(empty, BREAD) == []


class Named(SimpleVectorStore):
    """Has a name, as the stores of servers have."""

    collection_name: str = "leaves"


@pytest.mark.thorough
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("by_load", [True, False])
def test_vector_stores_that_are_loaded_find_their_parts_of_a_file_in_any_order_and_again(
    by_load: bool, alike: bool, tmp_path: Path
) -> None:
    def docstore() -> SQLiteDocumentStore:
        return SQLiteDocumentStore(tmp_path / "nodes.db")

    def load(name: str) -> HierarchyIndex:
        settings: dict[str, Any] = {"transformations": [parser()], "embed_model": Words()}
        if by_load:
            return HierarchyIndex.load(tmp_path / name, docstore=docstore(), **settings)
        stores = StorageContext.from_defaults(persist_dir=str(tmp_path / name), docstore=docstore())
        return load_index_from_storage(stores, **settings)

    given = {
        "first": documents(),
        "second": documents() if alike else [Document(text="Ferries leave at dawn.", id_="a")],
    }
    made = {name: index(vector_store=SimpleVectorStore(), docstore=docstore()) for name in given}
    for name, own in made.items():
        own.upsert(given[name])
        own.persist(tmp_path / name)
    texts_of = {name: texts(own, BREAD) for name, own in made.items()}
    made.clear()
    del own
    gc.collect()
    second, first = load("second"), load("first")
    again = load("first") if by_load or not alike else first
    assert texts(second, BREAD) == texts_of["second"]
    assert texts(first, BREAD) == texts(again, BREAD) == texts_of["first"]
    second.mirror([Document(text="Ferries leave at noon.", id_="z")])
    assert texts(again, BREAD) == texts_of["first"]


def test_documents_whose_vectors_were_not_persisted_are_told_of_once(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"docstore": SQLiteDocumentStore(tmp_path / "n.db"), "embed_model": StaticEmbedding()}
    made, folder = HierarchyIndex(**settings), tmp_path / "vectors"
    given = [Document(text=f"Honey is sold on quay {number}.", id_=f"{number}") for number in range(3)]
    made.upsert(given[:1])
    made.persist(folder)
    made.upsert(given)
    del made
    gc.collect()
    for open_again, lost in ((partial(HierarchyIndex.load, folder), 2), (HierarchyIndex, 3)):
        again = open_again(**settings)
        with pytest.warns(UserWarning, match=rf"^{lost} of 3 documents have no vectors.*load\(folder"):
            again.as_retriever().retrieve("honey")
        with warnings.catch_warnings(action="error"):
            again.as_retriever(budget=None).retrieve("honey")
        del again
        gc.collect()
    whole = HierarchyIndex(**settings)
    whole.mirror(given)
    with warnings.catch_warnings(action="error"):
        assert whole.as_retriever().retrieve("honey")


def test_without_its_rows_a_document_is_not_returned_by_its_words(tmp_path: Path) -> None:
    """A new vector store in memory is taken for the one before, which is gone."""
    for _ in range(2):
        made = index(vector_store=SimpleVectorStore(), docstore=SQLiteDocumentStore(tmp_path / "nodes.db"))
        assert texts(made, BREAD) == []
        made.upsert(documents())
        assert texts(made, BREAD)
        del made
        gc.collect()


@pytest.mark.parametrize(("answer", "updated"), [("nodes", 2), ("nothing", 0), ("other ids", 0)])
def test_a_vector_store_of_another_kind_is_asked_and_trusted_where_it_cannot_say(answer: str, updated: int) -> None:
    class Served(BasePydanticVectorStore):
        """Keeps nodes."""

        stores_text: bool = True
        kept: dict[str, BaseNode] = {}  # noqa: RUF012 - pydantic copies it

        @property
        def client(self) -> None:
            return None

        def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
            self.kept.update({node.node_id: node for node in nodes})
            return [node.node_id for node in nodes]

        def delete(self, ref_doc_id: str, **kwargs: Any) -> None:
            self.delete_nodes([name for name, node in self.kept.items() if node.ref_doc_id == ref_doc_id])

        def delete_nodes(self, node_ids: Any = None, filters: Any = None, **kwargs: Any) -> None:
            for name in node_ids:
                self.kept.pop(name, None)

        def get_nodes(self, node_ids: Any = None, filters: Any = None) -> list[BaseNode]:
            assert node_ids
            if answer == "nothing":
                raise NotImplementedError
            if answer == "other ids":
                return [node.model_copy(update={"id_": "other"}) for node in list(full.values())[:1]]
            return [self.kept[name] for name in node_ids if name in self.kept]

        def query(self, query: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    store, full = Served(), dict[str, BaseNode]()
    made = index(vector_store=store, docstore=SimpleDocumentStore())
    made.upsert(documents())
    full.update(store.kept)
    assert made.upsert(documents()) == (0, 0, 3, 0)
    store.kept.clear()
    assert made.upsert(documents()).updated == updated
    assert store.kept.keys() == (full.keys() if updated else set())


def test_threads_that_open_indexes_at_once_share_none_of_them_and_have_the_same_words() -> None:
    vector_stores = [SimpleVectorStore() for _ in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(6):
            store = SimpleDocumentStore()
            with ThreadPoolExecutor(8) as pool:
                made = list(pool.map(lambda own: index(vector_store=own, docstore=store), vector_stores * 2))  # noqa: B023
            parts = [each.docstore for each in made]
            assert len({*map(id, parts)}) == 4
            assert all(one is other for one, other in zip(parts[:4], parts[4:], strict=True))
    finally:
        sys.setswitchinterval(before)
