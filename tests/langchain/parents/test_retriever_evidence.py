"""Why a passage was found: by vectors, by which words in which field, and by its document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.langchain.passages import document, lines, made
from langchain_core.documents import Document
from langchain_core.load import dumps, loads
from langchain_core.stores import InMemoryStore

from caesura_retrieval.ranking import Evidence
from langchain_caesura import BM25Retriever, ScoredDocument

GUIDE = Document(
    "# Ferries\n\nThey leave at nine.\n\n# Trains\n\nA train leaves at ten, and the tickets are sold on board.",
    id="guide",
    metadata={"title": "Travelling north", "source": "guide.md"},
)


def filled(**settings: Any) -> Any:
    one = made(**settings)
    one.add_documents([GUIDE, *(document(f"{number}", lines(30, f"f{number} ")) for number in range(3))])
    return one


async def test_each_match_says_why_it_was_found_and_a_passage_why_its_best_was() -> None:
    one = filled(budget=60)
    (best, *_) = one.invoke("Are tickets sold on trains to the north?")
    assert isinstance(best, ScoredDocument)
    assert isinstance(best.evidence, Evidence)
    assert best.evidence.found == {"text": ["tickets", "sold", "trains"], "headings": ["trains"], "title": ["north"]}
    assert 0 <= best.evidence.vectors <= 1 == best.evidence.words
    assert best.evidence.score == best.matches[0]["score"] == best.score
    assert all(match["evidence"]["score"] == match["score"] for match in best.matches)
    (awaited, *_) = await one.ainvoke("Are tickets sold on trains to the north?")
    assert awaited.evidence == best.evidence


def test_evidence_survives_copies_and_is_written_as_json() -> None:
    (best, *_) = filled().invoke("trains")
    assert best.model_copy(deep=True).evidence == best.evidence
    assert json.loads(dumps(best))["kwargs"]["matches"][0]["evidence"] == best.matches[0]["evidence"]
    assert loads(dumps(best), allowed_objects=[Document]) == best
    assert "evidence" not in repr(best)


@pytest.mark.parametrize("settings", [{"words": 0}, {"docstore": InMemoryStore(), "words": 0}])
def test_without_words_the_vectors_alone_are_the_reason(settings: dict[str, Any]) -> None:
    (best, *_) = filled(**settings).invoke("Do trains leave?")
    assert best.evidence is not None
    assert best.evidence.words == 0
    assert best.evidence.vectors > 0
    assert best.evidence.found == {}


def test_whole_parents_are_found_by_vectors_alone_and_have_none() -> None:
    (best, *_) = filled(budget=None).invoke("Do trains leave?")
    assert best.matches
    assert best.evidence is None


def test_a_filter_hides_the_headings_of_what_it_hides() -> None:
    one = filled()
    passing = "They leave at nine."
    (best,) = one.invoke("ferries leave", filter=lambda row: row.page_content == passing)
    assert best.page_content == passing
    assert best.evidence is not None
    assert best.evidence.found == {"text": ["leave"]}


def test_documents_that_words_alone_find_say_which() -> None:
    retriever = BM25Retriever.from_documents([GUIDE, Document("A train.", metadata={"source": "north/a.md"})])
    (best, other) = retriever.invoke("Which trains to the north sell a ticket?")
    assert best.evidence == Evidence(1.0, 0.0, 1.0, 0.0, {"text": ["trains", "ticket"], "title": ["north"]})
    assert other.evidence is not None
    assert other.evidence.found == {"text": ["trains"], "title": ["north"]}
    assert other.evidence.score == (other.score or 0) / (best.score or 1)
