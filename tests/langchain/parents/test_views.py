"""Small texts of one's own lead to their document, beside its children or alone."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_fakes import contents
from langchain_parent_fakes import retriever, rows
from langchain_view_fakes import DOCUMENTS, LINES, SHIPS, views

from caesura.errors import SettingError
from langchain_caesura import DoublePassSemanticSplitter


async def test_views_lead_to_their_document_beside_its_children() -> None:
    made, waiting = retriever(child_splitter=LINES, k=1), retriever(child_splitter=LINES, k=1)
    made.add_documents(DOCUMENTS, views=views())
    await waiting.aadd_documents(DOCUMENTS, views=views())
    assert rows(made) == rows(waiting)
    assert len(rows(made)) == 8 + 3
    found = made.invoke("Which vessel floats?")[0]
    assert found.id == "ships"
    assert found.metadata["matches"][0]["text"] == "Which vessel floats?"
    assert made.invoke("the treasury")[0].id == "taxes"
    assert made.invoke("Forms have names.")[0].id == "taxes"


def test_views_alone_lead_to_a_document() -> None:
    made = retriever(k=1)
    made.add_documents(DOCUMENTS, views=views())
    assert len(rows(made)) == 3
    assert made.invoke("vessels")[0].page_content == SHIPS
    with pytest.raises(SettingError, match="'new' has no views and there is no child_splitter"):
        made.add_documents([Document("New.", id="new")])


def test_a_view_always_leads_to_its_document_in_merge_mode() -> None:
    made = retriever(child_splitter=LINES, merge_ratio=0.9, k=1, search_kwargs={"k": 1})
    made.add_documents(DOCUMENTS, views=views())
    assert made.invoke("Which vessel floats?")[0].id == "ships"
    assert contents(made.invoke("Forms have names.")) == ["Forms have names."]


def test_views_of_chunks_point_to_the_chunks_ids() -> None:
    chunks = DoublePassSemanticSplitter(chunk_size=50).split_documents(DOCUMENTS)
    questions = [Document(f"question{number}", metadata={"parent_id": one.id}) for number, one in enumerate(chunks)]
    made = retriever(k=1)
    assert made.add_documents(chunks, views=questions) == [chunk.id for chunk in chunks]
    assert [made.invoke(f"question{number}")[0].page_content for number in range(len(chunks))] == contents(chunks)
