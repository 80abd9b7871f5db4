"""Documents are written in batches, one of which is in memory, and the index's own list of rows once a call."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.failing_stores import Breaking
from fakes.llama_index.indexes import index, whole
from llama_index.core import Document, StorageContext
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.data_structs.data_structs import IndexStruct
from llama_index.core.schema import BaseNode
from llama_index.core.storage.index_store import SimpleIndexStore
from llama_index.core.vector_stores import SimpleVectorStore

from llama_index.node_parser.caesura import SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval import writer

DOCUMENTS = [
    Document(text=" ".join(f"Mill {mill} of town {town} grinds {mill * 7} sacks a day." for mill in range(9)), id_=town)
    for town in ("Ash", "Bow", "Cam", "Dee", "Exe", "Fal")
]


@pytest.fixture(autouse=True)
def two_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "CHARACTERS", 2 * len(DOCUMENTS[0].text) + 1)


class Watching(SimpleVectorStore):
    """Keeps which documents each call is of, and how many of the nodes that it was ever given are there."""

    _added: list[set[str | None]] = PrivateAttr(default_factory=list)
    _deleted: int = PrivateAttr(default=0)
    _given: list[Any] = PrivateAttr(default_factory=list)
    _alive: list[int] = PrivateAttr(default_factory=list)

    def add(self, nodes: Sequence[BaseNode], **options: Any) -> list[str]:
        self._added.append({node.ref_doc_id for node in nodes})
        self._given += map(weakref.ref, nodes)
        self._alive.append(sum(each() is not None for each in self._given))
        return super().add(nodes, **options)

    def delete_nodes(self, *given: Any, **options: Any) -> None:
        self._deleted += 1
        super().delete_nodes(*given, **options)


class Saved(SimpleIndexStore):
    """Counts how often it is given an index."""

    times = 0

    def add_index_struct(self, index_struct: IndexStruct) -> None:
        self.times += 1
        super().add_index_struct(index_struct)

    def rows(self) -> set[str]:
        [struct] = self.index_structs()
        return set(struct.nodes_dict)


def test_as_many_documents_are_written_together_as_have_so_many_characters(tmp_path: Path) -> None:
    store = Watching()
    made = index(vector_store=store, docstore=SQLiteDocumentStore(tmp_path / "nodes.db"))
    long = Document(text=DOCUMENTS[0].text * 5, id_="long")
    assert made.upsert([*DOCUMENTS[:3], long, *DOCUMENTS[3:]]).added == 7
    assert store._added == [{"Ash", "Bow"}, {"Cam"}, {"long"}, {"Dee", "Exe"}, {"Fal"}]


def test_the_nodes_of_one_batch_are_in_memory_at_a_time(tmp_path: Path) -> None:
    store = Watching()
    index(vector_store=store, docstore=SQLiteDocumentStore(tmp_path / "nodes.db")).upsert(DOCUMENTS)
    assert len(store._alive) == 3
    assert max(store._alive) == store._alive[0]


def test_documents_written_in_batches_are_the_same_as_one_by_one() -> None:
    made = index()
    for each in DOCUMENTS:
        made.upsert([each])
    whole(made, DOCUMENTS)


def test_the_list_of_rows_is_written_whole_once_a_call() -> None:
    saved = Saved()
    made = index(storage_context=StorageContext.from_defaults(index_store=saved))
    before = saved.times
    made.upsert(DOCUMENTS)
    assert saved.times == before + 1
    assert saved.rows() == set(made.index_struct.nodes_dict) != set()
    assert made.upsert(DOCUMENTS).unchanged == 6
    assert saved.times == before + 1
    made.delete_ref_doc("Ash")
    assert saved.rows() == set(made.index_struct.nodes_dict)


def test_the_list_of_rows_has_those_of_the_batches_before_one_that_fails() -> None:
    saved, store = Saved(), Breaking()
    made = index(storage_context=StorageContext.from_defaults(index_store=saved, vector_store=store))
    store.fails_at = len(store.calls) + 2
    with pytest.raises(ConnectionError):
        made.upsert(DOCUMENTS)
    assert set(store.data.embedding_dict) <= saved.rows()
    assert saved.rows() == set(made.index_struct.nodes_dict) != set()
    store.fails_at = None
    made.upsert(DOCUMENTS)
    whole(made, DOCUMENTS)


def test_documents_that_mirror_deletes_go_together() -> None:
    store = Watching()
    made = index(storage_context=StorageContext.from_defaults(vector_store=store))
    made.upsert(DOCUMENTS)
    assert made.mirror(DOCUMENTS[:2]).deleted == 4
    assert store._deleted == 1
    whole(made, DOCUMENTS[:2])
    assert sorted(made.ref_doc_info) == ["Ash", "Bow"]


def test_equal_parts_of_nodes_in_memory_are_kept_once_and_nodes_are_the_same() -> None:
    made = index()
    made.upsert(DOCUMENTS[:1])
    docstore = made.docstore
    stored = [docstore._kvstore.get(name, docstore._node_collection) or {} for name in docstore.docs]
    sources = [each["__data__"]["relationships"]["1"] for each in stored]
    assert len(sources) > 1
    assert all(each is sources[0] for each in sources)
    first, second, *_ = docstore.docs.values()
    assert first.source_node == second.source_node
    assert first.source_node is not second.source_node
    first.excluded_llm_metadata_keys.append("kind")
    assert "kind" not in second.excluded_llm_metadata_keys
    whole(made, DOCUMENTS[:1])


def of_file(path: str, text: str, **metadata: Any) -> Document:
    """A document of a file, with a random id."""
    found = {"file_path": path, **metadata}
    return Document(
        text=text, metadata=found, excluded_embed_metadata_keys=[*found], excluded_llm_metadata_keys=[*found]
    )


def copies(number: int) -> list[Document]:
    """Two files of each of so many texts."""
    return [of_file(f"/{at}/{each}", f"Mill {each} stands.") for each in range(number) for at in "ab"]


def test_one_text_in_two_files_of_different_batches_is_two_new_documents(tmp_path: Path) -> None:
    given = copies(2)
    for docstore in (None, SQLiteDocumentStore(tmp_path / "nodes.db")):
        made = index(docstore=docstore, batch_size=1)
        assert made.refresh_ref_docs(given) == [True] * 4
        assert made.upsert(given).unchanged == 4
        assert made.upsert(copies(2)).unchanged == 4
        assert set(made.ref_doc_info) == {each.node_id for each in given}


def test_more_copies_in_different_batches_than_a_write_is_repeated_are_written() -> None:
    given = copies(writer.RETRIES + 2)
    assert index(batch_size=1).upsert(given).added == len(given)


def test_a_text_that_one_file_lost_and_another_got_is_one_change_and_one_new_document() -> None:
    made = index(batch_size=1)
    first = of_file("/a", "The mill stands.")
    made.upsert([first])
    changed, moved = of_file("/a", "The mill burned."), of_file("/b", "The mill stands.")
    changed.id_ = first.node_id
    assert made.upsert([changed, moved])[:3] == (1, 1, 0)
    assert set(made.ref_doc_info) == {first.node_id, moved.node_id}
