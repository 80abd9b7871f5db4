"""An index whose stores or embedder fail in the middle: what can be found can be returned, and the next call heals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fakes.llama_index.embeddings import Words
from fakes.llama_index.failing_stores import Breaking, BreakingEntries
from fakes.llama_index.indexes import BREAD, documents, index, texts, whole
from fakes.llama_index.parsers import ARTICLE
from llama_index.core import Document
from llama_index.core.schema import BaseNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from caesura.errors import EmbeddingError, SettingError
from llama_index.node_parser.caesura import HierarchyIndex, SQLiteDocumentStore
from llama_index.node_parser.caesura.retrieval.leaf_words import open_leaf_words


class Away(Words):
    """Fails, or returns rows of another length, while it is told to."""

    faults: ClassVar[dict[str, Any]] = {}

    def rows(self, texts: list[str]) -> Any:
        if self.faults.get("away"):
            raise ConnectionError("the embedder is away")
        return [row[: self.faults.get("width", 16)] for row in super().rows(texts)]


def returned(made: HierarchyIndex, caplog: pytest.LogCaptureFixture) -> None:
    """Holds that whatever can be found can be returned, with its parents."""
    made.vector_store.fails_at = None
    nodes = made.docstore.docs
    for budget in (None, 1000):
        for each in made.as_retriever(budget, similarity_top_k=100, merge_ratio=1).retrieve(BREAD):
            assert each.node.node_id in nodes or any(each.text in node.text for node in nodes.values())
    assert "not in the docstore" not in caplog.text


@pytest.mark.thorough
@pytest.mark.parametrize("stop", range(1, 4))
@pytest.mark.parametrize("change", ["edit", "metadata", "add"])
def test_a_vector_store_that_fails_in_the_middle_leaves_nothing_that_cannot_be_returned_and_heals(
    stop: int, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = Breaking()
    made = index(vector_store=store, docstore=SimpleDocumentStore())
    made.upsert(documents()[1:] if change == "add" else documents())
    edited = documents()
    if change == "edit":
        edited[0] = Document(text=ARTICLE + " Snow falls on the sea.", id_="a")
    elif change == "metadata":
        edited[0].metadata["kind"] = "essay"
    store.fails_at = len(store.calls) + stop
    try:
        made.upsert(edited)
    except ConnectionError:
        returned(made, caplog)
    store.fails_at = None
    assert made.upsert(documents()).updated == (0 if change == "add" and stop > 1 else 1)  # taken back
    whole(made, documents())
    made.upsert(edited)
    whole(made, edited)


@pytest.mark.parametrize("stop", range(1, 6))
def test_a_document_store_that_fails_in_the_middle_does_too(stop: int, caplog: pytest.LogCaptureFixture) -> None:
    store = BreakingEntries()
    made = index(vector_store=Breaking(), docstore=SimpleDocumentStore(store))
    made.upsert(documents())
    edited = [Document(text=ARTICLE.replace("smooth", "soft"), id_="a"), *documents()[1:]]
    store.fails_at = store.writes + stop
    with pytest.raises(ConnectionError):
        made.upsert(edited)
    returned(made, caplog)
    store.fails_at = None
    made.upsert(edited)
    whole(made, edited)


@pytest.mark.parametrize("call", ["put", "delete"])
def test_words_that_cannot_be_written_leave_nothing_that_cannot_be_returned_and_heal(
    call: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    made = index(vector_store=Breaking(), docstore=SimpleDocumentStore())
    made.upsert(documents())
    edited = [Document(text=ARTICLE.replace("smooth", "soft"), id_="a"), *documents()[1:]]
    monkeypatch.setattr(open_leaf_words(made.docstore), call, fail)
    with pytest.raises(OSError, match="full"):
        made.upsert(edited) if call == "put" else made.delete_ref_doc("a")
    returned(made, caplog)
    monkeypatch.undo()
    made.upsert(edited)
    whole(made, edited)
    assert open_leaf_words(made.docstore).search("smooth").scores == {}
    assert open_leaf_words(made.docstore).search("soft").scores


@pytest.mark.parametrize("stop", [1, 2])
def test_a_delete_that_stops_in_the_middle_can_be_repeated_or_taken_back(
    stop: int, caplog: pytest.LogCaptureFixture
) -> None:
    for repeat in (True, False):
        vectors, store = Breaking(), BreakingEntries()
        made = index(vector_store=vectors, docstore=SimpleDocumentStore(store))
        made.upsert(documents())
        if stop == 1:
            vectors.fails_at = len(vectors.calls) + 1
        else:
            store.fails_at = store.writes + 2
        with pytest.raises(ConnectionError):
            made.delete_ref_doc("a")
        returned(made, caplog)
        vectors.fails_at = store.fails_at = None
        if repeat:
            made.delete_ref_doc("a")
            whole(made, documents()[1:])
        else:
            made.upsert(documents())
            whole(made, documents())


@pytest.mark.parametrize("in_file", [False, True])
def test_a_mirror_whose_deletion_stopped_is_finished_by_the_next(in_file: bool, tmp_path: Path) -> None:
    vectors = Breaking()
    store = SQLiteDocumentStore(tmp_path / "nodes.db") if in_file else SimpleDocumentStore()
    made = index(vector_store=vectors, docstore=store)
    made.mirror(documents())
    vectors.fails_at = len(vectors.calls) + 1
    with pytest.raises(ConnectionError):
        made.mirror(documents()[1:])
    vectors.fails_at = None
    assert made.mirror(documents()[1:]).deleted == 1
    whole(made, documents()[1:])
    assert "a" not in {*open_leaf_words(made.docstore).names()}
    assert made.mirror(documents()[1:]).deleted == 0


def test_nothing_is_written_where_embedding_fails() -> None:
    made = index()
    made.upsert(documents())

    class Failing(Words):
        """Has no answer."""

        def rows(self, texts: list[str]) -> Any:
            raise ConnectionError("no embedder")

    made.embed_model = Failing()
    with pytest.raises(ConnectionError):
        made.upsert([Document(text="Something else.", id_="a")])
    whole(made, documents())


@pytest.mark.parametrize("fails", ["embedder", "vector store"])
def test_a_failed_write_loses_no_row_that_was_embedded(fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store, model = Breaking(), Away()
    made = index(vector_store=store, docstore=SimpleDocumentStore(), embed_model=model)
    made.upsert([Document(text=ARTICLE, id_="a")])
    model.all_calls.clear()
    text = f"Fog came in at night, and nobody saw the pier. {ARTICLE}"
    store.fails_at = None if fails == "embedder" else 1
    monkeypatch.setitem(model.faults, "away", fails == "embedder")
    with pytest.raises(ConnectionError):
        made.upsert([Document(text=text, id_="a")])
    monkeypatch.setitem(model.faults, "away", False)
    store.fails_at = None
    (first,) = model.calls
    made.upsert([Document(text=text, id_="a")])
    assert model.calls == ([first, first] if fails == "embedder" else [first])
    assert len(first) <= 3
    whole(made, [Document(text=text, id_="a")])


def test_rows_that_are_refused_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = index(embed_model=(model := Away()))
    made.upsert(documents())
    monkeypatch.setitem(model.faults, "width", 15)
    with pytest.raises(SettingError, match="15"):
        made.upsert([Document(text="Something else.", id_="a")])
    monkeypatch.setitem(model.faults, "width", 16)
    made.upsert([Document(text="Something else.", id_="a")])
    assert model.calls[-1] == model.calls[-2] == ["Something else."]
    whole(made, [Document(text="Something else.", id_="a"), *documents()[1:]])


def test_batches_make_the_same_index_and_those_before_a_failure_are_kept() -> None:
    store = Breaking()
    made = index(vector_store=store, docstore=SimpleDocumentStore(), batch_size=1)
    store.fails_at = 2
    with pytest.raises(ConnectionError):
        made.upsert(documents())
    store.fails_at = None
    assert made.upsert(documents()).unchanged == 1
    whole(made, documents())


@pytest.mark.parametrize("count", [0, 1, 99])
def test_a_stop_just_after_rows_were_taken_breaks_no_search_before_the_write_is_repeated(
    count: int, tmp_path: Path
) -> None:
    class Interrupted(SimpleVectorStore):
        """Takes some rows, and is interrupted."""

        broken: bool = False

        def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
            if self.broken:
                super().add(nodes[:count], **kwargs)
                raise KeyboardInterrupt
            return super().add(nodes, **kwargs)

    store = Interrupted()
    made = index(vector_store=store, docstore=SimpleDocumentStore())
    made.upsert(documents()[:1])
    store.broken = True
    with pytest.raises(KeyboardInterrupt):
        made.upsert(documents()[1:])
    store.broken = False
    made.persist(tmp_path)
    kept = HierarchyIndex.load(tmp_path, transformations=made.transformations, embed_model=made.embed_model)
    for each in (made, kept):
        assert set(store.data.embedding_dict) <= set(each.index_struct.nodes_dict)
        assert any("dough" in text for text in texts(each, BREAD, similarity_top_k=99))
        each.upsert(documents())
        whole(each, documents())


@pytest.mark.parametrize("fault", ["ragged", "too few", "empty"])
def test_vectors_that_no_search_could_compare_are_refused_before_anything_is_written(fault: str) -> None:
    class Odd(Words):
        """Answers in another length, or not for every text."""

        def rows(self, texts: list[str]) -> Any:
            made = super().rows(texts)
            return {"ragged": [*made[:-1], made[-1][:2]], "too few": made[:-1], "empty": [[] for _ in made]}[fault]

    made = index()
    made.upsert(documents())
    made.embed_model = Odd()
    with pytest.raises(EmbeddingError, match="must return"):
        made.upsert([Document(text=ARTICLE.replace("smooth", "soft"), id_="a")])
    whole(made, documents())
