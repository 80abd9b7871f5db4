"""What cannot be meant is refused by name, before anything is written."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.langchain.lesser_stores import NoScores
from fakes.langchain.retrievers import retriever
from fakes.langchain.splitters import Bag
from fakes.texts.articles import article
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from caesura.errors import SettingError
from langchain_caesura import DoublePassSemanticSplitter, ParentDocumentRetriever, SemanticHierarchySplitter

OURS: dict[str, Any] = {"child_splitter": DoublePassSemanticSplitter()}


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"k": True},
        {"budget": 0},
        {"budget": True},
        {"merge_ratio": -0.1},
        {"merge_ratio": 1.5},
        {"search_type": "nearest"},
        {"score": "median"},
        {"batch_size": 0},
        {"child_splitter": "recursive"},
        {"vectorstore": None},
        {"parent_splitter": SemanticHierarchySplitter()},
        {"child_splitter": SemanticHierarchySplitter(), "parent_splitter": DoublePassSemanticSplitter()},
        {"child_splitter": None, "parent_splitter": DoublePassSemanticSplitter()},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"vectorstore": InMemoryVectorStore(Bag()), "docstore": InMemoryStore(), **OURS}
    with pytest.raises(ValidationError):
        ParentDocumentRetriever(**{**settings, **wrong})


def test_a_share_that_cannot_be_is_refused_in_the_words_of_the_other_plugin() -> None:
    with pytest.raises(ValueError, match=r"merge_ratio must be a finite number from 0 to 1, got -0\.1"):
        retriever(**OURS, merge_ratio=-0.1)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_a_k_that_cannot_be_is_refused(k: Any) -> None:
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        retriever(**OURS).invoke("", k=k)


@pytest.mark.parametrize("fetched", [0, -5, float("nan"), True])
@pytest.mark.parametrize("budget", [None, 4000])
def test_a_number_of_small_texts_to_fetch_that_cannot_be_is_refused(fetched: Any, budget: int | None) -> None:
    with pytest.raises(SettingError, match="k in search_kwargs must be a whole number of at least 1"):
        retriever(**OURS, search_kwargs={"k": fetched}).invoke("", budget=budget)


def test_a_threshold_that_would_not_be_held_is_refused() -> None:
    with pytest.raises(SettingError, match="a score_threshold needs search_type 'similarity_score_threshold'"):
        retriever(**OURS, search_kwargs={"score_threshold": 0.5}).invoke("tide")


def test_a_threshold_that_is_not_given_or_cannot_be_held_is_refused() -> None:
    settings = {**OURS, "search_type": "similarity_score_threshold"}
    for store, options, message in [
        (InMemoryVectorStore, {}, "needs a number as score_threshold"),
        (InMemoryVectorStore, {"score_threshold": float("nan")}, "needs a number as score_threshold"),
        (NoScores, {"score_threshold": 0.5}, "gives no scores"),
    ]:
        made = retriever(store(Bag()), **settings, search_kwargs=options)
        made.add_documents([Document(article(9))])
        with pytest.raises(SettingError, match=message):
            made.invoke("tide")


async def test_what_is_no_document_is_refused() -> None:
    made = retriever(**OURS)
    for call in (made.add_documents, made.upsert):
        with pytest.raises(SettingError, match="documents must be a list of Document, got str 'a text'"):
            call(["a text"])
    with pytest.raises(SettingError, match="got str 'a text'"):
        await made.aadd_documents(["a text"])
    with pytest.raises(SettingError, match="views must be a list of Document, got str 'a view'"):
        made.add_documents([Document(article(9), id="a")], views=["a view"])
    assert not made.docstore.store


async def test_ids_to_delete_are_str() -> None:
    made = retriever(**OURS, source_id_key="page")
    assert made.add_documents([Document(article(9), metadata={"page": 3})]) == ["3"]
    with pytest.raises(SettingError, match=r"ids must be str, as add_documents\(\) returns them, got 3"):
        made.delete([3])
    with pytest.raises(SettingError, match="ids must be str"):
        await made.adelete([3])
    assert made.delete(["3"])["num_deleted"] == 1


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (None, r"^the question must be a str, got NoneType None$"),
        (3, r"^the question must be a str, got int 3$"),
        ({"question": "tide"}, r"got dict \{'question': 'tide'\}: take it out first, as itemgetter\('question'\) does"),
        ({"input": {}, "a": 1}, r"got dict \{.*\}: take it out first, as itemgetter\('input'\) does"),
    ],
)
async def test_a_question_that_is_no_str_is_named(question: Any, message: str) -> None:
    made = retriever(**OURS)
    with pytest.raises(SettingError, match=message):
        made.invoke(question)
    with pytest.raises(SettingError, match=message):
        await made.ainvoke(question)
