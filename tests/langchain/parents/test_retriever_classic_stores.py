"""Stores that langchain-classic wrote are added to, and what it wrote is left alone."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from fakes.langchain.retrievers import retriever
from fakes.langchain.splitters import Bag
from fakes.texts.articles import article
from langchain_classic.retrievers import ParentDocumentRetriever as ClassicRetriever
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

DOCUMENTS = [Document(article(20, seed), metadata={"source": f"{seed}.md"}) for seed in range(6)]
QUESTION = "Does the captain steer the ship?"
CLASSIC: dict[str, Any] = {
    "child_splitter": RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=0),
    "parent_splitter": RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0),
}


@pytest.mark.parametrize("id_key", ["doc_id", "my_parent"])
async def test_what_classics_retriever_wrote_is_not_returned(id_key: str) -> None:
    """No record says where in their documents its rows stand, and whether they are current."""
    vectors, parents = InMemoryVectorStore(Bag()), InMemoryStore()
    ClassicRetriever(vectorstore=vectors, docstore=parents, id_key=id_key, **CLASSIC).add_documents(DOCUMENTS)
    made = retriever(vectors, docstore=parents, id_key=id_key, k=3)
    for budget in (None, 300):
        with pytest.warns(UserWarning, match=rf"rows of another index only, .*'{id_key}': .* add_documents\(\) of"):
            assert made.invoke(QUESTION, budget=budget) == []
        with pytest.warns(UserWarning, match="langchain-classic's ParentDocumentRetriever"):
            assert await made.ainvoke(QUESTION, budget=budget) == []


def test_documents_are_added_to_a_store_that_classic_wrote(caplog: pytest.LogCaptureFixture) -> None:
    made = retriever(InMemoryVectorStore(Bag()), **CLASSIC, k=1)
    ClassicRetriever(vectorstore=made.vectorstore, docstore=made.docstore, **CLASSIC).add_documents(DOCUMENTS)
    made.add_documents([Document("The parrot spoke.", id="parrot")])
    with caplog.at_level(logging.WARNING):
        assert [parent.page_content for parent in made.invoke("parrot")] == ["The parrot spoke."]
    assert caplog.text == ""


def test_a_document_store_of_files_takes_our_keys(tmp_path: Path) -> None:
    files = create_kv_docstore(LocalFileStore(tmp_path))
    made = retriever(docstore=files, **CLASSIC, k=2)
    odd = [one.model_copy(update={"id": f"folder/{number} é:?*"}) for number, one in enumerate(DOCUMENTS)]
    made.add_documents(odd)
    assert len(made.invoke(QUESTION)) == 2
    made.delete([str(one.id) for one in odd])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
