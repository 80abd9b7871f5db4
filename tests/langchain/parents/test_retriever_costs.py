"""What is paid for documents that are added again or changed: only for what is new, in batches that stores take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.lesser_stores import NoLookup, NoNames
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, edited, every_splitting, kept, retriever, rows, sound
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedDocuments, ClockedVectors
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura_store.sqlite_store import Pieces, Store
from langchain_caesura import DoublePassSemanticSplitter, SemanticHierarchySplitter, SQLiteDocumentStore
from langchain_caesura.parents import indexing
from langchain_caesura.parents.record import RECORDS

LINES = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=0, separators=["\n"])


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


def test_only_the_chunks_that_changed_are_embedded() -> None:
    vectors = ClockedVectors(Bag())
    made = retriever(vectors, **SPLITTINGS["recursive"])
    made.add_documents(DOCUMENTS)
    before = set(rows(made))
    vectors.embedding.calls.clear()
    end = DOCUMENTS[0].model_copy(update={"page_content": DOCUMENTS[0].page_content + "\n\nThe parrot spoke."})
    made.add_documents([end, *DOCUMENTS[1:]])
    assert len(vectors.embedding.texts) == len(set(rows(made)) - before) <= 8


def test_large_documents_are_written_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, whole = ClockedVectors(Bag()), retriever(**SPLITTINGS["both"])
    whole.add_documents(DOCUMENTS)
    made = retriever(vectors, **SPLITTINGS["both"])
    monkeypatch.setattr(indexing, "CHARACTERS", 2 * max(len(each.page_content) for each in DOCUMENTS))
    assert made.add_documents(DOCUMENTS) == [each.id for each in DOCUMENTS]
    assert len(vectors.written) == 3
    assert [each.page_content for each in kept(made).values()] == [each.page_content for each in kept(whole).values()]
    assert made.invoke("Does the captain steer?") == whole.invoke("Does the captain steer?")


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


def test_of_the_record_of_a_long_document_the_next_search_reads_the_beginning_unless_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, plain = list[str](), Store.get_pieces

    def noting(self: Store, numbers: Mapping[str, Iterable[int]]) -> dict[str, Pieces]:
        found = plain(self, numbers)
        read.extend(key for key, own in found.items() if key.startswith(RECORDS) and len(own.found) > 1)
        return found

    def told(number: int) -> Document:
        lines = [f"Wheel {each} turns in the inlet of the mill." for each in range(600)]
        return Document("\n".join([*lines, f"Anna sells the honey at market {number}."]), id="bees")

    monkeypatch.setattr(Store, "get_pieces", noting)
    vectors, settings = ClockedVectors(Bag()), {"child_splitter": LINES, "budget": 120, "words": None}
    with SQLiteDocumentStore(tmp_path / "documents.db") as one, SQLiteDocumentStore(one.path) as other:
        made, writer = (retriever(vectors, docstore=store, **settings) for store in (one, other))
        for number in range(2):
            writer.add_documents([told(number)])
            read.clear()
            for question in ("Who sells honey?", "Where is the market of Anna?", "honey"):
                assert f"market {number}" in made.invoke(question)[0].page_content
            assert len(read) == 1
