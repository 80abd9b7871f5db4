"""Small texts of one's own lead to their document, change and go with it, and are refused without one."""

from __future__ import annotations

import inspect
import warnings
from typing import Any
from uuid import uuid4

import pytest
from fakes.langchain.levels import levels
from fakes.langchain.retrievers import retriever, rows
from fakes.langchain.splitters import contents
from fakes.langchain.views import DOCUMENTS, LINES, SHIPS, TAXES, views
from langchain_core.documents import Document

from caesura.errors import SettingError
from langchain_caesura import DoublePassSemanticSplitter, SemanticHierarchySplitter


async def test_views_lead_to_their_document_beside_its_children() -> None:
    made, waiting = retriever(child_splitter=LINES, k=1), retriever(child_splitter=LINES, k=1)
    made.add_documents(DOCUMENTS, views=views())
    await waiting.aadd_documents(DOCUMENTS, views=views())
    assert rows(made) == rows(waiting)
    assert len(rows(made)) == 8 + 3
    found = made.invoke("Which vessel floats?")[0]
    assert found.id == "ships"
    assert found.matches[0]["text"] == "Which vessel floats?"
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


def doors(text: str) -> dict[str, list[Document]]:
    chunks = DoublePassSemanticSplitter(chunk_size=24, target_size=None).split_documents(
        [Document(text, metadata={"source": "a"})]
    )
    views = [Document(f"About: {one.page_content}", metadata={"parent_id": one.id}) for one in chunks]
    return {"documents": chunks, "views": views}


@pytest.mark.parametrize("how", ["add_documents", "aadd_documents", "mirror", "amirror"])
async def test_after_an_edit_no_view_of_an_old_chunk_is_found(how: str) -> None:
    made = retriever(source_id_key="source" if "add" in how else None)
    for text in (SHIPS, "A ship has one mast.\nBread has a crown."):
        given = doors(text)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            returned = getattr(made, how)(**given)
            if inspect.isawaitable(returned):
                await returned
        assert {row["text"] for row in rows(made).values()} == {view.page_content for view in given["views"]}
        assert made.invoke("bread", k=9)[0].page_content in text


async def test_views_of_chunks_without_a_source_say_what_to_set() -> None:
    told = r"the old ones would still be found. Set source_id_key='source'.*or give all documents to mirror\("
    with pytest.warns(UserWarning, match=told):
        retriever().add_documents(**doors(SHIPS))
    with pytest.warns(UserWarning, match=told):
        await retriever().aadd_documents(**doors(SHIPS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own = str(uuid4())
        about = Document("About vessels.", metadata={"parent_id": own})
        retriever().add_documents([Document(SHIPS, id=own)], views=[about])  # an id that an edit leaves as it is
        given = doors(SHIPS)
        retriever().add_documents(**given, ids=[f"ships{number}" for number, _ in enumerate(given["documents"])])
        retriever(child_splitter=LINES).add_documents(given["documents"])


async def test_what_was_found_can_be_added_again_and_made_views_of() -> None:
    source = retriever(child_splitter=levels(100, 50, 20), merge_ratio=1, k=1, search_kwargs={"k": 1}, max_fetch=1)
    source.add_documents(DOCUMENTS)
    child = source.invoke("A ship pays duty.")[0]
    made = retriever(child_splitter=LINES, merge_ratio=1, k=1)
    view = child.model_copy(update={"metadata": {**child.metadata, "parent_id": "again"}})
    made.add_documents([Document(TAXES, id="again", metadata=child.metadata)], views=[view])
    assert contents(made.invoke(child.page_content)) == [TAXES]
    made.add_documents([Document(TAXES, id="again", metadata=child.metadata)])
    assert len(made.invoke("Forms have dates.", k=4)) == 1


def test_views_are_updated_and_deleted_with_their_document() -> None:
    made = retriever(k=1)
    made.add_documents(DOCUMENTS, views=views())
    before = rows(made)
    made.add_documents(DOCUMENTS, views=views())
    assert rows(made) == before
    made.add_documents(DOCUMENTS[:1], views=views()[1:2])
    assert {row["text"] for row in rows(made).values()} == {"About vessels and loaves.", "About the treasury."}
    made.delete(["ships"])
    assert {row["text"] for row in rows(made).values()} == {"About the treasury."}


@pytest.mark.parametrize("metadata", [{}, {"parent_id": "none"}, {"parent_id": None}, {"doc_id": "none"}])
def test_a_view_of_nothing_is_refused_before_anything_is_written(metadata: dict[str, Any]) -> None:
    made = retriever(child_splitter=LINES)
    with pytest.raises(SettingError, match="must have the id of one of the documents as its parent_id"):
        made.add_documents(DOCUMENTS, views=[Document("About.", metadata=metadata)])
    assert made.docstore.store == {}


def test_views_of_documents_that_are_still_to_be_cut_are_refused() -> None:
    for settings in (
        {"child_splitter": LINES, "parent_splitter": LINES},
        {"child_splitter": SemanticHierarchySplitter()},
    ):
        made = retriever(**settings)
        with pytest.raises(SettingError, match="or a SemanticHierarchySplitter returns parts of them: cut first"):
            made.add_documents(DOCUMENTS, views=views())
