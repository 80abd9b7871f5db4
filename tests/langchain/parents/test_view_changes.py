"""Views are updated and deleted with their document; what was found can be a document or a view again."""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_fakes import contents
from langchain_parent_fakes import retriever, rows
from langchain_view_fakes import DOCUMENTS, LINES, TAXES, views

from langchain_caesura import SemanticHierarchySplitter


async def test_what_was_found_can_be_added_again_and_made_views_of() -> None:
    splitter = SemanticHierarchySplitter(chunk_sizes=(100, 50, 20), sentence_splitter=lambda text: text.split("\n"))
    source = retriever(child_splitter=splitter, merge_ratio=1, k=1, search_kwargs={"k": 1}, max_fetch=1)
    source.add_documents(DOCUMENTS)
    child = source.invoke("A ship pays duty.")[0]
    assert {"sibling_count", "caesura_levels"} <= set(child.metadata)
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
