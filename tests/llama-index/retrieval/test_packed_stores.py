"""A folder holds an index in little room, gives it back to LlamaIndex's own loader, and takes nothing from others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.indexes import BREAD, documents, index, parser, rows, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document, Settings, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.schema import TextNode

from caesura import SettingError
from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore, StaticEmbedding


def size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


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
