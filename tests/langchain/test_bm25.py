"""Documents that words find: which, in which order, and as they were given."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_text_splitters import MarkdownHeaderTextSplitter

from caesura.errors import SettingError
from caesura_documents.titles import title_of
from langchain_caesura import BM25Retriever

FERRY = Document("The ferry leaves at nine.", id="ferry", metadata={"page": 1, "nested": {"list": [1]}})
TICKETS = Document("Tickets are sold on board.", id="tickets", metadata={"page": 2})
MOON = Document("The moon pulls at the sea.", metadata={"page": 2})


def found(retriever: BM25Retriever, question: str, **options: Any) -> list[str]:
    return [document.page_content for document in retriever.invoke(question, **options)]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Two ferries were leaving the island.", "When does the ferry leave?"),
        ("Паромы отправлялись с острова утром, и билеты продавали на борту.", "отправление парома"),
        ("Die Fähren zu den Inseln fahren morgens ab, und die Karten gibt es an Bord.", "Fährt eine FAHRE zur Insel?"),
        ("كان المدرسون يقرؤون الرسائل في الصباح الباكر كل يوم", "رسالة المدرس"),
        ("北京市的渡轮每天九点开往岛上。", "渡轮几点开？"),
        ("Call getUserById before the session is closed.", "how to get a user by id"),
        ("Set max_retry_count in the file.", "retry count"),
        ("Revenue of FY2018 was lower.", "2018 revenue"),
    ],
    ids=["English", "Russian", "German", "Arabic", "Chinese", "camelCase", "snake_case", "number"],
)
def test_words_are_found_by_their_stems_and_identifiers_by_their_parts(text: str, question: str) -> None:
    retriever = BM25Retriever.from_texts(["Bread rises in a warm kitchen.", text, "The moon pulls at the sea."])
    assert found(retriever, question)[0] == text


@pytest.mark.parametrize(
    "metadata",
    [
        {"title": "Ferries of the north"},
        {"source": "guides/ferries-north.md"},
        {"file_path": "/data/ferries_north.pdf", "source": "scan"},
        {"url": "https://example.org/north/ferries"},
        {"headings": ["Travel", "Ferries of the north"]},
        {"headings": "Travel > Ferries of the north"},
        {"table_header": "| ferries | north |"},
        {"document_context": "From a guide to northern ferries."},
    ],
    ids=lambda metadata: " ".join(metadata),
)
def test_a_document_is_found_by_what_its_metadata_say_of_it(metadata: dict[str, Any]) -> None:
    others = [Document(f"They leave at {hour}.", metadata={"title": "Timetable"}) for hour in ("six", "seven")]
    told = Document("They leave at nine.", metadata=metadata)
    retriever = BM25Retriever.from_documents([*others, told])
    (best, *_) = retriever.invoke("When do ferries leave in the north?")
    shown = {"title": title, **metadata} if (title := title_of(metadata)) else metadata
    assert (best.page_content, best.metadata) == (told.page_content, shown)
    assert [document.metadata for document in retriever.invoke("northern ferries")] == [shown]


def test_headings_of_langchains_splitters_find_what_stands_below_them() -> None:
    splitter = MarkdownHeaderTextSplitter([("#", "Header 1"), ("##", "Header 2")])
    chunks = splitter.split_text("# Guide\n\n## Ferries\n\nThey leave at nine.\n\n## Trains\n\nThey leave at ten.")
    assert found(BM25Retriever.from_documents(chunks), "Are there trains?") == ["They leave at ten."]


def test_documents_come_back_as_they_were_given_with_ids_and_scores() -> None:
    given = [document.model_copy(deep=True) for document in (FERRY, TICKETS, MOON)]
    retriever = BM25Retriever.from_documents(given)
    given[0].metadata["nested"]["list"].append(2)
    (ferry,) = retriever.invoke("ferry")
    assert ferry == FERRY
    assert ferry.score is not None
    assert ferry.score > 0
    ferry.metadata["nested"]["list"].append(3)
    (read,) = retriever.get(["ferry"])
    assert read == FERRY
    read.metadata["nested"]["list"].append(4)
    assert retriever.invoke("ferry") == [FERRY]
    (moon,) = retriever.invoke("moon")
    assert retriever.get([str(moon.id)]) == [Document(MOON.page_content, id=moon.id, metadata=MOON.metadata)]


def test_the_best_come_first_and_no_more_than_k_that_have_a_word() -> None:
    texts = ["a ferry and a ferry", "one ferry among very many other words here", "no boat"]
    retriever = BM25Retriever.from_texts(texts, k=1)
    assert found(retriever, "ferry") == texts[:1]
    assert found(retriever, "ferry", k=5) == texts[:2]
    scores = [document.score for document in retriever.invoke("ferry boat", k=5)]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert retriever.invoke("train") == retriever.invoke("") == []


def test_what_stands_around_a_chunk_of_a_file_counts() -> None:
    def chunks(name: str, *texts: str) -> list[Document]:
        return [Document(text, metadata={"source": f"{name}.md"}) for text in texts]

    plain = chunks("a", "The fare is six pounds.", "It is lower in winter.")
    near = chunks("b", "The ferry goes to Skye.", "The fare is five pounds.")
    retriever = BM25Retriever.from_documents([*plain, *near])
    assert found(retriever, "ferry fare")[0] == "The ferry goes to Skye."
    assert found(retriever, "fare of the ferry")[1] == "The fare is five pounds."


def test_ids_are_those_given_the_documents_own_or_made_of_content() -> None:
    retriever = BM25Retriever()
    assert retriever.add_documents([FERRY, TICKETS], ids=["1", "2"]) == ["1", "2"]
    assert {document.id for document in retriever.invoke("ferry tickets")} == {"1", "2"}
    first = retriever.add_documents([FERRY, MOON])
    assert first == retriever.add_documents([FERRY, MOON, MOON])[:2]
    assert first[0] == "ferry"
    assert len(retriever.invoke("moon")) == 1


async def test_a_document_is_replaced_and_deleted_and_its_old_words_find_nothing() -> None:
    retriever = BM25Retriever.from_documents([FERRY, TICKETS])
    await retriever.aadd_documents([FERRY.model_copy(update={"page_content": "The boat leaves at ten."})])
    assert retriever.invoke("ferry") == []
    assert found(retriever, "boat") == ["The boat leaves at ten."]
    assert await retriever.ainvoke("boat") == retriever.invoke("boat")
    assert retriever.delete(["ferry", "none"]) == {
        "num_deleted": 1,
        "succeeded": ["ferry"],
        "num_failed": 0,
        "failed": [],
    }
    assert retriever.invoke("boat leaves") == retriever.get(["ferry"]) == []
    assert found(retriever, "tickets") == [TICKETS.page_content]


def test_a_chunk_of_a_file_is_replaced_and_deleted_by_itself() -> None:
    chunks = [Document(f"w{at} ferry", id=f"{at}", metadata={"source": "a.md"}) for at in range(5)]
    retriever = BM25Retriever.from_documents(chunks, k=9)
    retriever.delete(["1"])
    retriever.add_documents([chunks[2].model_copy(update={"page_content": "train"})])
    assert sorted(found(retriever, "ferry", k=3)) == ["w0 ferry", "w3 ferry", "w4 ferry"]
    assert retriever.invoke("w1") == retriever.invoke("w2") == []
    assert [found(retriever, word, k=1) for word in ("train", "w4")] == [["train"], ["w4 ferry"]]


def test_documents_whose_titles_and_ids_look_alike_when_joined_are_told_apart() -> None:
    one, two = Document("ferry", id="b", metadata={"title": "A\n"}), Document("tram", id="\nb", metadata={"title": "A"})
    retriever = BM25Retriever.from_documents([one, two])
    assert [document.id for document in retriever.invoke("ferry")] == ["b"]
    assert [document.id for document in retriever.invoke("tram")] == ["\nb"]


@pytest.mark.parametrize("metadata", [{}, {"source": "fares.md"}])
def test_equal_texts_stand_in_one_order_whatever_the_order_of_writes(metadata: dict[str, Any]) -> None:
    documents = [Document("The ferry leaves at nine.", id=f"{number}", metadata=metadata) for number in range(6)]
    for order in ((0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (3, 5, 0, 1, 4, 2)):
        retriever = BM25Retriever()
        for number in order:
            retriever.add_documents([documents[number]])
        assert [each.id for each in retriever.invoke("ferry", k=6)] == [*"012345"]
        retriever.add_documents([MOON.model_copy(update={"id": "1"})])
        retriever.add_documents([documents[1]])
        assert [each.id for each in retriever.invoke("ferry", k=6)] == [*"012345"]


def test_another_users_document_under_the_same_id_is_refused() -> None:
    retriever = BM25Retriever()
    first, second = (
        Document(f"The ticket of {name}.", id="trip", metadata={"user": name}) for name in ("anna", "bert")
    )
    retriever.add_documents([first])
    retriever.add_documents([Document("A new ticket of anna.", id="trip", metadata={"user": "anna"})])
    with pytest.raises(SettingError, match=r"'bert' would take the place of one with 'anna'.*delete 'trip' first"):
        retriever.add_documents([Document("A ferry.", id="ferry"), second])
    assert found(retriever, "ticket ferry") == ["A new ticket of anna."]
    retriever.delete(["trip"])
    retriever.add_documents([second])
    assert found(retriever, "ticket") == ["The ticket of bert."]
