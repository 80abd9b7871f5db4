"""A view of nothing, or of what is still to be cut, is refused before anything is written."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_parent_fakes import retriever
from langchain_view_fakes import DOCUMENTS, LINES, views

from caesura.errors import SettingError
from langchain_caesura import SemanticHierarchySplitter


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
