"""Settings of the retriever of words: misspelt ones, and those of others, are refused with the remedy."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from pydantic import ValidationError

from caesura.errors import SettingError
from langchain_caesura import BM25Retriever

FERRY = Document("The ferry leaves at nine.", id="ferry")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"doc_store": None}, r"BM25Retriever has no setting doc_store=None: did you mean docstore\?"),
        ({"filters": {}}, r"did you mean filter\?"),
        ({"top_k": 3}, "top_k=3: k is its name"),
        ({"preprocess_func": str.split}, "stems taken, in the language of each document"),
        ({"bm25_params": {"b": 0.5}}, r"BM25 with k1 = 1\.2 and b = 0\.75"),
        ({"docs": [FERRY]}, r"given to from_documents\(\) or add_documents\(\)"),
        ({"k": 0}, "greater than or equal to 1"),
        ({"k": True}, "valid integer"),
    ],
)
def test_settings_that_there_are_not_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        BM25Retriever(**wrong)
    with pytest.raises(ValidationError, match=message):
        BM25Retriever.from_documents([FERRY], **wrong)


async def test_options_of_a_search_that_there_are_not_are_refused() -> None:
    retriever = BM25Retriever.from_documents([FERRY])
    for wrong, message in (
        ({"filters": {}}, r"a search of BM25Retriever has no setting filters=\{\}: did you mean filter\?"),
        ({"top_k": 3}, "top_k=3: k is its name"),
        ({"k": 0}, "k must be a whole number of at least 1, got 0"),
    ):
        options: dict[str, Any] = wrong
        with pytest.raises(SettingError, match=message):
            retriever.invoke("ferry", **options)
        with pytest.raises(SettingError, match=message):
            await retriever.ainvoke("ferry", **options)


def test_questions_documents_and_ids_that_are_none_are_refused() -> None:
    retriever = BM25Retriever.from_documents([FERRY])
    given: Any
    for given in ({"input": "ferry"}, None, 3):
        with pytest.raises(SettingError, match="the question must be a str"):
            retriever.invoke(given)
    for given in (FERRY, ["text"], "text"):
        with pytest.raises(SettingError, match="documents must be a list of Document"):
            retriever.add_documents(given)
    with pytest.raises(SettingError, match="ids must be one str per document: expected 1"):
        retriever.add_documents([FERRY], ids=["a", "b"])
    with pytest.raises(SettingError, match="two documents that differ have the id 'ferry'"):
        retriever.add_documents([FERRY, Document("The boat.", id="ferry")])
    with pytest.raises(SettingError, match="metadatas must be one per text"):
        BM25Retriever.from_texts(["a", "b"], [{}])
    for given in (None, "ferry", [1]):
        with pytest.raises(ValueError, match="ids must be"):
            retriever.delete(given)
    assert retriever.invoke("boat") == []
