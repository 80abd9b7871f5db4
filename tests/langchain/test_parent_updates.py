"""Adding, adding again, changing, deleting: nothing twice, nothing stale, nothing paid for twice, no other touched."""

from __future__ import annotations

from typing import Any

import pytest
from articles import article
from langchain_core.documents import Document
from langchain_fakes import Bag
from langchain_lesser_fakes import NoLookup, NoNames
from langchain_parent_fakes import DOCUMENTS, SPLITTINGS, every_splitting, kept, retriever, rows, sound, stored
from langchain_store_fakes import ClockedDocuments, ClockedVectors
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import DoublePassSemanticSplitter, SemanticHierarchySplitter
from langchain_caesura.parents.records import RECORDS, record_key


def edited(document: Document) -> Document:
    text = document.page_content
    return document.model_copy(update={"page_content": text[: len(text) // 2] + " The parrot spoke."})


@every_splitting
@pytest.mark.parametrize("store", [ClockedVectors, NoLookup, NoNames])
def test_adding_the_same_again_writes_and_embeds_nothing(settings: dict[str, Any], store: type[ClockedVectors]) -> None:
    vectors, documents = store(Bag()), ClockedDocuments()
    made = retriever(vectors, docstore=documents, **settings)
    assert made.add_documents(DOCUMENTS) == [f"doc-{number}" for number in range(5)]
    before, calls = rows(made), len(vectors.clock.calls) + len(documents.clock.calls)
    embedded = len(vectors.embedding.texts)
    assert made.add_documents([document.model_copy(deep=True) for document in DOCUMENTS]) == [
        f"doc-{number}" for number in range(5)
    ]
    assert rows(made) == before
    assert len(vectors.clock.calls) + len(documents.clock.calls) == calls
    assert len(vectors.embedding.texts) == embedded


def test_an_unchanged_document_costs_a_semantic_splitter_nothing_either() -> None:
    sentences = Bag()
    splitter = DoublePassSemanticSplitter(sentences, chunk_size=120, calibrated=False)
    made = retriever(child_splitter=splitter)
    made.add_documents(DOCUMENTS)
    before = len(sentences.texts)
    made.add_documents([edited(DOCUMENTS[0]), *DOCUMENTS[1:]])
    assert 0 < len(sentences.texts) - before < before / 4


@every_splitting
async def test_a_changed_document_leaves_nothing_stale(settings: dict[str, Any]) -> None:
    made, fresh, waiting = retriever(**settings), retriever(**settings), retriever(**settings)
    made.add_documents(DOCUMENTS)
    await waiting.aadd_documents(DOCUMENTS)
    changed = [edited(DOCUMENTS[0]), *DOCUMENTS[1:]]
    made.add_documents(changed)
    await waiting.aadd_documents(changed[:1])
    fresh.add_documents(changed)
    assert rows(made) == rows(fresh) == rows(waiting)
    assert stored(made) == stored(fresh) == stored(waiting)
    assert "parrot" in made.invoke("parrot spoke", k=1)[0].page_content


def test_only_the_chunks_that_changed_are_embedded() -> None:
    vectors = ClockedVectors(Bag())
    made = retriever(vectors, **SPLITTINGS["recursive"])
    made.add_documents(DOCUMENTS)
    before = set(rows(made))
    vectors.embedding.calls.clear()
    end = DOCUMENTS[0].model_copy(update={"page_content": DOCUMENTS[0].page_content + "\n\nThe parrot spoke."})
    made.add_documents([end, *DOCUMENTS[1:]])
    assert len(vectors.embedding.texts) == len(set(rows(made)) - before) <= 8


def test_changed_metadata_is_a_change() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    made.add_documents([DOCUMENTS[0].model_copy(update={"metadata": {"source": "0.md", "version": 2}})])
    found = {(row["metadata"]["source"], row["metadata"]["version"]) for row in rows(made).values()}
    assert found == {("0.md", 2)} | {(f"{number}.md", 1) for number in range(1, 5)}
    assert len(kept(made)) == 5


def test_changed_settings_are_a_change_and_another_process_sees_the_same_ones() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    before = rows(made)
    same = retriever(
        made.vectorstore, docstore=made.docstore, child_splitter=DoublePassSemanticSplitter(chunk_size=120)
    )
    same.add_documents(DOCUMENTS)
    assert rows(made) == before
    other = retriever(
        made.vectorstore, docstore=made.docstore, child_splitter=DoublePassSemanticSplitter(chunk_size=90)
    )
    other.add_documents(DOCUMENTS)
    assert max(len(row["text"]) for row in rows(made).values()) <= 90
    assert len(kept(made)) == 5


@every_splitting
async def test_deleting_leaves_nothing_of_it_and_all_of_the_others(settings: dict[str, Any]) -> None:
    made, others = retriever(**settings), retriever(**settings)
    made.add_documents(DOCUMENTS)
    others.add_documents(DOCUMENTS[2:])
    assert made.delete(["doc-0", "none", "doc-0"])["succeeded"] == ["doc-0"]
    assert (await made.adelete(["doc-1"]))["num_deleted"] == 1
    assert rows(made) == rows(others)
    assert made.docstore.store == others.docstore.store
    assert made.delete(["doc-0"]) == {"num_deleted": 0, "succeeded": [], "num_failed": 0, "failed": []}


def test_deleting_and_changing_one_document_touches_its_own_rows_alone() -> None:
    documents = ClockedDocuments()
    made = retriever(docstore=documents, **SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    own = [key for key, parent in kept(made).items() if parent.id == "doc-3"]
    documents.asked.clear()
    made.delete(["doc-3"])
    made.add_documents([edited(DOCUMENTS[3])])
    assert set(documents.asked) <= {record_key("doc-3"), *own}


@pytest.mark.parametrize("ids", [None, "doc-0"])
def test_deleting_takes_a_list_of_ids(ids: Any) -> None:
    with pytest.raises(ValueError, match="ids must be a list"):
        retriever(**SPLITTINGS["whole"]).delete(ids)


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_blank_document_stores_no_parent_and_replaces_what_was_there(text: str) -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents([Document(text, id="doc-0")])
    assert kept(made) == {}
    assert rows(made) == {}
    made.add_documents(DOCUMENTS[:1])
    made.add_documents([Document(text, id="doc-0")])
    assert kept(made) == {}
    assert rows(made) == {}


def test_adding_and_deleting_nothing_is_nothing() -> None:
    vectors, documents = ClockedVectors(Bag()), ClockedDocuments()
    made = retriever(vectors, docstore=documents, **SPLITTINGS["whole"])
    assert made.add_documents([]) == []
    assert made.delete([])["succeeded"] == []
    assert (vectors.clock.calls, documents.clock.calls) == ([], [])


# -- many ------------------------------------------------------------------------------------------------------------


def test_stores_are_given_batches_that_they_take() -> None:
    vectors = ClockedVectors(Bag(), most=7)
    made = retriever(
        vectors, child_splitter=RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0), batch_size=7
    )
    many = [Document(article(4, seed), id=str(seed)) for seed in range(450)]
    made.add_documents(many)
    assert len(kept(made)) == 450
    assert sound(made)
    made.delete([str(seed) for seed in range(450)])
    assert made.docstore.store == rows(made) == {}


def test_one_call_of_a_semantic_splitters_embeddings_serves_many_documents() -> None:
    sentences = Bag()
    made = retriever(child_splitter=SemanticHierarchySplitter(sentences, chunk_sizes=(500, 120), calibrated=False))
    made.add_documents(DOCUMENTS)
    assert len(sentences.calls) == 1
    assert len(sentences.texts) == sum(document.page_content.count(".") for document in DOCUMENTS)


def test_child_metadata_is_flat_or_what_is_asked_for() -> None:
    document = Document(article(10), id="a", metadata={"source": "a", "list": [1], "none": None, 3: 4})
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents([document])
    ours = {"doc_id", "start_index", "end_index", "sibling_count"}
    assert all(set(row["metadata"]) == {"source", *ours} for row in rows(made).values())
    made = retriever(**SPLITTINGS["whole"], child_metadata_fields=["none such"], id_key="parent")
    made.add_documents([document])
    assert all(set(row["metadata"]) == (ours - {"doc_id"}) | {"parent"} for row in rows(made).values())
    assert made.invoke("cat", k=1)[0].metadata["list"] == [1]
    assert all(key.startswith(RECORDS) or key in kept(made) for key in made.docstore.store)
