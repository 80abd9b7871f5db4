"""The document store in SQLite does what LlamaIndex's in memory does, at once and on the disk."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.parsers import ARTICLE, ONE_ARTICLE, REPEATED
from llama_index.core import Document, StorageContext
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore

from caesura import SettingError
from caesura_store.sqlite_store import Store
from llama_index.node_parser.caesura import SemanticHierarchyParser, SQLiteDocumentStore

NODES = SemanticHierarchyParser(chunk_sizes=[120, 40])(
    [Document(text=ARTICLE, id_="a", metadata={"kind": "é"}), Document(text=REPEATED, id_="b")]
)
OWN = [node.node_id for node in NODES if node.ref_doc_id == "a"]


def everything(store: KVDocumentStore) -> Any:
    infos = store.get_all_ref_doc_info() or {}
    return (
        {name: node.to_dict() for name, node in store.docs.items()},
        {name: (set(info.node_ids), info.metadata) for name, info in infos.items()},
        store.get_all_document_hashes(),
    )


@pytest.fixture
def stores(tmp_path: Path) -> list[KVDocumentStore]:
    return [SQLiteDocumentStore(tmp_path / "own" / "nodes.db"), SimpleDocumentStore()]


def test_it_does_what_the_store_in_memory_does(stores: list[KVDocumentStore]) -> None:
    found = []
    for store in stores:
        store.add_documents(NODES)
        store.add_documents(NODES[:3])
        store.set_document_hashes({"a": "1", "b": "2"})
        states = [everything(store)]
        store.delete_document(OWN[0])
        states.append(everything(store))
        with pytest.raises(ValueError, match="not found"):
            store.delete_document(OWN[0])
        store.delete_ref_doc("b")
        states.append(everything(store))
        for name in OWN[1:]:
            store.delete_document(name)
        states.append(everything(store))
        with pytest.raises(ValueError, match="not found"):
            store.delete_ref_doc("b")
        store.delete_ref_doc("b", raise_error=False)
        assert store.get_document("b", raise_error=False) is None
        found.append(states)
    assert found[0] == found[1]
    assert found[0][-1] == ({}, {}, {})


async def test_awaited_it_does_the_same_and_forgets_the_ids_of_deleted_nodes(stores: list[KVDocumentStore]) -> None:
    store = stores[0]
    await store.async_add_documents(NODES)
    await store.aset_document_hash("a", "1")
    assert await store.aget_document_hash("a") == "1"
    assert (await store.aget_document(OWN[0])).node_id == OWN[0]
    assert await store.adocument_exists(OWN[0])
    await store.adelete_document(OWN[0])
    assert OWN[0] not in (await store.aget_ref_doc_info("a")).node_ids
    await store.adelete_ref_doc("a")
    assert {node.ref_doc_id for node in store.docs.values()} == {"b"}
    assert await store.aget_all_ref_doc_info() == store.get_all_ref_doc_info()
    await asyncio.gather(*(store.adelete_document(name) for name in list(store.docs)))
    assert store.docs == {}


def test_what_was_written_is_there_for_another_store_on_the_file_and_namespaces_are_apart(tmp_path: Path) -> None:
    first = SQLiteDocumentStore(tmp_path / "nodes.db")
    other = SQLiteDocumentStore(tmp_path / "nodes.db", namespace="docstore2")
    first.add_documents(NODES)
    again = SQLiteDocumentStore(tmp_path / "nodes.db")
    assert everything(again) == everything(first)
    assert other.docs == {}
    assert pickle.loads(pickle.dumps(first)).docs.keys() == first.docs.keys()
    first.close()
    with pytest.raises(SettingError, match="closed"):
        first.get_document("x", raise_error=False)


def test_namespaces_of_any_name_are_apart_or_refused(tmp_path: Path) -> None:
    path, names = tmp_path / "nodes.db", ["wiki", "Wiki", "wiki/data", "wiki/words", "data", ""]
    for name in names:
        SQLiteDocumentStore(path, namespace=name).add_documents([TextNode(id_="x", text=f"of {name}")])
    for name in names:
        store = SQLiteDocumentStore(path, namespace=name)
        assert [node.get_content() for node in store.docs.values()] == [f"of {name}"]
    for name in ("wiki/data\nx", "wiki/hierarchy/named x"):
        with pytest.raises(SettingError, match="namespace must have no line break"):
            SQLiteDocumentStore(path, namespace=name)


def test_it_serves_a_storage_context_and_a_pipeline(tmp_path: Path) -> None:
    store = SQLiteDocumentStore(tmp_path / "nodes.db")
    StorageContext.from_defaults(docstore=store).persist(str(tmp_path / "rest"))
    pipeline = IngestionPipeline(transformations=[SemanticHierarchyParser()], docstore=store, disable_cache=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # later versions say that there is no vector store
        assert len(pipeline.run(documents=ONE_ARTICLE)) > 0
        assert pipeline.run(documents=ONE_ARTICLE) == []


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("stop", [1, 2, 3])
async def test_nodes_and_their_listing_are_written_together_so_that_a_stop_leaves_none_that_no_delete_finds(
    awaited: bool, stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, update, updates = SQLiteDocumentStore(tmp_path / "nodes.db"), Store.update, 0

    def broken_update(self: Store, *given: Any) -> None:
        nonlocal updates
        updates += 1
        if updates == stop:
            raise KeyboardInterrupt
        update(self, *given)

    monkeypatch.setattr(Store, "update", broken_update)
    with suppress(KeyboardInterrupt):
        await store.async_add_documents(NODES) if awaited else store.add_documents(NODES)
    monkeypatch.undo()
    infos = store.get_all_ref_doc_info() or {}
    assert {name for info in infos.values() for name in info.node_ids} == set(store.docs)
    for name in ("a", "b"):
        store.delete_ref_doc(name, raise_error=False)
    assert everything(store) == ({}, {}, {})


def test_a_node_that_comes_with_another_document_is_in_its_list_alone(tmp_path: Path) -> None:
    def node(name: str, source: str) -> TextNode:
        return TextNode(id_=name, text=name, relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source)})

    store = SQLiteDocumentStore(tmp_path / "nodes.db")
    store.add_documents([node("a", "one"), node("b", "one"), node("c", "c"), node("a", "one")])
    store.add_documents([node("a", "two"), node("c", "one"), node("c", "two")])
    infos = store.get_all_ref_doc_info() or {}
    assert {name: info.node_ids for name, info in infos.items()} == {"one": ["b"], "two": ["a", "c"]}
    store.delete_ref_doc("c", raise_error=False)
    store.delete_ref_doc("one")
    assert set(store.docs) == set(store.get_all_document_hashes().values()) == {"a", "c"}
