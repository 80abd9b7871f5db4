"""A folder holds an index in little room, gives it back to LlamaIndex's own loader, and takes nothing from others."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import BREAD, documents, index, parser, rows, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import (
    Document,
    Settings,
    StorageContext,
    SummaryIndex,
    VectorStoreIndex,
    load_index_from_storage,
)
from llama_index.core.data_structs.data_structs import IndexDict
from llama_index.core.schema import TextNode

from caesura import SettingError
from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding
from llama_index.node_parser.caesura.retrieval.packed_stores import HierarchyStruct


def size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["index", "storage_context"])
def test_a_folder_takes_a_fraction_of_what_the_plain_stores_take(tmp_path: Path, how: str) -> None:
    many = [Document(text=ARTICLE * 8, id_=str(number)) for number in range(12)]
    made = index(embed_model=StaticEmbedding())
    made.upsert(many)
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    made.persist(packed) if how == "index" else made.storage_context.persist(persist_dir=str(packed))
    made.docstore.persist(str(plain / "nodes.json"))
    made.vector_store.persist(str(plain / "rows.json"))
    assert size(packed) < size(plain) / 4
    assert not made.index_struct.packed, "the index itself goes on as it was"
    assert made.upsert(many).unchanged == 12


def test_llama_index_loads_it_and_it_is_as_it_was(tmp_path: Path) -> None:
    made = index()
    made.upsert(documents())
    made.set_index_id("island")
    made.storage_context.persist(tmp_path)
    settings: dict[str, Any] = {"transformations": [parser()], "embed_model": Words()}
    for name in (None, "island"):
        stores = StorageContext.from_defaults(persist_dir=str(tmp_path))
        loaded = load_index_from_storage(stores, name, **settings)
        assert isinstance(loaded, HierarchyIndex)
        assert loaded.index_id == "island"
        assert rows(loaded) == rows(made)
        assert texts(loaded, BREAD) == texts(made, BREAD)
        assert loaded.upsert(documents()) == (0, 0, 3, 0)
        edited = [Document(text=ARTICLE.replace("smooth", "soft"), id_="a"), *documents()[1:]]
        loaded.upsert(edited)
        whole(loaded, edited)
    ours, theirs = (each.vector_store.data for each in (made, HierarchyIndex.load(tmp_path, **settings)))  # type: ignore[attr-defined]
    for row, numbers in ours.embedding_dict.items():
        np.testing.assert_allclose(theirs.embedding_dict[row], numbers, rtol=1e-6)
    assert (ours.metadata_dict, ours.text_id_to_ref_doc_id) == (theirs.metadata_dict, theirs.text_id_to_ref_doc_id)


@pytest.mark.thorough
def test_without_this_package_the_error_names_it(tmp_path: Path) -> None:
    made = index()
    made.upsert(documents()[:1])
    made.persist(tmp_path)
    program = (
        "from llama_index.core import StorageContext, load_index_from_storage\n"
        f"load_index_from_storage(StorageContext.from_defaults(persist_dir={str(tmp_path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "KeyError: 'llama_index.node_parser.caesura.HierarchyIndex'" in done.stderr


def test_an_index_beside_it_in_the_same_stores_keeps_its_nodes_and_rows(tmp_path: Path) -> None:
    Settings.embed_model = Words()
    stores = StorageContext.from_defaults()
    other = VectorStoreIndex([TextNode(text="Snow falls on the sea.", id_="snow")], storage_context=stores)
    other.set_index_id("snow")
    made = index(storage_context=stores)
    made.upsert(documents())
    made.set_index_id("island")
    made.persist(tmp_path)
    stores = StorageContext.from_defaults(persist_dir=str(tmp_path))
    found = load_index_from_storage(stores, "snow").as_retriever().retrieve("Snow")
    assert [each.node.node_id for each in found] == ["snow"]
    loaded = load_index_from_storage(stores, "island", transformations=[parser()])
    assert isinstance(loaded, HierarchyIndex)
    assert texts(loaded, BREAD) == texts(made, BREAD)


def test_vectors_alone_are_packed_beside_nodes_in_a_file(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.db"
    settings: dict[str, Any] = {"transformations": [parser()], "embed_model": Words()}
    made = index(docstore=SQLiteDocumentStore(nodes))
    made.upsert(documents())
    made.persist(tmp_path / "rows")
    made.docstore.close()  # type: ignore[attr-defined]
    loaded = HierarchyIndex.load(tmp_path / "rows", docstore=SQLiteDocumentStore(nodes), **settings)
    assert texts(loaded, BREAD)
    assert loaded.upsert(documents()) == (0, 0, 3, 0)


def test_another_index_struct_is_refused() -> None:
    other = VectorStoreIndex([], embed_model=Words())
    with pytest.raises(SettingError, match="index_struct must be that of a HierarchyIndex"):
        index(index_struct=other.index_struct)
    with pytest.raises(SettingError, match="name it, storage_context=…"):
        HierarchyIndex(StorageContext.from_defaults())  # type: ignore[arg-type]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_a_copy_is_an_index_of_its_own(tmp_path: Path, copied: Any) -> None:
    made = index()
    made.upsert(documents()[:1])
    other = copied(made)
    assert other.upsert(documents()) == (2, 0, 1, 0)
    other.persist(tmp_path)
    loaded = HierarchyIndex.load(tmp_path, transformations=[parser()], embed_model=Words())
    assert rows(loaded) == rows(other) > rows(made)
    assert texts(loaded, BREAD) == texts(other, BREAD)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    made = index()
    made.upsert(documents())
    made.persist(tmp_path)
    for name in ("docstore.json", "index_store.json", "default__vector_store.json"):
        file = tmp_path / name
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2])
        with pytest.raises(SettingError, match=f"damaged file, {name}"):
            HierarchyIndex.load(tmp_path)
        file.write_bytes(content)
    file = tmp_path / "index_store.json"
    stored = json.loads(file.read_bytes())
    for part in ("nodes", "rows", "of_rows"):
        entries = copy.deepcopy(stored)
        for entry in entries["index_store/data"].values():
            struct = json.loads(entry["__data__"])
            struct["packed"][part] = struct["packed"][part][:40]
            entry["__data__"] = json.dumps(struct)
        file.write_text(json.dumps(entries))
        with pytest.raises(SettingError, match=r"in index_store\.json is damaged"):
            load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)), embed_model=Words())


def test_a_stop_while_it_is_written_leaves_the_folder_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = index()
    made.upsert(documents()[:1])
    made.persist(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    made.upsert(documents())

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(made.storage_context.graph_store), "persist", stop)
    with pytest.raises(KeyboardInterrupt):
        made.persist(tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_metadata_that_json_has_no_form_for_are_told_of(tmp_path: Path) -> None:
    made = index()
    made.upsert([Document(text="Snow falls.", id_="snow", metadata={"when": date(2026, 1, 1)})])
    with pytest.raises(SettingError, match="date is not JSON serializable; metadata must be text"):
        made.persist(tmp_path)


def test_a_folder_of_another_index_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    other = VectorStoreIndex([TextNode(text="Snow falls.", id_="snow")], embed_model=Words())
    other.set_index_id("snow")
    other.storage_context.persist(tmp_path)
    with pytest.raises(SettingError, match=r"holds a VectorStoreIndex of 1 nodes, and HierarchyIndex\.load needs"):
        HierarchyIndex.load(tmp_path, embed_model=Words())
    SummaryIndex([TextNode(text="Rain.")], storage_context=other.storage_context)
    other.storage_context.persist(tmp_path)
    with pytest.raises(SettingError, match="holds a VectorStoreIndex and a SummaryIndex of 2 nodes, and "):
        HierarchyIndex.load(tmp_path, embed_model=Words())
    StorageContext.from_defaults().persist(tmp_path / "bare")
    with pytest.raises(SettingError, match=r"holds no index, and HierarchyIndex\.load needs"):
        HierarchyIndex.load(tmp_path / "bare", embed_model=Words())


def test_a_file_of_vectors_that_is_missing_is_named(tmp_path: Path) -> None:
    made = index()
    made.upsert(documents())
    made.persist(tmp_path)
    (tmp_path / "default__vector_store.json").unlink()
    with pytest.raises(SettingError, match=r"the file default__vector_store\.json is missing"):
        HierarchyIndex.load(tmp_path)
    with pytest.raises(SettingError, match=r"the file default__vector_store\.json is missing"):
        load_index_from_storage(StorageContext.from_defaults(persist_dir=str(tmp_path)), embed_model=Words())


@pytest.mark.parametrize("folder", [None, "", 3])
def test_what_is_no_path_is_refused(folder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = index()
    for use in (HierarchyIndex.load, made.persist, made.storage_context.persist):
        with pytest.raises(SettingError, match=f"persist_dir must be the path of a folder, got {folder!r}"):
            use(folder)
    assert not [*tmp_path.iterdir()], "nothing is written into the working folder"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("{}")
    with pytest.raises(SettingError, match=r"index\.json' is a file: name a folder"):
        index().persist(tmp_path / "index.json")


def test_a_list_of_rows_is_written_as_llama_index_writes_it() -> None:
    struct = HierarchyStruct("an index", "its summary", {"a": "b"}, {"c": ["d"]}, {"e": [0.5]}, "owner", {"f": "g"})
    assert struct.to_dict() == IndexDict.to_dict(struct)
    assert HierarchyStruct.from_json(struct.to_json()) == struct
