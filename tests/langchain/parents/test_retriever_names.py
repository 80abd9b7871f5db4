"""What a document is known by: the id given with it, its source, its own id, or its content."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, SPLITTINGS, kept, retriever, rows
from fakes.langchain.splitters import contents
from fakes.texts.articles import article
from langchain_core.documents import Document

from caesura.errors import SettingError


def test_ids_given_with_documents_name_them_with_a_parent_splitter_too() -> None:
    made = retriever(**SPLITTINGS["recursive"])
    assert made.add_documents(DOCUMENTS[:2], ids=["a", "b"]) == ["a", "b"]
    made.add_documents([Document("The parrot spoke.")], ids=["a"])
    assert made.delete(["b"])["num_deleted"] == 1
    assert contents(list(kept(made).values())) == ["The parrot spoke."]


def test_a_document_without_id_is_known_by_its_content() -> None:
    made = retriever(**SPLITTINGS["whole"])
    plain = [Document(document.page_content, metadata=document.metadata) for document in DOCUMENTS]
    named = made.add_documents([*plain, plain[0]])
    assert named[0] == named[-1]
    made.add_documents(plain)
    assert len(kept(made)) == 5
    assert len(set(named)) == made.delete(named)["num_deleted"] == 5
    assert rows(made) == {}


def test_pages_of_one_source_are_told_apart_by_their_metadata_and_go_together() -> None:
    made = retriever(**SPLITTINGS["whole"], source_id_key="source")
    pages = [Document(article(8, seed), metadata={"source": "a.pdf", "page": seed}) for seed in range(4)]
    other = Document(article(8, 9), metadata={"source": "b.pdf", "page": 0})
    assert made.add_documents([*pages, other]) == ["a.pdf"] * 4 + ["b.pdf"]
    assert len(kept(made)) == 5
    made.add_documents([pages[1].model_copy(update={"page_content": "The parrot spoke."})])
    assert Counter(parent.metadata["source"] for parent in kept(made).values()) == {"a.pdf": 4, "b.pdf": 1}
    assert {parent.metadata["page"] for parent in kept(made).values() if "parrot" in parent.page_content} == {1}
    made.mirror([*pages[:2], other])
    assert Counter(parent.metadata["source"] for parent in kept(made).values()) == {"a.pdf": 2, "b.pdf": 1}
    assert made.add_documents(pages[:2]) == ["a.pdf"] * 2
    made.delete(["a.pdf"])
    assert {row["metadata"]["source"] for row in rows(made).values()} == {"b.pdf"}


@pytest.mark.parametrize(
    ("documents", "settings", "ids", "message"),
    [
        ([Document("One."), Document("Two.")], {}, ["a"], "ids must be one str per document: expected 2"),
        ([Document("One.")], {}, "a", "ids must be one str per document"),
        ([Document("One.")], {}, [None], "ids must be one str per document"),
        ([Document("One."), Document("Two.")], {}, ["a", "a"], "two documents that differ have the id 'a'"),
        (
            [Document("One.", metadata={"a": 1})],
            {"source_id_key": "source"},
            None,
            "must have 'source' in its metadata",
        ),
        (Document("One."), {}, None, r"pass \[document\]"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_before_anything_is_written(
    documents: Any, settings: dict[str, Any], ids: Any, message: str
) -> None:
    made = retriever(**SPLITTINGS["whole"], **settings)
    with pytest.raises(SettingError, match=message):
        made.add_documents(documents, ids)
    assert made.docstore.store == rows(made) == {}
