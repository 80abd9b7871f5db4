"""Passages within a budget: exact slices, never more than fits, and nothing left out that does."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from fakes.langchain.passages import LINES, document, left_out, lines, made, spans
from fakes.langchain.splitters import Bag
from fakes.langchain.stores import ClockedVectors
from fakes.langchain.views import views
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_caesura import (
    ParentDocumentRetriever,
    SemanticHierarchySplitter,
    SQLiteDocumentStore,
    StaticEmbeddings,
)

DOCUMENTS = [document(f"doc {number}", lines(30, "w", 30 * number)) for number in range(4)]
TEXTS = {str(one.id): one.page_content for one in DOCUMENTS}
QUESTION = "Which sailor has the rope and the anchor?"
CUTS: dict[str, dict[str, Any]] = {
    "lines": {},
    "parents": {"parent_splitter": RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0, separators=["\n"])},
    "hierarchy": {"child_splitter": SemanticHierarchySplitter(chunk_sizes=(300, 100, 40))},
    "overlapping": {"child_splitter": RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=20)},
    "defaults": {
        "child_splitter": ParentDocumentRetriever.model_fields["child_splitter"].get_default(call_default_factory=True)
    },
}


@cache
def filled(cut: str) -> Any:
    """A retriever that has the documents, and is only asked."""
    one = made(**CUTS[cut])
    one.add_documents(DOCUMENTS)
    return one


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("budget", [1, 39, 150, 777, 4000, 10**6])
async def test_passages_are_slices_within_the_budget_and_async_is_the_same(cut: str, budget: int) -> None:
    one = filled(cut)
    found = one.invoke(QUESTION, budget=budget)
    places = spans(found, TEXTS)
    assert sum(end - start for _, start, end in places) <= budget
    assert all(one[0] != other[0] or one[2] <= other[1] for one, other in pairwise(sorted(places)))
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert all(0 <= each.score <= 1 for each in found)
    assert len({each.id for each in found}) == len(found)
    awaited = await one.ainvoke(QUESTION, budget=budget)
    assert one.invoke(QUESTION, budget=budget) == found == awaited
    assert [each.matches for each in found] == [each.matches for each in awaited]
    if cut != "overlapping":
        assert budget < 4000 or len(places) == 4


@pytest.mark.parametrize("k", [1, 2, None])
async def test_what_is_too_large_is_shortened_before_what_is_worse_takes_its_place(k: int | None) -> None:
    retriever = ParentDocumentRetriever(vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore())
    winter = "In December the sluice is closed. The wheel stands on two beams until March. Snow lies on the roof."
    ferry = "The ferry leaves at nine."
    retriever.add_documents([Document(winter, id="winter"), Document(ferry, id="ferry")])
    for found in (
        retriever.invoke("When is the sluice closed?", budget=80, k=k),
        await retriever.ainvoke("When is the sluice closed?", budget=80, k=k),
    ):
        assert found[0].page_content.startswith("In December the sluice is closed.")
        assert found[0].score == 1


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 25), min_size=1, max_size=2),  # children that are looked up at once
    budget=st.integers(1, 1500),
    k=st.one_of(st.none(), st.integers(1, 5)),
    words=st.sampled_from([0, None]),
    question=st.sampled_from([QUESTION, "w3 w17 w40", "tide"]),
)
def test_nothing_that_fits_is_left_out(
    sizes: list[int], budget: int, k: int | None, words: float | None, question: str
) -> None:
    documents = [document(f"{number}", lines(size, "w", 30 * number)) for number, size in enumerate(sizes)]
    one = made(budget=budget, k=k, words=words)
    one.add_documents(documents)
    found = one.invoke(question)
    places = spans(found, {str(each.id): each.page_content for each in documents})
    assert sum(end - start for _, start, end in places) <= budget
    assert k is None or len(places) <= k
    assert left_out(one, places, budget, k) == []
    assert one.invoke(question) == found


def test_k_and_the_budget_hold_together_and_without_a_budget_whole_parents_come() -> None:
    one = made()
    one.add_documents(DOCUMENTS)
    assert len(one.invoke(QUESTION, k=2, budget=200)) == 2
    whole = one.invoke(QUESTION, budget=None, k=2)
    assert [each.page_content for each in whole] == [TEXTS[str(each.id)] for each in whole]
    assert len(one.invoke(QUESTION, budget=None)) == 4
    for wrong in ({"budget": 0}, {"budget": 1.5}, {"k": 0}):
        with pytest.raises(ValueError, match="must be a whole number of at least 1"):
            one.invoke(QUESTION, **wrong)


@pytest.mark.parametrize("name", ["lines", "parents", "hierarchy"])
def test_a_budget_counts_what_the_length_function_counts(name: str) -> None:
    def tokens(text: str) -> int:
        return len(text.split())

    one = made(**CUTS[name], length_function=tokens, budget=25)
    one.add_documents(DOCUMENTS)
    found = one.invoke(QUESTION)
    assert spans(found, TEXTS)
    assert 20 < sum(tokens(each.page_content) for each in found) <= 25


def test_a_parent_takes_the_place_of_what_was_found_in_it_where_enough_was_and_it_fits() -> None:
    near = [
        "the sailor ties a rope",
        "the sailor cuts a rope",
        "bread and butter on a plate",
        "salt and pepper in a mill",
    ]
    far = lines(40, "far ")
    settings: dict[str, Any] = {"context": 0, "words": 0, "search_kwargs": {"k": 2}}
    for ratio, budget, wanted in ((None, 200, near), (0.5, 200, near), (0.6, 200, near[:2]), (0.5, 50, near[:2])):
        one = made(**settings, merge_ratio=ratio, budget=budget)
        one.add_documents([document("near", near), document("far", far)])
        assert [each.page_content for each in one.invoke("the sailor ties a rope")] == ["\n".join(wanted)]


def test_a_view_stands_for_its_document_or_for_as_much_of_its_beginning_as_fits() -> None:
    texts = {"ships": "\n".join(lines(9, "s")), "taxes": "\n".join(lines(9, "t", 40))}
    one = made(words=0, search_kwargs={"k": 1})
    one.add_documents(
        [Document(text, id=name, metadata={"source": name}) for name, text in texts.items()], views=views()
    )
    (whole,) = one.invoke("Which vessel floats?")
    assert whole.page_content == texts["ships"]
    assert whole.matches[0]["text"] == "Which vessel floats?"
    (part,) = one.invoke("Which vessel floats?", budget=100)
    assert texts["ships"].startswith(part.page_content)
    assert 60 < len(part.page_content) <= 100


def test_a_k_of_the_vector_store_that_is_too_small_for_the_budget_is_told(recwarn: pytest.WarningsRecorder) -> None:
    one = made(words=0, search_kwargs={"k": 2})
    one.add_documents(DOCUMENTS)
    with pytest.warns(
        UserWarning, match=r"\{'k': 2\} .* do not fill the budget of 4000: .* leave it out, and pass k=2"
    ):
        assert sum(len(each.page_content) for each in one.invoke(QUESTION)) < 1000
    recwarn.clear()
    for enough in ({"budget": 50}, {"k": 1}):
        assert one.invoke(QUESTION, **enough)
    assert one.model_copy(update={"search_kwargs": {"k": 200}}).invoke(QUESTION)
    assert not [each for each in recwarn if "budget" in str(each.message)]


def test_rows_of_another_index_in_the_same_vector_store_do_not_starve_a_budget() -> None:
    vectors, text = InMemoryVectorStore(Bag()), "the sailor has the rope"
    one = made(vectors, words=0)
    one.add_documents(DOCUMENTS)
    alone = one.invoke("the sailor", budget=4000)
    vectors.add_documents([Document(text, metadata={"doc_id": "of another"}) for _ in range(300)])
    found = one.invoke("the sailor", budget=4000)
    assert [each.page_content for each in found] == [each.page_content for each in alone]


def test_a_diverse_search_among_rows_of_another_index_asks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = InMemoryVectorStore(Bag())
    one = made(vectors, words=0, search_type="mmr")
    one.add_documents(DOCUMENTS)
    vectors.add_documents([Document("the sailor", metadata={"doc_id": "of another"}) for _ in range(300)])
    asked: list[Any] = []
    search = InMemoryVectorStore.max_marginal_relevance_search_by_vector

    def counted(own: Any, *vector: Any, **options: Any) -> list[Document]:
        asked.append(options)
        return search(own, *vector, **options)

    monkeypatch.setattr(InMemoryVectorStore, "max_marginal_relevance_search_by_vector", counted)
    one.invoke("the sailor", budget=4000)
    assert len(asked) == 1


def test_a_blank_question_and_an_empty_store_are_no_fault() -> None:
    one = made(budget=100)
    assert one.invoke("nothing here") == []
    one.add_documents(DOCUMENTS)
    for question in ("zzz", "?!"):
        assert sum(len(each.page_content) for each in one.invoke(question)) <= 100


@pytest.mark.thorough
@pytest.mark.parametrize(
    "search",
    [
        {"search_type": "mmr", "search_kwargs": {"lambda_mult": 0.5}},
        {"search_type": "similarity_score_threshold", "search_kwargs": {"score_threshold": 0.2}},
        {"search_kwargs": {"filter": lambda row: row.metadata["source"] != "doc 1"}},
    ],
    ids=["mmr", "threshold", "filter"],
)
async def test_every_way_of_searching_fills_a_budget(search: dict[str, Any]) -> None:
    one = made(**search, budget=500)
    one.add_documents(DOCUMENTS)
    found = one.invoke(QUESTION)
    places = spans(found, TEXTS)
    assert 300 < sum(end - start for _, start, end in places) <= 500
    assert await one.ainvoke(QUESTION) == found
    if "filter" in search["search_kwargs"]:
        assert all(name != "doc 1" for name, _, _ in places)


def test_what_is_lost_gives_way_to_the_next_best_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    one = made(budget=100)
    one.add_documents(DOCUMENTS)
    best = one.invoke("w35 w36 w37")[0].metadata["source"]
    for key in [key for key, value in one.docstore.store.items() if value.metadata.get("source") == best]:
        one.docstore.mdelete([key])
    found = one.invoke("w35 w36 w37")
    assert best not in {each.metadata["source"] for each in found}
    assert 60 < sum(len(each.page_content) for each in found) <= 100
    assert "not in the document store" in caplog.text
    one.add_documents(DOCUMENTS, force=True)
    assert one.invoke("w35 w36 w37")[0].metadata["source"] == best


def test_two_settings_are_enough(tmp_path: Any) -> None:
    with SQLiteDocumentStore(tmp_path / "d.db") as store:
        one = ParentDocumentRetriever(vectorstore=ClockedVectors(StaticEmbeddings()), docstore=store)
        one.add_documents(DOCUMENTS)
        assert spans(one.invoke(QUESTION), TEXTS)
    assert LINES is not one.child_splitter is not None


def test_what_was_taken_whole_is_shortened_to_make_room_for_the_best() -> None:
    """However the length is measured: the length of characters need not read what it takes."""
    texts = {
        "best": "Bread dough rises with bread yeast in bread tins and dough bowls. "
        + "The bread dough of the baker rests in a warm bowl for an hour or so. " * 2,
        "next": "Bread and dough. " + "The miller sells bread flour to the harbour, and rye to ships. " * 2,
        "last": "Dough is heavy. " + "Ships carry stone and coal to the north, and the wind is cold there. " * 3,
    }
    for measure in (len, lambda text: len(text)):
        retriever = ParentDocumentRetriever(
            vectorstore=InMemoryVectorStore(StaticEmbeddings()), docstore=InMemoryStore(), length_function=measure
        )
        retriever.add_documents([Document(text, id=name, metadata={"name": name}) for name, text in texts.items()])
        found = retriever.invoke("bread dough", budget=160)
        assert [passage.metadata["name"] for passage in found] == ["best", "next"]
