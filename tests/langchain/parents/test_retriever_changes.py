"""A document that is changed, in its text, its metadata or how it is cut, leaves nothing stale."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.retrievers import (
    DOCUMENTS,
    SPLITTINGS,
    TEXTS,
    edited,
    every_splitting,
    kept,
    retriever,
    rows,
    stored,
)
from fakes.texts.articles import article
from langchain_core.documents import Document

from langchain_caesura import DoublePassSemanticSplitter
from langchain_caesura.parents.record import RECORDS, ROW


@pytest.mark.thorough
@every_splitting
async def test_a_changed_document_leaves_nothing_stale(settings: dict[str, Any]) -> None:
    made, fresh, waiting = retriever(**settings), retriever(**settings), retriever(**settings)
    made.add_documents(DOCUMENTS)
    await waiting.aadd_documents(DOCUMENTS)
    half = DOCUMENTS[1].model_copy(update={"page_content": TEXTS["doc-1"][: len(TEXTS["doc-1"]) // 2]})
    changed = [edited(DOCUMENTS[0]), half, *DOCUMENTS[2:]]
    made.add_documents(changed)
    await waiting.aadd_documents(changed[:2])
    fresh.add_documents(changed)
    assert rows(made) == rows(fresh) == rows(waiting)
    assert stored(made) == stored(fresh) == stored(waiting)
    assert "parrot" in made.invoke("parrot spoke", k=1)[0].page_content


def test_changed_metadata_is_a_change() -> None:
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents(DOCUMENTS)
    made.add_documents([DOCUMENTS[0].model_copy(update={"metadata": {"source": "0.md", "version": 2}})])
    found = {(row["metadata"]["source"], row["metadata"]["version"]) for row in rows(made).values()}
    assert found == {("0.md", 2)} | {(f"{number}.md", 1) for number in range(1, 5)}
    assert len(kept(made)) == 5


def test_changed_settings_are_a_change_and_equal_ones_are_none() -> None:
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


def test_child_metadata_is_flat_or_what_is_asked_for() -> None:
    document = Document(article(10), id="a", metadata={"source": "a", "list": [1], "none": None, 3: 4})
    made = retriever(**SPLITTINGS["whole"])
    made.add_documents([document])
    assert all(set(row["metadata"]) == {"source", "doc_id", ROW} for row in rows(made).values())
    made = retriever(**SPLITTINGS["whole"], child_metadata_fields=["none such"], id_key="parent")
    made.add_documents([document])
    assert all(set(row["metadata"]) == {"parent", ROW} for row in rows(made).values())
    assert made.invoke("cat", k=1)[0].metadata["list"] == [1]
    assert all(key.startswith(RECORDS) or key in kept(made) for key in made.docstore.store)


def test_other_fields_of_children_count_and_none_are_changed_in_place() -> None:
    document = Document(article(10), id="a", metadata={"source": "a", "user": "anna"})
    fields = ["source"]
    made = retriever(**SPLITTINGS["whole"], child_metadata_fields=fields)
    made.add_documents([document])
    fields.append("user")
    assert made.child_metadata_fields == ("source",)
    made.child_metadata_fields = ["source", "user"]
    made.add_documents([document])
    assert all(set(row["metadata"]) == {"source", "user", "doc_id", ROW} for row in rows(made).values())
